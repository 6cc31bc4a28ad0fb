"""What predictions are judged by, in the form that scikit-learn has: `metric(Y_true, Y_pred, sample_weight=None)`.

=======================  ============================================================================  =============
metric                   value                                                                         input
=======================  ============================================================================  =============
`jaccard_accuracy`       mean over examples of intersection / union                                    label sets
`example_f1`             mean over examples of F1                                                      label sets
`exact_match`            share of examples with every label right                                      label sets
`hamming_loss`           share of wrong entries                                                        0/1 matrices
`micro_f1`               F1 of all entries together                                                    label sets
`macro_f1`               mean over labels of F1                                                        0/1 matrices
`hierarchical_f1`        F1 of all entries together, ancestors included                                label sets
`path_loss`              mean number of nodes, ancestors included, in one set only                     label sets
`position_error`         share of wrong positions                                                      sequences
`sequence_error`         share of sequences with a wrong position                                      sequences
`span_f1`                F1 of all chunks together, as conlleval counts them                           IOB2 tags
=======================  ============================================================================  =============

Label sets are 0/1 matrices (dense or sparse) or lists of sets. Nothing to find and nothing found (0/0) counts as
perfect, 1: an example without labels for which none is predicted, a label that never occurs and is never predicted.
This is scikit-learn's `zero_division=1`. The accuracy "Acc" of the paper is `jaccard_accuracy`, its "MaF1" is
`example_f1` (NOTES E40).
"""

from .hierarchies import hierarchical_f1, path_loss
from .label_sets import exact_match, example_f1, hamming_loss, jaccard_accuracy, macro_f1, micro_f1
from .scorers import scorer
from .sequences import position_error, sequence_error, span_f1

__all__ = [
    "exact_match",
    "example_f1",
    "hamming_loss",
    "hierarchical_f1",
    "jaccard_accuracy",
    "macro_f1",
    "micro_f1",
    "path_loss",
    "position_error",
    "scorer",
    "sequence_error",
    "span_f1",
]

"""The metrics as scikit-learn's scorers."""

from collections.abc import Callable
from typing import Any

from .hierarchies import hierarchical_f1, path_loss
from .label_sets import exact_match, example_f1, hamming_loss, jaccard_accuracy, macro_f1, micro_f1
from .sequences import position_error, sequence_error, span_f1

__all__ = ["scorer"]

BETTER_WHEN_GREATER: dict[str, Callable[..., float]] = {
    "jaccard": jaccard_accuracy,
    "example-f1": example_f1,
    "micro-f1": micro_f1,
    "macro-f1": macro_f1,
    "exact-match": exact_match,
    "hierarchical-f1": hierarchical_f1,
    "span-f1": span_f1,
}
BETTER_WHEN_LESS: dict[str, Callable[..., float]] = {
    "hamming": hamming_loss,
    "path-loss": path_loss,
    "position-error": position_error,
    "sequence-error": sequence_error,
}


def scorer(name: str, **options: Any) -> Callable[..., float]:
    """The metric as a scorer `scorer(model, X, Y)` for grid searches and cross-validation; losses come out negative.

    Parameters
    ----------
    name : str
        "jaccard", "example-f1", "micro-f1", "macro-f1", "exact-match", "hamming", "hierarchical-f1", "path-loss", "position-error",
        "sequence-error" or "span-f1".
    **options
        Passed to the metric: `hierarchy` for "hierarchical-f1" and "path-loss".

    Examples
    --------
    >>> from taut.metrics import scorer
    >>> scorer("jaccard")
    make_scorer(jaccard_accuracy, response_method='predict')
    """
    from sklearn.metrics import make_scorer

    metrics = BETTER_WHEN_GREATER | BETTER_WHEN_LESS
    if name not in metrics:
        raise ValueError(f"`name` must be one of {', '.join(map(repr, metrics))}; found {name!r}.")
    made: Callable[..., float] = make_scorer(metrics[name], greater_is_better=name in BETTER_WHEN_GREATER, **options)
    return made

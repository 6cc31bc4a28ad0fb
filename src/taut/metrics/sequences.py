"""Metrics of label sequences: lists with one sequence of labels per example."""

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from .label_sets import Reals, Weights, ratio, row_weights

__all__ = ["position_error", "sequence_error", "span_f1"]

Sequences: TypeAlias = Sequence[npt.ArrayLike]
Ints: TypeAlias = npt.NDArray[np.int64]


def position_error(Y_true: Sequences, Y_pred: Sequences, sample_weight: Weights = None) -> float:
    """Share of the positions that are wrong, over all sequences together; less is better.

    Parameters
    ----------
    Y_true, Y_pred : list of n arrays (T_i,)
        Labels of each position, numbers or strings.
    sample_weight : array (n,), optional
        A sequence's weight counts for each of its positions.
    """
    flat = _flat(Y_true, Y_pred, sample_weight)
    return float(np.average(flat.true != flat.found, weights=flat.weight[flat.owner]))


def sequence_error(Y_true: Sequences, Y_pred: Sequences, sample_weight: Weights = None) -> float:
    """Share of the sequences with a wrong position; less is better.

    Parameters
    ----------
    Y_true, Y_pred : list of n arrays (T_i,)
    sample_weight : array (n,), optional
    """
    flat = _flat(Y_true, Y_pred, sample_weight)
    wrong = np.zeros(len(flat.weight), bool)
    wrong[flat.owner[flat.true != flat.found]] = True
    return float(np.average(wrong, weights=flat.weight))


def span_f1(Y_true: Sequences, Y_pred: Sequences, sample_weight: Weights = None) -> float:
    """F1 of all chunks together: found ones count if start, end and type are right. 1 if there is no chunk at all.

    Tags are "O", "B-type" and "I-type". As in conlleval and in seqeval's default mode, a chunk starts at "B", and at an
    "I" that does not follow a tag of its own type; it ends before the next chunk, before "O" and with the sequence.

    Parameters
    ----------
    Y_true, Y_pred : list of n lists of tags
    sample_weight : array (n,), optional
        A sequence's weight counts for each of its chunks.
    """
    flat = _flat(Y_true, Y_pred, sample_weight)
    if flat.true.dtype.kind != "U":
        raise ValueError(f"tags must be strings such as 'B-NP', 'I-NP' and 'O'; found {flat.true.dtype}. Decode the states first.")
    types = {"": 0}
    true, found = (_chunks(tags, flat.owner, types) for tags in (flat.true, flat.found))
    _, i, j = np.intersect1d(true.start, found.start, assume_unique=True, return_indices=True)
    right = (true.end[i] == found.end[j]) & (true.type[i] == found.type[j])
    both, n_true, n_found = (
        flat.weight[flat.owner[start]].sum() for start in (true.start[i][right], true.start, found.start)
    )
    return float(ratio(2 * both, n_true + n_found))


class Flat(NamedTuple):
    """All positions end to end, the sequence that each belongs to, and the weights of the sequences."""

    true: npt.NDArray[Any]
    found: npt.NDArray[Any]
    owner: Ints
    weight: Reals


class Chunks(NamedTuple):
    """First positions, last positions, types."""

    start: Ints
    end: Ints
    type: Ints


def _flat(Y_true: Sequences, Y_pred: Sequences, sample_weight: Weights) -> Flat:
    true, n_true = _joined("Y_true", Y_true)
    found, n_found = _joined("Y_pred", Y_pred)
    if len(n_true) != len(n_found):
        raise ValueError(f"`Y_pred` must hold {len(n_true)} sequences, as `Y_true` does; found {len(n_found)}.")
    for i in np.flatnonzero(n_true != n_found)[:1]:
        raise ValueError(f"`Y_pred[{i}]` must have {n_true[i]} positions, as `Y_true[{i}]` has; found {n_found[i]}.")
    if (true.dtype.kind == "U") != (found.dtype.kind == "U"):
        raise ValueError(f"`Y_true` and `Y_pred` must both hold strings or both numbers; found {true.dtype} and {found.dtype}.")
    return Flat(true, found, np.repeat(np.arange(len(n_true)), n_true), row_weights(sample_weight, len(n_true)))


def _joined(name: str, Y: Sequences) -> tuple[npt.NDArray[Any], Ints]:
    """All labels end to end, and the lengths."""
    expected = f"`{name}` must be a list with one sequence of labels, numbers or strings, per example"
    if Y is None or isinstance(Y, (str, dict)):
        raise ValueError(f"{expected}; found {type(Y).__name__}.")
    try:
        arrays = [np.asarray(y) for y in Y]
    except ValueError as error:
        raise ValueError(f"{expected}; found a sequence of several lengths ({error}).") from None
    if not arrays or not any(array.size for array in arrays):
        raise ValueError(f"{expected}; found no position at all.")
    for i, array in enumerate(arrays):
        if array.ndim != 1 or (array.size and array.dtype.kind not in "biufUO"):
            raise ValueError(f"{expected}; found shape {array.shape} of {array.dtype} in example {i}.")
    labels = np.concatenate([array for array in arrays if array.size])
    if labels.dtype.kind == "O":
        if not all(isinstance(label, str) for label in labels):
            raise ValueError(f"{expected}; found an array of mixed objects.")
        labels = labels.astype(np.str_)
    return labels, np.array([array.size for array in arrays])


def _chunks(tags: npt.NDArray[Any], owner: Ints, types: dict[str, int]) -> Chunks:
    """Chunks of IOB2 tags; `types` numbers the types and grows."""
    names, codes = np.unique(tags, return_inverse=True)
    parts = [str(name).partition("-") for name in names]
    for prefix, dash, kind in parts:
        if prefix not in ("B", "I", "O") or (prefix == "O") != (not dash) or (prefix != "O" and not kind):
            raise ValueError(f"tags must be 'O', 'B-type' or 'I-type'; found {prefix + dash + kind!r}.")
    inside = np.array([prefix != "O" for prefix, _, _ in parts])[codes]
    begins = np.array([prefix == "B" for prefix, _, _ in parts])[codes]
    type_of = np.array([types.setdefault(kind, len(types)) for _, _, kind in parts])[codes]
    goes_on = np.zeros(len(tags), bool)  # the tag is inside and continues the chunk of the tag before
    goes_on[1:] = (inside & ~begins)[1:] & (type_of[1:] == type_of[:-1]) & (owner[1:] == owner[:-1])
    start = np.flatnonzero(inside & ~goes_on)
    end = np.flatnonzero(inside & ~np.append(goes_on[1:], False))
    return Chunks(start, end, type_of[start])

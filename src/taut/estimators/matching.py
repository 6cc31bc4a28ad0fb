"""Matchings: every row of an example is assigned a column of its own."""

from typing import Any

import numpy as np
import numpy.typing as npt

from ..metrics import position_error
from ..structures import Matching, Potentials
from .base import Examples, Ints, Reals, StructuredSVM
from .sequences import joined

__all__ = ["MatchingSSVM"]

_MOST_ASSIGNMENTS = 200  # of one slack argmax


class MatchingSSVM(StructuredSVM):
    """A column for every row of an example, no two rows the same, by features of the pairs (row, column).

    X is a list of arrays (n, m, n_features), n <= m, of any sizes, or one array (examples, n, m, n_features); Y a list with one
    sequence of n column numbers each. Predictions are a list of arrays. The slack argmax is NP-hard: it is cut off after 200
    assignments, and its bound still makes the duality gap a certificate. A constant feature changes no comparison: `intercept_` has
    no effect.

    Parameters
    ----------
    loss : str or Loss
        "hamming" (the share of wrong rows), "zero-one", or `Hamming(normalize=False)` of `taut.losses`.

    C, rescaling, solver, search, tol, max_iter, max_time, oracle_tol, fit_intercept, class_weight, warm_start, callbacks,
    checkpoint, n_jobs, random_state, verbose
        As in `MulticlassSSVM`; `class_weight` must be None.

    Attributes
    ----------
    coef_, intercept_ : arrays (1, n_features), (1,)
    primal_objective_, dual_objective_, duality_gap_, n_iter_, history_, status_, n_features_in_
        As in `MulticlassSSVM`.
    """

    def _read(self, X: Any, reset: bool) -> Examples:
        if isinstance(X, (str, bytes, dict)) or not hasattr(X, "__len__"):
            raise ValueError(f"`X` must be a list with one array (n, m, n_features) per example; found {type(X).__name__}.")
        tables = [_table(i, x) for i, x in enumerate(X)]
        rows, offsets = joined([table.reshape(-1, table.shape[2]) for table in tables])
        width = int(rows.shape[1])
        if reset:
            self.n_features_in_ = width
        elif width != self.n_features_in_:
            raise ValueError(
                f"X has {width} features, but {type(self).__name__} is expecting {self.n_features_in_} features as input."
            )
        return Examples(rows, offsets, tuple(np.array([table.shape[:2]]) for table in tables))

    def _learn_labels(self, Y: Any, examples: Examples) -> None:
        if self.class_weight is not None:
            raise ValueError(f"`class_weight` must be None: columns are no classes; found {self.class_weight!r}.")
        self.classes_ = np.arange(1)

    def _encode(self, Y: Any, examples: Examples) -> list[Any]:
        if Y is None or not hasattr(Y, "__len__") or len(Y) != examples.n:
            found = "None" if Y is None else len(Y) if hasattr(Y, "__len__") else type(Y).__name__
            raise ValueError(f"`Y` must hold one sequence of columns per example ({examples.n}); found {found}.")
        return list(Y)

    def _make_structure(self) -> Matching:
        return Matching(max_assignments=_MOST_ASSIGNMENTS)

    def _potentials(self, scores: Reals, examples: Examples) -> Potentials:
        assert examples.offsets is not None
        sizes = tuple(np.diff(examples.offsets).tolist())
        return Potentials(np.ascontiguousarray(scores).ravel(), np.empty(0), sizes, examples.offsets, examples.edges)

    def _restore(self, labels: list[Ints]) -> list[npt.NDArray[Any]]:
        return [np.asarray(y) for y in labels]

    def _clamped(self, i: int, known: Any) -> Ints:
        """Columns that are known, -1 where a row is free."""
        return np.array([-1 if column is None else column for column in known])

    def score(self, X: Any, Y: Any, sample_weight: Any = None) -> float:
        """Share of the rows, over all examples together, whose column is right."""
        return 1.0 - position_error([np.asarray(y) for y in Y], self.predict(X), sample_weight)


def _table(i: int, x: Any) -> Any:
    try:
        table = np.asarray(x, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"`X[{i}]` must hold numbers, shape (n, m, n_features); found {type(x).__name__} ({error}).") from None
    if table.ndim != 3 or not 1 <= table.shape[0] <= table.shape[1]:
        raise ValueError(f"`X[{i}]` must have shape (n, m, n_features) with 1 <= n <= m; found {table.shape}. Swap n and m?")
    return table

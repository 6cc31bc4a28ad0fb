"""Other divisions of a data set: the same examples in parts of the same sizes."""

import numpy as np
import pytest
from scipy import sparse

from taut.datasets import resplit


@pytest.mark.parametrize("as_rows", [np.asarray, sparse.csr_array])
def test_a_resplit_holds_every_example_once(as_rows) -> None:
    X, Y = np.arange(1.0, 25.0).reshape(12, 2), np.arange(12)
    train, test = (as_rows(X[:8]), Y[:8]), (as_rows(X[8:]), Y[8:])
    drawn = [resplit(train, test, seed) for seed in (1, 1, 2)]
    assert np.array_equal(drawn[0].Y, drawn[1].Y) and not np.array_equal(drawn[0].Y, drawn[2].Y)
    for split in drawn:
        order = np.concatenate([split.Y, split.Y_test])
        assert sorted(order) == list(range(12)) and len(split.Y) == 8
        rows = [part.toarray() if sparse.issparse(part) else part for part in (split.X, split.X_test)]
        assert np.array_equal(np.concatenate(rows), X[order])
    published = resplit(train, test, 0)
    assert published.X is train[0] and published.Y_test is test[1]

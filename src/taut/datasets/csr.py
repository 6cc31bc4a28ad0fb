"""CSR matrices: from plain arrays, and with the indices that other libraries take."""

import numpy as np
import numpy.typing as npt
import scipy.sparse

from .errors import DataError
from .lines import PathLike

__all__ = ["checked_csr", "narrow"]


def checked_csr(
    path: PathLike,
    data: npt.NDArray[np.float64],
    indices: npt.NDArray[np.integer],
    indptr: npt.NDArray[np.integer],
    shape: npt.NDArray[np.integer],
) -> scipy.sparse.csr_array:
    """The matrix, once row pointers and columns are known to be what they must; scipy looks at few of them."""
    pointers = indptr.astype(np.int64)
    sizes = [int(n) for n in shape]
    right = len(sizes) == 2 and len(pointers) == sizes[0] + 1 and pointers[0] == 0 and 0 <= sizes[1] < 2**31
    right = right and len(data) == len(indices) == pointers[-1] and bool((np.diff(pointers) >= 0).all())
    if not (right and _ascending(indices, pointers, sizes[1]) and np.isfinite(data).all()):
        found = f"shape {sizes}, {len(pointers)} pointers, {len(indices)} columns, {len(data)} values"
        raise DataError(path, None, "a CSR matrix of finite values with ascending columns in each row", found)
    return narrow(scipy.sparse.csr_array((data, indices.astype(np.int32), pointers), shape=sizes))


def narrow(X: scipy.sparse.csr_array) -> scipy.sparse.csr_array:
    """X itself, with 32-bit indices where they suffice: liblinear and libsvm of scikit-learn take no others."""
    if max(X.nnz, *X.shape) < 2**31:
        X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return X


def _ascending(indices: npt.NDArray[np.integer], pointers: npt.NDArray[np.int64], n_columns: int) -> bool:
    if len(indices) == 0:
        return True
    row = np.repeat(np.arange(len(pointers) - 1), np.diff(pointers))
    rising = np.diff(indices.astype(np.int64))[np.diff(row) == 0] > 0
    return bool(rising.all()) and int(indices.min()) >= 0 and int(indices.max()) < n_columns

"""Products of matrices on one thread.

A library of linear algebra that meets a large product wakes all cores, which the embedding model has at the
same time: each waits for the other, for seconds. Products of m n k <= 2^18 stay on one thread of OpenBLAS,
and many of them in one call are no slower.
"""

from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

_SMALL: Final = 1 << 18
_ROWS: Final = 16

Real = TypeVar("Real", np.float32, np.float64)


def products(one: NDArray[Real], other: NDArray[Real]) -> NDArray[Real]:
    """Return the product of two matrices: [n, m], of [n, d] and [d, m]."""
    (rows, inner), columns = one.shape, other.shape[1]
    stacked = np.zeros((-(-rows // _ROWS) * _ROWS, inner), one.dtype)
    stacked[:rows] = one
    found = np.empty((len(stacked), columns), one.dtype)
    at_once = max(1, _SMALL // (_ROWS * inner))
    for start in range(0, columns, at_once):
        part = slice(start, start + at_once)
        found[:, part] = np.matmul(stacked.reshape(-1, _ROWS, inner), other[:, part]).reshape(
            len(stacked), -1
        )
    return found[:rows]

"""Sketches of vectors: a cheap upper bound of their products, to skip most comparisons.

A sketch holds the components in a small subspace (principal components) and the length of the rest. By Cauchy
and Schwarz the product of two vectors is at most the product of their components plus that of these lengths.

Matrix products run in pieces of m n k <= 2^18, which OpenBLAS computes on one thread: large products would
compete with the embedding model for all cores.
"""

from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

_SMALL: Final = 1 << 18
_ROWS: Final = 16

Real = TypeVar("Real", np.float32, np.float64)


def products(one: NDArray[Real], other: NDArray[Real]) -> NDArray[Real]:
    """Return the product of two matrices, [n, d] and [d, m]: [n, m]."""
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


COMPONENTS: Final = 96
"""Dimensions of the subspace. It holds 84 to 88 % of the squared length of MiniLM's vectors of
conversations."""

_SAMPLE: Final = 2048  # vectors by which the subspace is chosen
_ITERATIONS: Final = 3

# What is kept are eighths: of the longest vector there is, 4,000 + sqrt(4,096)/2, that fits into 16 bits.
_SCALE: Final = 8
_LONGEST: Final = _SCALE * 4032
# Rounding moves each component by a half at the most, and so the product by sqrt(96)/2 of both lengths; the
# sums of float32 add less than a hundred-thousandth.
_SLACK: Final = COMPONENTS**0.5 * _LONGEST + 1e-5 * _LONGEST**2


class Sketches:
    """Sketches of vectors.

    Args:
        vectors: int16 [n, d], n > 0, of `quantize`.
        room: capacity, n or more.
    """

    def __init__(self, vectors: NDArray[np.int16], room: int) -> None:
        self._axes = _principal(vectors)
        self._kept = np.zeros((room, self._axes.shape[1] + 1), np.int16)
        for start in range(0, len(vectors), _SAMPLE):
            self.put(np.arange(start, min(start + _SAMPLE, len(vectors))), vectors)

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        return int(self._kept.nbytes)

    def put(self, slots: NDArray[np.intp], vectors: NDArray[np.int16]) -> None:
        """Update the sketches at `slots` [m] of `vectors`, int16 [n, d]."""
        if not len(slots):
            return
        given = vectors[slots].astype(np.float64)
        within = products(given, self._axes)
        left = np.einsum("nd,nd->n", given, given) - np.einsum("nc,nc->n", within, within)
        self._kept[slots, :-1] = np.rint(_SCALE * within)
        self._kept[slots, -1] = np.ceil(_SCALE * np.sqrt(np.maximum(left, 0)))

    def of(self, slots: slice | NDArray[np.intp]) -> NDArray[np.float32]:
        """Return the sketches at `slots`: float32 [m, c + 1]."""
        return self._kept[slots].astype(np.float32)


def product_bound(least: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the least product of two sketches whose vectors have a product of `least`."""
    return np.float32(_SCALE * _SCALE) * least - np.float32(_SLACK)


def _principal(vectors: NDArray[np.int16]) -> NDArray[np.float64]:
    """Return an orthonormal basis of the principal subspace of `vectors` [n, d]: float64 [d, c].

    By subspace iteration (Halko, Martinsson and Tropp 2011, algorithm 4.4) on a random sample.
    """
    chance = np.random.default_rng(0)
    sample = vectors[chance.permutation(len(vectors))[:_SAMPLE]].astype(np.float64)
    axes = chance.normal(size=(sample.shape[1], min(COMPONENTS, sample.shape[1])))
    for _ in range(_ITERATIONS):
        axes, _ = np.linalg.qr(products(sample.T, products(sample, axes)))
    return axes

"""Ridge regression of many targets on rows with a sparse and a dense part, by conjugate gradients."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ricordo_lab.evaluation.results import Matrix

_ROUNDS: Final = 60
_NEAR_ENOUGH: Final = 3e-3  # of the first residual
_AT_ONCE: Final = 200_000  # entries of the sparse part that are gathered together


@dataclass(frozen=True, slots=True)
class Rows:
    """A design matrix [n, width + d]: a sparse part, and a dense one beside it.

    Attributes:
        starts: where each row of the sparse part begins in `places`, and where the last ends, [n + 1].
        places: columns, ascending within a row.
        shares: values at them.
        width: columns of the sparse part.
        dense: [n, d].
    """

    starts: NDArray[np.intp]
    places: NDArray[np.intp]
    shares: Matrix
    width: int
    dense: Matrix

    @classmethod
    def of(cls, sparse: Sequence[tuple[NDArray[np.intp], Matrix]], width: int, dense: Matrix) -> "Rows":
        """Return rows of (columns, values) each, beside those of `dense`."""
        sizes = [len(places) for places, _ in sparse]
        return cls(
            starts=np.concatenate(([0], np.cumsum(sizes))).astype(np.intp),
            places=np.concatenate([places for places, _ in sparse] or [np.zeros(0, np.intp)]),
            shares=np.concatenate([shares for _, shares in sparse] or [np.zeros(0, np.float32)]),
            width=width,
            dense=dense,
        )

    def times(self, weights: Matrix) -> Matrix:
        """Return rows · weights, [n, targets]."""
        found = self.dense @ weights[self.width :]
        _add_sums(found, self.starts, self.places, self.shares, weights)
        return found

    def transposed(self) -> "Rows":
        """Return the sparse part with rows and columns exchanged; the dense part stays as it is."""
        order = np.argsort(self.places, kind="stable")
        rows = np.repeat(np.arange(len(self.dense)), np.diff(self.starts))
        counts = np.bincount(self.places, minlength=self.width)
        return Rows(
            starts=np.concatenate(([0], np.cumsum(counts))).astype(np.intp),
            places=rows[order],
            shares=self.shares[order],
            width=self.width,
            dense=self.dense,
        )


def ridge(rows: Rows, wanted: Matrix, penalty: float) -> Matrix:
    """Return the weights [width + d, targets] that minimise |rows · weights - wanted|² + penalty |weights|².

    Args:
        rows: [n, width + d].
        wanted: [n, targets].
        penalty: above 0.
    """
    columns = rows.transposed()
    residual = _gradient(columns, wanted)
    weights = np.zeros_like(residual)
    direction, size = residual.copy(), _squares(residual)
    first = np.maximum(size, 1e-30)
    for _ in range(_ROUNDS):
        if np.all(size <= first * _NEAR_ENOUGH**2):
            break
        image = _gradient(columns, rows.times(direction)) + penalty * direction
        pace = size / np.maximum((direction * image).sum(axis=0), 1e-30)
        weights += pace * direction
        residual -= pace * image
        size, before = _squares(residual), size
        direction = (residual + (size / np.maximum(before, 1e-30)) * direction).astype(np.float32)
    return weights


def _gradient(columns: Rows, errors: Matrix) -> Matrix:
    """Return the transposed rows · errors, [width + d, targets]."""
    found = np.zeros((columns.width + columns.dense.shape[1], errors.shape[1]), dtype=np.float32)
    _add_sums(found[: columns.width], columns.starts, columns.places, columns.shares, errors)
    found[columns.width :] = columns.dense.T @ errors
    return found


def _add_sums(
    found: Matrix, starts: NDArray[np.intp], places: NDArray[np.intp], shares: Matrix, weights: Matrix
) -> None:
    """Add to each row of `found` the weights at its places, by their shares; some rows have none."""
    filled = np.flatnonzero(np.diff(starts))
    for at in range(0, len(filled), step := max(1, _AT_ONCE * max(1, len(filled)) // max(1, len(places)))):
        some = filled[at : at + step]
        first, last = starts[some[0]], starts[some[-1] + 1]
        gathered = weights[places[first:last]] * shares[first:last, None]
        found[some] += np.add.reduceat(gathered, starts[some] - first, axis=0)


def _squares(residual: Matrix) -> Matrix:
    squares: Matrix = np.square(residual).sum(axis=0)
    return squares

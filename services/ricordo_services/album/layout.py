"""Places nodes and labels on a drawing."""

import unicodedata
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

_STEPS: Final = 70
_GOLDEN_ANGLE: Final = np.pi * (3 - np.sqrt(5))
_LETTER: Final = 0.58
"""The mean width of a letter of a text face, in sizes; of a wide one 1."""


def place_nodes(count: int, edges: Sequence[tuple[int, int]], strengths: Sequence[float]) -> Floats:
    """Return positions by the forces of Fruchterman and Reingold (1991); node 0 stays in the middle.

    Nothing is drawn by chance: nodes begin on a spiral in their order, so the nearest ones should come first.
    A pull towards the middle keeps together what no edge does.

    Args:
        edges: pairs of different nodes, by their numbers.
        strengths: of each edge, from 0 to 1.

    Returns:
        Of shape (count, 2), within -1 and 1; node 0 at 0.
    """
    order = np.arange(count)
    at: Floats = np.sqrt(order / max(count, 1))[:, None] * np.column_stack(
        (np.cos(order * _GOLDEN_ANGLE), np.sin(order * _GOLDEN_ANGLE))
    )
    if count < 2:
        return at
    first, second = np.array(edges, dtype=np.intp).reshape(-1, 2).T
    pulls = 0.5 + np.asarray(strengths, dtype=np.float64) / 2
    ideal = 1.6 / np.sqrt(count)
    for step in range(_STEPS):
        norms = np.einsum("ij,ij->i", at, at)
        square = np.maximum(norms[:, None] + norms - 2 * at @ at.T, 1e-6)
        push = ideal**2 / square
        moved = at * push.sum(axis=1, keepdims=True) - push @ at - 0.6 * at
        along = at[second] - at[first]
        pull = along * (pulls * np.hypot(*along.T) / ideal)[:, None]
        np.add.at(moved, first, pull)
        np.subtract.at(moved, second, pull)
        length = np.maximum(np.hypot(*moved.T), 1e-9)
        heat = 0.12 * (1 - step / _STEPS) + 0.002
        at += moved * (np.minimum(length, heat) / length)[:, None]
        at -= at[0].copy()
    at /= np.maximum(np.abs(at).max(axis=0), 1e-9)
    return at


def spread_circles(at: Floats, radii: Sequence[float], gap: float) -> Floats:
    """Return positions at which circles do not meet, as near to `at` as some steps lead; the first one stays.

    Args:
        at: of shape (count, 2), in the units of the radii.
        gap: the least distance of two circles.
    """
    at, size = at.copy(), np.asarray(radii, dtype=np.float64)
    least = size[:, None] + size + gap
    np.fill_diagonal(least, 0.0)
    for _ in range(16):
        across = at[:, None, :] - at
        far = np.maximum(np.hypot(across[..., 0], across[..., 1]), 1e-6)
        overlap = np.maximum(least - far, 0.0) / far / 2
        if not overlap.any():
            break
        moved = np.einsum("ij,ijk->ik", overlap, across)
        moved[0] = 0.0
        at += moved
    return at


class Box(NamedTuple):
    """A rectangle by its edges."""

    left: float
    top: float
    right: float
    bottom: float


def text_width(text: str, size: float) -> float:
    """Return about how wide a line of text is, rather too much than too little."""
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)
    return size * (wide + (len(text) - wide) * _LETTER)


def place_label(
    circle: Box, width: float, height: float, taken: Sequence[Box], frame: Box, *, rings: int
) -> Box | None:
    """Return the nearest free place for a label on so many rings around a circle; None if there is none."""
    left, top, right, bottom = np.array([*taken, frame]).T[:, :-1]
    for place in _around(circle, width, height, rings):
        inside = frame.left <= place.left and place.right <= frame.right
        inside = inside and frame.top <= place.top and place.bottom <= frame.bottom
        across = (place.left < right) & (left < place.right)
        if inside and not (across & (place.top < bottom) & (top < place.bottom)).any():
            return place
    return None


def _around(circle: Box, width: float, height: float, rings: int) -> Iterator[Box]:
    """Yield places around a circle, below and above it first, on wider and wider rings."""
    x, y = (circle.left + circle.right) / 2, (circle.top + circle.bottom) / 2
    radius = (circle.right - circle.left) / 2
    for ring in range(rings):
        reach = radius + 3 + ring * height / 2
        for angle in (0.25, 0.75, 0.0, 0.5, 0.125, 0.375, 0.625, 0.875):  # of a turn, downwards first
            across, down = np.cos(2 * np.pi * angle), np.sin(2 * np.pi * angle)
            left = x + across * (reach + width / 2) - width / 2
            top = y + down * (reach + height / 2) - height / 2
            yield Box(left, top, left + width, top + height)


def smooth_path(points: Sequence[tuple[float, float]]) -> str:
    """Return an SVG path through points, in order of x, that never rises above or falls below its neighbours.

    It is a monotone cubic (Fritsch and Carlson, 1980, with the limited slopes of Steffen, 1990).
    """
    path = "M{:.1f} {:.1f}".format(*points[0])
    if len(points) == 1:
        return path
    x, y = np.array(points, dtype=np.float64).T
    steps, slopes = np.diff(x), np.diff(y) / np.diff(x)
    tangents = np.concatenate((slopes[:1], np.zeros(len(points) - 2), slopes[-1:]))
    before, after = slopes[:-1], slopes[1:]
    mean = (before * steps[1:] + after * steps[:-1]) / (steps[:-1] + steps[1:])
    least = np.minimum(np.minimum(np.abs(before), np.abs(after)), np.abs(mean) / 2)
    tangents[1:-1] = (np.sign(before) + np.sign(after)) * least
    for i, step in enumerate(steps / 3):
        path += (
            f"C{x[i] + step:.1f} {y[i] + tangents[i] * step:.1f} {x[i + 1] - step:.1f} "
            f"{y[i + 1] - tangents[i + 1] * step:.1f} {x[i + 1]:.1f} {y[i + 1]:.1f}"
        )
    return path

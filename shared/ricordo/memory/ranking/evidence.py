"""Evidence around a memory: the session that it was said in, and the question that it answers."""

from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Key = TypeVar("Key", bound=Hashable)
Floats = NDArray[np.float64]

SILENCE_S = 3 * 3600.0
"""What ends a session, in seconds between two candidates of a conversation: not every turn is a candidate, so
it is far longer than the silence that ends a session for its summary."""
_BEST = 3


def sessions(
    conversations: Sequence[str], instants: Floats, silence_s: float = SILENCE_S
) -> NDArray[np.intp]:
    """Tell which memories were said in the same session.

    Args:
        conversations: where each memory was said, [n].
        instants: when, in seconds, [n].
        silence_s: the silence that ends a session.

    Returns:
        A number for each memory, [n], from 0 on, the same within a session.
    """
    _, place = np.unique(np.asarray(conversations, dtype=np.str_), return_inverse=True)
    order = np.lexsort((instants, place))
    if not len(order):
        return order
    begins = (np.diff(place[order]) != 0) | (np.diff(instants[order]) > silence_s)
    labels = np.empty(len(order), dtype=np.intp)
    labels[order] = np.concatenate(([0], np.cumsum(begins)))
    return labels


def mean_of_best(labels: NDArray[np.intp], values: Floats, best: int = _BEST) -> Floats:
    """Return for each memory the mean of the highest values of its session, `best` of them or all.

    Turns that tell nothing are no candidates: what remains of a session must not count less for that.

    Args:
        labels: of `sessions`, [n].
        values: >= 0, [n].
        best: how many, >= 1.
    """
    if not len(labels):
        return values
    order: NDArray[np.intp] = np.lexsort((-values, labels))
    grouped = labels[order]
    first = np.searchsorted(grouped, grouped, side="left")
    counts = np.arange(len(order)) - first < best
    sums = np.bincount(grouped, weights=values[order] * counts)
    held = np.bincount(grouped, weights=counts)
    return np.asarray((sums / held)[labels], dtype=np.float64)


def answered(keys: Sequence[Key], preceding: Sequence[Key | None], asks: Floats, closeness: Floats) -> Floats:
    """Return how close to the query the question is that each memory answers, 0 where it follows none.

    Args:
        keys: the memories, [n].
        preceding: what was said before each of them, [n].
        asks: 1 for a memory that asks something, [n].
        closeness: of the memories themselves to the query, [n].
    """
    at: Mapping[Key, int] = {key: place for place, key in enumerate(keys)}
    before = np.array([-1 if one is None else at.get(one, -1) for one in preceding], dtype=np.intp)
    found = before >= 0
    return np.where(found, (asks * closeness)[before], 0.0) if len(before) else np.zeros(0)

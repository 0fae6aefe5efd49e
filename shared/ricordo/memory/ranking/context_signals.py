"""Signals from the memories around a memory: its session, the question before it, shared names."""

from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

BEST: Final = 3
"""Memories whose connections count."""
KEPT: Final = 5
"""The first memories, which stay in place; connected ones come behind them."""
_SCALE: Final = 2.0  # logits: at such a distance from the first, a memory connects e times less
_ADJACENT: Final = 0.5  # what a neighbour counts against who is named in both
_NEXT_BUT_ONE: Final = 0.5


def connection_strengths(
    logits: Floats,
    names: Sequence[Collection[str]],
    neighbours: Mapping[int, Collection[int]],
) -> Floats:
    """Return how strongly each memory is connected with the best ones, float64 [n] in [0, 1].

    "What does my sister's husband do?" needs two messages that share no word: one names the husband, the
    other his job. Shared names count by rarity, ln(1 + n/df)/ln(1 + n); so do neighbours in the session.

    Args:
        names: case-folded names in each, without its speaker and the names in the question, [n].
        neighbours: by place, the places of the turns right before and after in the session.
    """
    count = len(logits)
    strength = np.zeros(count)
    if count < 2:
        return strength
    best = np.argsort(-logits, kind="stable")[:BEST].tolist()
    near = np.exp((logits[best] - logits[best[0]]) / _SCALE)
    holders = Counter(name for each in names for name in each)
    named: defaultdict[str, float] = defaultdict(float)
    for place, weight in zip(best, near.tolist(), strict=True):
        for name in names[place]:
            rarity = float(np.log1p(count / holders[name]) / np.log1p(count))
            named[name] = max(named[name], weight * rarity)
        for first in neighbours.get(place, ()):
            strength[first] = max(strength[first], _ADJACENT * weight)
            for second in neighbours.get(first, ()):
                if second != place:
                    strength[second] = max(strength[second], _ADJACENT * _NEXT_BUT_ONE * weight)
    for place, each in enumerate(names):
        if each and (shared := named.keys() & each):
            strength[place] = max(strength[place], *map(named.__getitem__, shared))
    return np.minimum(1.0, strength)


def boost_connected(logits: Floats, strength: Floats, weight: float) -> Floats:
    """Return the logits plus `weight` times the strength, with the first `KEPT` unchanged and still first.

    Args:
        weight: logits that a full connection adds.
    """
    if len(logits) <= KEPT:
        return logits
    least = np.partition(logits, -KEPT)[-KEPT]
    raised = logits + weight * strength
    # Above the least of the first, what is lifted keeps its order within a hair's breadth below it.
    squeezed = least - 1e-6 / (1.0 + np.maximum(0.0, raised - least))
    raised = np.where(raised < least, raised, np.maximum(squeezed, logits))
    return np.where(logits >= least, logits, raised)


Key = TypeVar("Key", bound=Hashable)

SILENCE_S = 3 * 3600.0
"""Seconds of silence that end a session; long, because not every turn is a candidate."""
_BEST = 3


def session_labels(
    conversations: Sequence[str], instants: Floats, silence_s: float = SILENCE_S
) -> NDArray[np.intp]:
    """Return the session of each memory.

    Returns:
        Numbers from 0 on, equal within a session, [n].
    """
    numbers: dict[str, int] = {}
    place = np.array([numbers.setdefault(one, len(numbers)) for one in conversations], dtype=np.intp)
    order = np.lexsort((instants, place))
    if not len(order):
        return order
    begins = (np.diff(place[order]) != 0) | (np.diff(instants[order]) > silence_s)
    labels = np.empty(len(order), dtype=np.intp)
    labels[order] = np.concatenate(([0], np.cumsum(begins)))
    return labels


def mean_of_best(labels: NDArray[np.intp], values: Floats, best: int = _BEST) -> Floats:
    """Return for each memory the mean of the `best` highest values of its session.

    Args:
        values: >= 0, [n].
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


def reply_closeness(
    keys: Sequence[Key], preceding: Sequence[Key | None], asks: Floats, closeness: Floats
) -> Floats:
    """Return how close to the query the question is that each memory answers, 0 where there is none.

    Args:
        preceding: the turn before each, [n].
        asks: 1 for a memory that asks something, [n].
    """
    at: Mapping[Key, int] = {key: place for place, key in enumerate(keys)}
    before = np.array([-1 if one is None else at.get(one, -1) for one in preceding], dtype=np.intp)
    found = before >= 0
    return np.where(found, (asks * closeness)[before], 0.0) if len(before) else np.zeros(0)

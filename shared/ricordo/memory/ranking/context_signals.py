"""Signals from the memories around a memory: its session, the question before it, shared names."""

from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

BEST: Final = 3
"""Memories whose connections count at most; they stay in place, and connected ones come behind them."""
FARTHEST: Final = 6.0
"""Logits below the best at which a memory leads to no other: it would connect a twentieth."""
FIRM: Final = 3.0
"""Logits below the best within which one of them stays in its place: a twentieth of the odds."""
_SCALE: Final = 2.0  # logits: at such a distance from the first, a memory connects e times less
_ADJACENT: Final = 0.5  # what a neighbour counts against who is named in both
_NEXT_BUT_ONE: Final = 0.25


def connection_strengths(
    logits: Floats,
    links: Mapping[int, Mapping[str, float]],
    words: Sequence[Collection[str]],
    ties: Mapping[int, Mapping[int, float]],
) -> Floats:
    """Return how strongly each memory is connected with the best ones, float64 [n] in [0, 1].

    "What does my sister's husband do?" needs two messages that share no word: one names the husband, the
    other his job. Shared words count by rarity, ln(1 + n/df)/ln(1 + n).

    Args:
        links: by place of each of the best, its linking words and what each counts.
        words: linking words that each holds, [n].
        ties: by place of each of the best, what others are tied to it otherwise, and how firmly.
    """
    count = len(logits)
    best = list(dict.fromkeys((*links, *ties)))
    if count < 2 or not best:
        return np.zeros(count)
    strength = [0.0] * count
    near = dict(zip(best, np.exp((logits[best] - logits[best].max()) / _SCALE).tolist(), strict=True))
    holders = Counter(word for each in words for word in each)
    counts: defaultdict[str, float] = defaultdict(float)
    for place in best:
        for word, share in links.get(place, {}).items():
            rarity = float(np.log1p(count / max(1, holders[word])) / np.log1p(count))
            counts[word] = max(counts[word], near[place] * share * rarity)
        for other, firmness in ties.get(place, {}).items():
            strength[other] = max(strength[other], near[place] * firmness)
    for place, shared in enumerate(words):
        if shared:
            strength[place] = max(strength[place], *map(counts.__getitem__, shared))
    return np.array(strength, dtype=np.float64).clip(max=1.0)


def turns_around(place: int, neighbours: Mapping[int, Collection[int]]) -> Mapping[int, float]:
    """Return how firmly the two turns before and after a memory are tied to it.

    Args:
        neighbours: by place, the places of the turns right before and after in the session.
    """
    tied: dict[int, float] = {}
    for first in neighbours.get(place, ()):
        tied[first] = _ADJACENT
        for second in neighbours.get(first, ()):
            if second != place:
                tied.setdefault(second, _NEXT_BUT_ONE)
    return tied


def boost_connected(logits: Floats, strength: Floats, weight: float) -> Floats:
    """Return the logits plus `weight` times the strength, with those that lead unchanged and still first.

    Args:
        weight: logits that a full connection adds.
    """
    if not len(logits):
        return logits
    first = np.sort(logits)[-BEST:]
    least = first[first >= first[-1] - FIRM].min()
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
    places: Mapping[Key, int], preceding: Sequence[Key | None], asks: Floats, closeness: Floats
) -> Floats:
    """Return how close to the query the question is that each memory answers, 0 where there is none.

    Args:
        places: of the memories, by their keys.
        preceding: the turn before each, [n].
        asks: 1 for a memory that asks something, [n].
    """
    before = np.array([-1 if one is None else places.get(one, -1) for one in preceding], dtype=np.intp)
    found = before >= 0
    return np.where(found, (asks * closeness)[before], 0.0) if len(before) else np.zeros(0)

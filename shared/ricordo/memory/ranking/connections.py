"""What is connected with the best memories: it names whom they name, or was said right before or after.

"What does my sister's husband do?" is answered by two messages that share no word: one names the husband, the
other says what he does. What is connected is lifted to a place behind the best, never above them.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

BEST: Final = 3
"""The memories whose connections count."""
KEPT: Final = 5
"""The memories that stay where they are; what is connected comes behind them."""
_SCALE: Final = 2.0  # logits: at such a distance from the first, a memory connects e times less
_ADJACENT: Final = 0.5  # what a neighbour counts against who is named in both
_NEXT_BUT_ONE: Final = 0.5


def connections(
    logits: Floats,
    names: Sequence[Collection[str]],
    neighbours: Mapping[int, Collection[int]],
) -> Floats:
    """Return how firmly each memory is connected with the best ones, float64 [n] in [0, 1].

    A name counts the more the fewer memories hold it: ln(1 + n/df)/ln(1 + n).

    Args:
        logits: the score of each memory before the sigmoid, [n].
        names: whom each memory names, case-folded, but for its speaker and whom the question names, [n].
        neighbours: by place, the places of what was said right before or after in the same session.
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
        strength[place] = max([strength[place], *(named[name] for name in each if name in named)])
    return np.minimum(1.0, strength)


def lifted(logits: Floats, strength: Floats, weight: float) -> Floats:
    """Return the logits with `weight` times the strength added, the first `KEPT` untouched and still first.

    Args:
        logits: [n].
        strength: of `connections`, [n].
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

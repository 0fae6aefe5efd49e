"""Rates the importance of a message as it was read, and adds what recalls contribute to it.

It is on one scale with two published ones: 1 to 10 of generative agents, and meaningfulness 1 to 5.
"""

from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

_READ = (0.0, 0.5, 1.3, 1.9, 2.3, 3.0)
_RATED = (0.1, 0.22, 0.35, 0.6, 0.8, 1.0)
"""What the reader says of small talk, of ordinary talk, of what matters and of turns of a life lies about
0.1, 1.3, 1.9 and 2.2 (medians of writers left out)."""

Amount = float | NDArray[np.float64]


def importance(read: float) -> float:
    """Return the importance of a text on the scale [0, 1].

    Args:
        read: from 0 (small talk) to 3 (a turn of a life), as its reading tells it.
    """
    return round(float(np.interp(read, _READ, _RATED)), 4)


def rating_of_ten(value: Amount) -> Amount:
    """Return importance [0, 1] on the scale 1-10."""
    return 1 + 9 * value


def meaningfulness(value: Amount) -> Amount:
    """Return importance [0, 1] on the scale 1-5."""
    return 1 + 4 * value


IMPORTANCE_STEP = 0.02
IMPORTANCE_CEILING = 0.95


class RecallVerdict(StrEnum):
    """A bot's feedback on a recalled memory."""

    USED = "used"
    IRRELEVANT = "irrelevant"


def after_uses(importance: float, uses: int, *, beyond: float = 0.0) -> tuple[float, float]:
    """Return the importance after more uses, and the excess above the ceiling.

    Args:
        uses: that count; negative where they are withdrawn.
        beyond: the present excess, >= 0. It is withdrawn first, so that the result does not depend on which
            uses are withdrawn, nor on their order.
    """
    if not uses:
        return importance, beyond
    whole = importance + beyond + IMPORTANCE_STEP * uses
    # What is above the ceiling by itself, use has not brought there, and does not lower.
    raised = max(0.0, min(whole, max(importance, IMPORTANCE_CEILING)))
    return raised, max(0.0, whole - raised)


def gained(
    importance: NDArray[np.float64], beyond: NDArray[np.float64], access_count: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the importance added by use, [n]: 0.02 a use, less the excess above the ceiling."""
    return np.clip(IMPORTANCE_STEP * access_count - beyond, 0.0, importance)

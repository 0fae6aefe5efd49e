"""Reinforcement: what recalls add to the importance of a memory.

The database counts uses in its own statements; a test compares them with `after_uses`.
"""

from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

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

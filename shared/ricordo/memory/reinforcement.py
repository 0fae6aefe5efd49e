"""Reinforcement: what one recall adds to a memory, and what withdrawing it removes.

The database does this in its own statements, which are tested against these functions.
"""

import datetime as dt
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

REINFORCEMENT_STEP = 0.05
IMPORTANCE_STEP = 0.02
IMPORTANCE_CEILING = 0.95


def after_uses(importance: float, uses: int, *, beyond: float = 0.0) -> tuple[float, float]:
    """Return the importance after more uses, and the excess above the ceiling.

    Args:
        uses: that count; negative where they are withdrawn.
        beyond: the present excess, >= 0, see `MemoryStrength`.
    """
    if not uses:
        return importance, beyond
    whole = importance + beyond + IMPORTANCE_STEP * uses
    # What is above the ceiling by itself, use has not brought there, and does not lower.
    raised = max(0.0, min(whole, max(importance, IMPORTANCE_CEILING)))
    return raised, max(0.0, whole - raised)


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryStrength:
    """The fields of a memory that use changes; ranges as in `Memory`.

    Attributes:
        beyond: importance that use would have added above the ceiling. It is withdrawn first, so that the
            result does not depend on which uses are withdrawn, nor on their order.
    """

    importance: float = 0.0
    beyond: float = 0.0
    access_count: int = 0
    last_accessed: dt.datetime | None = None
    reinforcement: float = 0.0
    decay_factor: float = 1.0


class RecallVerdict(StrEnum):
    """A bot's feedback on a recalled memory."""

    USED = "used"
    IRRELEVANT = "irrelevant"


@dataclass(frozen=True, slots=True)
class Use:
    """One memory in one recall.

    Attributes:
        accessed: whether the event of the recall has come.
        verdict: the last feedback; it takes precedence over the event, which may come later.
    """

    accessed: bool = False
    verdict: RecallVerdict | None = None

    @property
    def counts(self) -> bool:
        """Whether this recall reinforces the memory."""
        return self.accessed if self.verdict is None else self.verdict is RecallVerdict.USED


def apply_access(strength: MemoryStrength, use: Use, at: dt.datetime) -> tuple[MemoryStrength, Use]:
    """Return both after the event of the recall; idempotent.

    The memory is fresh as of then, whatever the verdict: it was shown.
    """
    if use.accessed:
        return strength, use
    after = replace(use, accessed=True)
    return _touch(_count(strength, after.counts - use.counts), at), after


def apply_verdict(
    strength: MemoryStrength, use: Use, verdict: RecallVerdict, now: dt.datetime
) -> tuple[MemoryStrength, Use]:
    """Return both after a verdict: the last one holds, and a repeat changes nothing.

    A used memory is fresh as of now. An irrelevant one loses what this recall added to its access count,
    reinforcement and importance; its last access and decay factor stay.
    """
    if use.verdict is verdict:
        return strength, use
    after = replace(use, verdict=verdict)
    counted = _count(strength, after.counts - use.counts)
    return (_touch(counted, now) if verdict is RecallVerdict.USED else counted), after


def reinforce(strength: MemoryStrength, now: dt.datetime) -> MemoryStrength:
    """Return the strength after one recall."""
    return apply_access(strength, Use(), now)[0]


def withdraw_use(strength: MemoryStrength) -> MemoryStrength:
    """Return the strength without one recall."""
    return _count(strength, -1)


def gained(
    importance: NDArray[np.float64], beyond: NDArray[np.float64], access_count: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the importance added by use: 0.02 a use, less the excess above the ceiling.

    Args:
        importance: [n], 0-1.
        beyond: [n], see `MemoryStrength`.
        access_count: [n].
    """
    return np.clip(IMPORTANCE_STEP * access_count - beyond, 0.0, importance)


def _count(strength: MemoryStrength, times: int) -> MemoryStrength:
    """Return the strength after `times` more counted uses, or fewer where negative."""
    if not times:
        return strength
    importance, beyond = after_uses(strength.importance, times, beyond=strength.beyond)
    return replace(
        strength,
        importance=importance,
        beyond=beyond,
        access_count=max(0, strength.access_count + times),
        reinforcement=max(0.0, strength.reinforcement + REINFORCEMENT_STEP * times),
    )


def _touch(strength: MemoryStrength, at: dt.datetime) -> MemoryStrength:
    """Return the strength as fresh as of `at`; last access never moves back."""
    return replace(strength, last_accessed=max(at, strength.last_accessed or at), decay_factor=1.0)

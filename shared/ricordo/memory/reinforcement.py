"""Use makes a memory stronger: what one recall adds, and what taking it back removes.

The database does this in its own statements; these functions are what those are tested against.
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
    """Return the importance after so many more uses, and what stands above the ceiling.

    Args:
        importance: [0, 1]; before any use, that of what a memory says.
        uses: that count; negative where they are taken back.
        beyond: what former uses would have added above the ceiling, >= 0, see `MemoryStrength`.
    """
    if not uses:
        return importance, beyond
    whole = importance + beyond + IMPORTANCE_STEP * uses
    # What is above the ceiling by itself, use has not brought there, and does not lower.
    raised = max(0.0, min(whole, max(importance, IMPORTANCE_CEILING)))
    return raised, max(0.0, whole - raised)


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryStrength:
    """The part of a memory that use changes; ranges as in `Memory`.

    Attributes:
        beyond: what use would have added to the importance above its ceiling. It is taken back first, so that
            what is left once some uses are taken back does not depend on which, nor on their order.
    """

    importance: float = 0.0
    beyond: float = 0.0
    access_count: int = 0
    last_accessed: dt.datetime | None = None
    reinforcement: float = 0.0
    decay_factor: float = 1.0


class RecallVerdict(StrEnum):
    """What the user's bot says of a memory that a recall has returned."""

    USED = "used"
    IRRELEVANT = "irrelevant"


@dataclass(frozen=True, slots=True)
class Use:
    """What is known of one memory in one recall.

    Attributes:
        accessed: whether the event of the recall has come.
        verdict: the last that was said of it; it stands above the event, which may come later.
    """

    accessed: bool = False
    verdict: RecallVerdict | None = None

    @property
    def counts(self) -> bool:
        """Whether this recall makes the memory stronger."""
        return self.accessed if self.verdict is None else self.verdict is RecallVerdict.USED


def apply_access(strength: MemoryStrength, use: Use, at: dt.datetime) -> tuple[MemoryStrength, Use]:
    """Return both once the event of the recall is handled: the second time, nothing changes.

    The memory is fresh as of then, whatever was said of the recall: it was shown.

    Args:
        strength: of the memory.
        use: what is known of the recall.
        at: the moment of the recall, aware.
    """
    if use.accessed:
        return strength, use
    after = replace(use, accessed=True)
    return _touch(_count(strength, after.counts - use.counts), at), after


def apply_verdict(
    strength: MemoryStrength, use: Use, verdict: RecallVerdict, now: dt.datetime
) -> tuple[MemoryStrength, Use]:
    """Return both once a verdict is given: the last one holds, and a repeat changes nothing.

    What is used is fresh as of now. What is irrelevant loses what this recall has added to its access count,
    reinforcement and importance; when it was last shown stays what it is, and so does its decay factor, which
    may have been computed anew since.

    Args:
        strength: of the memory.
        use: what is known of the recall.
        verdict: the new one.
        now: the moment of the verdict, aware.
    """
    if use.verdict is verdict:
        return strength, use
    after = replace(use, verdict=verdict)
    counted = _count(strength, after.counts - use.counts)
    return (_touch(counted, now) if verdict is RecallVerdict.USED else counted), after


def reinforce(strength: MemoryStrength, now: dt.datetime) -> MemoryStrength:
    """Return the strength after one recall: one more access, +0.05, more important, as fresh as new."""
    return apply_access(strength, Use(), now)[0]


def withdraw_use(strength: MemoryStrength) -> MemoryStrength:
    """Return the strength without what one recall has added; nothing falls below zero."""
    return _count(strength, -1)


def gained(
    importance: NDArray[np.float64], beyond: NDArray[np.float64], access_count: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return what use has added to the importance: 0.02 a use, but for what the ceiling held back.

    Args:
        importance: of each, [n], 0-1.
        beyond: what stands above the ceiling, [n], see `MemoryStrength`.
        access_count: the uses that count, [n].
    """
    return np.clip(IMPORTANCE_STEP * access_count - beyond, 0.0, importance)


def _count(strength: MemoryStrength, times: int) -> MemoryStrength:
    """Return the strength after `times` more uses that count, or, where negative, after fewer."""
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
    """Return the strength as fresh as of `at`; an older moment than the last does not turn time back."""
    return replace(strength, last_accessed=max(at, strength.last_accessed or at), decay_factor=1.0)

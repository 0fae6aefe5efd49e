"""Use makes a memory stronger: what one recall adds, and what taking it back removes.

The database does this in one statement; these functions are what that statement is tested against.
"""

import datetime as dt
from dataclasses import dataclass, replace

REINFORCEMENT_STEP = 0.05
IMPORTANCE_STEP = 0.02
IMPORTANCE_CEILING = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class Strength:
    """The part of a memory that use changes; ranges as in `Memory`."""

    importance: float = 0.0
    access_count: int = 0
    last_accessed: dt.datetime | None = None
    reinforcement: float = 0.0
    decay_factor: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Increment:
    """What one recall added, kept with it so that exactly this can be taken back."""

    accesses: int = 1
    reinforcement: float = REINFORCEMENT_STEP
    importance: float = 0.0


def increment(importance: float) -> Increment:
    """Return what a recall adds to a memory of that importance [0, 1]: 0.02 up to 0.95, never a loss."""
    return Increment(importance=max(0.0, min(IMPORTANCE_CEILING, importance + IMPORTANCE_STEP) - importance))


def reinforce(strength: Strength, now: dt.datetime) -> Strength:
    """Return the strength after one recall: one more access, +0.05, more important, as fresh as new.

    Args:
        strength: before.
        now: the moment of the recall, aware; an older one than the last, arriving late, does not turn time
            back.
    """
    added = increment(strength.importance)
    return Strength(
        importance=strength.importance + added.importance,
        access_count=strength.access_count + added.accesses,
        last_accessed=max(now, strength.last_accessed or now),
        reinforcement=strength.reinforcement + added.reinforcement,
        decay_factor=1.0,
    )


def withdraw(strength: Strength, added: Increment) -> Strength:
    """Return the strength without what one recall had added; nothing falls below zero."""
    return replace(
        strength,
        importance=max(0.0, strength.importance - added.importance),
        access_count=max(0, strength.access_count - added.accesses),
        reinforcement=max(0.0, strength.reinforcement - added.reinforcement),
    )

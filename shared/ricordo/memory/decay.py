"""Forgetting: unused memories lose strength weekly, less where emotion or importance protect them.

A simplified forgetting curve after Ebbinghaus. The database decays all memories in one statement, which is
tested against these functions.
"""

import datetime as dt
from dataclasses import dataclass

GRACE_DAYS = 7
WEEK_DAYS = 7
WEEKLY_RETENTION = 0.95
AROUSAL_PROTECTION = 0.3
IMPORTANCE_PROTECTION = 0.2
FLOOR = 0.2
FLOOR_SPAN = 0.7
ARCHIVE_BELOW = 0.3
ARCHIVE_ACCESSES = 2
ARCHIVE_IMPORTANCE = 0.5


@dataclass(frozen=True, slots=True)
class DecayResult:
    """The new decay factor, [0, 1], and whether the memory is to be archived."""

    factor: float
    archived: bool


def idle_days(last_accessed: dt.datetime | None, stored_at: dt.datetime, now: dt.datetime) -> int:
    """Return the whole days since the later of last access and storage, so that imports start fresh.

    Args:
        now: aware; 0 days if it is before both.
    """
    since = max(stored_at, last_accessed or stored_at)
    return max(0, (now - since).days)


def retention(days: int, arousal: float, importance: float) -> float:
    """Return what is left after `days` idle days, before any floor.

    min(1, 0.95^⌊days/7⌋ + 0.3 arousal + 0.2 importance); 1 within the first 7 whole days.
    """
    if days <= GRACE_DAYS:
        return 1.0
    left = WEEKLY_RETENTION ** (days // WEEK_DAYS)
    return min(1.0, left + AROUSAL_PROTECTION * arousal + IMPORTANCE_PROTECTION * importance)


def protection(arousal: float, importance: float) -> float:
    """Return the least retention by arousal and importance, each in [0, 1]."""
    return min(1.0, AROUSAL_PROTECTION * arousal + IMPORTANCE_PROTECTION * importance)


def floor(importance: float) -> float:
    """Return the floor of the factor by importance [0, 1]: 0.2 to 0.9."""
    return FLOOR + FLOOR_SPAN * importance


def decay(
    *,
    days: int,
    arousal: float,
    importance: float,
    access_count: int,
    factor: float = 1.0,
    protected: bool = False,
    floors: bool = True,
) -> DecayResult | None:
    """Decay a memory.

    Args:
        factor: the present one, [0, 1]. Time never raises it; grown protection does.
        floors: whether `floor` applies.

    Returns:
        The new state; None when it is unchanged: protected, or used or stored in the last 7 days. It is
        archived when retention is below 0.3, it was recalled less than twice, and importance is below 0.5.
    """
    if protected or days <= GRACE_DAYS:
        return None
    left = retention(days, arousal, importance)
    archived = left < ARCHIVE_BELOW and access_count < ARCHIVE_ACCESSES and importance < ARCHIVE_IMPORTANCE
    least = max(protection(arousal, importance), floor(importance) if floors else 0.0)
    return DecayResult(max(min(factor, left), least), archived)

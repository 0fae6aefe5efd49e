"""Fading: what is not used loses strength by the week, less where feeling or weight protect it.

A simplified forgetting curve after Ebbinghaus. The database does this for all memories in one statement;
these functions are what that statement is tested against.
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
    """What a pass makes of a memory.

    Attributes:
        factor: the new decay factor, [0, 1].
        archived: it is too weak to stay in the hot index.
    """

    factor: float
    archived: bool


def idle_days(last_accessed: dt.datetime | None, stored_at: dt.datetime, now: dt.datetime) -> int:
    """Return the whole days since the later of last access and storage: an import is not born faded.

    Args:
        last_accessed: aware, or None when it was never recalled.
        stored_at: when it came into the system, aware.
        now: aware; before both, 0 days have passed.
    """
    since = max(stored_at, last_accessed or stored_at)
    return max(0, (now - since).days)


def retention(days: int, arousal: float, importance: float) -> float:
    """Return what is left after `days` idle days, before any floor.

    min(1, 0.95^⌊days/7⌋ + 0.3 arousal + 0.2 importance); 1 within the first 7 whole days.

    Args:
        days: whole idle days, >= 0.
        arousal: [0, 1].
        importance: [0, 1].
    """
    if days <= GRACE_DAYS:
        return 1.0
    left = WEEKLY_RETENTION ** (days // WEEK_DAYS)
    return min(1.0, left + AROUSAL_PROTECTION * arousal + IMPORTANCE_PROTECTION * importance)


def protection(arousal: float, importance: float) -> float:
    """Return what feeling and weight, each in [0, 1], leave of a memory after however many days."""
    return min(1.0, AROUSAL_PROTECTION * arousal + IMPORTANCE_PROTECTION * importance)


def floor(importance: float) -> float:
    """Return the factor below which a memory of that importance [0, 1] never falls: 0.2 to 0.9."""
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
    """Fade a memory.

    Args:
        days: whole idle days, of `idle_days`.
        arousal: [0, 1].
        importance: [0, 1].
        access_count: how often it was recalled.
        factor: the present one, [0, 1]. Time alone never raises it, even where a clock was turned back; what
            protects the memory does, where that has grown since.
        protected: pinned or verified: it never decays.
        floors: keep important memories above `floor`.

    Returns:
        The new state, or None when the memory stays as it is: protected, or used or stored in the last 7
        days. It is archived when its value before the floor is below 0.3, it was recalled fewer than 2 times
        and its importance is below 0.5.
    """
    if protected or days <= GRACE_DAYS:
        return None
    left = retention(days, arousal, importance)
    archived = left < ARCHIVE_BELOW and access_count < ARCHIVE_ACCESSES and importance < ARCHIVE_IMPORTANCE
    least = max(protection(arousal, importance), floor(importance) if floors else 0.0)
    return DecayResult(max(min(factor, left), least), archived)

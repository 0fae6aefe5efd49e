"""Retention: of more memories than a user is to have, which ones stay.

After the policy of the third seed: by 0.7 importance + 0.3 recency, first in first out, or by recency. The
database ranks in one statement; these functions are what that statement is tested against.
"""

import datetime as dt
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal
from uuid import UUID

Strategy = Literal["importance_weighted", "fifo", "recency"]

OBSERVATIONS: Final = ("message", "note", "agreement", "problem", "decision", "extract")
"""The kinds of what was perceived. Summaries and syntheses stand for others, and are not counted."""
REFLECTIONS: Final = ("reflection",)

LITE: Final = (1_000, 100)
"""How many observations and reflections of a user stay in lite mode, where nothing else is said."""

IMPORTANCE_SHARE: Final = 0.7
RECENCY_SHARE: Final = 0.3
RECENCY_DAYS: Final = 50.0
_DAY_S: Final = 86_400.0


@dataclass(frozen=True, slots=True)
class Candidate:
    """What is looked at of a memory.

    Attributes:
        importance: [0, 1].
        protected: pinned or verified.
    """

    id: UUID
    importance: float
    created_at: dt.datetime
    stored_at: dt.datetime
    last_accessed: dt.datetime | None = None
    protected: bool = False


def recency(created_at: dt.datetime, now: dt.datetime) -> float:
    """Return e^(-days/50) in [0, 1]; 1 for what is dated ahead of `now`."""
    days = max(0.0, (now - created_at).total_seconds() / _DAY_S)
    return math.exp(-days / RECENCY_DAYS)


def retention_score(one: Candidate, now: dt.datetime, strategy: Strategy) -> float:
    """Return by what memories are ranked: those with the greatest worth stay."""
    if strategy == "fifo":
        return one.stored_at.timestamp()
    if strategy == "recency":
        return max(one.created_at, one.last_accessed or one.created_at).timestamp()
    return IMPORTANCE_SHARE * one.importance + RECENCY_SHARE * recency(one.created_at, now)


def memories_to_prune(
    memories: Sequence[Candidate], limit: int, now: dt.datetime, strategy: Strategy
) -> list[UUID]:
    """Return which memories have to go, the worst first.

    What is protected stays, and takes places. Of two that are worth the same, the younger stays, and of two
    of one instant the one with the smaller id.

    Args:
        memories: all of one user that count, in any order.
        limit: how many are to stay.
        now: aware.
        strategy: by what they are ranked.
    """
    free = max(0, limit - sum(one.protected for one in memories))
    ranked = sorted(
        (one for one in memories if not one.protected),
        key=lambda one: (-retention_score(one, now, strategy), -one.created_at.timestamp(), one.id),
    )
    return [one.id for one in reversed(ranked[free:])]

"""Retention limits: which memories of a user are pruned.

The database ranks in one statement, which is tested against these functions.
"""

import datetime as dt
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal
from uuid import UUID

Strategy = Literal["importance_weighted", "fifo", "recency"]

OBSERVATIONS: Final = ("message", "note", "agreement", "problem", "decision", "extract")
"""Counted kinds; summaries and syntheses stand for others and are not counted."""
REFLECTIONS: Final = ("reflection",)

LITE: Final = (1_000, 100)
"""Observations and reflections kept per user in lite mode, by default."""

IMPORTANCE_SHARE: Final = 0.7
RECENCY_SHARE: Final = 0.3
RECENCY_DAYS: Final = 50.0
_DAY_S: Final = 86_400.0


@dataclass(frozen=True, slots=True)
class Candidate:
    """A memory, as pruning sees it.

    Attributes:
        protected: pinned or verified.
    """

    id: UUID
    importance: float
    created_at: dt.datetime
    stored_at: dt.datetime
    last_accessed: dt.datetime | None = None
    protected: bool = False


def recency(created_at: dt.datetime, now: dt.datetime) -> float:
    """Return e^(-days/50) in [0, 1]; 1 for future dates."""
    days = max(0.0, (now - created_at).total_seconds() / _DAY_S)
    return math.exp(-days / RECENCY_DAYS)


def retention_score(one: Candidate, now: dt.datetime, strategy: Strategy) -> float:
    """Return the rank key of a memory: 0.7 importance + 0.3 recency, storage time, or last use."""
    if strategy == "fifo":
        return one.stored_at.timestamp()
    if strategy == "recency":
        return max(one.created_at, one.last_accessed or one.created_at).timestamp()
    return IMPORTANCE_SHARE * one.importance + RECENCY_SHARE * recency(one.created_at, now)


def memories_to_prune(
    memories: Sequence[Candidate], limit: int, now: dt.datetime, strategy: Strategy
) -> list[UUID]:
    """Return which memories to prune, worst first.

    Protected ones stay and count. Ties go to the younger, then to the smaller id.
    """
    free = max(0, limit - sum(one.protected for one in memories))
    ranked = sorted(
        (one for one in memories if not one.protected),
        key=lambda one: (-retention_score(one, now, strategy), -one.created_at.timestamp(), one.id),
    )
    return [one.id for one in reversed(ranked[free:])]

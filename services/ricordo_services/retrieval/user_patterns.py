"""Reads how a user writes; counts are cached until enough messages are new, or one is forgotten."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from cachetools import LRUCache

from ricordo.clock import Clock
from ricordo.memory.style import LEAST_MESSAGES, Habit, find_habits, register_patterns
from ricordo.messages.views import PatternView
from ricordo.store.memory_queries import StyleQueries
from ricordo_services.retrieval.working_memory_reader import SKEW, later

_MAX_USERS: Final = 2_000
_KEPT_S: Final = 600.0
_KEPT_UNENRICHED_S: Final = 30.0  # while some messages are not enriched yet, or have no memory
_NEW_SHARE: Final = 10  # a tenth as many messages more


@dataclass(frozen=True, slots=True)
class _Cached:
    """The result of the last count."""

    patterns: tuple[Habit, ...]
    until: datetime
    forgotten: int
    enough: int
    ends: float


class UserPatterns:
    """Reads patterns through a cache: habits change slowly."""

    def __init__(self, habits: StyleQueries, clock: Clock) -> None:
        self._habits = habits
        self._clock = clock
        self._cache = LRUCache[tuple[str, str], _Cached](_MAX_USERS)

    async def read(self, tenant: str, user_id: str) -> tuple[Habit, ...]:
        """Return the habits of the user that are known.

        Raises:
            StoreUnavailable: the store does not answer.
        """
        key, before = (tenant, user_id), later(self._clock.now(), SKEW)
        cached = self._cache.get(key)
        if cached is not None and await self._is_valid(key, cached, before):
            return cached.patterns
        stats = await self._habits.stats(*key, before=before, manners=register_patterns())
        found = find_habits(stats.talk)
        self._cache.pop(key, None)
        if stats.until is not None and stats.talk.messages >= LEAST_MESSAGES:
            enough = max(1, stats.talk.messages // _NEW_SHARE)
            is_enriched = sum(stats.talk.parts_of_day.values()) == stats.talk.messages
            ends = self._clock.monotonic() + (_KEPT_S if is_enriched else _KEPT_UNENRICHED_S)
            self._cache[key] = _Cached(found, stats.until, stats.forgotten, enough, ends)
        return found

    async def _is_valid(self, key: tuple[str, str], cached: _Cached, before: datetime) -> bool:
        if self._clock.monotonic() > cached.ends:
            return False
        delta = await self._habits.delta(*key, since=cached.until, before=before, most=cached.enough)
        return delta.messages < cached.enough and delta.forgotten == cached.forgotten


def pattern_view(pattern: Habit) -> PatternView:
    """Return the view of a pattern."""
    return PatternView.model_validate(
        {
            "name": pattern.name,
            "value": pattern.value,
            "confidence": round(pattern.confidence, 2),
            "count": pattern.count,
        }
    )

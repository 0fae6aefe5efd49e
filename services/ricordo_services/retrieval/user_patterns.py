"""How a user talks: counted anew when enough has been said since, or anything forgotten."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from cachetools import LRUCache

from ricordo.clock import Clock
from ricordo.memory.style import LEAST_MESSAGES, Habit, find_habits, register_patterns
from ricordo.messages.views import PatternView
from ricordo.store.memory_queries import StyleQueries
from ricordo_services.retrieval.working_memory_reader import SKEW, later

_MOST: Final = 2_000
_KEPT_S: Final = 600.0
_KEPT_UNREAD_S: Final = 30.0  # while some messages are not enriched yet, or have no memory
_NEW_SHARE: Final = 10  # a tenth as many messages more


@dataclass(frozen=True, slots=True)
class _Held:
    """What was counted last."""

    patterns: tuple[Habit, ...]
    until: datetime
    forgotten: int
    enough: int
    ends: float


class UserPatterns:
    """Reads patterns. Habits change slowly: of ten counts, nine would come to the same."""

    def __init__(self, habits: StyleQueries, clock: Clock) -> None:
        self._habits = habits
        self._clock = clock
        self._held = LRUCache[tuple[str, str], _Held](_MOST)

    async def read(self, tenant: str, user_id: str) -> tuple[Habit, ...]:
        """Return how the user talks, as far as that is known.

        Raises:
            StoreUnavailable: the store cannot be asked now.
        """
        key, before = (tenant, user_id), later(self._clock.now(), SKEW)
        held = self._held.get(key)
        if held is not None and await self._holds(key, held, before):
            return held.patterns
        heard = await self._habits.stats(*key, before=before, manners=register_patterns())
        found = find_habits(heard.talk)
        self._held.pop(key, None)
        if heard.until is not None and heard.talk.messages >= LEAST_MESSAGES:
            enough = max(1, heard.talk.messages // _NEW_SHARE)
            is_read = sum(heard.talk.parts_of_day.values()) == heard.talk.messages
            ends = self._clock.monotonic() + (_KEPT_S if is_read else _KEPT_UNREAD_S)
            self._held[key] = _Held(found, heard.until, heard.forgotten, enough, ends)
        return found

    async def _holds(self, key: tuple[str, str], held: _Held, before: datetime) -> bool:
        if self._clock.monotonic() > held.ends:
            return False
        news = await self._habits.delta(*key, since=held.until, before=before, most=held.enough)
        return news.messages < held.enough and news.forgotten == held.forgotten


def pattern_view(pattern: Habit) -> PatternView:
    """Show a pattern on the wire."""
    return PatternView.model_validate(
        {
            "name": pattern.name,
            "value": pattern.value,
            "confidence": round(pattern.confidence, 2),
            "count": pattern.count,
        }
    )

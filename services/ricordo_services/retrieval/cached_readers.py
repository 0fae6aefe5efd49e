"""Reads, through caches, the working memory of a conversation and how a user writes.

A view of working memory is rebuilt only after a change; habits are counted again once enough messages are
new, or one is forgotten.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final
from uuid import UUID

from cachetools import LRUCache, TTLCache

from ricordo.clock import Clock
from ricordo.memory.context.token_budget import cached_token_counter
from ricordo.memory.style import LEAST_MESSAGES, Habit, find_habits, register_patterns
from ricordo.memory.working_memory import LIFETIME, MAX_LINES, TurnReadings, WorkingMemory, working_memory
from ricordo.messages.queries import WorkingReply, WorkingRequest
from ricordo.messages.views import PatternView
from ricordo.models.encoder import TokenCounter
from ricordo.store.memory_queries import MemoryQueries
from ricordo.store.working_memory_store import WorkingMemorySnapshot, WorkingMemorySpan, WorkingMemoryStore

SKEW: Final = timedelta(minutes=5)
"""Tolerance for bots whose clock is fast."""
_MOST_VIEWS: Final = 500
_IDLE_S: Final = 600.0  # after which the view of an unread conversation is evicted
_MOST_NAMES: Final = 500
_FIRST = datetime.min.replace(tzinfo=UTC)
_LAST = datetime.max.replace(tzinfo=UTC)
_MAX_USERS: Final = 2_000
_KEPT_S: Final = 600.0
_KEPT_UNENRICHED_S: Final = 30.0  # while some messages are not enriched yet, or have no memory
_NEW_SHARE: Final = 10  # a tenth as many messages more


@dataclass(slots=True)
class _View:
    """A cached view of working memory."""

    token: str
    memory: WorkingMemory
    readings: TurnReadings


class WorkingMemoryReader:
    """Reads working memory.

    A cached view is valid as long as the token of the store stays the same. The store is asked each time, so
    that changes by other processes are seen at once.
    """

    def __init__(
        self,
        store: WorkingMemoryStore,
        tokens: TokenCounter,
        clock: Clock,
        lifetime: timedelta = LIFETIME,
        most: int = _MOST_VIEWS,
    ) -> None:
        self.count = cached_token_counter(tokens.count)
        self._store = store
        self._clock = clock
        self._lifetime = lifetime
        self._views = TTLCache[tuple[str, str, str], _View](most, _IDLE_S, timer=clock.monotonic)
        self._names = LRUCache[tuple[str, str], tuple[UUID | None, Sequence[str]]](_MOST_NAMES)

    async def read(
        self, tenant: str, user_id: str, conversation_id: str, *, now: datetime | None = None
    ) -> WorkingMemory:
        """Return the working memory of the conversation.

        Raises:
            StoreUnavailable: the store does not answer.
        """
        key = tenant, user_id, conversation_id
        view = self._views.get(key)
        moment, names = now or self._clock.now(), self._names.get((tenant, user_id))
        snapshot = await self._store.snapshot(
            *key,
            span=self._span(moment),
            max_turns=MAX_LINES,
            known_token=None if view is None else view.token,
            known_names=None if names is None else names[0],
        )
        if snapshot is None and view is not None:
            self._views[key] = view
            return view.memory
        if snapshot is None:
            return WorkingMemory()  # the store reports no change without a known token
        readings = TurnReadings() if view is None else view.readings
        memory = working_memory(
            snapshot.turns,
            now=later(moment, SKEW),
            count=self.count,
            language=snapshot.turns[-1].language if snapshot.turns else "",
            notes=snapshot.notes,
            known_names=self._known(tenant, user_id, snapshot),
            lifetime=self._lifetime + SKEW,
            readings=readings,
        )
        self._views[key] = _View(snapshot.token, memory, readings)
        return memory

    async def answer(self, tenant: str, request: WorkingRequest, /) -> WorkingReply:
        """Answer `query.working`."""
        return working_view(await self.read(tenant, request.user_id, request.conversation_id))

    def _span(self, moment: datetime) -> WorkingMemorySpan:
        present = self._clock.now()
        return WorkingMemorySpan(
            turns_after=later(moment, -self._lifetime),
            turns_before=later(moment, SKEW),
            notes_after=later(present, -self._lifetime),
            notes_before=later(present, self._lifetime),
        )

    def _known(self, tenant: str, user_id: str, snapshot: WorkingMemorySnapshot) -> Sequence[str]:
        """Return the known names: from facts, and the speakers and participants of these turns."""
        here = dict.fromkeys(
            name for turn in snapshot.turns for name in (turn.speaker, *turn.participants) if name
        )
        if snapshot.names is not None:
            self._names[tenant, user_id] = snapshot.names_token, snapshot.names
        _, names = self._names.get((tenant, user_id)) or (None, ())
        return tuple(dict.fromkeys((*names, *here)))


def working_view(memory: WorkingMemory) -> WorkingReply:
    """Return the reply of working memory."""
    return WorkingReply.model_validate(
        {"lines": memory.lines, "entities": memory.entities, "notes": dict(memory.notes)}
    )


def later(moment: datetime, span: timedelta) -> datetime:
    """Return `moment` plus `span`, limited to the range of `datetime`."""
    try:
        return moment + span
    except OverflowError:
        return _LAST if span > timedelta() else _FIRST


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

    def __init__(self, memories: MemoryQueries, clock: Clock) -> None:
        self._memories = memories
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
        stats = await self._memories.style(*key, before=before, manners=register_patterns())
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
        delta = await self._memories.style_delta(*key, since=cached.until, before=before, most=cached.enough)
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

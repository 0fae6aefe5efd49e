"""The passes that write memories from others: reflections, summaries of sessions, syntheses of old ones."""

import math
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from itertools import takewhile
from typing import Final, TypeAlias
from uuid import UUID

from ricordo.clock import Clock
from ricordo.memory.compression import (
    ALIKE,
    FEWEST,
    CompressionCandidate,
    compression_cutoff,
    group_memories,
    is_worth_condensing,
)
from ricordo.memory.model import Successor, is_held_by_user
from ricordo.memory.reflection.insight import LEAST_IMPORTANCE, Insight, insight_key, insight_memory
from ricordo.memory.reflection.insight_selection import find_insights
from ricordo.memory.reflection.observations import ReflectionEvidence
from ricordo.memory.summaries import FEWEST_TURNS, SILENCE, SessionTurn, summarise
from ricordo.memory.syntheses import synthesise
from ricordo.messages.event_items import DerivedEvent
from ricordo.models.llm_condenser import LlmCondenser
from ricordo.models.llm_insights import LlmInsights
from ricordo.runtime.event_publishing import Emitter
from ricordo.runtime.scheduling import CpuExecutor
from ricordo.store.consolidation import (
    CompressionStore,
    Reflection,
    ReflectionBacklog,
    ReflectionStore,
)
from ricordo.store.listing_store import MemoryPlace
from ricordo.store.session_store import (
    ConversationSession,
    SessionStore,
    SummaryPlan,
    TurnPosition,
    UnsummarizedConversation,
)
from ricordo_services.lifecycle.derived_events import creation_events, derived_memory_events, removal_events
from ricordo_services.lifecycle.pass_runner import BATCH, PassScope, PassWork, Slice

_OBSERVED: Final = 100
"""The number of memories that a reflection reads."""


@dataclass(frozen=True, slots=True)
class ReflectionPass:
    """The work of the pass `reflect`: insights from the latest memories of each user with enough new ones.

    The transaction that writes insights also resets the sum of new importances. If its events are lost,
    reconciliation finds that the insights lack a stage.

    Attributes:
        threshold: for the sum of new importances, from 1 to 10 each; infinite disables the pass.
        importance: [0, 1], of the least sure insight.
    """

    store: ReflectionStore
    emitter: Emitter
    clock: Clock
    executor: CpuExecutor
    threshold: float = 100.0
    importance: float = LEAST_IMPORTANCE
    model: LlmInsights | None = None

    async def expected(self, scope: PassScope) -> int:
        """Return the number of due users, at most one batch."""
        return len(await self._due(scope))

    def slices(self, scope: PassScope) -> AsyncGenerator[Slice, None]:
        """Reflect on all due users; they are not found again."""
        return scope.all_due(
            partial(self._due, scope),
            partial(self._reflect, scope.tenant),
            lambda due: due.user_id,
            lambda due: {"user_id": due.user_id},
        )

    async def _due(self, scope: PassScope, limit: int = BATCH) -> Sequence[ReflectionBacklog]:
        if math.isinf(self.threshold):
            return ()
        return await self.store.due(scope.tenant, self.threshold, user_id=scope.user_id, limit=limit)

    async def _reflect(self, tenant: str, one: ReflectionBacklog) -> Slice:
        observed = await self.store.observed(tenant, one.user_id, _OBSERVED)
        claimed = () if self.model is None else await self.model.insights(observed)
        [found] = await self.executor.map(_find_insights, [(observed, tuple(claimed), self.importance)])
        reflections = [
            Reflection(insight_key(one.user_id, each), insight_memory(each, observed.memories))
            for each in found
        ]
        reflected = await self.store.reflect(tenant, one, reflections, self.clock.now())
        if reflected is None:  # another process has reflected meanwhile
            return Slice(examined=len(observed.memories))
        events = derived_memory_events([each.memory for each in reflections], reflected.written)
        gone = reflected.withdrawn
        await self.emitter.emit(tenant, [*events, *removal_events(one.user_id, gone)])
        return Slice(examined=len(observed.memories), changed=len(gone), created=reflected.created)


def _find_insights(given: tuple[ReflectionEvidence, tuple[Insight, ...], float]) -> tuple[Insight, ...]:
    observed, claimed, least = given
    found, more = find_insights(observed.memories, observed.own_names, claimed), least - LEAST_IMPORTANCE
    return tuple(replace(one, importance=min(1.0, one.importance + more)) for one in found)


@dataclass(frozen=True, slots=True)
class SessionSummaries:
    """The work of the pass `summarize`: a pure function of the turns of each session.

    A late message reopens its session: a new summary replaces the former one and inherits its reinforcement.
    Summaries that the user has corrected or verified stay.
    """

    sessions: SessionStore
    emitter: Emitter
    clock: Clock
    executor: CpuExecutor
    model: str
    silence: timedelta = SILENCE
    condenser: LlmCondenser | None = None

    async def expected(self, scope: PassScope) -> int:
        """Return the number of due conversations, at most one batch."""
        return len(await self._due(scope))

    async def _due(self, scope: PassScope, limit: int = BATCH) -> Sequence[UnsummarizedConversation]:
        return await self.sessions.due(
            scope.tenant, scope.now, self.silence, user_id=scope.user_id, limit=limit
        )

    def slices(self, scope: PassScope) -> AsyncGenerator[Slice, None]:
        """Summarise all sessions that are over; summarised ones are not found again."""
        return scope.all_due(
            partial(self._due, scope),
            lambda due: self._conversation(scope.tenant, due, scope.now),
            lambda due: due,  # with its revision: one that goes on or has a new message is run again
            lambda due: {"user_id": due.user_id, "conversation_id": due.conversation_id},
        )

    async def _conversation(self, tenant: str, one: UnsummarizedConversation, now: datetime) -> Slice:
        """Summarise the sessions of a conversation, each in its own transaction, until the open one."""
        loaded = await self.sessions.load(tenant, self.model, one, now, self.silence)
        over = list(takewhile(lambda session: session.over, loaded.sessions))
        open_at = loaded.sessions[len(over)].place if len(over) < len(loaded.sessions) else loaded.rest
        if not over:
            await self.sessions.summarise(tenant, one, SummaryPlan(rest=open_at), self.clock.now())
            return Slice()
        begin = [each.place for each in over[1:]]
        done = Slice(examined=len(over))
        for session, rest in zip(over, [*begin, open_at], strict=True):
            if _is_current(session) and rest is not open_at:
                continue  # covered with the next one
            plan = replace(await self._plan(session, rest), more=rest is not open_at)
            written = await self.sessions.summarise(tenant, one, plan, self.clock.now())
            if written is None:  # there was a new message meanwhile: it is due again
                return done
            events = derived_memory_events([each.memory for each in plan.summaries], written.written)
            await self.emitter.emit(tenant, [*events, *removal_events(one.user_id, written.withdrawn)])
            gone, made = len(written.withdrawn), len(written.written)
            done = replace(done, changed=done.changed + gone, created=done.created + made)
        return done

    async def _plan(self, session: ConversationSession, rest: TurnPosition | None) -> SummaryPlan:
        """Return the new summary of a session in place of former ones; no summary for a single turn."""
        if _is_current(session):
            return SummaryPlan(rest=rest)
        former = tuple(one.id for one in session.former)
        if session.summary is not None or len(session.turns) < FEWEST_TURNS:
            return SummaryPlan(withdrawn=former, rest=rest)
        condensed = None if self.condenser is None else await self.condenser.condense(session.turns)
        [summary] = await self.executor.map(partial(summarise, condensed=condensed), [session.turns])
        return SummaryPlan([Successor(summary, former)], rest=rest)


def _is_current(session: ConversationSession) -> bool:
    """Whether a session needs no new summary: it has only its own, or one that the user has curated."""
    if any(map(is_held_by_user, session.former)):
        return True
    return session.summary is not None and not session.former


_WINDOW: Final = 10_000  # memories of a user that are grouped at once: some 20 MB
_USERS: Final = 1_000
_SLICE: Final = 20  # groups whose events are published together

_Group: TypeAlias = tuple[UUID, ...]


@dataclass(frozen=True, slots=True)
class CompressionPass(PassWork):
    """The work of the pass `compress`, user by user, in windows of time.

    A user is repeated until nothing more is condensed, so that a second run changes nothing. Each synthesis
    is written with the mark on its sources in one transaction, so an interrupted pass can continue. If events
    are lost, reconciliation publishes them.

    Attributes:
        alike: the minimum cosine of each member of a group with the central one.
        condenser: a language model; None for extractive summaries.
    """

    store: CompressionStore
    emitter: Emitter
    clock: Clock
    executor: CpuExecutor
    model: str
    alike: float = ALIKE
    condenser: LlmCondenser | None = None

    async def slices(self, scope: PassScope) -> AsyncGenerator[Slice, None]:
        """Condense old, weak memories; condensed ones are not found again."""
        async for user in self._users(scope):
            async for one in scope.each(self._whole(scope, user), user_id=user):
                yield one

    async def _users(self, scope: PassScope) -> AsyncGenerator[str]:
        if scope.user_id is not None:
            yield scope.user_id
            return
        after = ""
        while users := await self.store.users(scope.tenant, compression_cutoff(scope.now), after, _USERS):
            for user in users:
                yield user
            after = users[-1]

    async def _whole(self, scope: PassScope, user_id: str) -> AsyncGenerator[Slice, None]:
        """Condense the weak memories of a user until nothing changes; count each failure once."""
        first, created, failed = True, True, set[_Group]()
        while created:
            created = False
            async for one in self._of_user(scope, user_id, failed):
                created = created or one.created > 0
                yield one if first else replace(one, examined=0)
            first = False
        if failed:
            yield Slice(failed=len(failed))

    async def _of_user(
        self, scope: PassScope, user_id: str, failed: set[_Group]
    ) -> AsyncGenerator[Slice, None]:
        """Condense the weak memories of a user once."""
        tenant, now = scope.tenant, scope.now
        after: MemoryPlace | None = None
        while True:
            window = await self.store.weak(tenant, user_id, self.model, now, after=after, limit=_WINDOW)
            yield Slice(examined=len(window))
            (found,) = await self.executor.map(partial(group_memories, alike=self.alike), [window])
            for start in range(0, len(found), _SLICE):
                yield await self._condensed(scope, user_id, found[start : start + _SLICE], failed)
            if len(window) < _WINDOW:
                return
            after = MemoryPlace(window[-1].id, window[-1].created_at)

    async def _condensed(
        self,
        scope: PassScope,
        user_id: str,
        some: Sequence[tuple[CompressionCandidate, ...]],
        failed: set[_Group],
    ) -> Slice:
        """Write the syntheses of some groups, and publish their events."""
        tenant, ids = scope.tenant, [one.id for group in some for one in group]
        known = {one.memory.id: one for one in await self.store.sources(tenant, user_id, self.model, ids)}
        events: list[DerivedEvent] = []
        changed = created = 0
        try:
            for group in some:
                if any(one.id not in known for one in group):  # forgotten since
                    continue
                sources = [known[one.id] for one in group]
                if len(sources) < FEWEST:
                    continue
                if not is_worth_condensing([(one.memory.content, one.memory.language) for one in sources]):
                    continue
                of = tuple(one.memory.id for one in sources)
                work = partial(self._write, tenant, sources, scope.now, events)
                done = await scope.of(work, user_id=user_id, memory_ids=of)
                changed, created = changed + done.changed, created + done.created
                if done.failed:
                    failed.add(of)
        finally:  # events of written syntheses are published in any case
            if events:
                await self.emitter.emit(tenant, events)
        return Slice(changed=changed, created=created)

    async def _write(
        self, tenant: str, sources: Sequence[SessionTurn], now: datetime, events: list[DerivedEvent]
    ) -> Slice:
        """Write a synthesis, and add its events; nothing if a source has changed."""
        text = None if self.condenser is None else await self.condenser.synthesis(sources)
        (synthesis,) = await self.executor.map(partial(synthesise, text=text), [sources])
        memories = [one.memory for one in sources]
        progress = await self.store.compress(tenant, synthesis, memories, now, self.clock.now())
        if progress is None:
            return Slice()
        events += creation_events(synthesis, progress.ids)
        return Slice(changed=len(sources), created=1)

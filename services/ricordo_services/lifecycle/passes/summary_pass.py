"""Summarises sessions once they are over."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from itertools import takewhile
from typing import Final
from uuid import UUID

from ricordo.clock import Clock
from ricordo.memory.model import Successor, is_held_by_user
from ricordo.memory.summaries import (
    FEWEST_TURNS,
    SILENCE,
    strip_instructions_from_turns,
    summarise,
)
from ricordo.models.llm_condenser import LlmCondenser
from ricordo.runtime.event_publishing import Emitter
from ricordo.runtime.scheduling import CpuExecutor
from ricordo.store.session_store import (
    Session,
    SessionStore,
    SummaryPlan,
    TurnPosition,
    UnsummarizedConversation,
)
from ricordo_services.lifecycle.derived_events import derived_memory_events, removal_events
from ricordo_services.lifecycle.passes.pass_runner import IsolatedItems, Slice

_AT_ONCE: Final = 50  # conversations in a batch


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
    items: IsolatedItems = field(default_factory=lambda: IsolatedItems("summarize"))
    name: str = "summarize"

    async def expected(self, tenant: str, now: datetime, user_id: str | None) -> int:
        """Return the number of due conversations, at most one batch."""
        return len(await self.sessions.due(tenant, now, self.silence, user_id=user_id, limit=_AT_ONCE))

    async def slices(
        self, tenant: str, now: datetime, user_id: str | None, _after: UUID | None
    ) -> AsyncGenerator[Slice, None]:
        """Summarise all sessions that are over; summarised ones are not found again."""
        async for done in self.items.all_due(
            lambda more: self.sessions.due(tenant, now, self.silence, user_id=user_id, limit=_AT_ONCE + more),
            lambda due: self._conversation(tenant, due, now),
            lambda due: due,  # with its revision: one that goes on or has a new message is run again
            lambda due: {"user_id": due.user_id, "conversation_id": due.conversation_id},
            now=now,
            tenant=tenant,
        ):
            yield done

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

    async def _plan(self, session: Session, rest: TurnPosition | None) -> SummaryPlan:
        """Return the new summary of a session in place of former ones; no summary for a single turn."""
        if _is_current(session):
            return SummaryPlan(rest=rest)
        former = tuple(one.id for one in session.former)
        turns = strip_instructions_from_turns(session.turns)
        if session.summary is not None or len(turns) < FEWEST_TURNS:
            return SummaryPlan(withdrawn=former, rest=rest)
        condensed = None if self.condenser is None else await self.condenser.condense(turns)
        [summary] = await self.executor.map(partial(summarise, condensed=condensed), [session.turns])
        return SummaryPlan([Successor(summary, former)], rest=rest)


def _is_current(session: Session) -> bool:
    """Whether a session needs no new summary: it has only its own, or one that the user has curated."""
    if any(map(is_held_by_user, session.former)):
        return True
    return session.summary is not None and not session.former

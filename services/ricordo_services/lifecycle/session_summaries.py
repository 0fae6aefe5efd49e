"""Summing up what was said in one go, once it is over."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from itertools import takewhile
from typing import Final, Protocol
from uuid import UUID

from ricordo.clock import Clock
from ricordo.memory.model import Successor, is_held_by_user
from ricordo.memory.summaries import (
    FEWEST_TURNS,
    SILENCE,
    Condensed,
    SessionTurn,
    strip_instructions_from_turns,
    summarise,
)
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
from ricordo_services.lifecycle.passes.slices import IsolatedItems, Slice

_AT_ONCE: Final = 50  # conversations that are looked for at a time


class Condensing(Protocol):
    """A language model that sums up a session, where there is one."""

    async def condense(self, turns: Sequence[SessionTurn]) -> Condensed | None:
        """Return what it makes of a session; None where that cannot be used, or there is no model."""
        ...


@dataclass(frozen=True, slots=True)
class Alone:
    """No language model: the session's own sentences stand for it."""

    async def condense(self, turns: Sequence[SessionTurn]) -> Condensed | None:  # noqa: ARG002
        """Return None."""
        return None


@dataclass(frozen=True, slots=True)
class SessionSummaries:
    """The work of `summarize`: what follows from the turns of each session alone, whoever does it and when.

    A message that comes late opens its session again: the summary of all takes the former one's place, and
    keeps what use has made of it. What the user has corrected or verified stays.
    """

    sessions: SessionStore
    emitter: Emitter
    clock: Clock
    executor: CpuExecutor
    model: str
    silence: timedelta = SILENCE
    condensing: Condensing = Alone()
    trials: IsolatedItems = field(default_factory=lambda: IsolatedItems("summarize"))
    name: str = "summarize"

    async def expected(self, tenant: str, now: datetime, user_id: str | None) -> int:
        """Return how many conversations are due, as far as these are looked for at a time."""
        return len(await self.sessions.due(tenant, now, self.silence, user_id=user_id, limit=_AT_ONCE))

    async def slices(
        self,
        tenant: str,
        now: datetime,
        user_id: str | None,
        _after: UUID | None,
    ) -> AsyncGenerator[Slice, None]:
        """Summarise all sessions that are over; what is covered is not found again."""
        async for done in self.trials.all_due(
            lambda more: self.sessions.due(tenant, now, self.silence, user_id=user_id, limit=_AT_ONCE + more),
            lambda due: self._conversation(tenant, due, now),
            lambda due: {"user_id": due.user_id, "conversation_id": due.conversation_id},
            now,
            tenant,
        ):
            yield done

    async def _conversation(self, tenant: str, one: UnsummarizedConversation, now: datetime) -> Slice:
        """Sum up the sessions of a conversation, each in a transaction of its own, until one goes on."""
        loaded = await self.sessions.load(tenant, self.model, one, now, self.silence)
        over = list(takewhile(lambda session: session.over, loaded.sessions))
        goes_on = loaded.sessions[len(over)].place if len(over) < len(loaded.sessions) else loaded.rest
        if not over:
            await self.sessions.summarise(tenant, one, SummaryPlan(rest=goes_on), self.clock.now())
            return Slice()
        begin = [each.place for each in over[1:]]
        done = Slice(examined=len(over))
        for session, rest in zip(over, [*begin, goes_on], strict=True):
            if _stands(session) and rest is not goes_on:
                continue  # covered with the next one
            settled = replace(await self._settled(session, rest), more=rest is not goes_on)
            written = await self.sessions.summarise(tenant, one, settled, self.clock.now())
            if written is None:  # something was said meanwhile: it is due again
                return done
            told = derived_memory_events([each.memory for each in settled.summaries], written.written)
            await self.emitter.emit(tenant, [*told, *removal_events(one.user_id, written.withdrawn)])
            gone, made = len(written.withdrawn), len(written.written)
            done = replace(done, changed=done.changed + gone, created=done.created + made)
        return done

    async def _settled(self, session: Session, rest: TurnPosition | None) -> SummaryPlan:
        """Return what has become of a session: a summary in place of former ones; none of one turn."""
        if _stands(session):
            return SummaryPlan(rest=rest)
        former = tuple(one.id for one in session.former)
        heard = strip_instructions_from_turns(session.turns)
        if session.summary is not None or len(heard) < FEWEST_TURNS:
            return SummaryPlan(withdrawn=former, rest=rest)
        condensed = await self.condensing.condense(heard)
        [summary] = await self.executor.map(partial(summarise, condensed=condensed), [session.turns])
        return SummaryPlan([Successor(summary, former)], rest=rest)


def _stands(session: Session) -> bool:
    """Whether what sums it up is as it shall be: its own summary alone, or one that the user holds on to."""
    if any(map(is_held_by_user, session.former)):
        return True
    return session.summary is not None and not session.former

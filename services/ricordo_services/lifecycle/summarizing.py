"""Summing up what was said in one go, once it is over."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final, Protocol
from uuid import UUID

from ricordo.domain.memory import Memory, Source
from ricordo.domain.sessions import SILENCE
from ricordo.domain.summaries import FEWEST_TURNS, Condensed, Turn, summarise
from ricordo.ports.clock import Clock
from ricordo.ports.sessions import Session, Sessions, Settled, Unsummarized
from ricordo.runtime.beside import Beside
from ricordo_services.following import Emitter
from ricordo_services.lifecycle.births import births
from ricordo_services.lifecycle.passes import Slice

_AT_ONCE: Final = 50  # conversations that are looked for at a time


class Condensing(Protocol):
    """A language model that sums up a session, where there is one."""

    async def condense(self, turns: Sequence[Turn]) -> Condensed | None:
        """Return what it makes of a session; None where that cannot be used, or there is no model."""
        ...


@dataclass(frozen=True, slots=True)
class Alone:
    """No language model: the session's own sentences stand for it."""

    async def condense(self, turns: Sequence[Turn]) -> Condensed | None:  # noqa: ARG002
        """Return None."""
        return None


@dataclass(frozen=True, slots=True)
class Summarize:
    """The work of `summarize`: what follows from the turns of each session alone, whoever does it and when.

    A message that comes late opens its session again: the summary of all takes the former one's place, and
    keeps what use has made of it. What the user has corrected or verified stays.

    Attributes:
        sessions, emitter, clock, beside: what it works with.
        model: of the vectors that tell which sentences are near to the whole.
        silence: after which a session is over.
        condensing: the language model.
    """

    sessions: Sessions
    emitter: Emitter
    clock: Clock
    beside: Beside
    model: str
    silence: timedelta = SILENCE
    condensing: Condensing = Alone()
    name: str = "summarize"

    async def expected(self, tenant: str, now: datetime, user_id: str | None) -> int:
        """Return how many conversations are due, as far as these are looked for at a time."""
        return len(await self.sessions.due(tenant, now, self.silence, user_id=user_id, limit=_AT_ONCE))

    async def slices(
        self,
        tenant: str,
        now: datetime,
        user_id: str | None,
        after: UUID | None,  # noqa: ARG002 - what is covered is not found again
    ) -> AsyncIterator[Slice]:
        """Sum up all sessions that are over."""
        tried: set[Unsummarized] = set()
        while True:
            found = await self.sessions.due(tenant, now, self.silence, user_id=user_id, limit=_AT_ONCE)
            untried = [one for one in found if one not in tried]
            for one in untried:
                tried.add(one)
                yield await self._conversation(tenant, one, now)
            if not untried:
                return

    async def _conversation(self, tenant: str, one: Unsummarized, now: datetime) -> Slice:
        loaded = await self.sessions.load(tenant, self.model, one, now, self.silence)
        over = [session for session in loaded.sessions if session.over]
        unsettled = [session for session in over if _is_open(session)]
        made = await self._summaries([each for each in unsettled if len(each.turns) >= FEWEST_TURNS])
        rest = next((each.turns[0].created_at for each in loaded.sessions if not each.over), loaded.rest)
        withdrawn = [former.id for each in unsettled for former in each.former]
        settled = Settled(made, withdrawn, rest)
        written = await self.sessions.summarise(tenant, one, settled, self.clock.now())
        if written is None:  # something was said meanwhile: it is due again
            return Slice(examined=len(over))
        await self.emitter.emit(tenant, births(made, written))
        return Slice(examined=len(over), changed=len(withdrawn), created=len(written))

    async def _summaries(self, sessions: Sequence[Session]) -> list[Memory]:
        condensed = [await self.condensing.condense(one.turns) for one in sessions]
        return await self.beside.each(_summed, list(zip(sessions, condensed, strict=True)))


def _is_open(session: Session) -> bool:
    """Whether it has no summary that stands for it, nor one that the user has put right."""
    return session.summary is None and not any(
        one.source == Source.USER_CORRECTION or one.verified for one in session.former
    )


def _summed(one: tuple[Session, Condensed | None]) -> Memory:
    """Sum up a session; what use has made of the former summary stays."""
    session, condensed = one
    summary = summarise(session.turns, condensed)
    if not session.former:
        return summary
    used = [former.last_accessed for former in session.former if former.last_accessed is not None]
    return replace(
        summary,
        access_count=max(former.access_count for former in session.former),
        reinforcement=max(former.reinforcement for former in session.former),
        last_accessed=max(used, default=None),
        pinned=any(former.pinned for former in session.former),
    )

"""Sessions of conversations, and the summaries that stand for them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, NamedTuple
from uuid import UUID

import asyncpg

from ricordo.memory.model import Memory, Successor
from ricordo.memory.progress import Progress
from ricordo.memory.sessions import MOST_TURNS, is_session_break, split_sessions
from ricordo.memory.summaries import SessionTurn
from ricordo.store import derived_memories, rows
from ricordo.store.database import Connection, Database, Store

_SQL: Final = Database.queries("session_store")
_PAGE: Final = 1_000  # turns that are looked back at a time, for the beginning of a session


class TurnPosition(NamedTuple):
    """Where a turn stands in its conversation: when it was said, and its message; "" is before all others."""

    said_at: datetime
    message_id: str = ""


@dataclass(frozen=True, slots=True)
class UnsummarizedConversation:
    """A conversation of a user in which something was said that no summary covers yet.

    Attributes:
        since: where the first of it stands.
        stored_at: when the last of it came in.
        changes: how often any of this has changed: what comes in meanwhile is noticed by it.
    """

    user_id: str
    conversation_id: str
    since: TurnPosition
    stored_at: datetime
    changes: int


@dataclass(frozen=True, slots=True)
class Session:
    """Consecutive messages of a conversation.

    Attributes:
        turns: at least one, in the order in which they were said.
        over: whether it has ended: by the bot's word, by silence, or since another one follows.
        summary: the one that stands for these very turns already.
        former: summaries of parts of it, or of it with what was forgotten since, whose place a new one takes.
    """

    turns: Sequence[SessionTurn]
    over: bool
    summary: Memory | None = None
    former: Sequence[Memory] = ()

    @property
    def place(self) -> TurnPosition:
        """Where it begins."""
        first = self.turns[0].memory
        return TurnPosition(first.created_at, first.message_id or "")


@dataclass(frozen=True, slots=True)
class LoadedSessions:
    """Sessions from the one on that `since` falls into.

    Attributes:
        sessions: in the order in which they were held.
        rest: where the first stands of what was left out, because there is more than is read at once; else
            None.
    """

    sessions: Sequence[Session]
    rest: TurnPosition | None = None


@dataclass(frozen=True, slots=True)
class SummaryPlan:
    """Summaries to write and to withdraw for a conversation.

    Attributes:
        summaries: to be written, with those whose place they take.
        withdrawn: those that stand for nothing any more.
        rest: where the first stands of what is still not covered; None where all is.
        more: whether the session that begins there is over, too: it is due at once.
    """

    summaries: Sequence[Successor] = ()
    withdrawn: Sequence[UUID] = ()
    rest: TurnPosition | None = None
    more: bool = False


@dataclass(frozen=True, slots=True)
class SummaryResult:
    """Summaries written and withdrawn.

    Attributes:
        written: the stages of the summaries that are there now.
        withdrawn: those that are there no more.
    """

    written: Sequence[Progress]
    withdrawn: Sequence[UUID]


class SessionStore(Store):
    """Reads sessions and writes their summaries."""

    def __init__(self, database: Database, most_turns: int = MOST_TURNS) -> None:
        """Read and write through `database`; a session is cut every `most_turns` turns."""
        super().__init__(database)
        self._most = most_turns

    async def end(
        self, tenant: str, user_id: str, conversation_id: str, ended_at: datetime, now: datetime
    ) -> None:
        """Note that a session has ended: what was said until then belongs to none that follows.

        Args:
            tenant: whose bot says so.
            user_id: whose session.
            conversation_id: in which conversation.
            ended_at: when; of an instant ahead of `now`, and of all that was said, `now` counts.
            now: the present.
        """
        async with self._database.transaction(tenant) as connection:
            await derived_memories.lock_users(connection, tenant, [user_id])
            await connection.execute(_SQL["end"], tenant, user_id, conversation_id, ended_at, now)

    async def due(
        self, tenant: str, now: datetime, silence: timedelta, *, user_id: str | None, limit: int
    ) -> Sequence[UnsummarizedConversation]:
        """Return conversations with a session that may be over, those first that wait longest.

        Either its end was noted, or nothing has come in for `silence`. One with messages that are still to be
        enriched is left out, unless they became dead letters: their feeling and weight are not known yet.
        """
        found = await self._fetch(_SQL["due"], tenant, now - silence, user_id, limit)
        return [
            UnsummarizedConversation(
                row["user_id"],
                row["conversation_id"],
                TurnPosition(row["since"], row["since_message_id"]),
                row["stored_at"],
                row["revision"],
            )
            for row in found
        ]

    async def load(
        self, tenant: str, model: str, one: UnsummarizedConversation, now: datetime, silence: timedelta
    ) -> LoadedSessions:
        """Return the sessions of a conversation, from the one on that holds what is not covered yet.

        Args:
            tenant: whose.
            model: of the vectors.
            one: which conversation.
            now: the present.
            silence: after which a session is over.
        """
        whose = (tenant, one.user_id, one.conversation_id)
        async with self._database.transaction(tenant) as connection:
            ends = [row["ended_at"] for row in await connection.fetch(_SQL["ends"], *whose)]
            before = await _before(connection, whose, one.since, ends, silence)
            start = _part(before, one.since, self._most)
            # One more than a session may have: whether it goes on is known then.
            read = await connection.fetch(_SQL["turns"], *whose, *start, self._most + 1, model)
            summaries = await connection.fetch(_SQL["summaries"], *whose, start.said_at)
        held = split_sessions([_turn(row) for row in read], ends, silence, self._most)
        rest = None
        if len(read) > self._most:  # the last goes on behind what was read
            rest = _place(held.pop())
        silent = one.stored_at <= now - silence
        return LoadedSessions(
            _with_summaries(held, list(map(rows.memory, summaries)), ends, silent=silent), rest
        )

    async def summarise(
        self,
        tenant: str,
        one: UnsummarizedConversation,
        settled: SummaryPlan,
        at: datetime,
    ) -> SummaryResult | None:
        """Write summaries, take away those whose place they take, and note what is still not covered.

        Args:
            tenant: whose.
            one: as it was when its sessions were loaded.
            settled: what to write. A summary whose sources are gone is left out, as is one in whose place the
                user holds on to a former one.
            at: when they are stored.

        Returns:
            What was done, or None where something was said in the conversation since: then
            nothing is written, and it is due again.
        """
        whose = (tenant, one.user_id, one.conversation_id)
        async with self._database.transaction(tenant) as connection:
            await derived_memories.lock_users(connection, tenant, [one.user_id])
            if not await connection.fetchval(_SQL["unchanged"], *whose, one.changes):
                return None
            succeeded = await derived_memories.write_successors(connection, tenant, settled.summaries, at)
            gone = await derived_memories.withdraw(connection, tenant, settled.withdrawn)
            if settled.rest is None:
                await connection.execute(_SQL["cover"], *whose)
            else:
                await connection.execute(_SQL["leave"], *whose, *settled.rest, settled.more)
        return SummaryResult(succeeded.written, [*succeeded.withdrawn, *gone])


async def _before(
    connection: Connection,
    whose: tuple[str, str, str],
    since: TurnPosition,
    ends: Sequence[datetime],
    silence: timedelta,
) -> list[TurnPosition]:
    """Return the turns before `since` of the session that it falls into, the latest first."""
    before = since
    later, passed = since.said_at, list[TurnPosition]()
    while page := await connection.fetch(_SQL["before"], *whose, *before, _PAGE):
        for row in page:
            if is_session_break(row["created_at"], later, ends, silence):
                return passed
            later = row["created_at"]
            passed.append(TurnPosition(later, row["message_id"]))
        before = passed[-1]
    return passed


def _part(passed: Sequence[TurnPosition], since: TurnPosition, most: int) -> TurnPosition:
    """Return where the session began, or, of one that is cut for its length, the part of it."""
    whole = len(passed) // most * most
    earlier = len(passed) - whole
    return since if earlier == 0 else passed[earlier - 1]


def _place(turns: Sequence[SessionTurn]) -> TurnPosition:
    return TurnPosition(turns[0].memory.created_at, turns[0].memory.message_id or "")


def _turn(row: asyncpg.Record) -> SessionTurn:
    return SessionTurn(rows.memory(row), rows.vector(row["vector"]))


def _with_summaries(
    held: Sequence[Sequence[SessionTurn]],
    summaries: Sequence[Memory],
    ends: Sequence[datetime],
    *,
    silent: bool,
) -> list[Session]:
    found: list[Session] = []
    for place, turns in enumerate(held):
        first, last = turns[0].created_at, turns[-1].created_at
        sources = tuple(one.memory.id for one in turns)
        here = [one for one in summaries if first <= one.created_at <= last]
        over = silent or any(end >= last for end in ends)
        found.append(
            Session(
                turns=turns,
                over=over or place + 1 < len(held),
                summary=next((one for one in here if one.source_ids == sources), None),
                former=[one for one in here if one.source_ids != sources],
            )
        )
    return found

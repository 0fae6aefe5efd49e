"""Sessions of conversations, and their summaries."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, NamedTuple
from uuid import UUID

from ricordo.memory.model import Memory, Successor
from ricordo.memory.summaries import MOST_TURNS, SessionTurn, is_session_break, split_sessions
from ricordo.store import derived_memories, rows
from ricordo.store.database import Connection, Database, Store

_SQL: Final = Database.queries("session_store")
_PAGE: Final = 1_000  # turns read at once to find the beginning of a session


class TurnPosition(NamedTuple):
    """Position of a turn in its conversation; the message id "" is before all others."""

    sent_at: datetime
    message_id: str = ""


@dataclass(frozen=True, slots=True)
class UnsummarizedConversation:
    """A conversation with messages that no summary covers.

    Attributes:
        since: position of the first of them.
        revision: changes with every message.
    """

    user_id: str
    conversation_id: str
    since: TurnPosition
    stored_at: datetime
    revision: int


@dataclass(frozen=True, slots=True)
class ConversationSession:
    """Consecutive messages of a conversation.

    Attributes:
        over: whether it has ended: reported by the bot, by silence, or since another one follows.
        summary: of exactly these turns.
        former: other summaries of the session, which a new one replaces.
    """

    turns: Sequence[SessionTurn]
    over: bool
    summary: Memory | None = None
    former: Sequence[Memory] = ()

    @property
    def place(self) -> TurnPosition:
        """Position of the first turn."""
        first = self.turns[0].memory
        return TurnPosition(first.created_at, first.message_id or "")


@dataclass(frozen=True, slots=True)
class LoadedSessions:
    """Sessions in order, from the one that contains `since`.

    Attributes:
        rest: position of the first turn that was not read; None if all were.
    """

    sessions: Sequence[ConversationSession]
    rest: TurnPosition | None = None


@dataclass(frozen=True, slots=True)
class SummaryPlan:
    """Summaries to write and to withdraw for a conversation.

    Attributes:
        withdrawn: without a session.
        rest: position of the first turn that is still not covered; None if all are.
        more: whether the session that begins there is over, too.
    """

    summaries: Sequence[Successor] = ()
    withdrawn: Sequence[UUID] = ()
    rest: TurnPosition | None = None
    more: bool = False


class SessionStore(Store):
    """Reads sessions and writes their summaries."""

    most_turns = MOST_TURNS

    async def end(
        self, tenant: str, user_id: str, conversation_id: str, ended_at: datetime, now: datetime
    ) -> None:
        """Record the end of a session: earlier messages belong to no later session.

        Args:
            ended_at: at most `now`, or the time of the last message.
        """
        async with self._database.transaction(tenant) as connection:
            await derived_memories.lock_users(connection, tenant, [user_id])
            await connection.execute(_SQL["end"], tenant, user_id, conversation_id, ended_at, now)

    async def due(
        self, tenant: str, now: datetime, silence: timedelta, *, user_id: str | None, limit: int
    ) -> Sequence[UnsummarizedConversation]:
        """Return conversations with a session that may be over, the oldest first.

        Its end was recorded, or no message was stored for `silence`. Conversations with messages that are to
        be enriched are left out, unless these became dead letters.
        """
        found = await self._fetch(_SQL["due"], tenant, now - silence, user_id, limit)
        return [
            rows.build(
                UnsummarizedConversation, row, since=TurnPosition(row["since"], row["since_message_id"])
            )
            for row in found
        ]

    async def load(
        self, tenant: str, model: str, one: UnsummarizedConversation, now: datetime, silence: timedelta
    ) -> LoadedSessions:
        """Return the sessions from the first that is not covered, with vectors of `model`."""
        whose = (tenant, one.user_id, one.conversation_id)
        async with self._database.transaction(tenant) as connection:
            ends = [row["ended_at"] for row in await connection.fetch(_SQL["ends"], *whose)]
            before = await _before(connection, whose, one.since, ends, silence)
            start = _part(before, one.since, self.most_turns)
            # One more than a session may have: whether it goes on is known then.
            read = await connection.fetch(_SQL["turns"], *whose, *start, self.most_turns + 1, model)
            summaries = await connection.fetch(_SQL["summaries"], *whose, start.sent_at)
        turns = [SessionTurn(rows.memory(row), rows.vector(row["vector"])) for row in read]
        sessions = split_sessions(turns, ends, silence, self.most_turns)
        rest = None
        if len(read) > self.most_turns:  # the last continues after what was read
            rest = ConversationSession(sessions.pop(), over=False).place
        silent = one.stored_at <= now - silence
        return LoadedSessions(
            _with_summaries(sessions, list(map(rows.memory, summaries)), ends, silent=silent), rest
        )

    async def summarise(
        self, tenant: str, one: UnsummarizedConversation, plan: SummaryPlan, at: datetime
    ) -> derived_memories.SuccessionResult | None:
        """Write summaries, withdraw those that they replace, and record what is still not covered.

        Args:
            plan: what to write. A summary is left out if its sources are gone, or if the user has verified or
                corrected the one that it would replace.

        Returns:
            The result; None if a message was stored since: nothing is written, and the conversation is due
            again.
        """
        whose = (tenant, one.user_id, one.conversation_id)
        async with self._database.transaction(tenant) as connection:
            await derived_memories.lock_users(connection, tenant, [one.user_id])
            if not await connection.fetchval(_SQL["unchanged"], *whose, one.revision):
                return None
            succeeded = await derived_memories.write_successors(connection, tenant, plan.summaries, at)
            gone = await derived_memories.withdraw(connection, tenant, plan.withdrawn)
            if plan.rest is None:
                await connection.execute(_SQL["cover"], *whose)
            else:
                await connection.execute(_SQL["leave"], *whose, *plan.rest, plan.more)
        succeeded.withdrawn.extend(gone)
        return succeeded


async def _before(
    connection: Connection,
    whose: tuple[str, str, str],
    since: TurnPosition,
    ends: Sequence[datetime],
    silence: timedelta,
) -> list[TurnPosition]:
    before = since
    later, passed = since.sent_at, list[TurnPosition]()
    while page := await connection.fetch(_SQL["before"], *whose, *before, _PAGE):
        for row in page:
            if is_session_break(row["created_at"], later, ends, silence):
                return passed
            later = row["created_at"]
            passed.append(TurnPosition(later, row["message_id"]))
        before = passed[-1]
    return passed


def _part(passed: Sequence[TurnPosition], since: TurnPosition, most: int) -> TurnPosition:
    whole = len(passed) // most * most
    earlier = len(passed) - whole
    return since if earlier == 0 else passed[earlier - 1]


def _with_summaries(
    sessions: Sequence[Sequence[SessionTurn]],
    summaries: Sequence[Memory],
    ends: Sequence[datetime],
    *,
    silent: bool,
) -> list[ConversationSession]:
    found: list[ConversationSession] = []
    for place, turns in enumerate(sessions):
        first, last = turns[0].created_at, turns[-1].created_at
        sources = tuple(one.memory.id for one in turns)
        here = [one for one in summaries if first <= one.created_at <= last]
        over = silent or any(end >= last for end in ends)
        found.append(
            ConversationSession(
                turns=turns,
                over=over or place + 1 < len(sessions),
                summary=next((one for one in here if one.source_ids == sources), None),
                former=[one for one in here if one.source_ids != sources],
            )
        )
    return found

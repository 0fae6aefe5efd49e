"""Sessions and their summaries on PostgreSQL."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

import asyncpg

from ricordo.memory.model import Memory
from ricordo.memory.sessions import MOST_TURNS, is_session_break, split_sessions
from ricordo.memory.summaries import SessionTurn
from ricordo.store import derived, rows
from ricordo.store.database import Connection, Database
from ricordo.store.types.sessions import Loaded, Place, Session, Settled, Summarised, Unsummarized

_SQL: Final = Database.queries("sessions")
_PAGE: Final = 1_000  # turns that are looked back at a time, for the beginning of a session


class PostgresSessions:
    """Implements `Sessions`."""

    def __init__(self, database: Database, most_turns: int = MOST_TURNS) -> None:
        """Read and write through `database`; a session is cut every `most_turns` turns."""
        self._database = database
        self._most = most_turns

    async def end(
        self, tenant: str, user_id: str, conversation_id: str, ended_at: datetime, now: datetime
    ) -> None:
        """Note that a session has ended; see `Sessions.end`."""
        async with self._database.transaction(tenant) as connection:
            await derived.hold(connection, tenant, [user_id])
            await connection.execute(_SQL["end"], tenant, user_id, conversation_id, ended_at, now)

    async def due(
        self, tenant: str, now: datetime, silence: timedelta, *, user_id: str | None, limit: int
    ) -> Sequence[Unsummarized]:
        """Return conversations with a session that may be over; see `Sessions.due`."""
        async with self._database.transaction(tenant) as connection:
            found = await connection.fetch(_SQL["due"], tenant, now - silence, user_id, limit)
        return [
            Unsummarized(
                row["user_id"],
                row["conversation_id"],
                Place(row["since"], row["since_message"]),
                row["stored_at"],
                row["changes"],
            )
            for row in found
        ]

    async def load(
        self, tenant: str, model: str, one: Unsummarized, now: datetime, silence: timedelta
    ) -> Loaded:
        """Return the sessions from the one on that is not covered; see `Sessions.load`."""
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
        return Loaded(_with_summaries(held, list(map(rows.memory, summaries)), ends, silent=silent), rest)

    async def summarise(
        self,
        tenant: str,
        one: Unsummarized,
        settled: Settled,
        at: datetime,
    ) -> Summarised | None:
        """Write summaries and note what is still not covered; see `Sessions.summarise`."""
        whose = (tenant, one.user_id, one.conversation_id)
        async with self._database.transaction(tenant) as connection:
            await derived.hold(connection, tenant, [one.user_id])
            if not await connection.fetchval(_SQL["unchanged"], *whose, one.changes):
                return None
            succeeded = await derived.succeed(connection, tenant, settled.summaries, at)
            gone = await derived.withdraw(connection, tenant, settled.withdrawn)
            if settled.rest is None:
                await connection.execute(_SQL["cover"], *whose)
            else:
                await connection.execute(_SQL["leave"], *whose, *settled.rest, settled.more)
        return Summarised(succeeded.written, [*succeeded.withdrawn, *gone])


async def _before(
    connection: Connection,
    whose: tuple[str, str, str],
    since: Place,
    ends: Sequence[datetime],
    silence: timedelta,
) -> list[Place]:
    """Return the turns before `since` of the session that it falls into, the latest first."""
    before = since
    later, passed = since.said_at, list[Place]()
    while page := await connection.fetch(_SQL["before"], *whose, *before, _PAGE):
        for row in page:
            if is_session_break(row["created_at"], later, ends, silence):
                return passed
            later = row["created_at"]
            passed.append(Place(later, row["message_id"]))
        before = passed[-1]
    return passed


def _part(passed: Sequence[Place], since: Place, most: int) -> Place:
    """Return where the session began, or, of one that is cut for its length, the part of it."""
    whole = len(passed) // most * most
    earlier = len(passed) - whole
    return since if earlier == 0 else passed[earlier - 1]


def _place(turns: Sequence[SessionTurn]) -> Place:
    return Place(turns[0].memory.created_at, turns[0].memory.message_id or "")


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

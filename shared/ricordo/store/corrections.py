"""What messages correct, found anew for whom a change concerns: late messages, other words, erasures."""

import asyncio
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Final
from uuid import UUID

import asyncpg

from ricordo.language.corrections import (
    REACH,
    Said,
    concerns,
    corrected_by,
    denied_pattern,
    read_correction,
)
from ricordo.language.temporal import EARLIEST, LATEST
from ricordo.store import rows
from ricordo.store.database import Connection, Database
from ricordo.store.types.stages import Progress

_SQL: Final = Database.queries("corrections")
_LAST: Final = 50  # messages of a conversation, among which are the last few of any writer


async def link_corrections(
    connection: Connection, tenant: str, user_ids: Collection[str], memory_ids: Collection[UUID]
) -> Sequence[Progress]:
    """Find what messages correct, and which corrections mean them, now that they are there or say otherwise.

    Args:
        connection: of a transaction that holds the links of the users.
        tenant: whose messages.
        user_ids: their users.
        memory_ids: of the messages; what is none, and no row, is left out.

    Returns:
        Those whose facts are to be read again; see `HeldLinks.correct`.
    """
    found = await connection.fetch(_SQL["said"], tenant, sorted(user_ids), list(memory_ids))
    if not found:
        return ()
    new = {row["id"]: _said(row) for row in found}
    users = {row["id"]: row["user_id"] for row in found}
    correcting = [one for one in new.values() if read_correction(one.content) is not None]
    others = sorted(new.keys() - {one.id for one in correcting})
    dropped = await connection.fetch(_SQL["drop"], tenant, others)
    since = min(one.at for one in new.values())
    until = _within_calendar(max(one.at for one in new.values()), REACH)
    later = await connection.fetch(_SQL["later"], tenant, sorted(set(users.values())), since, until)
    again = [row for row in later if row["id"] not in new and _is_concerned(row, new.values(), users)]
    users |= {row["id"]: row["user_id"] for row in again}
    changed = await _relink(connection, tenant, [*correcting, *map(_said, again)], users)
    return await _read_again(connection, tenant, [*(row["correcting_id"] for row in dropped), *changed])


async def relink_corrections(
    connection: Connection,
    tenant: str,
    user_id: str,
    gone: Collection[UUID],
    conversations: Collection[str],
) -> Sequence[Progress]:
    """Find anew what corrections mean, once memories of their user have gone; as `link_corrections` does."""
    behind = await connection.fetch(_SQL["behind"], tenant, user_id, list(gone), list(conversations))
    said = [_said(row) for row in behind]
    changed = await _relink(connection, tenant, said, dict.fromkeys((one.id for one in said), user_id))
    return await _read_again(connection, tenant, changed)


async def _relink(
    connection: Connection, tenant: str, correcting: Sequence[Said], users: dict[UUID, str]
) -> Sequence[UUID]:
    """Find anew what corrections mean; return those that mean something else than before."""
    if not correcting:
        return ()
    linked = [await _linked(connection, tenant, one, users[one.id]) for one in correcting]
    changed = await connection.fetch(_SQL["keep"], tenant, rows.recordset(linked))
    return [row["correcting_id"] for row in changed]


async def _read_again(connection: Connection, tenant: str, changed: Sequence[UUID]) -> Sequence[Progress]:
    """Take the stage back of what means something else than before, and of what corrects that in turn."""
    if not changed:
        return ()
    unread = await connection.fetch(_SQL["read_again"], tenant, changed)
    return [rows.progress(row) for row in unread]


async def _linked(connection: Connection, tenant: str, said: Said, user_id: str) -> dict[str, object]:
    """Return the row of a correction, with what it corrects."""
    span = _within_calendar(said.at, -REACH), said.at
    pattern = denied_pattern(said.content)
    found = await connection.fetch(
        _SQL["earlier"], tenant, user_id, *span, said.conversation_id, _LAST, pattern
    )
    earlier = [_said(row) for row in found]
    corrected = await asyncio.to_thread(partial(corrected_by, said, earlier))
    return {"user_id": user_id, "correcting_id": said.id, "said_at": said.at, "corrected_id": corrected}


def _is_concerned(row: asyncpg.Record, new: Iterable[Said], users: dict[UUID, str]) -> bool:
    """Tell whether what a correction means may be another one for messages that have come."""
    said = _said(row)
    mine = [one for one in new if users[one.id] == row["user_id"]]
    return any(one.id == row["corrected_id"] or concerns(said, one) for one in mine)


def _within_calendar(instant: datetime, by: timedelta) -> datetime:
    """Return the instant moved; at its ends, where that would lie beyond the calendar."""
    try:
        return instant + by
    except OverflowError:
        return LATEST if by > timedelta() else EARLIEST


def _said(row: asyncpg.Record) -> Said:
    return Said(
        id=row["id"],
        message_id=row["message_id"],
        conversation_id=row["conversation_id"],
        at=row["created_at"],
        content=row["content"],
        speaker=row["speaker"],
    )

"""The links from corrections to the messages that they correct, which follow from the set of messages."""

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Final
from uuid import UUID

import asyncpg

from ricordo.language.corrections.corrected_messages import REACH, UserMessage, concerns, corrected_by
from ricordo.language.corrections.correction_parsing import denied_pattern, read_correction
from ricordo.language.temporal.moments import EARLIEST, LATEST
from ricordo.memory.model import Progress
from ricordo.store import rows
from ricordo.store.database import Connection, Database

_SQL: Final = Database.queries("corrections")
_LAST: Final = 50  # messages of a conversation, which include the last few of any speaker


async def lock_corrections(connection: Connection, tenant: str, user_ids: Sequence[str]) -> None:
    """Lock the links of users, whose ids are sorted, until the end of the transaction."""
    await connection.execute(_SQL["lock"], tenant, user_ids)


async def link_corrections(
    connection: Connection, tenant: str, messages: Sequence[tuple[str, UserMessage]]
) -> Sequence[Progress]:
    """Link messages with what they correct, and with later corrections of them; a repeat changes nothing.

    The caller's transaction holds the link locks of the users (`lock_corrections`).

    Args:
        messages: of users, each with the id of its user.

    Returns:
        The corrections that now correct another message, and those that correct them in turn; the stage
        `extracted` of all is reset.
    """
    if not messages:
        return ()
    new = {message.id: message for _, message in messages}
    users = {message.id: user_id for user_id, message in messages}
    correcting = [one for one in new.values() if read_correction(one.document) is not None]
    others = sorted(new.keys() - {one.id for one in correcting})
    since = min(one.at for one in new.values())
    until = _within_calendar(max(one.at for one in new.values()), REACH)
    owners = sorted(set(users.values()))
    found = await connection.fetch(_SQL["affected"], tenant, others, owners, since, until)
    dropped = [row["id"] for row in found if row["user_id"] is None]
    later = [row for row in found if row["user_id"] is not None and row["id"] not in new]
    again = [row for row in later if _is_concerned(row, new.values(), users)]
    users |= {row["id"]: row["user_id"] for row in again}
    changed = await _relink(connection, tenant, [*correcting, *map(_message, again)], users)
    return await _read_again(connection, tenant, [*dropped, *changed])


async def relink_corrections(
    connection: Connection, tenant: str, user_id: str, gone: Collection[UUID], conversations: Collection[str]
) -> Sequence[Progress]:
    """Link corrections anew once memories of their user have gone, as `link_corrections` does."""
    behind = await connection.fetch(_SQL["behind"], tenant, user_id, list(gone), list(conversations))
    messages = [_message(row) for row in behind]
    changed = await _relink(
        connection, tenant, messages, dict.fromkeys((one.id for one in messages), user_id)
    )
    return await _read_again(connection, tenant, changed)


async def _relink(
    connection: Connection, tenant: str, correcting: Sequence[UserMessage], users: Mapping[UUID, str]
) -> Sequence[UUID]:
    """Find anew what corrections mean; return those that mean something else than before."""
    if not correcting:
        return ()
    linked = [await _linked(connection, tenant, one, users[one.id]) for one in correcting]
    changed = await connection.fetch(_SQL["keep"], tenant, rows.recordset(linked))
    return [row["correcting_id"] for row in changed]


async def _read_again(connection: Connection, tenant: str, changed: Sequence[UUID]) -> Sequence[Progress]:
    """Reset the stage of changed corrections, and of those that correct them in turn."""
    if not changed:
        return ()
    unread = await connection.fetch(_SQL["read_again"], tenant, changed)
    return [rows.progress(row) for row in unread]


async def _linked(
    connection: Connection, tenant: str, message: UserMessage, user_id: str
) -> dict[str, object]:
    """Return the row of a correction, with the corrected message."""
    span = _within_calendar(message.at, -REACH), message.at
    pattern = denied_pattern(message.document)
    found = await connection.fetch(
        _SQL["earlier"], tenant, user_id, *span, message.conversation_id, _LAST, pattern
    )
    earlier = [_message(row) for row in found]
    corrected = await asyncio.to_thread(partial(corrected_by, message, earlier))
    return {"user_id": user_id, "correcting_id": message.id, "sent_at": message.at, "corrected_id": corrected}


def _is_concerned(row: asyncpg.Record, new: Iterable[UserMessage], users: Mapping[UUID, str]) -> bool:
    """Tell whether new messages may change what a correction corrects."""
    correction = _message(row)
    mine = [one for one in new if users[one.id] == row["user_id"]]
    return any(one.id == row["corrected_id"] or concerns(correction, one) for one in mine)


def _within_calendar(instant: datetime, by: timedelta) -> datetime:
    try:
        return instant + by
    except OverflowError:
        return LATEST if by > timedelta() else EARLIEST


def _message(row: asyncpg.Record) -> UserMessage:
    return rows.build(UserMessage, row, at=row["created_at"])

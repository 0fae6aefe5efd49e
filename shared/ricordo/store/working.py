"""What is at hand in a conversation: read in one trip to the server, and the notes of bots."""

import json
from datetime import datetime
from typing import Any, Final
from uuid import NAMESPACE_OID, UUID, uuid5

from ricordo.messages.subjects import checked_tenant
from ricordo.store.database import Connection, Database
from ricordo.store.types.recollection import Turn
from ricordo.store.types.working import AnotherNote, Desk, Forgotten, Note, Span, TooManyNotes

_SQL: Final = Database.queries("working")
_LOCK: Final = Database.queries("intake")["lock"]
_KNOWN_TENANT: Final = Database.queries("intake")["known_tenant"]


class PostgresDesks:
    """Implements `Desks`."""

    def __init__(self, database: Database) -> None:
        """Read through `database`."""
        self._database = database

    async def desk(
        self,
        tenant: str,
        user_id: str,
        conversation_id: str,
        *,
        span: Span,
        most_turns: int,
        held: str | None,
        held_names: UUID | None,
    ) -> Desk | None:
        """Return what is at hand, unless it is what is held; see `Desks.desk`."""
        times = span.said_after, span.said_before, span.noted_after, span.noted_before
        of = checked_tenant(tenant), user_id, conversation_id
        async with self._database.unscoped() as connection:
            row = await connection.fetchrow(_SQL["desk"], *of, *times, most_turns, held, held_names)
        assert row is not None  # noqa: S101 - the function always returns its row
        if row["token"] == held:
            return None
        turns = json.loads(row["turns"] or "[]")
        return Desk(
            token=row["token"],
            names_token=row["state"],
            names=None if row["state"] == held_names else tuple(row["names"] or ()),
            turns=tuple(_turn(conversation_id, turn) for turn in reversed(turns)),
            notes=json.loads(row["notes"] or "{}"),
        )


class PostgresNotebook:
    """Implements `Notebook`."""

    def __init__(self, database: Database) -> None:
        """Write through `database`."""
        self._database = database

    async def note(
        self,
        tenant: str,
        note: Note,
        at: datetime,
        *,
        alive_since: datetime,
        most: int,
        belated: bool = False,
    ) -> None:
        """Keep a note, or take it away; see `Notebook.note`."""
        of = tenant, note.user_id, note.conversation_id
        async with self._database.transaction(tenant) as connection:
            # As ingest does: who writes a tombstone takes the same locks before the erasure.
            locks = sorted((f"conversation/{note.conversation_id}", f"user/{note.user_id}"))
            await connection.execute(_LOCK, tenant, locks)
            if scope := await connection.fetchval(_SQL["forgotten"], *of, at):
                raise Forgotten(scope)
            if not await _is_first(connection, tenant, note):
                return
            if note.value is None:
                await connection.execute(_SQL["take_away"], *of, note.key)
                return
            others = await connection.fetchval(_SQL["others"], *of, note.key, alive_since)
            if others >= most:
                raise TooManyNotes(f"the conversation has {others} other notes")
            await connection.execute(_KNOWN_TENANT, tenant)
            written = json.dumps(note.value, ensure_ascii=False)
            await connection.execute(_SQL["write"], *of, note.key, written, at, belated)

    async def tidy(self, tenant: str, *, before: datetime, after: datetime) -> None:
        """Drop old notes; see `Notebook.tidy`."""
        async with self._database.transaction(tenant) as connection:
            await connection.execute(_SQL["empty_notes"], tenant, before, after)


async def _is_first(connection: Connection, tenant: str, note: Note) -> bool:
    """Whether a request has not counted yet; remembers it.

    Raises:
        AnotherNote: it said something else then.
    """
    if note.request_id is None:
        return True
    said = json.dumps([note.request_id, note.conversation_id, note.key, note.value], sort_keys=True)
    ids = [uuid5(NAMESPACE_OID, one) for one in (note.request_id, said)]
    new = await connection.fetch(_SQL["first_asked"], tenant, ids)
    if len(new) == 1:
        raise AnotherNote("this request has noted something else already")
    return bool(new)


def _turn(conversation_id: str, turn: dict[str, Any]) -> Turn:
    return Turn(
        message_id=turn["message_id"],
        memory_id=UUID(turn["memory_id"]),
        conversation_id=conversation_id,
        role=turn["role"],
        speaker=turn["speaker"],
        content=turn["content"],
        timestamp=datetime.fromisoformat(turn["said_at"]),
        language=turn["language"] or "",
        participants=tuple(turn["participants"] or ()),
    )

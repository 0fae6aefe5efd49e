"""Working memory of a conversation: its last turns, and the notes of bots."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, field
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from ricordo.memory.spoken_turns import SpokenTurn
from ricordo.store import rows
from ricordo.store.database import Database, Store
from ricordo.store.idempotency import is_new_request

_SQL: Final = Database.queries("working_memory_store")
_LOCK: Final = Database.queries("intake")["lock"]
_KNOWN_TENANT: Final = Database.queries("intake")["known_tenant"]


class TombstoneExists(Exception):
    """A tombstone of the user or the conversation exists.

    Attributes:
        scope: what was forgotten, `user` or `conversation`.
    """

    def __init__(self, scope: str) -> None:
        super().__init__(f"this {scope} was forgotten")
        self.scope = scope


class TooManyNotes(Exception):
    """The conversation has the maximum number of notes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkingNote:
    """A value that a bot stores for a conversation.

    Attributes:
        value: any JSON value; None deletes the note.
        request_id: unique over all commands and users; None for a request that may be repeated.
    """

    user_id: str
    conversation_id: str
    key: str
    value: object
    request_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkingMemorySpan:
    """Time bounds of working memory; each is exclusive."""

    turns_after: datetime
    turns_before: datetime
    notes_after: datetime
    notes_before: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkingMemorySnapshot:
    """Names, turns and notes of a conversation.

    Attributes:
        token: changes whenever any of it changes.
        names_token: of the names in the user's facts; None if there are none.
        names: the most frequent first, at most 200; None if the caller has those of that token.
        turns: oldest first.
        notes: latest first.
    """

    token: str
    names_token: UUID | None = None
    names: Sequence[str] | None = ()
    turns: Sequence[SpokenTurn] = ()
    notes: Mapping[str, object] = field(default_factory=dict)


class WorkingMemoryStore(Store):
    """Reads working memory; an unknown user has none. Raises `StoreUnavailable`."""

    async def snapshot(
        self,
        tenant: str,
        user_id: str,
        conversation_id: str,
        *,
        span: WorkingMemorySpan,
        max_turns: int,
        known_token: str | None,
        known_names: UUID | None,
    ) -> WorkingMemorySnapshot | None:
        """Return the working memory of a conversation; None if the caller has it, by `known_token`.

        Args:
            known_token: of the snapshot that the caller has; None for none.
            known_names: the token of the names that the caller has; None for none.
        """
        scope = user_id, conversation_id, *astuple(span), max_turns, known_token, known_names
        [row] = await self._database.read("working_memory", tenant, *scope)
        if row["token"] == known_token:
            return None
        turns = json.loads(row["turns"] or "[]")
        return WorkingMemorySnapshot(
            token=row["token"],
            names_token=row["version"],
            names=None if row["version"] == known_names else tuple(row["names"] or ()),
            turns=tuple(_turn(conversation_id, turn) for turn in reversed(turns)),
            notes=json.loads(row["notes"] or "{}"),
        )


class NoteStore(Store):
    """Writes notes of conversations; each method is one transaction, and raises `StoreUnavailable`."""

    async def note(
        self,
        tenant: str,
        note: WorkingNote,
        at: datetime,
        *,
        live_since: datetime,
        limit: int,
        late: bool = False,
    ) -> None:
        """Write or delete a note, once for each request id.

        Args:
            note: replaces the one of the same key.
            live_since: earlier notes have expired.
            limit: the most notes of a conversation.
            late: whether it is written long after `at`: a later note of the key stays.

        Raises:
            TombstoneExists: the user, or the conversation, is being erased, or was forgotten after `at`.
            TooManyNotes: the conversation has `limit` others.
            RequestConflict: the request id is known for another note.
        """
        scope = tenant, note.user_id, note.conversation_id
        async with self._database.transaction(tenant) as connection:
            # As in ingest: a tombstone is written under the same locks.
            locks = sorted((f"conversation/{note.conversation_id}", f"user/{note.user_id}"))
            await connection.execute(_LOCK, tenant, locks)
            if forgotten := await connection.fetchval(_SQL["forgotten"], *scope, at):
                raise TombstoneExists(forgotten)
            asked = note.request_id, note.conversation_id, note.key, note.value
            if not await is_new_request(connection, "note", tenant, *asked):
                return
            if note.value is None:
                await connection.execute(_SQL["delete"], *scope, note.key)
                return
            others = await connection.fetchval(_SQL["others"], *scope, note.key, live_since)
            if others >= limit:
                raise TooManyNotes(f"the conversation has {others} other notes")
            await connection.execute(_KNOWN_TENANT, tenant)
            value = json.dumps(note.value, ensure_ascii=False)
            await connection.execute(_SQL["write"], *scope, note.key, value, at, late)

    async def tidy(self, tenant: str, *, before: datetime, after: datetime) -> None:
        """Drop notes of before `before`; or of after `after`, from a clock that was ahead."""
        await self._execute(_SQL["empty_notes"], tenant, before, after)


def _turn(conversation_id: str, turn: dict[str, Any]) -> SpokenTurn:
    return rows.build(
        SpokenTurn,
        turn,
        memory_id=UUID(turn["memory_id"]),
        conversation_id=conversation_id,
        timestamp=datetime.fromisoformat(turn["sent_at"]),
        language=turn["language"] or "",
        participants=tuple(turn["participants"] or ()),
    )

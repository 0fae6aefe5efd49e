"""Working memory of a conversation: its last turns, and the notes of bots."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final
from uuid import NAMESPACE_OID, UUID, uuid5

from ricordo.messages.subjects import checked_tenant
from ricordo.store.database import Connection, Database, Store
from ricordo.store.memory_queries import HistoryTurn

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


class NoteConflict(Exception):
    """The request id is known for another note."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkingNote:
    """A value that a bot stores for a conversation.

    Attributes:
        value: any JSON value; None takes the note away.
        request_id: known once for all commands and users; None for a request that may count again.
    """

    user_id: str
    conversation_id: str
    key: str
    value: object
    request_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkingMemorySpan:
    """Time bounds of working memory; each is exclusive.

    Attributes:
        said_after, said_before: of turns.
        noted_after, noted_before: of notes.
    """

    said_after: datetime
    said_before: datetime
    noted_after: datetime
    noted_before: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkingMemorySnapshot:
    """Names, turns and notes of a conversation.

    Attributes:
        token: of this state of it: another one as soon as anything of it has changed.
        names_token: of the names that facts of the user speak of; None where there are none.
        names: those most spoken of first, at most 200; None where the caller has those of that token.
        turns: oldest first.
        notes: latest first.
    """

    token: str
    names_token: UUID | None = None
    names: Sequence[str] | None = ()
    turns: Sequence[HistoryTurn] = ()
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
        most_turns: int,
        held: str | None,
        held_names: UUID | None,
    ) -> WorkingMemorySnapshot | None:
        """Return what is at hand in a conversation of the user; None where that is still what `held` names.

        Args:
            tenant: whose store.
            user_id: whose turns and notes.
            conversation_id: which conversation.
            span: of which time.
            most_turns: how many of the last turns.
            held: the token of what the caller has; None for nothing.
            held_names: the token of the names that the caller has; None for none.
        """
        times = span.said_after, span.said_before, span.noted_after, span.noted_before
        of = checked_tenant(tenant), user_id, conversation_id
        async with self._database.unscoped() as connection:
            row = await connection.fetchrow(_SQL["desk"], *of, *times, most_turns, held, held_names)
        assert row is not None  # noqa: S101 - the function always returns its row
        if row["token"] == held:
            return None
        turns = json.loads(row["turns"] or "[]")
        return WorkingMemorySnapshot(
            token=row["token"],
            names_token=row["version"],
            names=None if row["version"] == held_names else tuple(row["names"] or ()),
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
        alive_since: datetime,
        most: int,
        belated: bool = False,
    ) -> None:
        """Keep a note, in place of the one of the same key, or take it away; once for each request id.

        Args:
            tenant: whose.
            note: what to keep.
            at: when it is set.
            alive_since: notes of before do not count any more.
            most: how many a conversation may have.
            belated: whether it is told long after `at`: what was noted under its key since then stays.

        Raises:
            Forgotten: the user, or the conversation, is being erased, or was forgotten after `at`.
            TooManyNotes: the conversation has `most` others.
            NoteConflict: the request id stands for something else.
        """
        of = tenant, note.user_id, note.conversation_id
        async with self._database.transaction(tenant) as connection:
            # As ingest does: who writes a tombstone takes the same locks before the erasure.
            locks = sorted((f"conversation/{note.conversation_id}", f"user/{note.user_id}"))
            await connection.execute(_LOCK, tenant, locks)
            if scope := await connection.fetchval(_SQL["forgotten"], *of, at):
                raise TombstoneExists(scope)
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
        """Drop notes that were set before `before`; or after `after`, by a clock that was ahead."""
        await self._execute(_SQL["empty_notes"], tenant, before, after)


async def _is_first(connection: Connection, tenant: str, note: WorkingNote) -> bool:
    """Whether a request has not counted yet; remembers it.

    Raises:
        NoteConflict: it said something else then.
    """
    if note.request_id is None:
        return True
    said = json.dumps([note.request_id, note.conversation_id, note.key, note.value], sort_keys=True)
    ids = [uuid5(NAMESPACE_OID, one) for one in (note.request_id, said)]
    new = await connection.fetch(_SQL["first_asked"], tenant, ids)
    if len(new) == 1:
        raise NoteConflict("this request has noted something else already")
    return bool(new)


def _turn(conversation_id: str, turn: dict[str, Any]) -> HistoryTurn:
    return HistoryTurn(
        message_id=turn["message_id"],
        memory_id=UUID(turn["memory_id"]),
        conversation_id=conversation_id,
        role=turn["role"],
        speaker=turn["speaker"],
        content=turn["content"],
        timestamp=datetime.fromisoformat(turn["sent_at"]),
        language=turn["language"] or "",
        participants=tuple(turn["participants"] or ()),
    )

"""Feedback, pins, confirmations and corrections of memories by users."""

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final, Literal
from uuid import UUID

from ricordo.memory.importance import RecallVerdict
from ricordo.memory.model import Progress
from ricordo.store import derived_memories, rows
from ricordo.store.database import Connection, Database, Store
from ricordo.store.idempotency import claim_request, keep_outcome
from ricordo.store.lifecycle_store import FeedbackResult, RecallUse, lock_memories, record_uses

_SQL = Database.queries("curation_store")
_SESSIONS: Final = Database.queries("session_store")
_CONFIRMED: Final = ("source", "confidence", "verified")
Flag = Literal["pinned", "verified"]
Outcome = dict[str, Any]
"""Outcome of a request, as stored JSON."""


class UnknownMemories(LookupError):
    """The user has no memories with these ids."""

    def __init__(self, memory_ids: Sequence[UUID]) -> None:
        super().__init__(f"the user has no memory {', '.join(map(str, memory_ids))}")
        self.memory_ids = tuple(memory_ids)


class FixedKind(ValueError):
    """The memory was derived from others: its kind says how."""


@dataclass(frozen=True, slots=True)
class CurationRequest:
    """Identity of a request of a user.

    Attributes:
        request_id: the key of its outcome; None if it is not repeated.
        digest: a hash of its content; the same id with another content is refused.
    """

    user_id: str
    request_id: str | None
    digest: bytes


@dataclass(frozen=True, slots=True)
class CorrectionResult:
    """Result of a correction.

    Attributes:
        withdrawn: memories that were derived from the former text.
    """

    fields: tuple[str, ...]
    progress: Progress | None
    withdrawn: tuple[UUID, ...] = ()


class CurationStore(Store):
    """Writes feedback, pins, confirmations and corrections. Each method is one transaction.

    Repeating a request changes nothing and returns the same, as long as its outcome is stored.

    Raises:
        UnknownMemories: the user has no such memory; nothing was written.
        RequestConflict: the request was made with another content; nothing was written.
        StoreUnavailable: nothing was written.
    """

    async def feedback(
        self,
        tenant: str,
        request: CurationRequest,
        recall_id: UUID,
        *,
        used: Sequence[UUID],
        irrelevant: Sequence[UUID],
        at: datetime,
    ) -> FeedbackResult:
        """Reinforce used memories, unless that recall has, and withdraw the use of irrelevant ones.

        The last feedback on a memory in a recall counts.
        """
        verdicts = dict.fromkeys(used, RecallVerdict.USED) | dict.fromkeys(
            irrelevant, RecallVerdict.IRRELEVANT
        )
        uses = [
            RecallUse(request.user_id, one, recall_id, at, verdict=verdict)
            for one, verdict in verdicts.items()
        ]

        async def write(connection: Connection) -> Outcome:
            locked = await lock_memories(connection, tenant, uses)
            if unknown := [one for one in verdicts if (one, request.user_id) not in locked]:
                raise UnknownMemories(unknown)
            return asdict(await record_uses(connection, tenant, uses, locked))

        async with self._database.transaction(tenant) as connection:
            done = await _once(connection, tenant, request, at, write)
        return FeedbackResult(done["used"], done["irrelevant"], tuple(map(UUID, done["changed"])))

    async def set_flag(
        self,
        tenant: str,
        request: CurationRequest,
        memory_id: UUID,
        column: Flag,
        *,
        value: bool,
        at: datetime,
    ) -> Sequence[str]:
        """Set a flag of a memory, and return the changed columns; pinning restores it from the archive."""

        async def write(connection: Connection) -> Outcome:
            row = await connection.fetchrow(_SQL[column], tenant, request.user_id, memory_id, value)
            if row is None:
                raise UnknownMemories([memory_id])
            restored = ["archived_at"] if value and row.get("archived") else []
            return {"fields": [*([column] if row[column] != value else []), *restored]}

        async with self._database.transaction(tenant) as connection:
            return tuple((await _once(connection, tenant, request, at, write))["fields"])

    async def edit(
        self,
        tenant: str,
        request: CurationRequest,
        memory_id: UUID,
        changes: Mapping[str, Any],
        *,
        at: datetime,
    ) -> Sequence[str]:
        """Change what is stated of a memory, and return the changed columns.

        Args:
            changes: any of `kind`, `importance`, `tags` and `expires_at`; None as the last clears it, and a
                memory that had expired returns from the archive unless it expires before `at`.

        Raises:
            FixedKind: a `kind` is given for a derived memory; nothing was written.
        """
        values = [changes.get(name) for name in ("kind", "importance", "tags", "expires_at")]

        async def write(connection: Connection) -> Outcome:
            memory = tenant, request.user_id, memory_id
            row = await connection.fetchrow(_SQL["edit"], *memory, *values, "expires_at" in changes, at)
            if row is None:
                raise UnknownMemories([memory_id])
            if row["is_derived"] and "kind" in changes:
                raise FixedKind(f"the memory {memory_id} was derived from others")
            return {"fields": row["fields"]}

        async with self._database.transaction(tenant) as connection:
            return tuple((await _once(connection, tenant, request, at, write))["fields"])

    async def correct(
        self,
        tenant: str,
        request: CurationRequest,
        memory_id: UUID,
        *,
        content: str,
        language: str,
        at: datetime,
    ) -> CorrectionResult:
        """Replace the text of a memory, verified by the user, and reset its stages.

        The history keeps the original message and its digest.

        Args:
            language: of the content; empty if unknown: then it stays.
        """

        async def write(connection: Connection) -> Outcome:
            await derived_memories.lock_users(connection, tenant, [request.user_id])
            memory = tenant, request.user_id, memory_id
            row = await connection.fetchrow(_SQL["with_other_text"], *memory, content)
            gone: list[UUID] = []
            if row is not None:
                gone = await derived_memories.withdraw_derived(connection, tenant, rows.memory(row))
            locked = await connection.fetchrow(_SQL["lock_memory"], *memory)
            if locked is None:
                raise UnknownMemories([memory_id])
            if locked["content"] == content:
                if locked["corrected"]:
                    return {"fields": [], "withdrawn": []}
                await connection.execute(_SQL["confirm"], tenant, memory_id)
                return {"fields": _CONFIRMED, "withdrawn": []}
            await connection.execute(_SQL["correct"], tenant, memory_id, content, language)
            for name in ("unencode", "reset_stages"):
                await connection.execute(_SQL[name], tenant, memory_id)
            await connection.execute(_SESSIONS["reread"], tenant, memory_id, at)
            return {"fields": ["content", "language", *_CONFIRMED], "withdrawn": gone}

        async with self._database.transaction(tenant) as connection:
            done = await _once(connection, tenant, request, at, write)
            row = await connection.fetchrow(_SQL["stages"], tenant, memory_id)
        return CorrectionResult(
            tuple(done["fields"]),
            None if row is None else rows.progress(row),
            tuple(map(UUID, done.get("withdrawn", ()))),
        )


async def _once(
    connection: Connection,
    tenant: str,
    request: CurationRequest,
    at: datetime,
    do: Callable[[Connection], Awaitable[Outcome]],
) -> Outcome:
    """Execute a request unless it was executed before; return its outcome."""
    if request.request_id is None:
        return _plain(await do(connection))
    whose = (tenant, request.user_id, request.request_id)
    if (known := await claim_request(connection, *whose, asked=request.digest, at=at)) is not None:
        earlier: Outcome = json.loads(known["outcome"])
        return earlier
    outcome = _plain(await do(connection))
    await keep_outcome(connection, tenant, request.request_id, json.dumps(outcome))
    return outcome


def _plain(outcome: Outcome) -> Outcome:
    """Return an outcome as it is read back from JSON."""
    read: Outcome = json.loads(json.dumps(outcome, default=str))
    return read

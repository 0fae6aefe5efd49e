"""Erasure on request: first a tombstone, then messages and everything derived from them, slice by slice."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from ricordo.memory.model import Progress
from ricordo.messages.commands import Erased
from ricordo.messages.enumerations import ForgetScope
from ricordo.store import derived_memories, rows
from ricordo.store.corrections import lock_corrections, relink_corrections
from ricordo.store.database import Connection, Database
from ricordo.store.evidence_store import EvidenceChange, FoldingStore, FoldingTransaction
from ricordo.store.idempotency import claim_request

_SQL: Final = Database.queries("erasure")
_INTAKE: Final = Database.queries("intake")
_STATEMENTS: Final = 5  # rows of evidence per message of a slice


@dataclass(frozen=True, slots=True)
class ErasureRequest:
    """A message, memory, conversation or user to be erased.

    Attributes:
        key: the id of the message, the memory, the conversation or the user, depending on `scope`.
        at: everything that was sent or stored until then is erased.
    """

    user_id: str
    scope: ForgetScope
    key: str
    at: datetime


@dataclass(frozen=True, slots=True)
class ErasureSlice:
    """One slice of an erasure.

    Attributes:
        behind: memories that now follow another one, and are to be indexed again.
        unread: corrections that now correct another message, whose facts are to be extracted again.
    """

    memory_ids: Sequence[UUID] = ()
    behind: Sequence[Progress] = ()
    unread: Sequence[Progress] = ()
    more: bool = False


@dataclass(frozen=True, slots=True)
class DeadLetterPosition:
    """Consumer, subject and stream sequence of a dead letter; `object_key` of its document."""

    consumer: str
    subject: str
    sequence: int
    object_key: str | None = None


class ErasureStore(FoldingStore):
    """Erases messages, memories, conversations and users. Each method may raise `StoreUnavailable`."""

    async def of_memory(
        self, tenant: str, user_id: str, memory_id: UUID, at: datetime, request: str | None
    ) -> ErasureRequest:
        """Return what is to be erased for a memory: its message, or itself where no message is behind it.

        Args:
            request: id of the request; a repeated one is about the same, though that may have gone already.
        """
        found = await self._fetchrow(_SQL["memory_scope"], tenant, user_id, memory_id, request)
        scope, key = ("memory", str(memory_id)) if found is None else (found["scope"], found["key"])
        return ErasureRequest(user_id, ForgetScope(scope), key, at)

    async def put_tombstone(
        self, tenant: str, erasure: ErasureRequest, *, request: str | None = None, asked: bytes = b""
    ) -> ErasureRequest | Erased:
        """Write the tombstone, before anything is erased: from now on its messages are rejected.

        Args:
            request: id of the request; a repeated one erases nothing that was stored since.

        Returns:
            What is to be erased now, up to the time of the tombstone; or the counts, if that request is
            complete.

        Raises:
            RequestConflict: the request was made with another content.
        """
        async with self._database.transaction(tenant) as connection:
            until = erasure.at
            if request is not None:
                whose = (tenant, erasure.user_id, request)
                known = await claim_request(connection, *whose, asked=asked, at=until)
                if known is not None and known["outcome"] != "{}":
                    return Erased.model_validate_json(known["outcome"])
                until = until if known is None else known["handled_at"]
            await derived_memories.lock_users(connection, tenant, [erasure.user_id])  # nothing is stored now
            row = (tenant, *_named(erasure))
            requested_at = await connection.fetchval(_SQL["write_tombstone"], *row, until, request)
            if requested_at is None:  # that request was completed meanwhile
                return await _add(connection, tenant, erasure, Erased())
        return replace(erasure, at=requested_at)

    async def erase(self, tenant: str, erasure: ErasureRequest, limit: int) -> ErasureSlice:
        """Erase the next messages, and everything derived from them but the graph, in one transaction."""
        async with self.lock(tenant, [erasure.user_id]) as folding:
            return await _Slice(folding, tenant, erasure, limit).erase()

    async def count_dead_letter(
        self, tenant: str, erasure: ErasureRequest, letter: DeadLetterPosition
    ) -> None:
        """Count a dead letter to be deleted; delete its reason, and mark its document for deletion."""
        async with self._database.transaction(tenant) as connection:
            place = (letter.consumer, letter.subject, letter.sequence)
            await connection.execute(_SQL["letter"], tenant, *place)
            if letter.object_key is not None:
                await connection.execute(_SQL["discard"], tenant, letter.object_key, erasure.user_id)
            await _add(connection, tenant, erasure, Erased(stream=1))

    async def finish(self, tenant: str, erasure: ErasureRequest) -> Erased:
        """Complete an erasure, unless it was requested again since, and return all counts.

        They become the outcome of its requests, which a repeated request returns.
        """
        conversation = erasure.key if erasure.scope is ForgetScope.CONVERSATION else None
        async with self._database.transaction(tenant) as connection:
            notes = 0
            if erasure.scope in (ForgetScope.CONVERSATION, ForgetScope.USER):
                within = (tenant, erasure.user_id, conversation, erasure.at)
                notes = _affected(await connection.execute(_SQL["notes"], *within))
                await connection.execute(_SQL["ends"], *within)
                await connection.execute(_SQL["unsummarized"], *within[:3])
            if erasure.scope is ForgetScope.USER:
                await connection.execute(_SQL["other_rows_of_user"], tenant, erasure.user_id, erasure.at)
            counts = await _add(connection, tenant, erasure, Erased(working=notes))
            await connection.execute(_SQL["end"], tenant, *_named(erasure), erasure.at)
        return counts

    async def unfinished(self, tenant: str, before: datetime) -> Sequence[ErasureRequest]:
        """Return the requests of before then that are not complete."""
        found = await self._fetch(_SQL["open"], tenant, before)
        return [
            rows.build(ErasureRequest, row, scope=ForgetScope(row["scope"]), at=row["requested_at"])
            for row in found
        ]

    async def objects_to_delete(self, tenant: str, limit: int) -> Sequence[str]:
        """Return keys of objects that are still to be deleted."""
        return [row["key"] for row in await self._fetch(_SQL["discarded"], tenant, limit)]

    async def deleted(self, tenant: str, keys: Sequence[str]) -> None:
        """Note that objects were deleted."""
        await self._execute(_SQL["deleted"], tenant, keys)


@dataclass(frozen=True, slots=True)
class _Slice:
    folding: FoldingTransaction
    tenant: str
    erasure: ErasureRequest
    limit: int

    async def erase(self) -> ErasureSlice:
        if self.erasure.scope is ForgetScope.USER:
            found = await self._fetch("retract_all", self.erasure.at, _STATEMENTS * self.limit)
            if (gone := await self._fold_without(found)) is not None:
                return await self._counted(Erased(graph=gone))
        found = await self._fetch(self.erasure.scope.value, self.erasure.key, self.erasure.at, self.limit)
        if not found:
            return ErasureSlice()
        messages = [row["message_id"] for row in found if row["message_id"] is not None]
        conversations = {row["conversation_id"] for row in found}
        await self._lock(conversations)
        memory_ids = await self._with_derived({row["memory_id"] for row in found})
        erased, behind = await self._erase_rows(memory_ids, messages)
        connection, user_id = self.folding.connection, self.erasure.user_id
        unread = await relink_corrections(connection, self.tenant, user_id, memory_ids, conversations)
        if self.erasure.scope is ForgetScope.MESSAGE and conversations:
            await self._fetch("summarize_again", sorted(conversations), self.erasure.at)
        gone = await self._fold_without(await self._with_assertions(await self._fetch("retract", messages)))
        if unread:  # their own facts are extracted again: they do not count
            await self._fold_without(await self._fetch("retract_read", [one.message_id for one in unread]))
        if behind:
            carried = await self._fetch("retract_carried", [one.memory_id for one in behind])
            await self._fold_without(carried)
        counted = await self._counted(erased.model_copy(update={"graph": gone or 0}))
        return replace(counted, memory_ids=sorted(memory_ids), behind=behind, unread=unread)

    async def _counted(self, counts: Erased) -> ErasureSlice:
        await _add(self.folding.connection, self.tenant, self.erasure, counts)
        return ErasureSlice(more=True)

    async def _lock(self, conversations: Collection[str]) -> None:
        names = sorted({f"conversation/{one}" for one in conversations} | {f"user/{self.erasure.user_id}"})
        await self._execute(_INTAKE["lock"], names)
        await lock_corrections(self.folding.connection, self.tenant, [self.erasure.user_id])

    async def _with_derived(self, memory_ids: set[UUID]) -> set[UUID]:
        found, new = set(memory_ids), set(memory_ids)
        while new:
            new = {row["id"] for row in await self._fetch("derived", sorted(found))} - found
            found |= new
        return found

    async def _erase_rows(
        self, memory_ids: Collection[UUID], messages: Sequence[str]
    ) -> tuple[Erased, list[Progress]]:
        """Erase rows and references to them; return the counts, and what came right after, to begin again."""
        gone = sorted(memory_ids)
        touched = sorted(row["id"] for row in await self._fetch("referring", gone))
        followers = await self.folding.connection.fetch(_SQL["lock"], self.tenant, gone, touched)
        (row,) = await self._fetch("erase", gone, messages, self.erasure.at)
        await self._execute(_SQL["unlink"], gone, touched)
        again = await self.folding.connection.fetch(
            _SQL["begin_again"], self.tenant, [one["id"] for one in followers]
        )
        return Erased(**dict(row)), [rows.progress(one) for one in again]

    async def _with_assertions(self, retracted: Sequence[Any]) -> Sequence[Any]:
        """Retract what the user asserted of facts that no message states; return all retracted."""
        found = new = list(retracted)
        while new:
            keys = ([row[name] for row in new] for name in ("subject_key", "predicate", "object_key"))
            requests = await self._fetch("assertions_without_message", *keys)
            new = await self._fetch("retract", [row["message_id"] for row in requests]) if requests else []
            found = [*found, *new]
        return found

    async def _fold_without(self, found: Sequence[Any]) -> int | None:
        """Fold what is left without retracted evidence; return how many facts that deletes, or None."""
        if not found:
            return None
        change = EvidenceChange()
        change.remove(found)
        changes = await self.folding.fold(change)
        await self._drop_decisions()
        return changes.gone

    async def _drop_decisions(self) -> None:
        """Drop decisions about names that no entity has any more, unless the user made them."""
        if not (decided := await self._fetch("decisions_of_others")):
            return
        known = await self.folding.entities(self.erasure.user_id).known()
        names = {name for one in known.clusters() for name in one.called}
        if gone := [row for row in decided if not names.issuperset((row["first"], row["second"]))]:
            await self._fetch(
                "drop_decisions", [row["first"] for row in gone], [row["second"] for row in gone]
            )

    async def _fetch(self, name: str, *arguments: object) -> list[Any]:
        found: list[Any] = await self.folding.connection.fetch(
            _SQL[name], self.tenant, self.erasure.user_id, *arguments
        )
        return found

    async def _execute(self, statement: str, *arguments: object) -> None:
        await self.folding.connection.execute(statement, self.tenant, *arguments)


async def _add(connection: Connection, tenant: str, erasure: ErasureRequest, counts: Erased) -> Erased:
    erased = await connection.fetchval(_SQL["count"], tenant, *_named(erasure), counts.model_dump_json())
    return counts if erased is None else Erased.model_validate_json(erased)


def _named(erasure: ErasureRequest) -> tuple[str, str, str]:
    return erasure.user_id, erasure.scope.value, erasure.key


def _affected(tag: str) -> int:
    return int(tag.rpartition(" ")[2])

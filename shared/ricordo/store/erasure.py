"""Erasure on request: a tombstone first, then slice by slice all that rests on what is forgotten."""

import json
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, fields, replace
from datetime import datetime
from typing import Any, Final, Self, cast
from uuid import UUID

from ricordo.memory.facts import Partition, partitions_for
from ricordo.memory.facts.projection import Project
from ricordo.memory.progress import Progress
from ricordo.messages.vocabulary import ForgetScope
from ricordo.runtime.scheduling import CpuExecutor
from ricordo.store import derived_memories, rows
from ricordo.store.database import Connection, Database, RequestConflict, Store
from ricordo.store.entity_store import EntityStore
from ricordo.store.evidence_store import EvidenceStore, FoldingTransaction, NewEvidence
from ricordo.store.link_store import relink_corrections

_SQL: Final = Database.queries("erasure")
_INTAKE: Final = Database.queries("intake")
_LINKS: Final = Database.queries("link_store")
_STATEMENTS: Final = 5  # of evidence in a slice, for each message that one may have


@dataclass(frozen=True, slots=True)
class ErasureRequest:
    """A message, conversation or user to be erased.

    Attributes:
        key: the id of the message, the conversation or the user, as `scope` says.
        at: all that was said until then, or that was taken in until then.
    """

    user_id: str
    scope: ForgetScope
    key: str
    at: datetime


@dataclass(frozen=True, slots=True)
class ErasureCounts:
    """Number of erased items by place.

    Attributes:
        rows: messages and memories, derived ones too.
        vectors: points; `graph`: facts; `stream`: dead letters; `archive`: documents; `working`: notes.
    """

    rows: int = 0
    vectors: int = 0
    graph: int = 0
    stream: int = 0
    archive: int = 0
    working: int = 0

    def __add__(self, other: Self) -> "ErasureCounts":
        """Return both together."""
        return ErasureCounts(*(getattr(self, one.name) + getattr(other, one.name) for one in fields(self)))


@dataclass(frozen=True, slots=True)
class ErasureSlice:
    """One slice of an erasure.

    Attributes:
        memory_ids: the memories that are no more, derived ones too.
        behind: memories, of whomever, that come behind other ones now, and are to be indexed anew.
        unread: corrections that correct something else now, whose facts are to be read again.
        more: whether something may be left.
    """

    counts: ErasureCounts
    memory_ids: Sequence[UUID] = ()
    behind: Sequence[Progress] = ()
    unread: Sequence[Progress] = ()
    more: bool = False


@dataclass(frozen=True, slots=True)
class DeadLetterPosition:
    """Consumer, subject and stream sequence of a dead letter; `object_key` of the document that it brings."""

    consumer: str
    subject: str
    sequence: int
    object_key: str | None = None


class ErasureStore(Store):
    """Erases what users ask to be forgotten; each method raises `StoreUnavailable` if the store is away."""

    def __init__(self, database: Database, beside: CpuExecutor | None = None) -> None:
        """Erase through `database`; what is folded anew is folded `beside` the event loop."""
        super().__init__(database)
        self._folds = EvidenceStore(database, beside, remembered=0)

    async def put_tombstone(
        self, tenant: str, burial: ErasureRequest, *, request: str | None = None, asked: bytes = b""
    ) -> ErasureRequest | ErasureCounts:
        """Put up the tombstone, before anything is erased: from now on nothing of it is taken in.

        Args:
            tenant: whose it is.
            burial: what is to be forgotten.
            request: under which this is asked; one that was asked before erases nothing that came since,
                whether it was done, cut off, or done without its asker being told.
            asked: a digest of what is asked.

        Returns:
            What is to be erased now, up to when as it stands on the tombstone; or what was erased, where that
            request was done before.

        Raises:
            RequestConflict: the request is known for something else.
        """
        async with self._database.transaction(tenant) as connection:
            until = burial.at
            if request is not None:
                claimed = await _claimed(connection, tenant, burial, request, asked)
                if isinstance(claimed, ErasureCounts):
                    return claimed
                until = claimed
            await derived_memories.lock_users(
                connection, tenant, [burial.user_id]
            )  # nobody takes anything in meanwhile
            row = (tenant, *_named(burial))
            requested_at = await connection.fetchval(_SQL["bury"], *row, until, request)
            if requested_at is None:  # that request's erasure has ended since it was looked for
                return await _add(connection, tenant, burial, ErasureCounts())
        return replace(burial, at=requested_at)

    async def erase(self, tenant: str, burial: ErasureRequest, project: Project, limit: int) -> ErasureSlice:
        """Erase the next messages, and all that was made of them; one transaction, with the graph.

        What a crash cuts off is simply repeated. Two that erase the same do it in turn.

        Args:
            tenant: whose they are.
            burial: one that `bury` has put up.
            project: writes what has changed of the user's facts, as for `FactLedger.record`.
            limit: the most messages.

        Raises:
            Exception: whatever `project` raised; nothing was erased by this call.
        """
        async with self._folds.of(tenant, [burial.user_id], project) as folding:
            return await _Slice(folding, tenant, burial, limit).erase()

    async def count_dead_letter(
        self, tenant: str, burial: ErasureRequest, letter: DeadLetterPosition
    ) -> None:
        """Count a dead letter that is to be deleted; let go of its reason, and of the document it brings."""
        async with self._database.transaction(tenant) as connection:
            place = (letter.consumer, letter.subject, letter.sequence)
            await connection.execute(_SQL["letter"], tenant, *place)
            if letter.object_key is not None:
                await connection.execute(_SQL["discard"], tenant, letter.object_key, burial.user_id)
            await _add(connection, tenant, burial, ErasureCounts(stream=1))

    async def finish(self, tenant: str, burial: ErasureRequest) -> ErasureCounts:
        """Note that nothing is left, and return what was erased in all.

        Whoever asked for it, and asks again under the same request, is told the same; unless more was buried
        since, whose erasure says so.
        """
        conversation = burial.key if burial.scope is ForgetScope.CONVERSATION else None
        async with self._database.transaction(tenant) as connection:
            notes = 0
            if burial.scope is not ForgetScope.MESSAGE:
                within = (tenant, burial.user_id, conversation, burial.at)
                notes = _affected(await connection.execute(_SQL["notes"], *within))
                await connection.execute(_SQL["ends"], *within)
                await connection.execute(_SQL["unsummarized"], *within[:3])
            if burial.scope is ForgetScope.USER:
                await connection.execute(_SQL["user_aside"], tenant, burial.user_id, burial.at)
            counts = await _add(connection, tenant, burial, ErasureCounts(working=notes))
            await connection.execute(_SQL["end"], tenant, *_named(burial), burial.at)
        return counts

    async def unfinished(self, tenant: str, before: datetime) -> Sequence[ErasureRequest]:
        """Return what was buried before then, and is not erased yet."""
        found = await self._fetch(_SQL["open"], tenant, before)
        return [
            ErasureRequest(row["user_id"], ForgetScope(row["scope"]), row["key"], row["requested_at"])
            for row in found
        ]

    async def objects_to_delete(self, tenant: str, limit: int) -> Sequence[str]:
        """Return keys of objects that are still to be deleted."""
        return [row["key"] for row in await self._fetch(_SQL["discarded"], tenant, limit)]

    async def deleted(self, tenant: str, keys: Sequence[str]) -> None:
        """Note that they are."""
        await self._execute(_SQL["deleted"], tenant, keys)


@dataclass(frozen=True, slots=True)
class _Slice:
    """One slice, as part of a transaction that holds the facts of the user."""

    folding: FoldingTransaction
    tenant: str
    burial: ErasureRequest
    limit: int

    async def erase(self) -> ErasureSlice:
        if self.burial.scope is ForgetScope.USER:
            gone = await self._retract("retract_all", self.burial.at, _STATEMENTS * self.limit)
            if gone is not None:
                return await self._counted(ErasureCounts(graph=gone))
        said = await self._fetch(self.burial.scope.value, self.burial.key, self.burial.at, self.limit)
        if not said:
            return ErasureSlice(ErasureCounts())
        messages = [row["message_id"] for row in said]
        conversations = {row["conversation_id"] for row in said}
        await self._hold(conversations)
        going = await self._with_what_rests({row["memory_id"] for row in said})
        taken = await self._take_away(going, messages)
        connection, user_id = self.folding.connection, self.burial.user_id
        unread = await relink_corrections(connection, self.tenant, user_id, going, conversations)
        await self._sum_up_again(conversations)
        gone = await self._retract("retract", messages)
        if unread:  # what these state by themselves is known again once they are read: it does not count
            await self._retract("retract", [one.message_id for one in unread])
        erased = await self._counted(taken.counts + ErasureCounts(graph=gone or 0))
        return replace(erased, memory_ids=sorted(going), behind=taken.progress, unread=unread)

    async def _counted(self, counts: ErasureCounts) -> ErasureSlice:
        await _add(self.folding.connection, self.tenant, self.burial, counts)
        return ErasureSlice(counts, more=True)

    async def _hold(self, conversations: Collection[str]) -> None:
        """Wait for all who take something in, link it or derive from it, and keep them waiting."""
        names = sorted({f"conversation/{one}" for one in conversations} | {f"user/{self.burial.user_id}"})
        await self._execute(_INTAKE["lock"], names)
        await self._execute(_LINKS["lock"], [self.burial.user_id])

    async def _with_what_rests(self, memory_ids: set[UUID]) -> set[UUID]:
        """Return these and what was made of them, and what was made of that."""
        going, new = set(memory_ids), set(memory_ids)
        while new:
            new = {row["id"] for row in await self._fetch("resting", sorted(going))} - going
            going |= new
        return going

    async def _take_away(self, going: Collection[UUID], messages: Sequence[str]) -> "ErasedMessages":
        """Erase rows, and have whoever named them name them no more."""
        gone = sorted(going)
        touched = sorted(row["id"] for row in await self._fetch("touched", gone))
        held = await self.folding.connection.fetch(_SQL["hold"], self.tenant, gone, touched)
        (row,) = await self._fetch("erase", gone, messages, self.burial.at)
        await self._execute(_SQL["unlink"], gone, touched)
        user = [self.burial.user_id]
        await self._execute(_LINKS["advance"], user, user)
        again = await self.folding.connection.fetch(
            _SQL["index_again"], self.tenant, [one["id"] for one in held]
        )
        return ErasedMessages(ErasureCounts(**dict(row)), [rows.progress(one) for one in again])

    async def _sum_up_again(self, conversations: Collection[str]) -> None:
        if self.burial.scope is ForgetScope.MESSAGE and conversations:
            await self._fetch("sum_up_again", sorted(conversations), self.burial.at)

    async def _retract(self, name: str, *arguments: object) -> int | None:
        """Take evidence away, fold and project what is left.

        Returns:
            How many facts are no more; None where there was no evidence.
        """
        user_id = self.burial.user_id
        state = (await self.folding.states([user_id])).get(user_id)
        found = await self._fetch(name, *arguments)
        replaced: set[Partition] = set()
        for row in found:
            if row["predicate"]:  # else it says that the message states nothing
                replaced |= partitions_for(row["subject_key"], row["predicate"], row["object_key"])
        if replaced:
            new = NewEvidence(replaced=replaced, state=state)
            gone = (await self.folding.fold({user_id: new}))[user_id].gone
            await self._unname()
            return len(gone)
        return 0 if found else None

    async def _unname(self) -> None:
        """Let go of what was decided of names, unless by the user, that nobody goes by any more."""
        if not (decided := await self._fetch("not_by_the_user")):
            return
        identifying = EntityStore(self.folding.connection, self.tenant, self.burial.user_id)
        called = {name for one in (await identifying.known()).clusters() for name in one.called}
        if gone := [row for row in decided if not called.issuperset((row["first"], row["second"]))]:
            await self._fetch("unname", [row["first"] for row in gone], [row["second"] for row in gone])

    async def _fetch(self, name: str, *arguments: object) -> list[Any]:
        found: list[Any] = await self.folding.connection.fetch(
            _SQL[name], self.tenant, self.burial.user_id, *arguments
        )
        return found

    async def _execute(self, statement: str, *arguments: object) -> None:
        await self.folding.connection.execute(statement, self.tenant, *arguments)


@dataclass(frozen=True, slots=True)
class ErasedMessages:
    """Messages and memories that a slice has erased, and memories to be indexed again."""

    counts: ErasureCounts
    progress: Sequence[Progress] = ()


async def _claimed(
    connection: Connection, tenant: str, burial: ErasureRequest, request: str, asked: bytes
) -> datetime | ErasureCounts:
    """Claim a request; return when it was asked first, or what came of it, where that was done before.

    Raises:
        RequestConflict: it is known for something else.
    """
    user_id = burial.user_id
    new = await connection.fetchval(_SQL["known_request"], tenant, user_id, request, asked, burial.at)
    if new is not None:
        return burial.at
    row = await connection.fetchrow(_SQL["asked_before"], tenant, user_id, request)
    if row is None or row["request_hash"] != asked:
        raise RequestConflict(f"the request {request} is known for something else")
    outcome = json.loads(row["outcome"])
    return ErasureCounts(**outcome) if outcome else cast("datetime", row["handled_at"])


async def _add(
    connection: Connection, tenant: str, burial: ErasureRequest, counts: ErasureCounts
) -> ErasureCounts:
    """Add to what the tombstone says was erased, and return all of it."""
    more = json.dumps(asdict(counts))
    erased = await connection.fetchval(_SQL["count"], tenant, *_named(burial), more)
    return counts if erased is None else ErasureCounts(**json.loads(erased))


def _named(burial: ErasureRequest) -> tuple[str, str, str]:
    return burial.user_id, burial.scope.value, burial.key


def _affected(tag: str) -> int:
    """Return how many rows a statement has changed, by its command tag."""
    return int(tag.rpartition(" ")[2])

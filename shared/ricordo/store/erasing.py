"""Erasure on request: all that rests on what is forgotten goes with it, some messages in one transaction."""

import json
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any, Final, cast
from uuid import UUID

from ricordo.memory.facts import Partition, partitions_for
from ricordo.messages.vocabulary import ForgetScope
from ricordo.store import derived, rows
from ricordo.store.beside import Beside
from ricordo.store.corrections import relink_corrections
from ricordo.store.database import Connection, Database
from ricordo.store.folds import FoldingTransaction, Folds
from ricordo.store.identifying import Identifying
from ricordo.store.refolding import New
from ricordo.store.types.erasing import Burial, Counts, Erased, Letter
from ricordo.store.types.facts import OtherRequest, Project
from ricordo.store.types.stages import Progress

_SQL: Final = Database.queries("erasing")
_INTAKE: Final = Database.queries("intake")
_LINKS: Final = Database.queries("links")
_STATEMENTS: Final = 5  # of evidence in a slice, for each message that one may have


class PostgresErasing:
    """Implements `Erasing` and `Discarded`."""

    def __init__(self, database: Database, beside: Beside | None = None) -> None:
        """Erase through `database`; what is folded anew is folded `beside` the event loop."""
        self._database = database
        self._folds = Folds(database, beside, remembered=0)

    async def bury(
        self, tenant: str, burial: Burial, *, request: str | None = None, asked: bytes = b""
    ) -> Burial | Counts:
        """Put up the tombstone; see `Erasing.bury`."""
        async with self._database.transaction(tenant) as connection:
            until = burial.at
            if request is not None:
                claimed = await _claimed(connection, tenant, burial, request, asked)
                if isinstance(claimed, Counts):
                    return claimed
                until = claimed
            await derived.hold(connection, tenant, [burial.user_id])  # nobody takes anything in meanwhile
            row = (tenant, *_named(burial))
            buried_at = await connection.fetchval(_SQL["bury"], *row, until, request)
            if buried_at is None:  # that request's erasure has ended since it was looked for
                return await _add(connection, tenant, burial, Counts())
        return replace(burial, at=buried_at)

    async def erase(self, tenant: str, burial: Burial, project: Project, limit: int) -> Erased:
        """Erase the next messages; see `Erasing.erase`."""
        async with self._folds.of(tenant, [burial.user_id], project) as folding:
            return await _Slice(folding, tenant, burial, limit).erase()

    async def letter(self, tenant: str, burial: Burial, letter: Letter) -> None:
        """Let go of a dead letter's reason; see `Erasing.letter`."""
        async with self._database.transaction(tenant) as connection:
            place = (letter.consumer, letter.subject, letter.sequence)
            await connection.execute(_SQL["letter"], tenant, *place)
            if letter.object_key is not None:
                await connection.execute(_SQL["discard"], tenant, letter.object_key, burial.user_id)
            await _add(connection, tenant, burial, Counts(stream=1))

    async def finish(self, tenant: str, burial: Burial) -> Counts:
        """Note that nothing is left; see `Erasing.finish`."""
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
            counts = await _add(connection, tenant, burial, Counts(working=notes))
            await connection.execute(_SQL["end"], tenant, *_named(burial), burial.at)
        return counts

    async def unfinished(self, tenant: str, before: datetime) -> Sequence[Burial]:
        """Return what is not erased yet; see `Erasing.unfinished`."""
        async with self._database.transaction(tenant) as connection:
            found = await connection.fetch(_SQL["open"], tenant, before)
        return [
            Burial(row["user_id"], ForgetScope(row["scope"]), row["key"], row["buried_at"]) for row in found
        ]

    async def discarded(self, tenant: str, limit: int) -> Sequence[str]:
        """Return keys of objects that are to be deleted; see `Discarded.discarded`."""
        async with self._database.transaction(tenant) as connection:
            return [row["key"] for row in await connection.fetch(_SQL["discarded"], tenant, limit)]

    async def deleted(self, tenant: str, keys: Sequence[str]) -> None:
        """Note that they are; see `Discarded.deleted`."""
        async with self._database.transaction(tenant) as connection:
            await connection.execute(_SQL["deleted"], tenant, keys)


@dataclass(frozen=True, slots=True)
class _Slice:
    """One slice, as part of a transaction that holds the facts of the user."""

    folding: FoldingTransaction
    tenant: str
    burial: Burial
    limit: int

    async def erase(self) -> Erased:
        if self.burial.scope is ForgetScope.USER:
            gone = await self._retract("retract_all", self.burial.at, _STATEMENTS * self.limit)
            if gone is not None:
                return await self._counted(Counts(graph=gone))
        said = await self._fetch(self.burial.scope.value, self.burial.key, self.burial.at, self.limit)
        if not said:
            return Erased(Counts())
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
        erased = await self._counted(taken.counts + Counts(graph=gone or 0))
        return replace(erased, memory_ids=sorted(going), behind=taken.progress, unread=unread)

    async def _counted(self, counts: Counts) -> Erased:
        await _add(self.folding.connection, self.tenant, self.burial, counts)
        return Erased(counts, more=True)

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

    async def _take_away(self, going: Collection[UUID], messages: Sequence[str]) -> "Taken":
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
        return Taken(Counts(**dict(row)), [rows.progress(one) for one in again])

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
            new = New(replaced=replaced, state=state)
            gone = (await self.folding.fold({user_id: new}))[user_id].gone
            await self._unname()
            return len(gone)
        return 0 if found else None

    async def _unname(self) -> None:
        """Let go of what was decided of names, unless by the user, that nobody goes by any more."""
        if not (decided := await self._fetch("not_by_the_user")):
            return
        identifying = Identifying(self.folding.connection, self.tenant, self.burial.user_id)
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
class Taken:
    """What was taken away, and who is to be indexed anew."""

    counts: Counts
    progress: Sequence[Progress] = ()


async def _claimed(
    connection: Connection, tenant: str, burial: Burial, request: str, asked: bytes
) -> datetime | Counts:
    """Claim a request; return when it was asked first, or what came of it, where that was done before.

    Raises:
        OtherRequest: it is known for something else.
    """
    user_id = burial.user_id
    new = await connection.fetchval(_SQL["known_request"], tenant, user_id, request, asked, burial.at)
    if new is not None:
        return burial.at
    row = await connection.fetchrow(_SQL["asked_before"], tenant, user_id, request)
    if row is None or row["asked"] != asked:
        raise OtherRequest(f"the request {request} is known for something else")
    outcome = json.loads(row["outcome"])
    return Counts(**outcome) if outcome else cast("datetime", row["handled_at"])


async def _add(connection: Connection, tenant: str, burial: Burial, counts: Counts) -> Counts:
    """Add to what the tombstone says was erased, and return all of it."""
    more = json.dumps(asdict(counts))
    erased = await connection.fetchval(_SQL["count"], tenant, *_named(burial), more)
    return counts if erased is None else Counts(**json.loads(erased))


def _named(burial: Burial) -> tuple[str, str, str]:
    return burial.user_id, burial.scope.value, burial.key


def _affected(tag: str) -> int:
    """Return how many rows a statement has changed, by its command tag."""
    return int(tag.rpartition(" ")[2])

"""Knowledge's part of the truth: evidence as it was said, and the facts and entities folded from it."""

from collections import defaultdict
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any
from uuid import UUID

import asyncpg

from ricordo.memory.facts import (
    PREDICATES,
    USER,
    Entity,
    Fact,
    MessageContribution,
    is_name,
    normalise,
    partitions_for,
)
from ricordo.store import derived, rows
from ricordo.store.asking import asked
from ricordo.store.beside import Beside
from ricordo.store.database import Connection, Database
from ricordo.store.deciding import Deciding
from ricordo.store.fact_rows import entity_of, evidence_of, evidence_row, fact_of
from ricordo.store.folds import Folds
from ricordo.store.identifying import Identifying
from ricordo.store.marking import mark, reworded
from ricordo.store.refolding import REMEMBERED, New
from ricordo.store.rejecting import without_rejected
from ricordo.store.settling import keep
from ricordo.store.types.facts import Curation, FactQuestion, Project, Told, Utterance
from ricordo.store.types.identity import Doubt, NobodyKnown, NotTwoNames
from ricordo.store.types.stages import Progress, Stage

_SQL = Database.queries("facts")
_EVIDENCE = Database.queries("evidence")


class PostgresFactLedger:
    """Implements `FactLedger` and `IdentityLedger`.

    What was folded of users is remembered from one call to the next, so that a call costs what is new.
    """

    def __init__(
        self,
        database: Database,
        beside: Beside | None = None,
        *,
        remembered: int = REMEMBERED,
        doubting: bool = False,
    ) -> None:
        """Read and write through `database`.

        Args:
            database: the connections.
            beside: computes what takes long; None for whom asks only, or may compute on the event loop.
            remembered: how much is remembered over all users, in kilobytes.
            doubting: whether it is written down where rules cannot say who is who, for `doubts`.
        """
        self._database = database
        self._beside = beside
        self._folds = Folds(database, beside, remembered, doubting=doubting)

    async def load(self, tenant: str, memory_ids: Sequence[UUID]) -> Sequence[Utterance]:
        """Return what was said; see `FactLedger.load`."""
        async with self._database.transaction(tenant) as connection:
            found = await connection.fetch(_SQL["utterances"], tenant, memory_ids)
        said: dict[UUID, Utterance] = {}
        for row in found:  # what is put right comes before what puts it right
            said[row["read"]] = _utterance(row, said.get(row["read"]))
        return [said.pop(one) for one in memory_ids if one in said] + list(said.values())

    async def told(self, tenant: str, memory_ids: Sequence[UUID]) -> Mapping[UUID, Told]:
        """Return what is kept of what messages state; see `FactLedger.told`."""
        async with self._database.transaction(tenant) as connection:
            found = await connection.fetch(_EVIDENCE["told"], tenant, memory_ids)
        by_memory: defaultdict[UUID, list[asyncpg.Record]] = defaultdict(list)
        for row in found:
            by_memory[row["memory_id"]].append(row)
        return {memory_id: _told(memory_id, kept) for memory_id, kept in by_memory.items()}

    async def record(
        self, tenant: str, told: Sequence[Told], project: Project, at: datetime
    ) -> tuple[Mapping[str, MessageContribution], Sequence[Progress]]:
        """Keep, fold, project and mark in one transaction; see `FactLedger.record`."""
        told = list({one.message_id: one for one in told}.values())
        users = sorted({one.user_id for one in told})
        contributions: dict[str, MessageContribution] = {}
        texts = {one.memory_id: one.text_hash for one in told if one.text_hash is not None}
        async with self._folds.of(tenant, users, project) as transaction:
            stale = {*await reworded(transaction.connection, tenant, texts)}
            stale |= await _put_right_otherwise(transaction.connection, tenant, told)
            told = [one for one in told if one.memory_id not in stale]
            if not told:
                return {}, []
            told = await without_rejected(transaction.connection, tenant, told)
            changes = await transaction.fold(await _keep(transaction.connection, tenant, told, users))
            for changed in changes.values():
                contributions |= changed.contributions
            done = [one.memory_id for one in told]
            progress = await mark(transaction.connection, tenant, Stage.EXTRACTED, done, at)
        return contributions, progress

    async def settle(self, tenant: str, curation: Curation, project: Project, at: datetime) -> Fact | None:
        """Keep the user's word, fold and project it in one transaction; see `FactLedger.settle`."""
        user_id = curation.user_id
        async with self._folds.of(tenant, [user_id], project) as transaction:
            state = (await transaction.states([user_id])).get(user_id)
            new = await keep(transaction.connection, tenant, curation, at, state)
            changes = (await transaction.fold({user_id: new}))[user_id]
        stands = changes.contributions.get(curation.request_id, MessageContribution()).supported
        return next(iter(stands), None)

    async def decide(
        self,
        tenant: str,
        user_id: str,
        names: tuple[str, str],
        project: Project,
        *,
        same: bool | None,
        by: str,
        request_id: str | None = None,
        decided_at: datetime | None = None,
    ) -> bool | None:
        """Decide who is who, and fold what is known of it anew; see `IdentityLedger.decide`."""
        first, second = sorted(map(normalise, names))
        if first == second or USER in (first, second) or not all(map(is_name, names)):
            raise NotTwoNames(f"these are not two names: {names[0]!r} and {names[1]!r}")
        async with self._folds.of(tenant, [user_id], project) as transaction:
            state = (await transaction.states([user_id])).get(user_id)
            if state is None and not await transaction.connection.fetchval(_SQL["told_of"], tenant, user_id):
                raise NobodyKnown(f"nothing is known of {user_id}")
            if decided_at is not None:
                await _refuse_forgotten(transaction.connection, tenant, user_id, decided_at)
            identifying = Identifying(transaction.connection, tenant, user_id, self._beside)
            deciding = Deciding(identifying, (first, second))
            if await deciding.is_known(request_id, same=same):
                return await deciding.decided()
            if by == "user":
                await deciding.check(names)
            if await deciding.decide(same=same, by=by, at=decided_at):
                await transaction.fold({user_id: New(renamed=True, state=state)})
            return await deciding.decided()

    async def doubts(self, tenant: str, limit: int) -> Sequence[Doubt]:
        """Return what nobody was asked about yet; see `IdentityLedger.doubts`."""
        async with self._database.transaction(tenant) as connection:
            found = await connection.fetch(_SQL["open_doubts"], tenant, limit)
        return [Doubt(row["user_id"], (row["first"], row["second"])) for row in found]

    @asynccontextmanager
    async def turn(self, tenant: str, doubts: Sequence[Doubt]) -> AsyncIterator[Collection[Doubt]]:
        """Take the turn of asking about doubts of a user; see `IdentityLedger.turn`."""
        (user_id,) = {one.user_id for one in doubts}
        async with self._database.transaction(tenant) as connection:
            if not await connection.fetchval(_SQL["take_turn"], tenant, user_id):
                yield ()
                return
            pairs = [one.names[0] for one in doubts], [one.names[1] for one in doubts]
            found = await connection.fetch(_SQL["still_open"], tenant, user_id, *pairs)  # as others left it
            yield {Doubt(user_id, (row["first"], row["second"])) for row in found}

    async def withdraw(self, tenant: str, doubts: Sequence[Doubt]) -> None:
        """Drop doubts that are none any more; see `IdentityLedger.withdraw`."""
        by_user: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
        for doubt in doubts:
            by_user[doubt.user_id].append(doubt.names)
        async with self._database.transaction(tenant) as connection:
            for user_id, pairs in sorted(by_user.items()):
                first, second = [one for one, _ in pairs], [other for _, other in pairs]
                await connection.execute(_SQL["withdraw_doubts"], tenant, user_id, first, second)

    async def facts(self, tenant: str, question: FactQuestion) -> Sequence[Fact]:
        """Return facts, most confident first, then most recent."""
        return await asked(self._database, tenant, question)

    async def entity(self, tenant: str, user_id: str, name: str) -> Entity | None:
        """Return the entity that goes by `name`; see `FactLedger.entity`."""
        key = normalise(name)
        if key in ("", USER):
            return None
        async with self._database.transaction(tenant) as connection:
            row = await connection.fetchrow(_SQL["entity"], tenant, user_id, key)
        return None if row is None else entity_of(row)

    async def surfacing(
        self, tenant: str, user_id: str, *, names: Sequence[str], threshold: int, limit: int
    ) -> Sequence[Fact]:
        """Return current facts worth showing beside memories; see `FactLedger.surfacing`."""
        keys = sorted({normalise(name) for name in names} - {"", USER})
        async with self._database.transaction(tenant) as connection:
            found = await connection.fetch(_SQL["surfacing"], tenant, user_id, keys, threshold, limit)
        return [fact_of(row) for row in found]

    async def about_user(
        self, tenant: str, user_id: str, *, predicates: Sequence[str], limit: int
    ) -> Sequence[Fact]:
        """Return current facts about the user in person; see `FactLedger.about_user`."""
        async with self._database.transaction(tenant) as connection:
            found = await connection.fetch(_SQL["about_user"], tenant, user_id, predicates, USER, limit)
        return [fact_of(row) for row in found]


async def _refuse_forgotten(connection: Connection, tenant: str, user_id: str, at: datetime) -> None:
    """Return where no tombstone stands before what was decided at `at`, nor will before the transaction ends.

    Raises:
        NobodyKnown: one does.
    """
    await derived.hold(connection, tenant, [user_id])
    if await connection.fetchval(_SQL["forgotten"], tenant, user_id, at):
        raise NobodyKnown(f"what was known of {user_id} then was forgotten")


async def _put_right_otherwise(connection: Connection, tenant: str, told: Sequence[Told]) -> set[UUID]:
    """Return which memories put something else right by now than what they were read with.

    The others go on doing so until the stages are set: see `hold_stages`.
    """
    read = {one.memory_id: one.put_right for one in told if one.put_right is not None}
    if not read:
        return set()
    await connection.execute(_SQL["hold_stages"], tenant, [one.memory_id for one in told])
    found = await connection.fetch(_SQL["put_right"], tenant, list(read))
    now = {row["read"]: tuple(row["texts"]) for row in found}
    return {one for one, texts in read.items() if now.get(one, ()) != texts}


def _utterance(row: asyncpg.Record, corrects: Utterance | None) -> Utterance:
    return Utterance(
        memory_id=row["memory_id"],
        message_id=row["message_id"],
        user_id=row["user_id"],
        role=row["role"],
        speaker=row["speaker"],
        language=row["language"],
        content=row["content"],
        said_at=row["created_at"],
        timezone=row["timezone"],
        corrects=corrects,
    )


async def _keep(
    connection: Connection, tenant: str, told: Sequence[Told], users: Sequence[str]
) -> dict[str, New]:
    """Write the evidence, and return what is new by user: what was kept, and what stood in its place."""
    document = rows.recordset(row for one in told for row in _evidence_rows(one))
    messages = [one.message_id for one in told]
    memories = [one.memory_id for one in told]
    found = await connection.fetch(_EVIDENCE["keep_evidence"], tenant, messages, document, memories, users)
    kept = {row["message_id"] for row in found if row["message_id"] is not None}
    new: defaultdict[str, New] = defaultdict(New)
    for one in told:
        if one.message_id in kept:
            new[one.user_id].evidence += [row for row in one.evidence if row.predicate in PREDICATES]
            new[one.user_id].messages.add(one.message_id)
    for row in found:
        if row["predicate"] is not None:
            new[row["user_id"]].replaced |= partitions_for(
                row["subject_key"], row["predicate"], row["object_key"]
            )
    for row in found:
        if row["state"] is not None and row["user_id"] in new:
            new[row["user_id"]].state = row["state"]
    return new


def _evidence_rows(told: Told) -> list[dict[str, Any]]:
    """Write the evidence as rows; nothing outside of the vocabulary is ever stored."""
    beside = {"memory_id": told.memory_id, "user_id": told.user_id, "message_id": told.message_id}
    return [
        evidence_row(row, ordinal) | beside | {"quote": quote}
        for ordinal, (row, quote) in enumerate(zip(told.evidence, told.quotes, strict=True))
        if row.predicate in PREDICATES
    ]


def _told(memory_id: UUID, kept: Sequence[asyncpg.Record]) -> Told:
    """Read back what `_evidence_rows` has written of a message, be it nothing."""
    stated = [row for row in kept if row["predicate"] is not None]
    return Told(
        memory_id=memory_id,
        message_id=kept[0]["message_id"],
        user_id=kept[0]["user_id"],
        said_at=kept[0]["told_at"],
        quotes=tuple(row["quote"] for row in stated),
        evidence=tuple(map(evidence_of, stated)),
    )

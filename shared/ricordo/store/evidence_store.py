"""Transactions that keep evidence, fold it into facts and have a projection follow.

New evidence is folded into what the process remembers of a user. A part that is not remembered, or in which
a message says something else than before, is read from all its evidence and compared with its facts.
"""

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Final
from uuid import UUID

import asyncpg
from cachetools import TTLCache

from ricordo.memory.facts import EntityResolver, Evidence, FactChanges, Folding, Partition, partitions_of
from ricordo.memory.facts.projection import FactDelta, Project, ProjectionVersion
from ricordo.runtime.scheduling import CpuExecutor
from ricordo.store import rows
from ricordo.store.database import Connection, Database, Store
from ricordo.store.entity_store import EntityStore
from ricordo.store.fact_rows import entity_row, evidence_of, fact_row

_SQL = Database.queries("facts")
_EVIDENCE = Database.queries("evidence")
REMEMBERED: Final = 200_000
"""Kilobytes that the foldings that a process remembers may take, as `Folding.size` counts them: 200 MB."""
_IDLE_S: Final = 600.0  # after which the fold of a user whom nobody speaks of is forgotten
_LONG: Final = 100  # rows whose folding would keep the event loop for some milliseconds


class RememberedFoldings:
    """Cache of the folds of recent users, bounded by size.

    Args:
        most: how much over all users, in kilobytes as `Folding.size` counts them.
    """

    def __init__(self, most: int) -> None:
        self._kept: TTLCache[tuple[str, str], tuple[Folding, UUID]] = TTLCache(
            most, _IDLE_S, getsizeof=lambda kept: kept[0].size
        )

    def take(self, tenant: str, user_id: str, state: UUID | None) -> Folding | None:
        """Return what is remembered, if as of `state`, and forget it until it is written as it is then."""
        kept = self._kept.pop((tenant, user_id), None)
        if kept is None:
            return None
        folding, known = kept
        return folding if known == state else None

    def keep(self, tenant: str, user_id: str, folding: Folding, state: UUID) -> None:
        """Remember a folding as of `state`; for it, those that were used longest ago are forgotten.

        One that is too much by itself is not remembered, and costs no other its place.
        """
        self._kept.pop((tenant, user_id), None)
        with suppress(ValueError):  # too large
            self._kept[tenant, user_id] = folding, state


@dataclass(slots=True)
class NewEvidence:
    """New evidence of a user.

    Attributes:
        evidence: what was kept, all of each message.
        messages: the messages that say it.
        replaced: the parts in which a former reading of these messages had a say.
        state: in which their evidence was before; None if there was none.
        renamed: whether it was decided anew who is who.
    """

    evidence: list[Evidence] = field(default_factory=list)
    messages: set[str] = field(default_factory=set)
    replaced: set[Partition] = field(default_factory=set)
    state: UUID | None = None
    renamed: bool = False


@dataclass(frozen=True, slots=True)
class EvidenceFolder:
    """Folds the evidence of one user, in the transaction that has kept it."""

    connection: Connection
    tenant: str
    user_id: str
    beside: CpuExecutor | None
    doubting: bool = False

    async def fold(self, folding: Folding, new: NewEvidence) -> FactChanges:
        """Fold what is new into `folding`, write what has changed, and return it."""
        identifying = EntityStore(self.connection, self.tenant, self.user_id, self.beside, self.doubting)
        identified = await identifying.identify(
            folding.identities, new.evidence, new.messages, replaced=bool(new.replaced) or new.renamed
        )
        folding.identities = identified.identities
        anew = new.replaced | identified.moved
        known: dict[Partition, list[Evidence]] = {part: [] for part in anew}
        for row in identified.evidence:
            for part in partitions_of(row):
                known.setdefault(part, []).append(row)
        unknown = {part for part in known if part in anew or not folding.reaches(part, known[part])}
        found = await self._read(unknown) if unknown else []
        for part in unknown:
            folding.forget(part)
            known[part] = []
        evidence = list(filter(None, map(identified.identities.resolve, map(evidence_of, found))))
        work = _Work(folding, known, unknown, evidence, new.messages)
        if self.beside is None or len(found) < _LONG:
            changes = work.fold()
        else:
            (changes,) = await self.beside.map(_Work.fold, [work])
        return await self._write(changes, unknown, identified.identities)

    async def _read(self, unknown: Collection[Partition]) -> Sequence[asyncpg.Record]:
        return await self.connection.fetch(
            _EVIDENCE["evidence"], self.tenant, self.user_id, *_parameters(unknown)
        )

    async def _write(
        self, changes: FactChanges, unknown: set[Partition], identities: EntityResolver
    ) -> FactChanges:
        """Write what has changed, and return what of it is news to the store."""
        gone = changes.gone
        if unknown:
            kept = [fact.id for fact in changes.facts]
            dropped = await self._fetch("drop_facts", *_parameters(unknown), kept)
            gone += tuple(row["id"] for row in dropped)
        written: set[UUID] = set()
        if changes.facts or changes.gone:
            document = rows.recordset(map(fact_row, changes.facts))
            written = {row["id"] for row in await self._fetch("keep_facts", document, changes.gone)}
        unnamed = {part.entity for part in unknown if part.entity} - {one.key for one in changes.entities}
        if changes.entities or unnamed:
            document = rows.recordset(entity_row(one, identities) for one in changes.entities)
            await self._fetch("keep_entities", document, sorted(unnamed))
        facts = tuple(fact for fact in changes.facts if fact.id in written)
        return replace(changes, facts=facts, gone=gone)

    async def _fetch(self, name: str, *arguments: object) -> Sequence[asyncpg.Record]:
        return await self.connection.fetch(_SQL[name], self.tenant, self.user_id, *arguments)


@dataclass(frozen=True, slots=True)
class _Work:
    """What is to be folded: new rows into parts that are known, and all rows of the others."""

    folding: Folding
    parts: Mapping[Partition, list[Evidence]]
    unknown: set[Partition]
    found: Sequence[Evidence]
    messages: Collection[str]

    def fold(self) -> FactChanges:
        for row in self.found:
            for part in partitions_of(row) & self.unknown:
                self.parts[part].append(row)
        for part, evidence in self.parts.items():
            self.folding.add(part, evidence, asked=self.messages)
        return self.folding.take_changes()


def _parameters(unknown: Collection[Partition]) -> tuple[list[str], list[str], list[str], list[str]]:
    """Return what the queries take: names, predicates of one value, and statements as two columns."""
    slots = sorted(part for part in unknown if not part.entity)
    statements = [(one, part.object) for part in slots if part.object for one in part.predicates]
    return (
        sorted(part.entity for part in unknown if part.entity),
        [part.predicate for part in slots if not part.object],
        [predicate for predicate, _ in statements],
        [object_key for _, object_key in statements],
    )


class EvidenceStore(Store):
    """Opens transactions that fold evidence, and caches the folds between them.

    Args:
        database: the connections.
        beside: computes what takes long; None to compute on the event loop.
        remembered: how much is remembered over all users, in kilobytes.
        doubting: whether it is written down where rules cannot say who is who.
    """

    def __init__(
        self, database: Database, beside: CpuExecutor | None, remembered: int, *, doubting: bool = False
    ) -> None:
        super().__init__(database)
        self._doubting = doubting
        self._beside = beside
        self._remembered = RememberedFoldings(remembered)

    @asynccontextmanager
    async def of(
        self, tenant: str, users: Sequence[str], project: Project
    ) -> AsyncIterator["FoldingTransaction"]:
        """Open a transaction under the locks of `users`; what is folded is remembered once it is committed.

        Raises:
            StoreUnavailable: nothing was written here.
            Exception: whatever `project` raised; nothing was written here.
        """
        try:
            async with self._database.transaction(tenant) as connection:
                await connection.execute(_SQL["lock_users"], tenant, sorted(users))
                transaction = FoldingTransaction(
                    connection, tenant, project, self._beside, self._remembered, doubting=self._doubting
                )
                yield transaction
        except _NotProjected as failure:
            raise failure.error from None
        transaction.remember()


class FoldingTransaction:
    """A transaction that holds the locks of its users.

    Attributes:
        connection: what keeps the evidence.
    """

    def __init__(
        self,
        connection: Connection,
        tenant: str,
        project: Project,
        beside: CpuExecutor | None,
        remembered: RememberedFoldings,
        *,
        doubting: bool,
    ) -> None:
        self.connection = connection
        self._tenant = tenant
        self._project = project
        self._beside = beside
        self._remembered = remembered
        self._doubting = doubting
        self._folded: list[tuple[str, Folding, UUID]] = []

    async def fold(self, new: Mapping[str, NewEvidence]) -> dict[str, FactChanges]:
        """Fold what was kept of each user, and project what that has changed; return it by user."""
        changes: dict[str, FactChanges] = {}
        folded: dict[str, Folding] = {}
        users = sorted(new)
        for user_id in users:
            remembered = None if new[user_id].renamed else new[user_id].state
            known = self._remembered.take(self._tenant, user_id, remembered)
            folding = folded[user_id] = known or Folding(self._tenant, user_id)
            refolding = EvidenceFolder(self.connection, self._tenant, user_id, self._beside, self._doubting)
            changes[user_id] = await refolding.fold(folding, new[user_id])
        states = await self.states(users)  # at last: whom evidence speaks of may have changed its keys
        for user_id in users:
            step = ProjectionVersion(new[user_id].state, states.get(user_id))
            await self._follow(FactDelta(user_id, changes[user_id].facts, changes[user_id].gone, step))
        self._folded += [(user_id, folded[user_id], state) for user_id, state in states.items()]
        return changes

    async def states(self, users: Sequence[str]) -> dict[str, UUID]:
        """Return the states in which the evidence of users is now."""
        found = await self.connection.fetch(_SQL["states"], self._tenant, users) if users else []
        return {row["user_id"]: row["version"] for row in found}

    def remember(self) -> None:
        """Remember what was folded, now that it is committed."""
        for user_id, folding, state in self._folded:
            self._remembered.keep(self._tenant, user_id, folding, state)

    async def _follow(self, learned: FactDelta) -> None:
        """Have the projection follow."""
        try:
            await self._project(learned)
        except Exception as error:
            raise _NotProjected(error) from error


class _NotProjected(Exception):
    """Carries what `project` raised out of the transaction: it is not PostgreSQL that failed."""

    def __init__(self, error: Exception) -> None:
        super().__init__(error)
        self.error = error

"""Stores evidence and folds it into facts, in one transaction.

New evidence is folded into the cached fold of its user. A part that is not cached, or in which a message
states something else than before, is read from all its evidence and compared with its facts.
"""

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Final
from uuid import UUID

import asyncpg
from cachetools import TTLCache

from ricordo.memory.facts import EntityResolver, Evidence, FactChanges, Folding, Partition, partitions_of
from ricordo.memory.facts.utterances import ExtractedEvidence
from ricordo.memory.model import Progress, Stage
from ricordo.runtime.scheduling import CpuExecutor
from ricordo.store import rows
from ricordo.store.database import Connection, Database, Store
from ricordo.store.entity_store import EntityStore
from ricordo.store.stages import CONSUMERS_OF_STAGES

_SQL: Final = Database.queries("facts")
_EVIDENCE: Final = Database.queries("evidence")
CACHE_SIZE: Final = 200_000
"""Default size of the cache of folds: kilobytes, as `Folding.size` counts them."""
_IDLE_S: Final = 600.0  # after which the fold of an inactive user is dropped
_LONG: Final = 100  # rows whose folding would block the event loop for some milliseconds


class FoldingCache:
    """Cache of the folds of recent users, bounded by size.

    Args:
        size: over all users, in kilobytes as `Folding.size` counts them.
    """

    def __init__(self, size: int) -> None:
        self._cache: TTLCache[tuple[str, str], tuple[Folding, UUID]] = TTLCache(
            size, _IDLE_S, getsizeof=lambda entry: entry[0].size
        )

    def pop(self, tenant: str, user_id: str, version: UUID | None) -> Folding | None:
        """Remove a fold and return it, unless it is of another version of the evidence."""
        entry = self._cache.pop((tenant, user_id), None)
        return entry[0] if entry is not None and entry[1] == version else None

    def put(self, tenant: str, user_id: str, folding: Folding, version: UUID) -> None:
        """Cache a fold; those that were used longest ago are dropped for it.

        One that is larger than the cache is not cached, and evicts no other.
        """
        self._cache.pop((tenant, user_id), None)
        with suppress(ValueError):  # too large
            self._cache[tenant, user_id] = folding, version


@dataclass(slots=True)
class NewEvidence:
    """New evidence of a user.

    Attributes:
        evidence: all stored evidence of the messages.
        replaced: the parts that a former reading of these messages had contributed to.
        version: of the user's evidence before; None if there was none.
        renamed: whether identity decisions have changed.
    """

    evidence: list[Evidence] = field(default_factory=list)
    messages: set[str] = field(default_factory=set)
    replaced: set[Partition] = field(default_factory=set)
    version: UUID | None = None
    renamed: bool = False


def _fold(
    folding: Folding,
    parts: Mapping[Partition, list[Evidence]],
    unknown: set[Partition],
    messages: Collection[str],
    found: Sequence[Evidence],
) -> FactChanges:
    """Fold new rows into the known parts, and all rows of the others."""
    for row in found:
        for part in partitions_of(row) & unknown:
            parts[part].append(row)
    for part, evidence in parts.items():
        folding.add(part, evidence, asked=messages)
    return folding.take_changes()


def _parameters(parts: Collection[Partition]) -> tuple[list[str], list[str], list[str], list[str]]:
    """Return query parameters: entities, predicates of one value, and statements as two columns."""
    slots = sorted(part for part in parts if not part.entity)
    statements = [(one, part.object) for part in slots if part.object for one in part.predicates]
    return (
        sorted(part.entity for part in parts if part.entity),
        [part.predicate for part in slots if not part.object],
        [predicate for predicate, _ in statements],
        [object_key for _, object_key in statements],
    )


class EvidenceStore(Store):
    """Opens transactions that fold evidence, and caches the folds between them.

    Args:
        cache_size: of the folds over all users, in kilobytes.
    """

    def __init__(
        self,
        database: Database,
        executor: CpuExecutor | None,
        cache_size: int = 0,
        *,
        record_doubts: bool = False,
    ) -> None:
        super().__init__(database)
        self._record_doubts = record_doubts
        self._executor = executor
        self._cache = FoldingCache(cache_size)

    @asynccontextmanager
    async def lock(
        self, tenant: str, users: Sequence[str], extracted: Sequence[ExtractedEvidence] = ()
    ) -> AsyncIterator["FoldingTransaction"]:
        """Open a transaction under the locks of `users`; the folds are cached once it is committed.

        Args:
            extracted: evidence of messages, whose texts are locked, too.
        """
        hashes = {one.memory_id: one.text_hash for one in extracted if one.text_hash is not None}
        said = [one.message_id for one in extracted if one.evidence]
        locks = (sorted(users), list(hashes), list(hashes.values()), said)
        async with self._database.transaction(tenant) as connection:
            found = await connection.fetch(_SQL["lock_messages"], tenant, *locks)
            transaction = FoldingTransaction(
                connection, tenant, found, self._executor, self._cache, self._record_doubts
            )
            yield transaction
        transaction.cache_folds()


@dataclass
class FoldingTransaction:
    """A transaction that holds the locks of its users.

    Attributes:
        found: the reworded messages among those that are locked, and their rejected readings.
    """

    connection: Connection
    _tenant: str
    found: Sequence[asyncpg.Record]
    _executor: CpuExecutor | None
    _cache: FoldingCache
    _record_doubts: bool
    _folded: dict[str, Folding] = field(default_factory=dict)
    _versions: dict[str, UUID] = field(default_factory=dict)

    async def fold(self, new: Mapping[str, NewEvidence]) -> dict[str, FactChanges]:
        """Fold the new evidence of each user, write the changes, and return them by user."""
        changes: dict[str, FactChanges] = {}
        folded: dict[str, Folding] = {}
        users = sorted(new)
        for user_id in users:
            version = None if new[user_id].renamed else new[user_id].version
            cached = self._cache.pop(self._tenant, user_id, version)
            folding = folded[user_id] = cached or Folding(self._tenant, user_id)
            changes[user_id] = await self._fold_user(user_id, folding, new[user_id])
        self._folded |= folded
        return changes

    async def mark_extracted(self, memory_ids: Sequence[UUID], at: datetime) -> Sequence[Progress]:
        """Set the stage of memories, after all folding, and return all their stages."""
        consumers = CONSUMERS_OF_STAGES[Stage.EXTRACTED]
        scope = (self._tenant, sorted(memory_ids), at, consumers, sorted(self._folded))
        found = await self.connection.fetch(_SQL["mark_extracted"], *scope)
        self._versions = {row["user_id"]: row["version"] for row in found if row["version"] is not None}
        marked = [row for row in found if row["version"] is None]
        return [rows.progress(row) for row in rows.in_order(marked, memory_ids)]

    async def _fold_user(self, user_id: str, folding: Folding, new: NewEvidence) -> FactChanges:
        """Fold new evidence into `folding`, write the changes, and return them."""
        entities = EntityStore(self.connection, self._tenant, user_id, self._executor, self._record_doubts)
        resolved = await entities.resolve(
            folding.identities, new.evidence, new.messages, replaced=bool(new.replaced) or new.renamed
        )
        folding.identities = resolved.identities
        outdated = new.replaced | resolved.moved
        parts: dict[Partition, list[Evidence]] = {part: [] for part in outdated}
        for row in resolved.evidence:
            for part in partitions_of(row):
                parts.setdefault(part, []).append(row)
        unknown = {part for part in parts if part in outdated or not folding.reaches(part, parts[part])}
        scope = (self._tenant, user_id)
        keys = _parameters(unknown)
        found = await self.connection.fetch(_EVIDENCE["evidence"], *scope, *keys) if unknown else []
        for part in unknown:
            folding.forget(part)
            parts[part] = []
        evidence = list(filter(None, map(resolved.identities.resolve, map(rows.evidence_of, found))))
        task = partial(_fold, folding, parts, unknown, new.messages)
        if self._executor is None or len(found) < _LONG:
            changes = task(evidence)
        else:
            (changes,) = await self._executor.map(task, [evidence])
        return await self._write(user_id, changes, unknown, resolved.identities)

    async def _write(
        self, user_id: str, changes: FactChanges, unknown: set[Partition], identities: EntityResolver
    ) -> FactChanges:
        """Write the changes, and return those that differ from what was stored."""
        fetch, scope = self.connection.fetch, (self._tenant, user_id)
        if not (unknown or changes.facts or changes.gone or changes.entities):
            return changes
        unnamed = {part.entity for part in unknown if part.entity} - {one.key for one in changes.entities}
        found = await fetch(
            _SQL["write_facts"],
            *scope,
            rows.recordset(map(rows.fact_row, changes.facts)),
            changes.gone,
            *_parameters(unknown),
            rows.recordset(rows.entity_row(one, identities) for one in changes.entities),
            sorted(unnamed),
        )
        written = {row["id"] for row in found if row["written"]}
        facts = tuple(fact for fact in changes.facts if fact.id in written)
        return replace(changes, facts=facts, gone=tuple(row["id"] for row in found if not row["written"]))

    async def versions(self, users: Sequence[str]) -> dict[str, UUID]:
        """Return the current versions of the evidence of users."""
        found = await self.connection.fetch(_SQL["versions"], self._tenant, users) if users else []
        return {row["user_id"]: row["version"] for row in found}

    def cache_folds(self) -> None:
        """Cache what was folded, now that it is committed."""
        for user_id, version in self._versions.items():
            self._cache.put(self._tenant, user_id, self._folded[user_id], version)

"""What new evidence makes of what is known of a user: it is folded into what is remembered of that.

A part of what is known that is not remembered, or in which a message says something else than it did before,
is read from all its evidence, and compared with the facts that are there.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final
from uuid import UUID

import asyncpg

from ricordo.language.lru import LruCache
from ricordo.memory.facts import EntityResolver, Evidence, FactChanges, Folding, Partition, partitions_of
from ricordo.store import rows
from ricordo.store.beside import Beside
from ricordo.store.database import Connection, Database
from ricordo.store.fact_rows import entity_row, evidence_of, fact_row
from ricordo.store.identifying import Identifying

REMEMBERED: Final = 200_000
"""Kilobytes that the foldings that a process remembers may take, as `Folding.size` counts them: 200 MB."""

_SQL = Database.queries("facts")
_EVIDENCE = Database.queries("evidence")
_LONG: Final = 100  # rows whose folding would keep the event loop for some milliseconds


class RememberedFoldings:
    """What was folded of the users that were met last, as long as all of it is not too much.

    Args:
        most: how much over all users, in kilobytes as `Folding.size` counts them.
    """

    def __init__(self, most: int) -> None:
        self._kept = LruCache[tuple[str, str], tuple[Folding, UUID]](most)

    def take(self, tenant: str, user_id: str, state: UUID | None) -> Folding | None:
        """Return what is remembered, if as of `state`, and forget it until it is written as it is then."""
        kept = self._kept.take((tenant, user_id))
        if kept is None:
            return None
        folding, known = kept
        return folding if known == state else None

    def keep(self, tenant: str, user_id: str, folding: Folding, state: UUID) -> None:
        """Remember a folding as of `state`; for it, those that were used longest ago are forgotten.

        One that is too much by itself is not remembered, and costs no other its place.
        """
        self._kept.put((tenant, user_id), (folding, state), folding.size)


@dataclass(slots=True)
class New:
    """What is new of a user.

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
class Refolding:
    """Folds the evidence of one user, in the transaction that has kept it."""

    connection: Connection
    tenant: str
    user_id: str
    beside: Beside | None
    doubting: bool = False

    async def fold(self, folding: Folding, new: New) -> FactChanges:
        """Fold what is new into `folding`, write what has changed, and return it."""
        identifying = Identifying(self.connection, self.tenant, self.user_id, self.beside, self.doubting)
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
            (changes,) = await self.beside.each(_Work.fold, [work])
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

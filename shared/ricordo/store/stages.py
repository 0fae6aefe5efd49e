"""Vectors, derived columns and stages of memories: each worker writes its own columns and sets its stage.

All writes are idempotent and return the state after them: a redelivered event produces the same events.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from ricordo.language.annotations import EventTime
from ricordo.language.instructions import TAG
from ricordo.memory.enrichment import Enrichment
from ricordo.memory.model import LocalMoment, Memory, Progress, Stage
from ricordo.store import rows
from ricordo.store.consolidation import count_for_reflection
from ricordo.store.database import Connection, Database, Store
from ricordo.store.rows import Vector

_SQL = Database.queries("stages")
CONSUMERS_OF_STAGES: Final[Mapping[Stage, tuple[str, ...]]] = {
    Stage.ENCODED: ("encode", "encode-bulk"),
    Stage.ENRICHED: ("enrichment",),
    Stage.INDEXED: ("index",),
    Stage.EXTRACTED: ("knowledge", "knowledge-bulk"),
}
"""The durable consumers that set each stage."""


@dataclass(frozen=True, slots=True)
class TextToEncode:
    """The text of a memory, and whether there is a vector of it of the requested model."""

    memory_id: UUID
    text: str
    is_encoded: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Unenriched:
    """A memory to enrich, with the participants that the bot has set."""

    memory: Memory
    vector: Vector | None
    stated_participants: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class EnrichedMemory:
    """The columns that enrichment owns.

    Attributes:
        timezone: in which the times were derived. If the memory has another one by now, nothing is written;
            None does not check.
        text_hash: of the text that the values were derived from; checked like `timezone`.
    """

    memory_id: UUID
    enrichment: Enrichment
    local: LocalMoment
    event_times: tuple[EventTime, ...] = ()
    token_count: int = 0
    timezone: str | None = None
    text_hash: bytes | None = None


@dataclass(frozen=True, slots=True)
class SavedEnrichment:
    """The stages of a message, and the version that derived its stored columns."""

    progress: Progress
    version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Indexable:
    """The contents of a memory's point, and a version that changes with any of them."""

    memory: Memory
    vector: Vector
    version: str
    preceding_text: str = ""
    preceding_language: str = ""
    preceding_vector: Vector | None = None


async def find_reworded(connection: Connection, tenant: str, texts: Mapping[UUID, bytes]) -> Collection[UUID]:
    """Return the memories whose text has another hash by now, and lock all until the transaction ends."""
    if not texts:
        return ()
    found = await connection.fetch(_SQL["reworded"], tenant, list(texts), list(texts.values()))
    return {row["id"] for row in found}


async def set_stage(
    connection: Connection, tenant: str, stage: Stage, memory_ids: Sequence[UUID], at: datetime
) -> list[Progress]:
    """Set a stage of memories in the caller's transaction, and return all their stages.

    Reasons of dead letters of the consumer that sets the stage are dropped.
    """
    if not memory_ids:
        return []
    consumers = CONSUMERS_OF_STAGES[stage]
    found = await connection.fetch(_SQL["mark"], tenant, sorted(memory_ids), stage.value, at, consumers)
    return [rows.progress(row) for row in rows.in_order(found, memory_ids)]


@dataclass(frozen=True, slots=True)
class SavedVectors:
    """The stages of encoded memories, and indexed memories after them, with users, whose points lack them."""

    progress: tuple[Progress, ...] = ()
    followers: tuple[tuple[UUID, str], ...] = ()


class EncodingStore(Store):
    """Reads texts and writes vectors, one per memory and model."""

    async def load(self, tenant: str, model: str, memory_ids: Sequence[UUID]) -> Sequence[TextToEncode]:
        """Return texts, and whether they are encoded; memories without a row are left out."""
        found = await self._database.call(_SQL["texts"], tenant, model, memory_ids)
        return [
            TextToEncode(row["memory_id"], row["content"], row["is_encoded"])
            for row in rows.in_order(found, memory_ids)
        ]

    async def save(
        self,
        tenant: str,
        model: str,
        vectors: Sequence[tuple[UUID, Vector]],
        done: Sequence[UUID],
        at: datetime,
        *,
        texts: Mapping[UUID, bytes] | None = None,
    ) -> SavedVectors:
        """Write new `vectors` and set the stage of all of `done`, which includes them.

        Args:
            texts: hashes (`ricordo.language.text.text_hash`) of the encoded texts. Nothing is written of a
                memory with another text by now; None does not check.
        """
        ids, raw = [one for one, _ in vectors], [rows.raw(vector) for _, vector in vectors]
        hashes = [(texts or {}).get(one) for one in done]
        consumers = CONSUMERS_OF_STAGES[Stage.ENCODED]
        found = await self._database.call(
            _SQL["save_vectors"], tenant, model, ids, raw, done, hashes, at, consumers
        )
        saved = [row for row in found if not row["is_follower"]]
        return SavedVectors(
            tuple(rows.progress(row) for row in rows.in_order(saved, done)),
            tuple((row["memory_id"], row["user_id"]) for row in found if row["is_follower"]),
        )

    async def models(self, tenant: str) -> Mapping[str, int]:
        """Return the models of the tenant's vectors, with dimensions; see `ReembeddingStore.retire`."""
        found = await self._fetch(_SQL["models"], tenant)
        return {row["model"]: row["dimensions"] for row in found}


class EnrichmentStore(Store):
    """Reads memories to enrich and writes derived columns."""

    async def load(self, tenant: str, model: str, memory_ids: Sequence[UUID]) -> Sequence[Unenriched]:
        """Return memories with their vectors of `model`; those without a row are left out."""
        found = await self._fetch(_SQL["unenriched"], tenant, model, memory_ids)
        return [
            Unenriched(
                memory=rows.memory(row),
                vector=rows.vector(row["vector"]),
                stated_participants=tuple(row["stated_participants"]),
            )
            for row in rows.in_order(found, memory_ids, key="id")
        ]

    async def save(
        self, tenant: str, enriched: Sequence[EnrichedMemory], at: datetime
    ) -> Sequence[SavedEnrichment]:
        """Write the derived columns with their version, and set the stage.

        Values of the bot stay, as does what use has added, and what an LLM derived, if this comes without
        one. Forgotten memories, and those whose zone or text has changed, are left out.
        """
        async with self._database.transaction(tenant) as connection:
            document = rows.recordset(map(derived_row, enriched))
            written = await connection.fetch(_SQL["enrich"], tenant, document, TAG)
            versions = {row["id"]: row["derived_by"] for row in written}
            done = [one.memory_id for one in enriched if one.memory_id in versions]
            await count_for_reflection(connection, tenant, done)
            marked = await set_stage(connection, tenant, Stage.ENRICHED, done, at)
            return [SavedEnrichment(one, versions[one.memory_id]) for one in marked]


class IndexingStore(Store):
    """Reads memories to index and sets the stage."""

    async def load(self, tenant: str, model: str, memory_ids: Sequence[UUID]) -> Sequence[Indexable]:
        """Return memories that have a vector of `model`; others are left out."""
        found = await self._fetch(_SQL["indexable"], tenant, model, memory_ids)
        return [
            Indexable(
                memory=rows.memory(row),
                vector=_present(rows.vector(row["vector"])),
                version=row["version"],
                preceding_text=row["preceding_text"] or "",
                preceding_language=row["preceding_language"] or "",
                preceding_vector=rows.vector(row["preceding_vector"]),
            )
            for row in rows.in_order(found, memory_ids, key="id")
        ]

    async def mark(self, tenant: str, memory_ids: Sequence[UUID], at: datetime) -> Sequence[Progress]:
        """Set the stage, after the points are written."""
        async with self._database.transaction(tenant) as connection:
            return await set_stage(connection, tenant, Stage.INDEXED, memory_ids, at)

    async def versions(self, tenant: str, model: str, memory_ids: Sequence[UUID]) -> Mapping[UUID, str]:
        """Return the present `version` of existing memories, to compare after their points are written."""
        found = await self._fetch(_SQL["versions"], tenant, model, memory_ids)
        return {row["id"]: row["version"] for row in found}


def _present(vector: Vector | None) -> Vector:
    if vector is None:
        raise ValueError("a row of the index query without a vector: the join requires one")
    return vector


def derived_row(one: EnrichedMemory) -> dict[str, Any]:
    """Return derived columns as a row for the query `enrich`."""
    enrichment = one.enrichment
    return {
        "memory_id": one.memory_id,
        "timezone": one.timezone,
        "text_hash": None if one.text_hash is None else one.text_hash.hex(),
        "type": enrichment.type,
        "kind": enrichment.kind,
        "title": enrichment.title,
        "token_count": one.token_count,
        "local_date": one.local.date.isoformat(),
        "time_of_day": one.local.time_of_day,
        "day_of_week": one.local.day_of_week,
        "event_start": one.event_times[0].start if one.event_times else None,
        "event_end": one.event_times[0].end if one.event_times else None,
        "event_times": rows.ranges(one.event_times),
        "participants": enrichment.participants,
        "topics": enrichment.topics,
        **rows.emotion_columns(enrichment.emotion),
        "importance": enrichment.importance.value,
        "informative": enrichment.informative,
        "instructing": enrichment.instructing,
        "version": enrichment.version,
        "rated_by": enrichment.rated_by,
    }

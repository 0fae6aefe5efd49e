"""What embedding and enrichment own of the truth: vectors, derived columns, and their stages."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from ricordo.language.instructions import TAG
from ricordo.store import rows
from ricordo.store.database import Database
from ricordo.store.marking import mark, reworded
from ricordo.store.reflecting import gather
from ricordo.store.types.memories import (
    EnrichedMemory,
    Indexable,
    SavedEnrichment,
    TextToEncode,
    Unenriched,
    Vector,
)
from ricordo.store.types.stages import Progress, Stage

_SQL = Database.queries("projection")


class PostgresEncodings:
    """Implements `Encodings`."""

    def __init__(self, database: Database) -> None:
        """Read and write through `database`."""
        self._database = database

    async def load(self, tenant: str, model: str, memory_ids: Sequence[UUID]) -> Sequence[TextToEncode]:
        """Return texts, with the vector where it is known; see `Encodings.load`."""
        async with self._database.transaction(tenant) as connection:
            found = await connection.fetch(_SQL["texts"], tenant, model, memory_ids)
        return [
            TextToEncode(row["memory_id"], row["content"], rows.vector(row["vector"]))
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
    ) -> Sequence[Progress]:
        """Keep vectors and set the stage; see `Encodings.save`."""
        async with self._database.transaction(tenant) as connection:
            if stale := await reworded(connection, tenant, texts or {}):
                vectors = [one for one in vectors if one[0] not in stale]
                done = [one for one in done if one not in stale]
            if vectors:
                ids = [memory_id for memory_id, _ in vectors]
                raw = [rows.raw(vector) for _, vector in vectors]
                await connection.execute(_SQL["keep_vectors"], tenant, model, ids, raw)
            return await mark(connection, tenant, Stage.ENCODED, done, at)

    async def followers(self, tenant: str, memory_ids: Sequence[UUID]) -> Sequence[tuple[UUID, str]]:
        """Return those whose window lacks its predecessor's vector; see `Encodings.followers`."""
        async with self._database.transaction(tenant) as connection:
            found = await connection.fetch(_SQL["followers"], tenant, memory_ids)
        return [(row["id"], row["user_id"]) for row in found]

    async def models(self, tenant: str) -> Mapping[str, int]:
        """Return the models that there are vectors of; see `Encodings.models`."""
        async with self._database.transaction(tenant) as connection:
            found = await connection.fetch(_SQL["models"], tenant)
        return {row["model"]: row["dimensions"] for row in found}


class PostgresEnrichments:
    """Implements `Enrichments`."""

    def __init__(self, database: Database) -> None:
        """Read and write through `database`."""
        self._database = database

    async def load(self, tenant: str, model: str, memory_ids: Sequence[UUID]) -> Sequence[Unenriched]:
        """Return memories with their vectors; see `Enrichments.load`."""
        async with self._database.transaction(tenant) as connection:
            found = await connection.fetch(_SQL["unenriched"], tenant, model, memory_ids)
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
        """Write derived columns and set the stage; see `Enrichments.save`."""
        async with self._database.transaction(tenant) as connection:
            document = rows.recordset(map(derived_row, enriched))
            written = await connection.fetch(_SQL["enrich"], tenant, document, TAG)
            versions = {row["id"]: row["derived_by"] for row in written}
            done = [one.memory_id for one in enriched if one.memory_id in versions]
            await gather(connection, tenant, done)
            marked = await mark(connection, tenant, Stage.ENRICHED, done, at)
            return [SavedEnrichment(one, versions[one.memory_id]) for one in marked]


class PostgresIndexing:
    """Implements `Indexing`."""

    def __init__(self, database: Database) -> None:
        """Read and write through `database`."""
        self._database = database

    async def load(self, tenant: str, model: str, memory_ids: Sequence[UUID]) -> Sequence[Indexable]:
        """Return what the points are made of; see `Indexing.load`."""
        async with self._database.transaction(tenant) as connection:
            found = await connection.fetch(_SQL["indexable"], tenant, model, memory_ids)
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
        """Set the stage; see `Indexing.mark`."""
        async with self._database.transaction(tenant) as connection:
            return await mark(connection, tenant, Stage.INDEXED, memory_ids, at)

    async def versions(self, tenant: str, model: str, memory_ids: Sequence[UUID]) -> Mapping[UUID, str]:
        """Return the present version of each that has a row; see `Indexing.versions`."""
        async with self._database.transaction(tenant) as connection:
            found = await connection.fetch(_SQL["versions"], tenant, model, memory_ids)
        return {row["id"]: row["version"] for row in found}


def _present(vector: Vector | None) -> Vector:
    if vector is None:
        raise ValueError("a row of the index query without a vector: the join requires one")
    return vector


def derived_row(one: EnrichedMemory) -> dict[str, Any]:
    """Write what was derived as the row that the query `enrich` takes."""
    enrichment = one.enrichment
    emotion = enrichment.emotion
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
        "valence": emotion.valence,
        "arousal": emotion.arousal,
        "dominance": emotion.dominance,
        "primary_emotion": emotion.primary,
        "emotional_keywords": emotion.keywords,
        "importance": enrichment.importance.value,
        "informative": enrichment.informative,
        "instructing": enrichment.instructing,
        "version": enrichment.version,
        "rated_by": enrichment.rated_by,
    }

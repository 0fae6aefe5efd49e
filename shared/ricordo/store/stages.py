"""Vectors, readings, points and stages of memories: each worker writes its own columns and sets its stage.

All writes are idempotent and return the state after them: a redelivered event produces the same events.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, NamedTuple
from uuid import UUID

import asyncpg

from ricordo.index.port import Facets
from ricordo.language.reading import INFORMATIVE
from ricordo.memory.model import Progress, Stage
from ricordo.store import rows
from ricordo.store.database import Database, Store
from ricordo.store.rows import Vector

_SQL = Database.queries("stages")
CONSUMERS_OF_STAGES: Final[Mapping[Stage, tuple[str, ...]]] = {
    Stage.ENCODED: ("encode", "encode-bulk"),
    Stage.ENRICHED: ("enrichment", "enrichment-bulk"),
    Stage.INDEXED: ("index", "index-bulk"),
    Stage.EXTRACTED: ("knowledge", "knowledge-bulk"),
}
"""The durable consumers that set each stage."""


@dataclass(frozen=True, slots=True)
class TextToEncode:
    """The text of a memory, and whether the requested model has encoded or refused it.

    Attributes:
        is_read: whether it was read after the turn that stands before it now.
        preceding_id: the memory of that turn.
        previous_hash: of that turn's text (`ricordo.language.text.text_hash`), if it is encoded.
        previous: its vector of the model that the reader knows, if it has one.
    """

    memory_id: UUID
    text: str
    is_encoded: bool = False
    is_read: bool = True
    preceding_id: UUID | None = None
    previous_hash: bytes | None = None
    previous: Vector | None = None


class SavedReading(NamedTuple):
    """What a text says, as JSON, and the hash of the text of the turn that it was read after."""

    reading: str
    previous_hash: bytes | None


@dataclass(frozen=True, slots=True)
class SavedVectors:
    """The stages of encoded memories, and of the memories after them that are to be indexed again.

    Attributes:
        followers: enriched memories whose points lack the new vector of the memory before them, by that one.
        unread: those that were read after another turn than now stands before them.
    """

    progress: tuple[Progress, ...] = ()
    followers: Mapping[UUID, Progress] = field(default_factory=dict)
    unread: tuple[Progress, ...] = ()


class EncodingStore(Store):
    """Reads texts and writes vectors and readings, one per memory and model."""

    async def load(
        self, tenant: str, model: str, memory_ids: Sequence[UUID], *, reader: str = "", read_model: str = ""
    ) -> Sequence[TextToEncode]:
        """Return texts, and whether the model has had them; memories without a row are left out.

        Args:
            reader: the version of the reader.
            read_model: of the vectors that it knows.
        """
        found = await self._database.call("texts_to_encode", tenant, model, reader, read_model, memory_ids)
        return [
            rows.build(TextToEncode, row, text=row["content"], previous=rows.vector(row["previous"]))
            for row in rows.in_order(found, memory_ids)
        ]

    async def save(
        self,
        tenant: str,
        model: str,
        vectors: Sequence[tuple[UUID, Vector | None]],
        done: Sequence[UUID],
        at: datetime,
        *,
        texts: Mapping[UUID, bytes] | None = None,
        reader: str = "",
        readings: Mapping[UUID, SavedReading] | None = None,
    ) -> SavedVectors:
        """Write new `vectors` and set the stage of all of `done`, which includes them.

        Args:
            vectors: None for a text that the model refused.
            texts: hashes (`ricordo.language.text.text_hash`) of the encoded texts. Nothing is written of a
                memory with another text by now; None does not check.
            reader: the version that made `readings`.
        """
        ids, raw = [one for one, _ in vectors], [rows.raw(vector) for _, vector in vectors]
        hashes = [(texts or {}).get(one) for one in done]
        read = readings or {}
        found = await self._database.call(
            "save_vectors",
            tenant,
            model,
            ids,
            raw,
            done,
            hashes,
            at,
            CONSUMERS_OF_STAGES[Stage.ENCODED],
            reader,
            list(read),
            [one.reading for one in read.values()],
            [one.previous_hash for one in read.values()],
        )
        saved = [row for row in found if row["preceding_id"] is None and not row["unread"]]
        return SavedVectors(
            tuple(rows.progress(row) for row in rows.in_order(saved, done)),
            {row["preceding_id"]: rows.progress(row) for row in found if row["preceding_id"]},
            tuple(rows.progress(row) for row in found if row["unread"]),
        )

    async def models(self, tenant: str) -> Mapping[str, int]:
        """Return the models of the tenant's vectors, with dimensions; see `ReembeddingStore.retire`."""
        found = await self._fetch(_SQL["models"], tenant)
        return {row["model"]: row["dimensions"] for row in found}


@dataclass(frozen=True, slots=True, kw_only=True)
class Indexable:
    """The contents of a memory's point, and a version that changes with any of them.

    Attributes:
        model: the first of the known models that encoded the memory, or refused it.
        facets: with people and topics as they are written.
        vector: float32 [d], unit norm; None for a refused text. It, the preceding vector and the texts are
            empty unless they were loaded.
    """

    memory_id: UUID
    model: str
    version: str
    facets: Facets
    language: str
    content: str = ""
    vector: Vector | None = None
    preceding_text: str = ""
    preceding_language: str = ""
    preceding_vector: Vector | None = None


class IndexingStore(Store):
    """Reads memories to index and sets the stage."""

    async def load(
        self, tenant: str, models: Sequence[str], memory_ids: Sequence[UUID], *, with_vectors: bool = True
    ) -> Sequence[Indexable]:
        """Return memories that any of `models` has encoded or refused; others are left out.

        Args:
            models: in the order of preference.
            with_vectors: whether to load vectors and texts too, or filter fields only.
        """
        found = await self._points(tenant, models, memory_ids, with_vectors=with_vectors)
        return [
            rows.build(
                Indexable,
                row,
                facets=rows.build(
                    Facets,
                    row,
                    id=row["memory_id"],
                    events=rows.event_times(row["event_times"]),
                    informative=row["informative"] >= INFORMATIVE,
                    archived=row["is_archived"],
                ),
                content=row["content"] or "",
                vector=rows.vector(row["vector"]),
                preceding_text=row["preceding_text"] or "",
                preceding_language=row["preceding_language"] or "",
                preceding_vector=rows.vector(row["preceding_vector"]),
            )
            for row in rows.in_order(found, memory_ids)
            if row["model"] is not None
        ]

    async def mark(
        self, tenant: str, models: Sequence[str], versions: Mapping[UUID, str], at: datetime
    ) -> Mapping[UUID, Progress | None]:
        """Set the stage of memories whose points are written.

        Args:
            versions: of the rows that the points are made of.

        Returns:
            The memories that still have that version; None for one without stages. Others are not marked.
        """
        ids, consumers = list(versions), CONSUMERS_OF_STAGES[Stage.INDEXED]
        marking = (list(models), ids, list(versions.values()), at, consumers)
        found = await self._database.call("mark_indexed", tenant, *marking)
        return {
            row["memory_id"]: None if row["ingested"] is None else rows.progress(row)
            for row in rows.in_order(found, ids)
        }

    async def versions(
        self, tenant: str, models: Sequence[str], memory_ids: Sequence[UUID]
    ) -> Mapping[UUID, str]:
        """Return the present `version` of existing memories, to compare after their points are written."""
        found = await self._points(tenant, models, memory_ids, with_vectors=False)
        return {row["memory_id"]: row["version"] for row in found}

    async def _points(
        self, tenant: str, models: Sequence[str], memory_ids: Sequence[UUID], *, with_vectors: bool
    ) -> Sequence[asyncpg.Record]:
        return await self._database.call(
            "points_of_memories", tenant, list(models), list(memory_ids), with_vectors
        )

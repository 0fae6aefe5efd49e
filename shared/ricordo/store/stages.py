"""Vectors, derived columns and stages of memories: each worker writes its own columns and sets its stage.

All writes are idempotent and return the state after them: a redelivered event produces the same events.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, NamedTuple
from uuid import UUID

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

"""Vectors, derived columns and stages of memories: each worker writes its own columns and sets its stage.

All writes are idempotent and return the state after them: a redelivered event produces the same events.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final
from uuid import UUID

from ricordo.memory.model import Progress, Stage
from ricordo.store import rows
from ricordo.store.database import Database, Store
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
    """The text of a memory, and whether the requested model has encoded or refused it."""

    memory_id: UUID
    text: str
    is_encoded: bool = False


@dataclass(frozen=True, slots=True)
class SavedVectors:
    """The stages of encoded memories, and of the memories after them that are to be indexed again.

    Attributes:
        followers: enriched memories whose points lack the new vector of the memory before them, by that one.
    """

    progress: tuple[Progress, ...] = ()
    followers: Mapping[UUID, Progress] = field(default_factory=dict)


class EncodingStore(Store):
    """Reads texts and writes vectors, one per memory and model."""

    async def load(self, tenant: str, model: str, memory_ids: Sequence[UUID]) -> Sequence[TextToEncode]:
        """Return texts, and whether the model has had them; memories without a row are left out."""
        found = await self._database.call("texts_to_encode", tenant, model, memory_ids)
        return [
            TextToEncode(row["memory_id"], row["content"], row["is_encoded"])
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
    ) -> SavedVectors:
        """Write new `vectors` and set the stage of all of `done`, which includes them.

        Args:
            vectors: None for a text that the model refused.
            texts: hashes (`ricordo.language.text.text_hash`) of the encoded texts. Nothing is written of a
                memory with another text by now; None does not check.
        """
        ids, raw = [one for one, _ in vectors], [rows.raw(vector) for _, vector in vectors]
        hashes = [(texts or {}).get(one) for one in done]
        consumers = CONSUMERS_OF_STAGES[Stage.ENCODED]
        found = await self._database.call(
            "save_vectors", tenant, model, ids, raw, done, hashes, at, consumers
        )
        saved = [row for row in found if row["preceding_id"] is None]
        return SavedVectors(
            tuple(rows.progress(row) for row in rows.in_order(saved, done)),
            {row["preceding_id"]: rows.progress(row) for row in found if row["preceding_id"]},
        )

    async def models(self, tenant: str) -> Mapping[str, int]:
        """Return the models of the tenant's vectors, with dimensions; see `ReembeddingStore.retire`."""
        found = await self._fetch(_SQL["models"], tenant)
        return {row["model"]: row["dimensions"] for row in found}

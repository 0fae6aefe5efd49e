"""What the points of memories are made of, and the stage `indexed`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

import asyncpg

from ricordo.language.annotations import EventTime
from ricordo.memory.model import Progress, Stage
from ricordo.store import rows
from ricordo.store.database import Store
from ricordo.store.rows import Vector
from ricordo.store.stages import CONSUMERS_OF_STAGES

_SAME: Final = (
    *("memory_id", "user_id", "model", "version", "conversation_id", "type", "kind", "created_at", "valence"),
    *("importance", "informative", "is_archived", "language", "content"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Indexable:
    """The contents of a memory's point, and a version that changes with any of them.

    Attributes:
        model: the first of the known models that encoded the memory, or refused it.
        vector: float32 [d], unit norm; None for a refused text. It, the preceding vector and the texts are
            empty unless they were loaded.
    """

    memory_id: UUID
    user_id: str
    model: str
    version: str
    conversation_id: str
    type: str
    kind: str
    created_at: datetime
    event_times: tuple[EventTime, ...]
    participants: tuple[str, ...]
    topics: tuple[str, ...]
    valence: float
    importance: float
    informative: float
    is_archived: bool
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
        return [_indexable(row) for row in rows.in_order(found, memory_ids) if row["model"] is not None]

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


def _indexable(row: asyncpg.Record) -> Indexable:
    return Indexable(
        **{name: row[name] for name in _SAME if row[name] is not None},
        event_times=rows.event_times(row["event_times"]),
        participants=tuple(row["participants"]),
        topics=tuple(row["topics"]),
        vector=rows.vector(row["vector"]),
        preceding_text=row["preceding_text"] or "",
        preceding_language=row["preceding_language"] or "",
        preceding_vector=rows.vector(row["preceding_vector"]),
    )

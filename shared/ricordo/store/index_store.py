"""What the points of memories are made of, and the stage `indexed`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import asyncpg

from ricordo.index.port import Facets
from ricordo.language.reading import INFORMATIVE
from ricordo.memory.model import Progress, Stage
from ricordo.store import rows
from ricordo.store.database import Store
from ricordo.store.rows import Vector
from ricordo.store.stages import CONSUMERS_OF_STAGES


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

"""Setting a stage: the one statement that all workers share."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from ricordo.adapters.postgres import rows
from ricordo.adapters.postgres.database import Connection, Database
from ricordo.ports.stages import Progress, Stage

_SQL = Database.queries("stages")
_SET_BY: Final[Mapping[Stage, str]] = {
    Stage.ENCODED: "encode",
    Stage.ENRICHED: "enrichment",
    Stage.INDEXED: "index",
    Stage.EXTRACTED: "knowledge",
}


async def mark(
    connection: Connection, tenant: str, stage: Stage, memory_ids: Sequence[UUID], at: datetime
) -> list[Progress]:
    """Set `stage` of the given memories, as part of the caller's transaction, and return all their stages.

    A message whose stage is set is no longer given up by the consumer that sets it: the reasons of such dead
    letters are dropped.
    """
    if not memory_ids:
        return []
    found = await connection.fetch(_SQL["mark"], tenant, sorted(memory_ids), stage.value, at, _SET_BY[stage])
    return [rows.progress(row) for row in rows.in_order(found, memory_ids)]

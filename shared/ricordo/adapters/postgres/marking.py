"""Setting a stage: the one statement that all workers share."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from ricordo.adapters.postgres import rows
from ricordo.adapters.postgres.database import Connection, Database
from ricordo.ports.stages import Progress, Stage

_SQL = Database.queries("stages")


async def mark(
    connection: Connection, tenant: str, stage: Stage, memory_ids: Sequence[UUID], at: datetime
) -> list[Progress]:
    """Set `stage` of the given memories, as part of the caller's transaction, and return all their stages."""
    if not memory_ids:
        return []
    found = await connection.fetch(_SQL["mark"], tenant, sorted(memory_ids), stage.value, at)
    return [rows.progress(row) for row in rows.in_order(found, memory_ids)]

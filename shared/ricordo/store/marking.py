"""Setting a stage: the one statement that all workers share."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from ricordo.store import rows
from ricordo.store.database import Connection, Database
from ricordo.store.types.stages import Progress, Stage

_SQL = Database.queries("stages")
_SET_BY: Final[Mapping[Stage, str]] = {
    Stage.ENCODED: "encode",
    Stage.ENRICHED: "enrichment",
    Stage.INDEXED: "index",
    Stage.EXTRACTED: "knowledge",
}


async def reworded(connection: Connection, tenant: str, texts: Mapping[UUID, bytes]) -> Collection[UUID]:
    """Return the memories that say something else by now than what was read of them.

    They all stay as they are until the caller's transaction ends: who corrects one waits for it.

    Args:
        connection: of the caller's transaction.
        tenant: whose memories.
        texts: hashes of what was read of each, see `ricordo.language.text.text_hash`.
    """
    if not texts:
        return ()
    found = await connection.fetch(_SQL["reworded"], tenant, list(texts), list(texts.values()))
    return {row["id"] for row in found}


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

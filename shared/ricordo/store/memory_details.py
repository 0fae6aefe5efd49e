"""Queries of what belongs to one memory: the facts that it supports, what changed it, and its metadata."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from ricordo.memory.facts import Fact
from ricordo.memory.model import Memory
from ricordo.store import rows
from ricordo.store.database import Database, Store

_SQL: Final = Database.queries("memory_details")


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedChange:
    """A change of a memory, as its rows tell; see `MemoryChange` of the wire."""

    change: str
    at: datetime | None = None
    recall_id: UUID | None = None
    verdict: str | None = None
    memory_id: UUID | None = None
    content: str | None = None
    decay_factor: float | None = None
    reason: str | None = None


class MemoryDetailQueries(Store):
    """Reads what belongs to one memory. Raises `StoreUnavailable`."""

    async def details(
        self, tenant: str, memory: Memory, decay_factor: float
    ) -> tuple[Sequence[Fact], Sequence[RecordedChange], dict[str, Any]]:
        """Return the facts that a memory supports, its changes, oldest first, and its metadata."""
        async with self._database.transaction(tenant) as connection:
            facts = await connection.fetch(_SQL["facts"], tenant, memory.user_id, memory.message_id)
            of_memory = tenant, memory.user_id, memory.id
            changes = await connection.fetch(_SQL["changes"], *of_memory, decay_factor)
            metadata = await connection.fetchval(_SQL["metadata"], tenant, memory.user_id, memory.message_id)
        changed = [RecordedChange(**dict(row)) for row in changes]
        return [rows.fact_of(row) for row in facts], changed, json.loads(metadata or "{}")

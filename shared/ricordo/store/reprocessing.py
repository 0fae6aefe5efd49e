"""Finds memories that are to be derived, encoded or indexed again, and replaces what was derived."""

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple
from uuid import UUID

from asyncpg import Record

from ricordo.memory.model import Progress
from ricordo.store import rows
from ricordo.store.database import Database, Store
from ricordo.store.enrichment_store import EnrichedMemory, derived_row

_SQL: Final = Database.queries("reprocessing")
_ENRICH: Final = Database.queries("enrichment")["replace"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BackfillQuery:
    """Selects outdated memories: enriched ones with a vector, derived or rated by another version.

    Attributes:
        with_model: whether values that an LLM derived are outdated too; False leaves them alone.
        rating_only: disregard the version of everything but the importance.
        models: of the vectors, the primary first.
    """

    user_id: str | None = None
    version: str
    with_model: bool = False
    rating_only: bool = False
    models: tuple[str, ...]


class OutdatedMemory(NamedTuple):
    """An outdated memory: the model of its vector, and the versions that derived and rated it."""

    memory_id: UUID
    user_id: str
    model: str
    version: str
    rated_by: str


class BackfillStore(Store):
    """Finds memories that a former version has derived, and replaces the derived values."""

    window = 2_000
    """Rows that `find` examines at once."""

    async def count(self, tenant: str, query: BackfillQuery) -> Mapping[str, int]:
        """Count outdated memories by the version that derived them (or rated them, with `rating_only`)."""
        found = await self._fetch(_SQL["count_outdated"], tenant, *astuple(query))
        return {row["version"]: row["number"] for row in found}

    async def find(
        self, tenant: str, query: BackfillQuery, after: UUID | None, limit: int
    ) -> tuple[Sequence[OutdatedMemory], UUID | None]:
        """Return memories in id order, and the id after which to continue; None at the end."""
        parameters = (*astuple(query), after, limit, self.window)
        examined = await self._fetch(_SQL["find_outdated"], tenant, *parameters)
        found, last = _page(examined, limit, self.window)
        return [OutdatedMemory(*row) for row in found], last

    async def replace(
        self, tenant: str, enriched: Sequence[EnrichedMemory], *, rating_only: bool = False
    ) -> Sequence[Progress]:
        """Write the derived columns, or the rating alone, and reset the stage `indexed`, in one transaction.

        Values that the bot set stay, as does what use has added. Returns the stages of what was written:
        forgotten memories, and those whose time zone has changed meanwhile, are left out.
        """
        statement = _SQL["rate"] if rating_only else _ENRICH
        document = rows.recordset(map(derived_row, enriched))
        async with self._database.transaction(tenant) as connection:
            written = {row["id"] for row in await connection.fetch(statement, tenant, document)}
            found = await connection.fetch(_SQL["unindex"], tenant, sorted(written))
        progress = rows.in_order(found, [one.memory_id for one in enriched])
        return [rows.progress(row) for row in progress]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReembeddingQuery:
    """Selects enriched memories without a vector of `model` and their text, or with one of another model."""

    model: str
    user_id: str | None = None


class FormerEncoding(NamedTuple):
    """A memory to encode again; `encoded` tells whether its text has a vector of the new model already."""

    memory_id: UUID
    user_id: str
    text: str
    encoded: bool


class ReembeddingStore(Store):
    """Finds memories without a vector of a new model, and drops vectors of former ones."""

    window = 1_000
    """Rows that `find` examines at once."""

    async def count(self, tenant: str, query: ReembeddingQuery) -> Mapping[str, int]:
        """Count memories by former model: the first, of several; the new one for vectors of an old text."""
        found = await self._fetch(_SQL["count_former"], tenant, *astuple(query))
        return {row["model"]: row["number"] for row in found}

    async def unencoded(self, tenant: str, user_id: str | None) -> int:
        """Count the memories of a user, or of all, that no model has encoded yet."""
        return int(await self._fetchval(_SQL["unencoded"], tenant, user_id))

    async def count_vectors(self, tenant: str, models: Sequence[str]) -> Mapping[str, int]:
        """Count the memories with a vector of each of `models`, whether of their present text or not."""
        found = await self._fetch(_SQL["count_vectors"], tenant, models)
        return {row["model"]: row["number"] for row in found}

    async def find(
        self, tenant: str, query: ReembeddingQuery, after: UUID | None, limit: int
    ) -> tuple[Sequence[FormerEncoding], UUID | None]:
        """Return memories to encode again, and the id after which to continue, as `BackfillStore.find`."""
        parameters = (*astuple(query), after, limit, self.window)
        examined = await self._fetch(_SQL["find_former"], tenant, *parameters)
        found, last = _page(examined, limit, self.window)
        return [FormerEncoding(*row) for row in found], last

    async def release(self, tenant: str, model: str, memory_ids: Sequence[UUID]) -> Sequence[Progress]:
        """Drop the vectors of other models, and reset the stage `indexed`, in one transaction.

        The stage is also reset for the memories that follow one of them, whose points contain its vector. A
        memory without a vector of `model` and its present text is left as it is.

        Returns:
            The stages of the enriched memories whose point has to be written, in id order.
        """
        async with self._database.transaction(tenant) as connection:
            moved = await connection.fetch(_SQL["release"], tenant, model, memory_ids)
            found = await connection.fetch(_SQL["unindex"], tenant, sorted(row["id"] for row in moved))
        progress = (rows.progress(row) for row in found)
        return sorted((one for one in progress if one.enriched is not None), key=lambda one: one.memory_id)

    async def retire(self, tenant: str, keep: Sequence[str], before: datetime) -> Sequence[str]:
        """Remove models without vectors from the list of the tenant's models, and return their names.

        None is removed while a memory that was ingested before `before` is not indexed: its former point is
        in the collection of a former model.

        Args:
            keep: models in use, which stay listed.
        """
        async with self._database.transaction(tenant) as connection:
            locked = [row["model"] for row in await connection.fetch(_SQL["lock_models"], tenant, keep)]
            # A second statement, which sees the vectors of those that the lock waited for.
            gone = await connection.fetch(_SQL["retire"], tenant, locked, before) if locked else []
        return [row["model"] for row in gone]


def _page(
    examined: Sequence[Record], limit: int, window: int
) -> tuple[Sequence[tuple[Any, ...]], UUID | None]:
    """Return the columns of what was found, id first, and the id after which to continue."""
    found = [tuple(row)[:-2] for row in examined if row["id"] is not None]  # without `number` and `last`
    last = examined[0]["last"] if examined[0]["number"] == window else None
    return found, found[-1][0] if len(found) == limit else last


class ReindexingStore(Store):
    """Counts and releases memories for a rebuild of the index: enriched ones with a vector."""

    async def count(self, tenant: str, user_id: str | None) -> int:
        """Count the memories of a user, or of all."""
        return int(await self._fetchval(_SQL["count_indexable"], tenant, user_id))

    async def release(
        self, tenant: str, user_id: str | None, after: UUID | None, limit: int
    ) -> tuple[Sequence[Progress], UUID | None]:
        """Reset the stage `indexed` of memories, and return them with the id after which to continue."""
        async with self._database.transaction(tenant) as connection:
            (slice_,) = await connection.fetch(_SQL["find_indexable"], tenant, user_id, after, limit)
            found = await connection.fetch(_SQL["unindex"], tenant, slice_["ids"])
        memories = sorted(map(rows.progress, found), key=lambda one: one.memory_id)
        return memories, slice_["last"] if slice_["number"] == limit else None

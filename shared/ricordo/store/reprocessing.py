"""Finds memories that a former version or model has derived, and replaces what it derived."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from ricordo.language.instructions import TAG
from ricordo.memory.progress import Progress
from ricordo.store import rows
from ricordo.store.database import Database, Store
from ricordo.store.stages import EnrichedMemory, derived_row

_SQL = Database.queries("reprocessing")
_ENRICH = Database.queries("stages")["enrich"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BackfillQuery:
    """Which memories are outdated. Only those count that were enriched before, and have a vector.

    Attributes:
        models: of the vectors, the primary first.
        version: what is current. Whatever else derived or rated a memory is outdated,
        with_model: but without a language model, what one has derived is left alone.
        rating_only: disregard what derived the rest.
        user_id: of this user; None of any.
    """

    models: tuple[str, ...]
    version: str
    with_model: bool = False
    rating_only: bool = False
    user_id: str | None = None


class OutdatedMemory(NamedTuple):
    """An outdated memory.

    Attributes:
        model: of the vector that it is derived from.
        version: of what has derived it so far.
        rated_by: the same of its importance.
    """

    memory_id: UUID
    user_id: str
    model: str
    version: str
    rated_by: str


class BackfillSlice(NamedTuple):
    """Some outdated memories in id order, or none, and the id after which to go on: None at the end."""

    outdated: Sequence[OutdatedMemory]
    last: UUID | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReembeddingQuery:
    """Which memories are looked for: those that were enriched, but not encoded by `model` alone.

    Attributes:
        model: the present one. Who has no vector of it, or one of another text, or one of another model
            beside it, is still to be moved.
        user_id: of this user; None of any.
    """

    model: str
    user_id: str | None = None


class FormerEncoding(NamedTuple):
    """A memory without a vector of the new model.

    Attributes:
        encoded: whether its text has a vector of the present model already.
    """

    memory_id: UUID
    user_id: str
    text: str
    encoded: bool


class ReembeddingSlice(NamedTuple):
    """Some of them in id order, or none, and the id after which to go on: None at the end."""

    former: Sequence[FormerEncoding]
    last: UUID | None


class BackfillStore(Store):
    """Finds memories that a former version has derived, and writes what is derived anew."""

    def __init__(self, database: Database, window: int = 2_000) -> None:
        """Read and write through `database`, looking at `window` memories at once."""
        super().__init__(database)
        self._window = window

    async def count(self, tenant: str, sought: BackfillQuery) -> Mapping[str, int]:
        """Count what is outdated, by the version of what derived it (or rated it, where only that counts)."""
        found = await self._fetch(_SQL["count_outdated"], tenant, *_parameters(sought))
        return {row["version"]: row["number"] for row in found}

    async def find(self, tenant: str, sought: BackfillQuery, after: UUID | None, limit: int) -> BackfillSlice:
        """Return at most `limit` of what is outdated, in id order after `after`."""
        looked = await self._fetch(
            _SQL["find_outdated"], tenant, *_parameters(sought), after, limit, self._window
        )
        found = [
            OutdatedMemory(row["id"], row["user_id"], row["model"], row["version"], row["rated_by"])
            for row in looked
            if row["id"] is not None
        ]
        if len(found) == limit:
            return BackfillSlice(found, found[-1].memory_id)
        return BackfillSlice(found, looked[0]["last"] if looked[0]["number"] == self._window else None)

    async def replace(
        self, tenant: str, enriched: Sequence[EnrichedMemory], *, rating_only: bool = False
    ) -> Sequence[Progress]:
        """Write the derived columns, or the rating alone, and take back the stage `indexed`, in one go.

        What the bot stated stays, and so does what use has added. The missing stage says that the point has
        yet to follow, until it has. Returns the stages of what was written: the forgotten, and those whose
        zone has changed meanwhile, are left out.
        """
        statement = _SQL["rate"] if rating_only else _ENRICH
        document = rows.recordset(map(derived_row, enriched))
        arguments = (document,) if rating_only else (document, TAG)
        async with self._database.transaction(tenant) as connection:
            written = {row["id"] for row in await connection.fetch(statement, tenant, *arguments)}
            found = await connection.fetch(_SQL["unindex"], tenant, sorted(written))
        progress = rows.in_order(found, [one.memory_id for one in enriched])
        return [rows.progress(row) for row in progress]


def _parameters(sought: BackfillQuery) -> tuple[Any, ...]:
    return sought.user_id, sought.version, sought.with_model, sought.rating_only, sought.models


class ReembeddingStore(Store):
    """Finds memories without a vector of a new model, and drops vectors of former ones."""

    def __init__(self, database: Database, window: int = 1_000) -> None:
        """Read and write through `database`, looking at `window` memories at once."""
        super().__init__(database)
        self._window = window

    async def count(self, tenant: str, behind: ReembeddingQuery) -> Mapping[str, int]:
        """Count them by former model: one, where a memory has several; the present one for old texts."""
        found = await self._fetch(_SQL["count_former"], tenant, behind.model, behind.user_id)
        return {row["model"]: row["number"] for row in found}

    async def unencoded(self, tenant: str, user_id: str | None) -> int:
        """Count the memories, of this user or of any, that no model has encoded yet."""
        number: int = await self._fetchval(_SQL["unencoded"], tenant, user_id)
        return number

    async def count_vectors(self, tenant: str, models: Sequence[str]) -> Mapping[str, int]:
        """Count the memories that have a vector of each of `models`; cheap, and blind to their texts."""
        found = await self._fetch(_SQL["held"], tenant, models)
        return {row["model"]: row["number"] for row in found}

    async def find(
        self, tenant: str, behind: ReembeddingQuery, after: UUID | None, limit: int
    ) -> ReembeddingSlice:
        """Return at most `limit` of them, in id order after `after`."""
        asked = (tenant, behind.model, behind.user_id, after, limit, self._window)
        looked = await self._fetch(_SQL["find_former"], *asked)
        found = [
            FormerEncoding(row["id"], row["user_id"], row["content"], row["encoded"])
            for row in looked
            if row["id"] is not None
        ]
        if len(found) == limit:
            return ReembeddingSlice(found, found[-1].memory_id)
        return ReembeddingSlice(found, looked[0]["last"] if looked[0]["number"] == self._window else None)

    async def release(self, tenant: str, model: str, memory_ids: Sequence[UUID]) -> Sequence[Progress]:
        """Drop the vectors of other models, and take back the stage `indexed`, in one go.

        Also of those that come right after one of them and have a vector of `model`: their window lacks their
        predecessor's. The missing stage says that the point has yet to follow, until it has. A memory that
        has no vector of `model`, of its present text, is left as it is.

        Returns:
            The stages of those whose point has to follow, in id order: all of them that were enriched.
        """
        async with self._database.transaction(tenant) as connection:
            moved = await connection.fetch(_SQL["release"], tenant, model, memory_ids)
            found = await connection.fetch(_SQL["unindex"], tenant, sorted(row["id"] for row in moved))
        progress = (rows.progress(row) for row in found)
        return sorted((one for one in progress if one.enriched is not None), key=lambda one: one.memory_id)

    async def retire(self, tenant: str, keep: Sequence[str], before: datetime) -> Sequence[str]:
        """Strike out the models that no memory has a vector of any more, and return their names.

        As long as a memory that came in before `before` has a point yet to follow, none is: its former point
        is in the collection of a former model.

        Args:
            tenant: whose memories.
            keep: those that serve, which stay known.
            before: when the moving began.
        """
        async with self._database.transaction(tenant) as connection:
            held = [row["model"] for row in await connection.fetch(_SQL["hold_models"], tenant, keep)]
            # A statement of its own, which sees what those have kept who were waited for.
            gone = await connection.fetch(_SQL["retire"], tenant, held, before) if held else []
        return [row["model"] for row in gone]

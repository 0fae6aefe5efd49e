"""Reads facts by version, for their projection to the graph."""

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Final
from uuid import UUID

import asyncpg

from ricordo.graph.graph_model import GraphDelta
from ricordo.memory.facts.fact_model import Fact
from ricordo.store.database import Database, Store
from ricordo.store.rows import fact_of

_SQL: Final = Database.queries("graph_source")
_PAGE: Final = 500  # facts in one statement
_START: Final = (0, UUID(int=0))


class FactSource(Store):
    """Reads facts that are newer than a projection. Each method raises `StoreUnavailable`.

    The version of a user's facts grows with each transaction that changes them, in the order of the commits,
    since it is drawn under the user's lock. What such a transaction writes has its version; what it deletes
    leaves id and version until the projection is confirmed.
    """

    async def owners(self, tenant: str, user_id: str | None = None) -> Mapping[str, int]:
        """Return the number of facts by user, sorted by user; users without any are left out."""
        found = await self._fetch(_SQL["owners"], tenant, user_id)
        return {row["user_id"]: row["facts"] for row in found}

    async def behind(self, tenant: str, users: Sequence[str] | None, limit: int) -> Sequence[str]:
        """Return users whose latest version is not confirmed, among `users` or (None) all."""
        return [row["user_id"] for row in await self._fetch(_SQL["behind"], tenant, users, limit)]

    async def changes(self, tenant: str, user_id: str, since: int | None) -> tuple[int, GraphDelta]:
        """Return the version of a user's facts (0: none), and what a projection of version `since` lacks.

        That is everything if `since` is unknown (None), ahead of the facts (an older backup was restored), or
        before the last confirmed version (ids of deleted facts are dropped then).
        """
        async with self._database.transaction(tenant) as connection:
            head = await connection.fetchrow(_SQL["head"], tenant, user_id, since or 0)
            if head is None or not head["has_facts"]:
                version = 0 if head is None else head["version"]
                return version, GraphDelta(
                    version=None, pages=self._pages(tenant, user_id, (), version), whole=True
                )
            version = head["version"]
            whole = since is None or not head["projected"] <= since <= version
            after = _START if whole or since is None else (since, UUID(int=2**128 - 1))
            first = await connection.fetch(_SQL["newer"], tenant, user_id, *after, version, _PAGE)
        gone = () if whole else head["gone"]
        pages = self._pages(tenant, user_id, first, version)
        return version, GraphDelta(version=version, pages=pages, gone=gone, whole=whole)

    async def confirm(self, tenant: str, user_id: str, version: int) -> None:
        """Record that the projection of a user has `version`: ids of facts deleted until then are dropped."""
        await self._execute(_SQL["confirm"], tenant, user_id, version)

    async def drop_failures(self, tenant: str, message_ids: Sequence[str]) -> None:
        """Drop the reasons of dead letters of *graph* for messages whose facts are projected."""
        await self._execute(_SQL["drop_failures"], tenant, message_ids)

    async def _pages(
        self, tenant: str, user_id: str, page: Sequence[asyncpg.Record], version: int
    ) -> AsyncIterator[Sequence[Fact]]:
        """Yield a page of facts and those after it, up to `version`: newer ones belong to the next delta."""
        while page:
            yield [fact_of(row) for row in page]
            if len(page) < _PAGE:
                return
            after = page[-1]["version"], page[-1]["id"]
            page = await self._fetch(_SQL["newer"], tenant, user_id, *after, version, _PAGE)

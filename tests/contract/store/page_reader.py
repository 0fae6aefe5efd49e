"""Reads pages of memories and entities as a bot does, on the stores of a test."""

# ruff: noqa: ANN401 - fields are passed on to the request that has them

from typing import Any
from uuid import UUID

from tests.contract.store.stores import STORED, Stores
from tests.support.manual_clock import ManualClock

from ricordo.messages.entities import EntitiesReply, EntitiesRequest
from ricordo.messages.listings import MemoriesReply, MemoriesRequest
from ricordo.store.listing_store import Listings
from ricordo_services.retrieval.listing_scopes import ListingScopes
from ricordo_services.retrieval.pages import EntityPages, MemoryPages


class Reader:
    """Asks for pages of what is known in a tenant."""

    def __init__(self, stores: Stores) -> None:
        self.stores, self.clock = stores, ManualClock(STORED)
        listings = Listings(stores.database)
        listings.chunk = 3
        self.pages = MemoryPages(stores.queries, listings, ListingScopes(listings), self.clock)
        self.entity_pages = EntityPages(listings, self.clock)

    async def page(self, user_id: str = "u-1", **fields: Any) -> MemoriesReply:
        request = MemoriesRequest.model_validate({"user_id": user_id, **fields})
        return await self.pages(self.stores.tenant, request)

    async def names(self, **fields: Any) -> list[str]:
        """Return the messages of all pages."""
        found, cursor = list[str](), None
        while True:
            reply = await self.page(cursor=cursor, **fields)
            found += [one.message_ids[0] for one in reply.memories]
            cursor = reply.next
            if cursor is None:
                return found

    async def entities(self, user_id: str = "u-1", **fields: Any) -> EntitiesReply:
        request = EntitiesRequest.model_validate({"user_id": user_id, **fields})
        return await self.entity_pages(self.stores.tenant, request)

    async def entity_names(self, cursor: str | None = None, **fields: Any) -> list[str]:
        """Return the names of all pages from a cursor on."""
        found = list[str]()
        while True:
            reply = await self.entities(cursor=cursor, **fields)
            found += [one.name for one in reply.entities]
            cursor = reply.next
            if cursor is None:
                return found

    async def stored_ids(self) -> set[UUID]:
        rows = await self.stores.fetch(
            "select distinct one from listings, unnest(memory_ids) as one "
            "where tenant = $1 and one is not null",
            self.stores.tenant,
        )
        return {one for (one,) in rows}

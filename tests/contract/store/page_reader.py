"""Reads pages of memories as a bot does, on the stores of a test."""

# ruff: noqa: ANN401 - fields are passed on to the request that has them

from typing import Any
from uuid import UUID

from tests.contract.store.stores import STORED, Stores
from tests.support.manual_clock import ManualClock

from ricordo.messages.listings import MemoriesReply, MemoriesRequest
from ricordo.store.memory_listings import MemoryListings
from ricordo_services.retrieval.listing_scopes import ListingScopes
from ricordo_services.retrieval.pages import MemoryPages


class Reader:
    """Asks for pages of a tenant's memories."""

    def __init__(self, stores: Stores) -> None:
        self.stores, self.clock = stores, ManualClock(STORED)
        listings = MemoryListings(stores.database, chunk=3)
        self.pages = MemoryPages(stores.queries, listings, ListingScopes(listings), self.clock)

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

    async def stored_ids(self) -> set[UUID]:
        rows = await self.stores.fetch(
            "select distinct one from listings, unnest(memory_ids) as one "
            "where tenant = $1 and one is not null",
            self.stores.tenant,
        )
        return {one for (one,) in rows}

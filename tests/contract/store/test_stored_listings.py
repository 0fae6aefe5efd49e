"""Orders that change under a listing are stored for a while; users are listed by id."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from tests.contract.store.conftest import waits_for_a_lock
from tests.contract.store.page_reader import Reader
from tests.contract.store.stores import STORED, Stores
from tests.contract.store.test_erasure import A_CONVERSATION, A_USER, forget
from tests.fixtures.eventually import eventually

from ricordo.messages.enumerations import ListingOrder
from ricordo.messages.listings import UsersReply, UsersRequest, UserView
from ricordo.runtime.handling import RequestError
from ricordo.store import derived_memories
from ricordo.store.erasure import ErasureRequest
from ricordo.store.memory_listings import LIFETIME, MemoryListings
from ricordo_services.retrieval.pages import UserPages

STORED_ORDERS = (ListingOrder.IMPORTANT, ListingOrder.USED)


async def test_users_are_listed_with_counts_and_their_last_activity(stores: Stores) -> None:
    pages, other = UserPages(MemoryListings(stores.database)), stores.another_tenant()
    assert await pages(stores.tenant, UsersRequest()) == UsersReply()
    await other.record(other.message("m-1", user_id="u-0"))
    names = ["Zoe", "ada", "u-1", "u-10", "u-2"]
    for name in names:
        await stores.record(*(stores.message(f"{name}-{n}", user_id=name, minute=n) for n in range(2)))
    await stores.enrich("u-1-0", informative=0.0)
    await stores.execute("update memories set archived_at = now() where id = $1", stores.id("u-1-1"))
    await stores.use(stores.id("u-2-1"), at=STORED + timedelta(days=1), user_id="u-2")
    found, cursor, first = list[UserView](), None, ""
    while not found or cursor is not None:
        reply = await pages(stores.tenant, UsersRequest(limit=2, cursor=cursor))
        found += reply.users
        cursor = reply.next
        if len(found) == 2:  # the last one shown is deleted, and two others come, before and behind it
            first = cursor or ""
            await forget(stores, replace(A_USER, user_id="ada", key="ada"))
            await stores.record(stores.message("a", user_id="Aldo"), stores.message("b", user_id="zz"))
    assert [one.user_id for one in found] == [*names, "zz"]
    by_name = {one.user_id: one for one in found}
    assert (by_name["u-1"].memories, by_name["u-1"].archived, by_name["u-1"].messages) == (1, 1, 2)
    assert by_name["u-1"].last_activity == STORED
    assert by_name["u-2"].last_activity == STORED + timedelta(days=1)
    for asking, tenant in ((first, other.tenant), (first[:-1], stores.tenant)):
        with pytest.raises(RequestError, match="cursor must be"):
            await pages(tenant, UsersRequest(cursor=asking))


@pytest.mark.parametrize("order", STORED_ORDERS)
async def test_a_stored_order_expires(reader: Reader, order: ListingOrder) -> None:
    await reader.stores.say("m-1", "m-2")
    asked: dict[str, Any] = {"order": order.value, "limit": 1}
    cursor = (await reader.page(**asked)).next
    await reader.clock.advance(LIFETIME.total_seconds() - 1)
    assert len((await reader.page(**asked, cursor=cursor)).memories) == 1
    await reader.clock.advance(1)
    with pytest.raises(RequestError, match="cursor must be"):
        await reader.page(**asked, cursor=cursor)


async def test_ten_stored_orders_of_a_user_are_kept(reader: Reader) -> None:
    await reader.stores.say("m-1", "m-2")
    cursors = []
    for _ in range(12):
        cursors.append((await reader.page(order="used", limit=1)).next)
        await reader.clock.advance(1)
    for cursor in cursors[2:]:
        assert len((await reader.page(order="used", limit=1, cursor=cursor)).memories) == 1
    for cursor in cursors[:2]:
        with pytest.raises(RequestError, match="cursor must be"):
            await reader.page(order="used", limit=1, cursor=cursor)


@pytest.mark.parametrize("what", [A_CONVERSATION, A_USER])
async def test_a_forgotten_user_or_conversation_leaves_no_listing(
    reader: Reader, what: ErasureRequest
) -> None:
    await reader.stores.say("m-1", "m-2", "m-3")
    await reader.page(order="used", limit=1)
    assert len(await reader.stored_ids()) == 3
    await forget(reader.stores, what)
    assert await reader.stored_ids() == set()


async def test_a_listing_waits_for_an_erasure_and_holds_nothing_of_it(reader: Reader) -> None:
    """Else the erasure would miss the rows of a listing that was not committed yet."""
    stores = reader.stores
    await stores.say("m-1", "m-2", "m-3")
    async with stores.transaction() as erasing:
        await derived_memories.lock_users(erasing, stores.tenant, ["u-1"])
        page = asyncio.create_task(reader.page(order="used", limit=1))
        await eventually(lambda: waits_for_a_lock(stores.fetch))
        await erasing.execute("delete from memories where id = $1", stores.id("m-3"))
    assert (await page).total == 2
    assert await reader.stored_ids() == {stores.id("m-1"), stores.id("m-2")}

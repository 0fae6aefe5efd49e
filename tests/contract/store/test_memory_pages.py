"""Pages of memories miss none and show none twice, whatever happens in between; users are listed by id."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, Literal
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.contract.store.conftest import waits_for_a_lock
from tests.contract.store.page_reader import Reader
from tests.contract.store.stores import STORED, Stores, summary
from tests.contract.store.test_erasure import A_CONVERSATION, A_USER, LATER, forget
from tests.fixtures.eventually import eventually
from tests.fixtures.examples import laws
from tests.fixtures.sentence_tables import table
from tests.support.factories import at

from ricordo.language.annotations import MemoryKind, MemoryType
from ricordo.messages.enumerations import ForgetScope, ListingOrder
from ricordo.messages.errors import ErrorCode
from ricordo.messages.listings import MemoriesReply, UsersReply, UsersRequest, UserView
from ricordo.runtime.handling import RequestError
from ricordo.store import derived_memories, listing_store
from ricordo.store.erasure import ErasureRequest
from ricordo.store.listing_store import LIFETIME, Listings
from ricordo_services.retrieval.pages import UserPages

STORED_ORDERS = (ListingOrder.IMPORTANT, ListingOrder.USED, ListingOrder.FEELING)
LAWS = laws(25)


@dataclass(frozen=True)
class Change:
    """What happens to one of the memories between two pages; `minute` is that of a new message."""

    kind: Literal["arrive", "use", "rate", "archive", "restore", "forget"]
    place: int
    minute: int


CHANGES = st.lists(
    st.builds(
        Change,
        kind=st.sampled_from(("arrive", "use", "rate", "archive", "restore", "forget", "forget")),
        place=st.integers(0, 30),
        minute=st.integers(0, 8),
    ),
    min_size=1,
    max_size=4,
)


class Story:
    """Memories of one user that change while they are listed; `steady` have been present all the time."""

    def __init__(self, stores: Stores) -> None:
        self.stores = stores
        self.names, self.steady, self.gone = list[str](), set[str](), set[str]()

    async def arrive(self, *minutes: int) -> None:
        new = [f"m-{len(self.names) + n}" for n in range(len(minutes))]
        self.names += new
        await self.stores.record(
            *(self.stores.message(name, minute=minute) for name, minute in zip(new, minutes, strict=True))
        )

    async def apply(self, change: Change) -> None:
        name = self.names[change.place % len(self.names)]
        memory_id = self.stores.id(name)
        match change.kind:
            case "arrive":
                await self.arrive(change.minute)
            case "use":
                await self.stores.use(memory_id)
            case "rate":
                await self._set("importance = 0.1 * $2::integer", memory_id, change.minute)
            case "archive":
                self.steady.discard(name)
                await self._set("archived_at = created_at + make_interval(days => $2::integer)", memory_id, 9)
            case "restore":
                await self._set("archived_at = null, access_count = $2::integer", memory_id, change.minute)
            case "forget":
                self.steady.discard(name)
                self.gone.add(name)
                await forget(self.stores, ErasureRequest("u-1", ForgetScope.MESSAGE, name, LATER))

    async def _set(self, what: str, memory_id: UUID, value: int) -> None:
        await self.stores.execute(f"update memories set {what} where id = $1", memory_id, value)


@LAWS
@given(
    minutes=st.lists(st.integers(0, 8), min_size=5, max_size=14),
    between=st.lists(CHANGES, min_size=2, max_size=8),
    order=st.sampled_from(ListingOrder),
    limits=st.lists(st.integers(1, 3), min_size=1, max_size=4),
)
async def test_nothing_present_throughout_is_missed_or_shown_twice(
    stores: Stores,
    minutes: Sequence[int],
    between: Sequence[Sequence[Change]],
    order: ListingOrder,
    limits: Sequence[int],
) -> None:
    reader = Reader(stores.another_tenant())
    story = Story(reader.stores)
    await story.arrive(*minutes)
    for change in between[0]:
        await story.apply(change)
    story.steady = set(await reader.names(order="recent", limit=200))
    shown, cursor, page = list[str](), None, 0
    expected = await reader.names(order=order.value, limit=200)
    assert set(expected) == story.steady
    while page == 0 or cursor is not None:
        limit = limits[page % len(limits)]
        reply = await reader.page(order=order.value, cursor=cursor, limit=limit)
        assert len(reply.memories) <= limit
        assert reply.total == len(expected)
        shown += [one.message_ids[0] for one in reply.memories]
        cursor, page = reply.next, page + 1
        for change in between[page] if page < len(between) else ():
            await story.apply(change)
        assert not await reader.stored_ids() & {reader.stores.id(name) for name in story.gone}
    assert len(shown) == len(set(shown))
    assert set(shown) >= story.steady
    assert [one for one in shown if one in story.steady] == [one for one in expected if one in story.steady]
    if order in STORED_ORDERS:
        assert set(shown) <= set(expected), "what arrives later is not in an order that is fixed"


async def test_each_order_is_as_it_says(reader: Reader) -> None:
    stores = reader.stores
    await stores.say("m-1", "m-2", "m-3")
    await stores.execute("update memories set importance = 0.9 where id = $1", stores.id("m-2"))
    await stores.execute("update memories set valence = -0.5 where id = $1", stores.id("m-2"))
    await stores.execute("update memories set valence = 0.5, pinned = true where id = $1", stores.id("m-3"))
    await stores.use(stores.id("m-1"))
    found = {order.value: await reader.names(order=order.value, limit=1) for order in ListingOrder}
    assert found == {
        "recent": ["m-3", "m-2", "m-1"],
        "oldest": ["m-1", "m-2", "m-3"],
        "important": ["m-2", "m-1", "m-3"],
        "used": ["m-1", "m-3", "m-2"],
        "feeling": ["m-3", "m-1", "m-2"],
    }
    for order in ListingOrder:
        assert await reader.names(order=order.value, pinned=True) == ["m-3"]
        assert len(await reader.names(order=order.value, pinned=False, limit=1)) == 2
    reply = await reader.page(order="used", limit=3)
    assert (reply.next, reply.total, len(reply.memories)) == (None, 3, 3)
    nothing = await reader.page("nobody", order="used")
    assert nothing == MemoriesReply()


@pytest.mark.parametrize(("text", "names"), table(__file__, "found").items())
async def test_words_of_all_scripts_are_found_in_any_case_and_without_accents(
    reader: Reader, text: str, names: tuple[str, ...]
) -> None:
    said = table(__file__, "said")
    await reader.stores.record(*(reader.stores.message(name, content=said[name]) for name in said))
    for order in ("oldest", "used"):
        assert sorted(await reader.names(text=text, order=order, limit=1)) == sorted(names)


@pytest.mark.parametrize(
    "text",
    [
        "o" * 256,
        "\u0627" * 256,
        "हि" * 128,
        "ss" * 128,
        " ".join("aeiou" * 3) + " z" * 100,
        "\u0300",
        "a_b 東京 ß",
    ],
)
async def test_odd_words_are_searched_for(reader: Reader, text: str) -> None:
    await reader.stores.record(
        reader.stores.message("m-1", content=f"«{text}»"), reader.stores.message("m-2")
    )
    async with asyncio.timeout(5):
        assert await reader.names(text=text) == ["m-1"]


async def test_a_text_of_many_words_is_refused(reader: Reader) -> None:
    with pytest.raises(RequestError, match="at most 16 words") as refused:
        await reader.page(text="a b c d e f g h i j k l m n o p q")
    assert refused.value.body.error.field == "text"


async def test_filters_are_those_of_a_recall(reader: Reader) -> None:
    stores = reader.stores
    await stores.say("m-1", "m-2", "m-3", "m-4")
    await stores.enrich("m-1", participants=("Straße", "Max"), topics=("wedding dress",), importance=0.9)
    await stores.enrich("m-2", type=MemoryType.SEMANTIC, kind=MemoryKind.NOTE, events=[(at(60), at(61))])
    await stores.enrich("m-3", informative=0.1)
    await stores.execute("update memories set archived_at = created_at where id = $1", stores.id("m-4"))
    for filters, names in (
        ({}, ["m-1", "m-2"]),
        ({"participants": ["STRASSE", "nobody"]}, ["m-1"]),
        ({"participants": ["nobody"]}, []),
        ({"topics": ["weddings"]}, ["m-1"]),
        ({"topics": ["red dress"]}, []),
        ({"types": ["semantic"]}, ["m-2"]),
        ({"kinds": ["note", "summary"]}, ["m-2"]),
        ({"emotion": "positive", "min_importance": 0.5}, ["m-1"]),
        ({"emotion": "negative"}, []),
        ({"start": at(0), "end": at(1)}, ["m-1"]),
        ({"start": at(60), "end": at(61)}, ["m-2"]),
        ({"start": at(60), "end": at(60.5)}, []),
        ({"start": at(1), "end": at(1)}, []),
        ({"include_archived": True}, ["m-1", "m-2", "m-4"]),
        ({"include_uninformative": True}, ["m-1", "m-2", "m-3"]),
    ):
        assert await reader.names(order="oldest", limit=1, filters=filters) == names, filters
    made = summary(stores, [stores.id("m-1")])
    await stores.write_derived(made)
    reply = await reader.page(filters={"kinds": ["summary"]})
    assert [one.id for one in reply.memories] == [made.id]


def _damaged(cursor: str) -> list[str]:
    flipped = "A" if cursor[5] != "A" else "B"
    return [cursor[:-1], cursor + "A", cursor[:5] + flipped + cursor[6:], "A" * len(cursor), "A", "-_"]


@pytest.mark.parametrize("order", ListingOrder)
async def test_a_cursor_is_of_one_user_and_of_one_request(reader: Reader, order: ListingOrder) -> None:
    for user in ("u-1", "u-2"):
        names = [reader.stores.message(f"{user}-{n}", user_id=user, minute=n) for n in range(3)]
        await reader.stores.record(*names)
    other = Reader(reader.stores.another_tenant())
    await other.stores.say("m-1", "m-2", "m-3")
    asked: dict[str, Any] = {"order": order.value, "limit": 1}
    cursor = (await reader.page(**asked)).next
    assert cursor is not None
    assert (await reader.page(**asked | {"cursor": cursor, "limit": 2})).next is None
    wrong: list[tuple[Reader, dict[str, Any]]] = [(reader, {"cursor": one}) for one in _damaged(cursor)]
    wrong += [
        (reader, {"cursor": cursor} | more)
        for more in (
            {"user_id": "u-2"},
            {"pinned": False},
            {"order": "oldest" if order is ListingOrder.RECENT else "recent"},
            {"text": "this"},
            {"filters": {"include_archived": True}},
        )
    ]
    wrong.append((other, {"cursor": cursor}))
    for asking, more in wrong:
        with pytest.raises(RequestError) as refused:
            await asking.page(**asked | more)
        error = refused.value.body.error
        assert (error.code, error.field) == (ErrorCode.INVALID_REQUEST, "cursor"), more


async def test_users_are_listed_with_counts_and_their_last_activity(stores: Stores) -> None:
    pages, other = UserPages(Listings(stores.database)), stores.another_tenant()
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


async def test_so_many_stored_orders_of_a_user_are_kept(reader: Reader) -> None:
    await reader.stores.say("m-1", "m-2")
    cursors = []
    for _ in range(listing_store.STORED + 2):
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

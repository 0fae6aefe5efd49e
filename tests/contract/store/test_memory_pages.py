"""Pages of memories miss none and show none twice, whatever happens in between."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.contract.store.page_reader import Reader
from tests.contract.store.stores import Stores, summary
from tests.contract.store.test_erasure import LATER, forget
from tests.fixtures.examples import laws
from tests.fixtures.sentence_tables import table
from tests.support.factories import at

from ricordo.language.annotations import MemoryKind, MemoryType
from ricordo.messages.enumerations import ForgetScope, ListingOrder
from ricordo.messages.errors import ErrorCode
from ricordo.messages.listings import MemoriesReply
from ricordo.runtime.handling import RequestError
from ricordo.store.erasure import ErasureRequest

STORED_ORDERS = (ListingOrder.IMPORTANT, ListingOrder.USED)
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
    await stores.use(stores.id("m-1"))
    found = {order.value: await reader.names(order=order.value, limit=1) for order in ListingOrder}
    assert found == {
        "recent": ["m-3", "m-2", "m-1"],
        "oldest": ["m-1", "m-2", "m-3"],
        "important": ["m-2", "m-1", "m-3"],
        "used": ["m-1", "m-3", "m-2"],
    }
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

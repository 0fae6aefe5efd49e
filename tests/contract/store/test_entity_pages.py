"""Pages of entities miss none and show none twice, and say what their facts say."""

import asyncio

import pytest
from tests.contract.store.evidence import assert_fact, by_object, claim, extracted, learn, tell_in_turn
from tests.contract.store.page_reader import Reader
from tests.contract.store.stores import Stores
from tests.contract.store.test_erasure import LATER, forget

from ricordo.memory.facts.user_assertions import UserAssertion
from ricordo.messages.enumerations import ForgetScope
from ricordo.messages.errors import ErrorCode
from ricordo.runtime.handling import RequestError
from ricordo.store.erasure import ErasureRequest
from ricordo.store.listing_store import LIFETIME


async def mention(stores: Stores, *names: str, since: int = 0, user_id: str = "u-1") -> None:
    """Have a message say of each that the user is their friend."""
    await tell_in_turn(stores, *(claim("friend", name) for name in names), first=since, user_id=user_id)


async def test_a_card_says_what_is_known(stores: Stores, reader: Reader) -> None:
    await stores.say("m-1", "m-2", "m-3")
    await learn(
        stores,
        extracted(stores, "m-1", claim("has_sibling", "Nora"), claim("lives_in", "Rome", subject="Nora")),
        extracted(stores, "m-2", claim("has_sibling", "Nora", minute=1), claim("has_pet", "Rex", minute=1)),
        extracted(
            stores,
            "m-3",
            claim("works_at", "Acme", minute=2),
            claim("lives_in", "Bari", subject="Nora", minute=2),
            claim("likes", "tea", minute=2),
        ),
    )
    reply = await reader.entities()
    cards = {one.name: one for one in reply.entities}
    assert [one.name for one in reply.entities] == ["Nora", "Acme", "Bari", "Rex", "Rome"]
    assert (reply.total, reply.next) == (5, None)
    assert {name: (one.kind, one.ties, one.mentions) for name, one in cards.items()} == {
        "Nora": ("person", ("has_sibling",), 3),
        "Acme": ("organisation", ("works_at",), 1),
        "Bari": ("place", (), 1),
        "Rex": ("animal", ("has_pet",), 1),
        "Rome": ("place", (), 1),
    }
    nora = cards["Nora"]
    assert [(one.predicate, one.object, one.confidence) for one in nora.facts] == [
        ("has_sibling", "Nora", 2),
        ("lives_in", "Bari", 1),
    ]
    messages = stores.message("m-1"), stores.message("m-3", minute=2)
    assert (nora.first_seen, nora.last_seen) == tuple(one.timestamp for one in messages)
    assert cards["Rome"].facts == ()  # she has moved
    assert await reader.entity_names(kind="place") == ["Bari", "Rome"]
    assert await reader.entity_names(kind="thing") == []
    assert (await reader.entities(kind="animal")).total == 1


async def test_what_is_said_most_decides_the_kind_and_the_user_in_the_end(
    stores: Stores, reader: Reader
) -> None:
    await tell_in_turn(stores, *(claim(name, "Lido") for name in ("member_of", "visited", "visited")))
    assert await reader.entity_names(kind="place") == ["Lido"]
    member = next(one for one in (await reader.entities()).entities[0].facts if one.predicate == "member_of")
    await assert_fact(stores, member.id, UserAssertion(verified=True))
    assert await reader.entity_names(kind="organisation") == ["Lido"]


async def test_pages_hold_while_mentions_come_and_go(stores: Stores, reader: Reader) -> None:
    names = ["Ada", "Bob", "Cleo", "Dan", "Eve", "Finn", "Gil"]
    await mention(stores, *names)
    first = await reader.entities(limit=2)
    assert ([one.name for one in first.entities], first.total) == (["Ada", "Bob"], 7)
    await mention(stores, "Gil", "Gil", "Hal", "Bob", since=7)
    await forget(stores, ErasureRequest("u-1", ForgetScope.MESSAGE, "m-3", LATER))
    assert await reader.entity_names(first.next, limit=2) == ["Cleo", "Eve", "Finn", "Gil"]
    assert await reader.entity_names(limit=2) == ["Gil", "Bob", "Ada", "Cleo", "Eve", "Finn", "Hal"]


async def test_a_cursor_is_of_one_user_one_kind_and_one_hour(stores: Stores, reader: Reader) -> None:
    await mention(stores, "Ada", "Bob", "Cleo")
    await mention(stores, "Ada", "Bob", "Cleo", since=3, user_id="u-2")
    cursor = (await reader.entities(limit=1)).next
    assert cursor is not None
    changed = "A" if cursor[-2] != "A" else "B"
    stranger = Reader(stores.another_tenant())
    for asked in (
        reader.entities("u-2", cursor=cursor),
        reader.entities(cursor=cursor, kind="person"),
        reader.entities(cursor=f"{cursor[:-2]}{changed}{cursor[-1]}"),
        stranger.entities(cursor=cursor),
    ):
        with pytest.raises(RequestError) as refused:
            await asked
        error = refused.value.body.error
        assert (error.code, error.field) == (ErrorCode.INVALID_REQUEST, "cursor")
    assert await reader.entity_names(cursor, limit=2) == ["Bob", "Cleo"]
    await reader.clock.advance(LIFETIME.total_seconds())
    with pytest.raises(RequestError):
        await reader.entities(cursor=cursor)


async def test_users_and_tenants_see_their_own(stores: Stores, reader: Reader) -> None:
    await mention(stores, "Ada")
    await mention(stores, "Bob", since=1, user_id="u-2")
    assert await reader.entity_names() == ["Ada"]
    assert await reader.entity_names(user_id="u-2") == ["Bob"]
    assert await reader.entity_names(user_id="u-3") == []
    assert await Reader(stores.another_tenant()).entity_names() == []


async def test_a_listing_holds_nothing_of_a_name(stores: Stores, reader: Reader) -> None:
    """What is stored differs from listing to listing: it cannot be guessed from a name."""
    await mention(stores, "Ada", "Bob")
    pages = await asyncio.gather(*(reader.entities(limit=1) for _ in range(2)))
    assert all(one.next for one in pages)
    stored = await stores.fetch("select unnest(memory_ids) from listings where tenant = $1", stores.tenant)
    assert len({one for (one,) in stored}) == 4
    assert (await by_object(stores)).keys() == {"Ada", "Bob"}

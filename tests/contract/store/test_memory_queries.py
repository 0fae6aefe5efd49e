"""Contract of `MemoryQueries`: the rows of one user, in their order, and nobody else's."""

from datetime import timedelta
from uuid import uuid4

import pytest
from tests.contract.store.stores import STORED, Stores, enriched

from ricordo.store.memory_queries import UserCounts, UserProfile
from ricordo.testing.factories import at, new_message

pytestmark = pytest.mark.integration


async def _conversation(stores: Stores) -> None:
    """Record six messages: two conversations, two at the same moment, one of another user."""
    await stores.record(
        *(
            new_message(
                f"m-{n}",
                tenant=stores.tenant,
                conversation_id=f"c-{n % 2}",
                timestamp=at(n if n != 3 else 2),
                participants=("Anna",) if n == 4 else (),
            )
            for n in range(5)
        ),
        new_message("m-9", tenant=stores.tenant, user_id="u-2", timestamp=at(9)),
    )


async def test_rows_of_the_user_only(stores: Stores) -> None:
    await _conversation(stores)
    ids = [stores.id("m-0"), stores.id("m-9"), uuid4()]
    found = await stores.recollection.memories(stores.tenant, "u-1", ids)
    assert [one.message_id for one in found] == ["m-0"]
    assert list(await stores.recollection.memories(stores.elsewhere().tenant, "u-1", ids)) == []
    assert list(await stores.recollection.memories(stores.tenant, "u-1", [])) == []


async def test_history_is_the_last_turns_oldest_first(stores: Stores) -> None:
    await _conversation(stores)
    turns = await stores.recollection.history(
        stores.tenant, "u-1", conversation_id=None, before=None, limit=3
    )
    assert [turn.message_id for turn in turns] == ["m-2", "m-3", "m-4"]
    assert [turn.participants for turn in turns] == [(), (), ("Anna",)]
    assert turns[0].memory_id == stores.id("m-2")


async def test_history_goes_on_before_a_place_without_gap_or_repeat(stores: Stores) -> None:
    await _conversation(stores)
    pages, before = [], None
    while turns := await stores.recollection.history(
        stores.tenant, "u-1", conversation_id=None, before=before, limit=2
    ):
        pages.append([turn.message_id for turn in turns])
        before = (turns[0].timestamp, turns[0].message_id)
    assert pages == [["m-3", "m-4"], ["m-1", "m-2"], ["m-0"]]


async def test_history_of_one_conversation(stores: Stores) -> None:
    await _conversation(stores)
    turns = await stores.recollection.history(
        stores.tenant, "u-1", conversation_id="c-1", before=(at(2), ""), limit=9
    )
    assert [turn.message_id for turn in turns] == ["m-1"]


async def test_a_timeline_is_half_open_and_oldest_first(stores: Stores) -> None:
    await _conversation(stores)
    found = await stores.recollection.timeline(stores.tenant, "u-1", at(1), at(4), 9)
    assert [one.message_id for one in found] == ["m-1", "m-2", "m-3"]
    first = await stores.recollection.timeline(stores.tenant, "u-1", at(1), at(4), 1)
    assert [one.message_id for one in first] == ["m-1"]


async def test_status_of_the_unknown_is_nothing(stores: Stores) -> None:
    assert await stores.recollection.status(stores.tenant, "m-1") == (None, None)
    await stores.record(new_message(tenant=stores.tenant))
    assert await stores.recollection.status(stores.elsewhere().tenant, "m-1") == (None, None)


async def test_counts(stores: Stores) -> None:
    await _conversation(stores)
    await stores.record(
        new_message("m-10", tenant=stores.tenant, timestamp=at(10), memorable=False),
    )
    assert await stores.recollection.counts(stores.tenant, "u-1") == UserCounts(
        memories=5, history=6, pending=5
    )
    await stores.life.decay(
        stores.tenant,
        STORED + timedelta(days=3650),
        user_id=None,
        after=None,
        limit=99,
        floors=False,
    )
    counts = await stores.recollection.counts(stores.tenant, "u-1")
    assert (counts.memories, counts.archived) == (5, 0)
    assert await stores.recollection.counts(stores.tenant, "nobody") == UserCounts()


async def test_what_tells_nothing_is_history_alone(stores: Stores) -> None:
    await _conversation(stores)
    idle = [enriched(await stores.memory(name), informative=0.0) for name in ("m-0", "m-2")]
    before = await stores.recollection.timeline(stores.tenant, "u-1", at(-9), at(99), 9)
    counts = await stores.recollection.counts(stores.tenant, "u-1")
    await stores.enrichments.save(stores.tenant, idle, STORED)
    rest = [one for one in before if one.id not in {each.memory_id for each in idle}]
    shown = await stores.recollection.timeline(stores.tenant, "u-1", at(-9), at(99), 9)
    assert [one.id for one in shown] == [one.id for one in rest]
    after = await stores.recollection.counts(stores.tenant, "u-1")
    assert (after.memories, after.history) == (counts.memories - 2, counts.history)
    ids = [one.id for one in before]
    standings = await stores.recollection.ranking_rows(stores.tenant, "u-1", ids)
    assert {one.id for one in standings if not one.informative} == {each.memory_id for each in idle}
    memories = await stores.recollection.memories(stores.tenant, "u-1", ids)
    assert {one.id for one in memories} == set(ids)


async def test_the_profile_knows_the_last_zone_that_was_said(stores: Stores) -> None:
    assert await stores.recollection.profile(stores.tenant, "u-1") == UserProfile()
    await stores.record(new_message("m-2", tenant=stores.tenant, timestamp=at(2), timezone="Asia/Tokyo"))
    await stores.record(new_message("m-1", tenant=stores.tenant, timestamp=at(1), timezone="Europe/Rome"))
    await stores.record(new_message("m-3", tenant=stores.tenant, timestamp=at(3)))
    assert (await stores.recollection.profile(stores.tenant, "u-1")).timezone == "Asia/Tokyo"


async def test_the_profile_knows_who_speaks_and_who_was_there(stores: Stores) -> None:
    first = new_message(
        "m-1", tenant=stores.tenant, timestamp=at(1), speaker="Davide", participants=("Ada", "DAVIDE")
    )
    other = new_message("m-2", tenant=stores.tenant, user_id="u-2", timestamp=at(2), speaker="Bruno")
    await stores.record(first)
    await stores.record(other)
    profile = await stores.recollection.profile(stores.tenant, "u-1")
    assert sorted(name.casefold() for name in profile.names) == ["ada", "davide"]
    assert profile.speakers == ("Davide",)

"""Contract of `Links`: one change of a user at a time, all of it or nothing, nobody left dangling."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from tests.contract.store.linked_memories import LinkedMemories
from tests.contract.store.stores import MODEL

from ricordo.memory.links import LinkChanges, LinkedMember, Neighbourhood
from ricordo.memory.similarity import quantize
from ricordo.store.database import StoreUnavailable
from ricordo.store.link_store import LinkCandidate, LockedLinks
from ricordo.testing.factories import at, unit_vector

THRESHOLD = 0.5
ALIKE = unit_vector(1)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


async def members(held: LockedLinks, model: str = MODEL, after: int = 0) -> dict[UUID, LinkedMember]:
    """Read who is linked."""
    return {one.memory_id: one async for some in held.members("u-1", model, after) for one in some}


async def join(linked: LinkedMemories, *names: str, model: str = MODEL) -> None:
    """Link memories, all of which are new, with those there are."""
    async with linked.links.hold(linked.tenant, ["u-1"]) as held:
        found = await held.linkable(model, [linked.id(name) for name in names])
        await held.write({("u-1", model): await _joining(held, model, found)})


async def _joining(held: LockedLinks, model: str, found: Sequence[LinkCandidate]) -> LinkChanges:
    neighbourhood = Neighbourhood(THRESHOLD, len(found[0].vector))
    neighbourhood.load((await members(held, model)).values())
    neighbourhood.settle()
    neighbourhood.add(
        [
            LinkedMember(
                one.memory_id, (one.said_at - _EPOCH) // timedelta(microseconds=1), quantize(one.vector)
            )
            for one in found
        ]
    )
    return neighbourhood.take_changes()


def leaving(linked: LinkedMemories, name: str, *others: str) -> LinkChanges:
    """Return the change by which a memory leaves, and these others have nobody any more."""
    alone = {linked.id(each): () for each in others}
    return LinkChanges([], alone, {linked.id(name): (), **alone}, [linked.id(name)])


async def test_what_can_be_linked_has_a_vector_of_the_model_and_is_the_users(linked: LinkedMemories) -> None:
    await linked.remember("m-1", unit_vector(1), minute=3, content="of two dogs")
    await linked.remember("m-2", unit_vector(2), model="model-b")
    await linked.remember("m-3", unit_vector(3), user_id="u-2")
    asked = [uuid4(), *(linked.id(f"m-{n}") for n in (3, 2, 1))]
    async with linked.links.hold(linked.tenant, ["u-1"]) as held:
        (one,) = await held.linkable(MODEL, asked)
    assert (one.memory_id, one.user_id, one.content) == (linked.id("m-1"), "u-1", "of two dogs")
    assert (one.said_at, one.language) == (at(3), "en")
    assert one.vector.tolist() == unit_vector(1).tolist()
    assert (one.linked_model, one.linked_vector) == (None, None)
    async with linked.links.hold(linked.elsewhere().tenant, ["u-1"]) as held:
        assert list(await held.linkable(MODEL, asked)) == []


async def test_who_is_near_is_kept_and_who_is_related_is_shown_both_ways(linked: LinkedMemories) -> None:
    for name in ("m-1", "m-2"):
        await linked.remember(name, ALIKE)
    await linked.remember("m-3", -ALIKE, minute=7)
    await join(linked, "m-1", "m-2", "m-3")
    assert await linked.related("m-1") == (linked.id("m-2"),)
    assert await linked.related("m-2") == (linked.id("m-1"),)
    assert await linked.related("m-3") == ()
    async with linked.links.hold(linked.tenant, ["u-1"]) as held:
        kept = await members(held)
        (again,) = await held.linkable(MODEL, [linked.id("m-3")])
    assert {one.nearest for one in kept.values()} == {(linked.id("m-1"),), (linked.id("m-2"),), ()}
    (alone,) = (one for one in kept.values() if not one.nearest)
    assert alone.said_at == (at(7) - _EPOCH) // timedelta(microseconds=1)
    assert alone.vector.tolist() == quantize(-ALIKE).tolist()
    assert again.linked_model == MODEL
    assert again.linked_vector is not None
    assert again.linked_vector.tolist() == quantize(-ALIKE).tolist()


async def test_each_change_has_a_number_and_only_what_it_touched_is_read_again(
    linked: LinkedMemories,
) -> None:
    for n, vector in enumerate((ALIKE, -ALIKE, ALIKE)):
        await linked.remember(f"m-{n}", vector)
    async with linked.links.hold(linked.tenant, ["u-1", "u-2"]) as held:
        assert dict(held.states) == {}
    await join(linked, "m-0", "m-1")
    async with linked.links.hold(linked.tenant, ["u-1"]) as held:
        before = held.states["u-1"]
    await join(linked, "m-2")
    async with linked.links.hold(linked.tenant, ["u-1"]) as held:
        now = held.states["u-1"]
        touched = await members(held, after=before.number)
        assert set(touched) == {linked.id("m-0"), linked.id("m-2")}
        assert not await members(held, after=now.number)
        assert not await members(held, "model-b")
    assert now.generation == before.generation
    assert now.number > before.number


async def test_a_change_that_fails_leaves_nothing(linked: LinkedMemories) -> None:
    for name in ("m-1", "m-2"):
        await linked.remember(name, ALIKE)

    async def fail_after_writing() -> None:
        async with linked.links.hold(linked.tenant, ["u-1"]) as held:
            found = await held.linkable(MODEL, [linked.id("m-1"), linked.id("m-2")])
            await held.write({("u-1", MODEL): await _joining(held, MODEL, found)})
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fail_after_writing()
    assert await linked.related("m-1") == ()
    async with linked.links.hold(linked.tenant, ["u-1"]) as held:
        assert dict(held.states) == {}
        assert not await members(held)


async def test_whoever_changes_links_of_a_user_waits_for_who_does(linked: LinkedMemories) -> None:
    names = [f"m-{n}" for n in range(6)]
    for name in names:
        await linked.remember(name, ALIKE)
    await asyncio.gather(*(join(linked, name) for name in names))
    for name in names:
        others = {linked.id(other) for other in names if other != name}
        assert set(await linked.related(name)) == others


async def test_another_user_waits_for_nobody(linked: LinkedMemories) -> None:
    async with linked.links.hold(linked.tenant, ["u-1"]), asyncio.timeout(30):
        async with linked.links.hold(linked.tenant, ["u-2"]):
            pass
        async with linked.links.hold(linked.elsewhere().tenant, ["u-1"]):
            pass


async def test_nobody_is_related_to_what_was_erased(linked: LinkedMemories) -> None:
    names = [f"m-{n}" for n in range(4)]
    for n, name in enumerate(names):
        await linked.remember(name, ALIKE, minute=n)
    await join(linked, *names)
    async with linked.links.hold(linked.tenant, ["u-1"]) as held:
        before = held.states["u-1"]
    await linked.erase("m-1", "m-2")
    assert await linked.related("m-0") == (linked.id("m-3"),)
    assert await linked.related("m-3") == (linked.id("m-0"),)
    async with linked.links.hold(linked.tenant, ["u-1"]) as held:
        assert held.states["u-1"].generation != before.generation
        assert set(await members(held)) == {linked.id("m-0"), linked.id("m-3")}


async def test_of_a_user_without_memories_nothing_is_left(linked: LinkedMemories) -> None:
    await linked.remember("m-1", ALIKE)
    await join(linked, "m-1")
    await linked.erase("m-1")
    async with linked.links.hold(linked.tenant, ["u-1"]) as held:
        assert dict(held.states) == {}


async def test_an_erasure_and_a_link_at_once_leave_nobody_dangling(linked: LinkedMemories) -> None:
    for n in range(5):
        for name in ("one", "other"):
            await linked.remember(f"{name}-{n}", ALIKE, minute=n)
    await join(linked, *(f"one-{n}" for n in range(5)))
    erasing = asyncio.gather(*(linked.erase(f"one-{n}") for n in range(5)), return_exceptions=True)
    joining = asyncio.gather(*(join(linked, f"other-{n}") for n in range(5)), return_exceptions=True)
    failed = [one for one in (*await erasing, *await joining) if one is not None]
    assert all(isinstance(one, StoreUnavailable) for one in failed)  # a deadlock is for one to repeat
    there = []
    for n in range(5):
        for name in (f"one-{n}", f"other-{n}"):
            try:
                there.append((linked.id(name), await linked.related(name)))
            except (KeyError, ValueError):
                assert name.startswith("one")
    related = dict(there)
    for one, others in related.items():
        assert all(one in related[other] for other in others)


async def test_who_leaves_is_related_to_nobody_and_what_was_remembered_is_void(
    linked: LinkedMemories,
) -> None:
    for name in ("m-1", "m-2"):
        await linked.remember(name, ALIKE)
    await join(linked, "m-1", "m-2")
    async with linked.links.hold(linked.tenant, ["u-1"]) as held:
        before = held.states["u-1"]
        written = await held.write({("u-1", MODEL): leaving(linked, "m-1", "m-2")})
    assert [await linked.related(name) for name in ("m-1", "m-2")] == [(), ()]
    async with linked.links.hold(linked.tenant, ["u-1"]) as held:
        assert set(await members(held)) == {linked.id("m-2")}
        assert dict(held.states) == dict(written)
        assert held.states["u-1"].generation != before.generation


async def test_who_leaves_one_models_neighbours_may_join_anothers_in_one_change(
    linked: LinkedMemories,
) -> None:
    for name in ("m-1", "m-2", "m-3"):
        await linked.remember(name, ALIKE)
    for name in ("m-1", "m-3"):
        await linked.remember(name, ALIKE, model="model-b")
    await join(linked, "m-1", "m-2")
    await join(linked, "m-3", model="model-b")
    async with linked.links.hold(linked.tenant, ["u-1"]) as held:
        found = await held.linkable("model-b", [linked.id("m-1")])
        assert [one.linked_model for one in found] == [MODEL]
        await held.write(
            {
                ("u-1", MODEL): leaving(linked, "m-1", "m-2"),
                ("u-1", "model-b"): await _joining(held, "model-b", found),
            }
        )
    assert await linked.related("m-1") == (linked.id("m-3"),)
    assert await linked.related("m-2") == ()
    async with linked.links.hold(linked.tenant, ["u-1"]) as held:
        assert set(await members(held)) == {linked.id("m-2")}
        assert set(await members(held, "model-b")) == {linked.id("m-1"), linked.id("m-3")}

"""Links of a user: one change at a time, all of it or nothing, and none to a memory that is gone."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.contract.store.stores import MODEL, STORED, Stores

from ricordo.memory.links import LinkChanges, LinkedMember, Neighbourhood
from ricordo.memory.similarity import quantize
from ricordo.store.database import StoreUnavailable
from ricordo.store.link_store import LinkCandidate, LinkStore, LockedLinks
from ricordo.testing.factories import at, unit_vector

THRESHOLD = 0.5
ALIKE = unit_vector(1)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


async def remember(
    stores: Stores,
    name: str,
    vector: NDArray[np.float32] = ALIKE,
    *,
    user_id: str = "u-1",
    model: str = MODEL,
    **fields: Any,  # noqa: ANN401 - of the message
) -> None:
    """Record a message with a vector, or give one another vector."""
    fields |= {"user_id": user_id, "conversation_id": f"of-{user_id}"}
    await stores.record(stores.message(name, **fields))
    await stores.encodings.save(stores.tenant, model, [(stores.id(name), vector)], [], STORED)


async def erase(stores: Stores, *names: str) -> None:
    """Delete the rows of memories."""
    await stores.execute("delete from memories where id = any($1::uuid[])", [stores.id(one) for one in names])


async def related(stores: Stores, name: str, user_id: str = "u-1") -> Sequence[UUID]:
    """Return the ids of the related memories of one."""
    return (await stores.memory(name, user_id)).related_ids


async def members(locked: LockedLinks, model: str = MODEL, after: int = 0) -> dict[UUID, LinkedMember]:
    """Read the linked memories of the user."""
    return {one.memory_id: one async for some in locked.members("u-1", model, after) for one in some}


async def join(stores: Stores, *names: str, model: str = MODEL) -> None:
    """Link memories, all of which are new, with those there are."""
    async with LinkStore(stores.database).lock(stores.tenant, ["u-1"]) as locked:
        found = await locked.linkable(model, [stores.id(name) for name in names])
        await locked.write({("u-1", model): await _joining(locked, model, found)})


def _instant(when: datetime) -> int:
    return (when - _EPOCH) // timedelta(microseconds=1)


async def _joining(locked: LockedLinks, model: str, found: Sequence[LinkCandidate]) -> LinkChanges:
    neighbourhood = Neighbourhood(THRESHOLD, len(found[0].vector))
    neighbourhood.load((await members(locked, model)).values())
    neighbourhood.settle()
    neighbourhood.add(
        [LinkedMember(one.memory_id, _instant(one.sent_at), quantize(one.vector)) for one in found]
    )
    return neighbourhood.take_changes()


@pytest.fixture
def links(stores: Stores) -> LinkStore:
    return LinkStore(stores.database)


async def test_memories_of_the_user_with_a_vector_of_the_model_can_be_linked(
    stores: Stores, links: LinkStore
) -> None:
    await remember(stores, "m-1", minute=3, content="of two dogs")
    await remember(stores, "m-2", model="model-b")
    await remember(stores, "m-3", user_id="u-2")
    wanted = [uuid4(), *(stores.id(f"m-{n}") for n in (3, 2, 1))]
    async with links.lock(stores.tenant, ["u-1"]) as locked:
        (one,) = await locked.linkable(MODEL, wanted)
    assert (one.memory_id, one.user_id, one.content) == (stores.id("m-1"), "u-1", "of two dogs")
    assert (one.sent_at, one.language) == (at(3), "en")
    assert one.vector.tolist() == ALIKE.tolist()
    assert (one.linked_model, one.linked_vector) == (None, None)


async def test_each_change_has_a_number_and_only_what_it_touched_is_read_again(
    stores: Stores, links: LinkStore
) -> None:
    for n, vector in enumerate((ALIKE, -ALIKE, ALIKE)):
        await remember(stores, f"m-{n}", vector)
    async with links.lock(stores.tenant, ["u-1", "u-2"]) as locked:
        assert dict(locked.versions) == {}
    await join(stores, "m-0", "m-1")
    async with links.lock(stores.tenant, ["u-1"]) as locked:
        before = locked.versions["u-1"]
    await join(stores, "m-2")
    async with links.lock(stores.tenant, ["u-1"]) as locked:
        now = locked.versions["u-1"]
        assert set(await members(locked, after=before.number)) == {stores.id("m-0"), stores.id("m-2")}
        assert not await members(locked, after=now.number)
        assert not await members(locked, "model-b")
    assert now.generation == before.generation
    assert now.number > before.number


async def test_a_change_that_fails_leaves_nothing(stores: Stores, links: LinkStore) -> None:
    for name in ("m-1", "m-2"):
        await remember(stores, name)

    async def fail_after_writing() -> None:
        async with links.lock(stores.tenant, ["u-1"]) as locked:
            found = await locked.linkable(MODEL, [stores.id("m-1"), stores.id("m-2")])
            await locked.write({("u-1", MODEL): await _joining(locked, MODEL, found)})
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fail_after_writing()
    assert await related(stores, "m-1") == ()
    async with links.lock(stores.tenant, ["u-1"]) as locked:
        assert dict(locked.versions) == {}
        assert not await members(locked)


async def test_changes_of_one_user_wait_for_each_other_and_for_no_other_user(
    stores: Stores, links: LinkStore
) -> None:
    names = [f"m-{n}" for n in range(6)]
    for name in names:
        await remember(stores, name)
    await asyncio.gather(*(join(stores, name) for name in names))
    for name in names:
        assert set(await related(stores, name)) == {stores.id(other) for other in names if other != name}
    async with links.lock(stores.tenant, ["u-1"]), asyncio.timeout(30):
        async with links.lock(stores.tenant, ["u-2"]):
            pass
        async with links.lock(stores.another_tenant().tenant, ["u-1"]):
            pass


async def test_an_erasure_and_a_link_at_once_leave_no_link_to_what_is_gone(stores: Stores) -> None:
    for n in range(5):
        for name in ("one", "other"):
            await remember(stores, f"{name}-{n}", minute=n)
    await join(stores, *(f"one-{n}" for n in range(5)))
    erasing = asyncio.gather(*(erase(stores, f"one-{n}") for n in range(5)), return_exceptions=True)
    joining = asyncio.gather(*(join(stores, f"other-{n}") for n in range(5)), return_exceptions=True)
    failed = [one for one in (*await erasing, *await joining) if one is not None]
    assert all(isinstance(one, StoreUnavailable) for one in failed)  # a deadlock is for one to repeat
    names = [f"{name}-{n}" for n in range(5) for name in ("one", "other")]
    kept = {one.id: one.related_ids for one in await stores.found(*map(stores.id, names))}
    assert kept.keys() >= {stores.id(f"other-{n}") for n in range(5)}
    assert all(one in kept[other] for one, others in kept.items() for other in others)

"""Contract of `IndexingStore`: a memory with all that its point is made of, as it stands now."""

from uuid import uuid4

import pytest
from tests.contract.store.stores import MODEL, Stores, vector_of

from ricordo.store.lifecycle_store import Access
from ricordo.testing.factories import at, new_message

pytestmark = pytest.mark.integration


async def test_only_what_has_a_vector_of_the_model_can_be_indexed(stores: Stores) -> None:
    await stores.record(*(new_message(f"m-{n}", tenant=stores.tenant, timestamp=at(n)) for n in range(3)))
    await stores.encode("m-0", "m-2")
    await stores.encode("m-1", model="model-b")
    ids = [stores.id("m-2"), stores.id("m-1"), uuid4(), stores.id("m-0")]
    found = await stores.indexing.load(stores.tenant, MODEL, ids)
    assert [one.memory.message_id for one in found] == ["m-2", "m-0"]
    assert [one.vector.tolist() for one in found] == [vector_of(one.memory.id).tolist() for one in found]


async def test_the_predecessor_comes_along_as_far_as_it_is(stores: Stores) -> None:
    await stores.record(
        new_message("m-0", tenant=stores.tenant, content="prima", language="it"),
        new_message("m-1", tenant=stores.tenant, timestamp=at(1)),
    )
    await stores.encode("m-1")
    (alone,) = await stores.indexing.load(stores.tenant, MODEL, [stores.id("m-1")])
    assert (alone.preceding_text, alone.preceding_language) == ("prima", "it")
    assert alone.preceding_vector is None
    await stores.encode("m-0")
    first, whole = await stores.indexing.load(stores.tenant, MODEL, [stores.id("m-0"), stores.id("m-1")])
    assert (first.preceding_text, first.preceding_vector) == ("", None)
    assert whole.preceding_vector is not None
    assert whole.preceding_vector.tolist() == vector_of(stores.id("m-0")).tolist()


async def test_it_tells_which_memories_still_have_a_row(stores: Stores) -> None:
    await stores.record(new_message(tenant=stores.tenant))
    asked = [uuid4(), stores.id("m-1")]
    assert list(await stores.indexing.versions(stores.tenant, MODEL, asked)) == [stores.id("m-1")]
    assert not await stores.indexing.versions(stores.elsewhere().tenant, MODEL, asked)
    assert not await stores.indexing.versions(stores.tenant, MODEL, [])


async def test_whatever_changes_about_a_point_changes_its_version(stores: Stores) -> None:
    async def version() -> str:
        (found,) = await stores.indexing.load(stores.tenant, MODEL, [stores.id("m-2")])
        now = await stores.indexing.versions(stores.tenant, MODEL, [stores.id("m-2")])
        assert now == {stores.id("m-2"): found.version}
        return found.version

    await stores.record(new_message("m-2", tenant=stores.tenant, timestamp=at(2)))
    await stores.encode("m-2")
    versions = [await version()]
    await stores.record(new_message("m-1", tenant=stores.tenant, timestamp=at(1)))  # comes before it
    versions.append(await version())
    await stores.encode("m-1")  # its window lacked this
    versions.append(await version())
    access = Access(uuid4(), "u-1", (stores.id("m-2"),), at(3))
    await stores.life.reinforce(stores.tenant, [access])  # it matters more, and is archived no more
    versions.append(await version())
    assert len(set(versions)) == len(versions)
    await stores.life.reinforce(stores.tenant, [access])
    await stores.indexing.mark(stores.tenant, [stores.id("m-2")], at(4))
    assert await version() == versions[-1]

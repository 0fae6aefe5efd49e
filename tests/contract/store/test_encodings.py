"""Contract of `EncodingStore`: a vector per memory and model, bit for bit."""

import asyncio
from uuid import uuid4

import numpy as np
import pytest
from tests.contract.store.stores import MODEL, STORED, Stores, vector_of

from ricordo.testing.factories import DIMENSIONS, at, new_message, unit_vector

pytestmark = pytest.mark.integration


async def test_texts_come_with_their_vector_once_they_have_one(stores: Stores) -> None:
    await stores.record(*(new_message(f"m-{n}", tenant=stores.tenant, timestamp=at(n)) for n in range(3)))
    await stores.encode("m-1")
    ids = [stores.id("m-1"), uuid4(), stores.id("m-0")]
    known, missing = await stores.encodings.load(stores.tenant, MODEL, ids)
    assert (known.memory_id, known.text) == (stores.id("m-1"), "this is m-1")
    assert known.vector is not None
    assert known.vector.dtype == np.float32
    assert np.array_equal(known.vector, vector_of(known.memory_id))
    assert (missing.memory_id, missing.vector) == (stores.id("m-0"), None)


async def test_models_do_not_mix(stores: Stores) -> None:
    await stores.record(new_message(tenant=stores.tenant))
    wide = unit_vector(1, 1024)
    await stores.encode("m-1")
    await stores.encodings.save(stores.tenant, "model-b", [(stores.id("m-1"), wide)], [], STORED)
    found = {
        model: (await stores.encodings.load(stores.tenant, model, [stores.id("m-1")]))[0].vector
        for model in (MODEL, "model-b", "model-c")
    }
    assert np.array_equal(found[MODEL], vector_of(stores.id("m-1")))  # type: ignore[arg-type]  # given
    assert np.array_equal(found["model-b"], wide)  # type: ignore[arg-type]  # given
    assert found["model-c"] is None


async def test_the_models_are_known_with_their_lengths(stores: Stores) -> None:
    assert await stores.encodings.models(stores.tenant) == {}
    await stores.record(new_message(tenant=stores.tenant))
    await stores.encodings.save(
        stores.tenant, "model-b", [(uuid4(), unit_vector(1, 1024))], [], STORED
    )  # of a memory that is not there
    assert await stores.encodings.models(stores.tenant) == {}
    for _ in range(2):
        await stores.encode("m-1")
        wide = [(stores.id("m-1"), unit_vector(1, 1024))]
        await stores.encodings.save(stores.tenant, "model-b", wide, [], STORED)
        assert await stores.encodings.models(stores.tenant) == {MODEL: DIMENSIONS, "model-b": 1024}
    assert await stores.encodings.models(stores.elsewhere().tenant) == {}


async def test_the_first_vectors_of_a_model_come_at_once(stores: Stores) -> None:
    names = [f"m-{n}" for n in range(8)]
    await stores.record(
        *(new_message(name, tenant=stores.tenant, timestamp=at(n)) for n, name in enumerate(names))
    )
    await asyncio.gather(*(stores.encode(name) for name in names))
    assert await stores.encodings.models(stores.tenant) == {MODEL: DIMENSIONS}


async def test_a_vector_too_long_for_a_page_is_kept_too(stores: Stores) -> None:
    await stores.record(new_message(tenant=stores.tenant))
    wide = unit_vector(1, 4096)
    await stores.encodings.save(stores.tenant, MODEL, [(stores.id("m-1"), wide)], [], STORED)
    (found,) = await stores.encodings.load(stores.tenant, MODEL, [stores.id("m-1")])
    assert found.vector is not None
    assert np.array_equal(found.vector, wide)


async def test_a_repeat_changes_nothing_and_a_forgotten_memory_gets_none(stores: Stores) -> None:
    await stores.record(new_message(tenant=stores.tenant))
    gone = uuid4()
    vectors = [(gone, unit_vector(3)), (stores.id("m-1"), unit_vector(1))]
    first = await stores.encodings.save(stores.tenant, MODEL, vectors, [gone, stores.id("m-1")], STORED)
    assert [one.message_id for one in first] == ["m-1"]
    again = await stores.encodings.save(stores.tenant, MODEL, vectors, [gone, stores.id("m-1")], STORED)
    assert again == first


async def test_the_indexed_follower_of_what_is_encoded_now_is_named(stores: Stores) -> None:
    await stores.record(*(new_message(f"m-{n}", tenant=stores.tenant, timestamp=at(n)) for n in range(4)))
    await stores.indexing.mark(stores.tenant, [stores.id("m-1"), stores.id("m-3")], STORED)
    asked = [stores.id("m-0"), stores.id("m-1"), stores.id("m-3")]
    followers = await stores.encodings.followers(stores.tenant, asked)
    assert [one for one, _ in followers] == [stores.id("m-1")]


async def test_writers_of_the_same_vectors_in_opposite_order_do_not_lock_each_other(stores: Stores) -> None:
    names = [f"m-{n}" for n in range(20)]
    await stores.record(
        *(new_message(name, tenant=stores.tenant, timestamp=at(n)) for n, name in enumerate(names))
    )
    for _ in range(4):
        await asyncio.gather(stores.encode(*names), stores.encode(*names[::-1]))
    found = await stores.encodings.load(stores.tenant, MODEL, [stores.id(name) for name in names])
    assert all(one.vector is not None for one in found)

"""Stages are set once, in any order, and the last one sees all of them; vectors, readings, data of points."""

import asyncio
import itertools
import json
from datetime import datetime, timedelta
from functools import partial
from typing import Final
from uuid import UUID, uuid4

import numpy as np
import pytest
from tests.contract.store.stores import MODEL, SETTERS, STORED, Stores, vector_of
from tests.support.factories import DIMENSIONS, at, unit_vector

from ricordo.language.text import text_hash
from ricordo.memory.model import Stage
from ricordo.store.stages import SavedReading, SavedVectors

CONSUMERS: dict[Stage, str] = {
    Stage.ENCODED: "encode",
    Stage.ENRICHED: "enrichment",
    Stage.INDEXED: "index",
    Stage.EXTRACTED: "knowledge",
}


async def _reason(stores: Stores, name: str) -> str | None:
    failure = (await stores.queries.status(stores.tenant, name))[1]
    return None if failure is None else failure.code


async def test_in_any_order_the_row_is_returned_whole_and_only_the_last_sees_all(stores: Stores) -> None:
    orders = itertools.permutations(SETTERS)
    possible = (one for one in orders if one.index(Stage.ENRICHED) < one.index(Stage.INDEXED))
    for turn, order in enumerate(possible):
        name = f"m-{turn}"
        await stores.record(stores.message(name, minute=turn))
        seen: dict[Stage, datetime | None] = {}
        for step, stage in enumerate(order, 1):
            seen[stage] = STORED + timedelta(seconds=step)
            (progress,) = await SETTERS[stage](stores, [name], STORED + timedelta(seconds=step))
            assert {one: getattr(progress, one.value) for one in SETTERS} == dict.fromkeys(SETTERS) | seen
            assert progress.ingested == STORED
            assert progress.remembered == (step == len(order))


async def test_a_stage_keeps_its_first_instant_and_states_come_in_the_order_given(stores: Stores) -> None:
    await stores.say("m-0", "m-1", "m-2")
    for setter in SETTERS.values():
        first = await setter(stores, ["m-2", "m-9", "m-0"], STORED)
        assert [one.message_id for one in first] == ["m-2", "m-0"]
        assert await setter(stores, ["m-2", "m-0"], STORED + timedelta(days=1)) == first
        assert list(await setter(stores, [], STORED)) == []


async def test_all_workers_at_once_in_opposite_orders_complete_each_message_once(stores: Stores) -> None:
    names = [f"m-{n}" for n in range(16)]
    await stores.record(*(stores.message(one, conversation_id=one) for one in names))
    orders = (names[:8], names[8:][::-1])
    await stores.set_stages(*names, stages=[Stage.ENRICHED])  # it would take the index back
    answers = await asyncio.gather(
        *(
            setter(stores, order, STORED)
            for stage, setter in SETTERS.items()
            if stage is not Stage.ENRICHED
            for order in orders
        )
    )
    completed = [one.message_id for answer in answers for one in answer if one.remembered]
    assert sorted(map(str, completed)) == sorted(names)
    for _ in range(4):
        orders = (names, names[::-1])
        await asyncio.gather(
            *(setter(stores, order, STORED) for setter in SETTERS.values() for order in orders)
        )


async def test_a_stage_that_is_set_removes_the_reason_why_it_was_not(stores: Stores) -> None:
    for turn, (stage, consumer) in enumerate(CONSUMERS.items()):
        names = [f"m-{turn}", f"other-{turn}"]
        await stores.record(*(stores.message(one, conversation_id=one) for one in names))
        for sequence, name in enumerate(names):
            code = f"{consumer} failed"
            await stores.record_dead_letter(name, consumer=consumer, code=code, sequence=sequence + 9 * turn)
        await stores.set_stages(*names, stages=[one for one in SETTERS if one is not stage])
        assert await _reason(stores, names[0]) == f"{consumer} failed"
        assert await stores.lost() == []
        await SETTERS[stage](stores, names[:1], STORED)
        if stage is Stage.ENRICHED:
            await stores.index([stores.id(names[0])])
        assert (await stores.progress(names[0])).remembered
        assert [await _reason(stores, name) for name in names] == [None, f"{consumer} failed"]


async def test_an_encoding_removes_the_reasons_of_ingest_but_for_refusals(stores: Stores) -> None:
    await stores.say("m-1")
    reasons = (
        ("ingest", "id_conflict"),
        ("ingest", "attempts_exhausted"),
        ("ingest-bulk", "attempts_exhausted"),
        ("ingest", "quota_exceeded"),
    )
    for sequence, (consumer, code) in enumerate(reasons):
        await stores.record_dead_letter(consumer=consumer, code=code, sequence=sequence)
    assert await _reason(stores, "m-1") == "quota_exceeded"
    await stores.encode("m-1")
    assert await _reason(stores, "m-1") == "id_conflict"


async def test_messages_that_lack_only_their_facts_hide_no_other(stores: Stores) -> None:
    """However many these are, while no knowledge worker runs."""
    await stores.say("m-1", "m-2", "m-3")
    await stores.set_stages("m-1", "m-2", stages=[Stage.ENCODED, Stage.ENRICHED, Stage.INDEXED])
    (first,) = await stores.lost(limit=1)
    assert first.progress.message_id == "m-3"


async def test_texts_are_encoded_once_per_model_and_vectors_are_kept_bit_for_bit(stores: Stores) -> None:
    await stores.say("m-0", "m-1")
    long = {"model-b": unit_vector(1, 1024), "model-c": unit_vector(1, 4096)}  # too long for a page
    await stores.encode("m-1")
    for model, vector in long.items():
        await stores.encodings.save(stores.tenant, model, [(stores.id("m-1"), vector)], [], STORED)
    ids = [stores.id("m-1"), uuid4(), stores.id("m-0")]
    for model, expected in {MODEL: vector_of(ids[0]), **long, "model-d": None}.items():
        known, missing = await stores.encodings.load(stores.tenant, model, ids)
        assert (known.memory_id, known.text) == (stores.id("m-1"), "this is m-1")
        assert (missing.memory_id, missing.is_encoded) == (stores.id("m-0"), False)
        assert known.is_encoded == (expected is not None)
        for found in await stores.indexing.load(stores.tenant, [model], ids):
            assert found.vector is not None
            assert found.vector.dtype == np.float32
            assert np.array_equal(found.vector, long.get(model, vector_of(ids[0])))


async def test_the_models_of_a_tenant_are_known_with_their_lengths(stores: Stores) -> None:
    names = [f"m-{n}" for n in range(8)]
    await stores.say(*names)
    gone = uuid4()
    wide = [(gone, unit_vector(1, 1024))]
    assert await stores.encodings.save(stores.tenant, "model-b", wide, [gone], STORED) == SavedVectors()
    assert await stores.encodings.models(stores.tenant) == {}
    await asyncio.gather(*(stores.encode(name) for name in names))
    wide = [(stores.id("m-1"), unit_vector(1, 1024))]
    first = await stores.encodings.save(stores.tenant, "model-b", wide, [gone, stores.id("m-1")], STORED)
    assert [one.message_id for one in first.progress] == ["m-1"]
    assert await stores.encodings.models(stores.tenant) == {MODEL: DIMENSIONS, "model-b": 1024}
    for _ in range(3):
        await asyncio.gather(stores.encode(*names), stores.encode(*names[::-1]))


async def test_the_follower_of_a_newly_encoded_message_is_indexed_again(stores: Stores) -> None:
    await stores.say("m-0", "m-1", "m-2", "m-3")
    await stores.set_stages("m-1", "m-3")
    await stores.encode("m-0", "m-1")
    encoded = [stores.id("m-0"), stores.id("m-1"), stores.id("m-3")]
    for _ in range(2):
        assert await stores.followers(*encoded) == {stores.id("m-0"): stores.id("m-1")}
    await stores.index([stores.id("m-1")])
    assert await stores.followers(*encoded) == {}, "that of a known vector has it"


async def test_memories_are_loaded_for_the_index_with_their_predecessor_as_far_as_it_is(
    stores: Stores,
) -> None:
    await stores.record(stores.message("m-0", content="prima", language="it"))
    await stores.say("m-1", "m-2", timestamp=at(1))
    await stores.encode("m-1")
    await stores.encode("m-2", model="model-b")
    ids = [stores.id("m-2"), uuid4(), stores.id("m-1"), stores.id("m-0")]
    (alone,) = await stores.indexing.load(stores.tenant, [MODEL], ids)
    assert alone.memory_id == stores.id("m-1")
    assert (alone.preceding_text, alone.preceding_language, alone.preceding_vector) == ("prima", "it", None)
    await stores.encode("m-0")
    first, whole = await stores.indexing.load(stores.tenant, [MODEL], [stores.id("m-0"), stores.id("m-1")])
    assert (first.preceding_text, first.preceding_vector) == ("", None)
    assert whole.vector is not None
    assert whole.vector.tolist() == vector_of(stores.id("m-1")).tolist()
    assert whole.preceding_vector is not None
    assert whole.preceding_vector.tolist() == vector_of(stores.id("m-0")).tolist()


async def test_whatever_changes_about_a_point_changes_its_version(stores: Stores) -> None:
    async def version() -> str:
        (found,) = await stores.indexing.load(stores.tenant, [MODEL], [stores.id("m-2")])
        now = await stores.indexing.versions(stores.tenant, [MODEL], [uuid4(), stores.id("m-2")])
        assert now == {stores.id("m-2"): found.version}
        return found.version

    await stores.record(stores.message("m-2", minute=2))
    await stores.encode("m-2")
    versions = [await version()]
    await stores.record(stores.message("m-1", minute=1))  # it comes before it
    versions.append(await version())
    await stores.encode("m-1")  # its window lacked this
    versions.append(await version())
    use = partial(stores.use, stores.id("m-2"), at=at(3), recall=uuid4())
    await use()  # it matters more, and is archived no more
    versions.append(await version())
    assert len(set(versions)) == len(versions)
    await use()
    await stores.index([stores.id("m-2")], at(4))
    assert await version() == versions[-1]
    assert not await stores.indexing.versions(stores.tenant, [MODEL], [])


READER: Final = "reader-1"


class Chat:
    """Two turns, of which each can be encoded and read as the worker does it."""

    def __init__(self, stores: Stores) -> None:
        self._stores = stores
        self.ids = [stores.id("m-1"), stores.id("m-2")]

    async def load(self, memory_id: UUID) -> tuple[bool, bytes | None]:
        """Return whether a turn is read after the one before it now, and the hash of that one."""
        (one,) = await self._stores.encodings.load(
            self._stores.tenant, MODEL, [memory_id], reader=READER, read_model=MODEL
        )
        return one.is_read, one.previous_hash

    async def read(self, memory_id: UUID, previous: bytes | None) -> SavedVectors:
        """Store vector and reading of a turn."""
        reading = SavedReading(json.dumps({"after": previous is not None}), previous)
        return await self._stores.encodings.save(
            self._stores.tenant,
            MODEL,
            [(memory_id, unit_vector(1))],
            [memory_id],
            STORED,
            reader=READER,
            readings={memory_id: reading},
        )


async def begun(stores: Stores) -> Chat:
    """Record two turns."""
    await stores.record(
        stores.message("m-1", content="How is Anna?"),
        stores.message("m-2", minute=1, content="She works nights."),
    )
    return Chat(stores)


@pytest.mark.parametrize("order", [(1, 0), (0, 1)])
async def test_what_was_read_without_its_predecessor_is_read_again_whichever_is_stored_last(
    stores: Stores, order: tuple[int, int]
) -> None:
    chat = await begun(stores)
    first, last = (chat.ids[place] for place in order)
    await chat.read(first, None)
    saved = await chat.read(last, None)
    assert [one.memory_id for one in saved.unread] == [chat.ids[1]]
    assert await chat.load(chat.ids[0]) == (True, None)
    assert await chat.load(chat.ids[1]) == (False, text_hash("How is Anna?"))
    assert not (await chat.read(chat.ids[1], text_hash("How is Anna?"))).unread
    assert await chat.load(chat.ids[1]) == (True, text_hash("How is Anna?"))


async def test_a_repeat_tells_once_more_whose_reading_is_of_before(stores: Stores) -> None:
    """A crash between the write and its events loses neither the follower nor what follows from a reading."""
    chat = await begun(stores)
    first, second = chat.ids
    await chat.read(second, None)
    await chat.read(first, None)
    again = await stores.encodings.save(stores.tenant, MODEL, [], [first], STORED)
    assert [one.memory_id for one in again.unread] == [second]
    await stores.enrich("m-2")
    saved = await chat.read(second, text_hash("How is Anna?"))
    assert (saved.progress[0].enriched, saved.progress[0].extracted) == (None, None)

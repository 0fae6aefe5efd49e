"""A derived memory is forgotten alone, and does not come back; that of a message goes with the message."""

from dataclasses import replace
from uuid import UUID, uuid4

from tests.contract.store.stores import Stores, summary
from tests.contract.store.test_erasure import LATER, forget

from ricordo.language.annotations import MemoryKind
from ricordo.memory.model import Memory, derived_id
from ricordo.messages.enumerations import ForgetScope
from ricordo.store.erasure import ErasureRequest, ErasureStore
from ricordo.store.working_memory_store import WorkingNote


async def _to_forget(
    stores: Stores, memory_id: UUID, user_id: str = "u-1", request: str | None = None
) -> ErasureRequest:
    return await ErasureStore(stores.database).of_memory(stores.tenant, user_id, memory_id, LATER, request)


def _derived(stores: Stores, kind: MemoryKind, *sources: UUID) -> Memory:
    return replace(summary(stores, sources), kind=kind, id=derived_id(stores.tenant, kind, sources))


async def test_a_derived_memory_goes_with_what_was_derived_from_it_and_its_sources_stay(
    stores: Stores,
) -> None:
    one, other, third = await stores.say("m-1", "m-2", "m-3")
    synthesis = _derived(stores, MemoryKind.SYNTHESIS, one, other)
    insight = _derived(stores, MemoryKind.REFLECTION, synthesis.id, third)
    beside = _derived(stores, MemoryKind.SUMMARY, one, third)
    await stores.write_derived(synthesis, beside)
    await stores.write_derived(insight)
    await stores.execute(
        "update memories set compressed = true, synthesis_id = $1 where id = any($2)",
        synthesis.id,
        [one, other],
    )
    note = WorkingNote(user_id="u-1", conversation_id="c-1", key="mood", value="fine", request_id=None)
    await stores.notes.note(stores.tenant, note, LATER, live_since=LATER, limit=9)
    what = await _to_forget(stores, synthesis.id)
    assert what == ErasureRequest("u-1", ForgetScope.MEMORY, str(synthesis.id), LATER)
    counts, (first, *_) = await forget(stores, what, request="r-1")
    assert (counts.rows, counts.working, set(first.memory_ids)) == (2, 0, {synthesis.id, insight.id})
    assert [one.id for one in await stores.derived()] == [beside.id]
    kept = await stores.found(one, other, third)
    assert [memory.compressed for memory in kept] == [False] * 3
    assert await stores.fetch("select key from notes") == [("mood",)]
    assert (await forget(stores, what, request="r-1"))[0] == counts, "a repetition"
    assert (await forget(stores, what))[0].rows == 0
    assert await stores.write_derived(synthesis) == [], "it does not come back"
    wider = _derived(stores, MemoryKind.SYNTHESIS, one, other, third)
    assert len(await stores.write_derived(wider)) == 1, "of other sources another one is made"


async def test_the_memory_of_a_message_is_forgotten_with_it_also_where_it_has_gone_already(
    stores: Stores,
) -> None:
    (one, _) = await stores.say("m-1", "m-2")
    what = await _to_forget(stores, one)
    assert what == ErasureRequest("u-1", ForgetScope.MESSAGE, "m-1", LATER)
    counts, _ = await forget(stores, what, request="r-1")
    assert counts.rows == 2
    assert await _to_forget(stores, one, request="r-1") == what
    assert [one.status for one in await stores.record(stores.message("m-1"))] == ["forgotten"]


async def test_of_another_users_memory_and_of_an_unknown_one_nothing_is_erased(stores: Stores) -> None:
    made = summary(stores, await stores.say("m-1"))
    await stores.write_derived(made)
    for memory_id, user_id in ((stores.id("m-1"), "u-2"), (made.id, "u-2"), (uuid4(), "u-1")):
        what = await _to_forget(stores, memory_id, user_id)
        assert what.scope is ForgetScope.MEMORY
        assert (await forget(stores, what))[0].rows == 0
    assert len(await stores.found(stores.id("m-1"), made.id)) == 2
    assert len(await stores.write_derived(made)) == 1, "it is none of the other user's"

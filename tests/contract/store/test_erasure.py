"""Erasure on request: nothing of what is forgotten is left, nothing else is touched, and it counts once."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest
from tests.contract.store.evidence import claim, extracted, facts, learn
from tests.contract.store.stores import END_OF_TIME, STORED, Stores, dead_letter, summary

from ricordo.language.annotations import MemoryKind
from ricordo.memory.model import derived_id
from ricordo.messages.commands import Erased
from ricordo.messages.enumerations import ForgetScope
from ricordo.store.erasure import (
    DeadLetterPosition,
    ErasureRequest,
    ErasureSlice,
    ErasureStore,
)
from ricordo.store.fact_ledger import FactLedger
from ricordo.store.graph_source import FactSource
from ricordo.store.idempotency import RequestConflict
from ricordo.store.working_memory_store import WorkingNote

LATER = STORED + timedelta(days=1)
SINCE = LATER + timedelta(hours=1)
A_MESSAGE = ErasureRequest("u-1", ForgetScope.MESSAGE, "m-2", LATER)
A_CONVERSATION = ErasureRequest("u-1", ForgetScope.CONVERSATION, "c-1", LATER)
A_USER = ErasureRequest("u-1", ForgetScope.USER, "u-1", LATER)


@pytest.fixture
def erasure(stores: Stores) -> ErasureStore:
    return ErasureStore(stores.database)


async def forget(
    stores: Stores, what: ErasureRequest, *, limit: int = 100, request: str | None = None
) -> tuple[Erased, list[ErasureSlice]]:
    """Erase it as a whole, and return what the tombstone says, and the slices."""
    erasure, slices = ErasureStore(stores.database), list[ErasureSlice]()
    buried = await erasure.put_tombstone(stores.tenant, what, request=request)
    if isinstance(buried, Erased):
        return buried, slices
    while not slices or slices[-1].more:
        slices.append(await erasure.erase(stores.tenant, buried, limit))
    source = FactSource(stores.database)
    version, _ = await source.changes(stores.tenant, what.user_id, None)
    await source.confirm(stores.tenant, what.user_id, version)  # as once the graph has it
    return await erasure.finish(stores.tenant, buried), slices


async def _finish(erasure: ErasureStore, stores: Stores, what: ErasureRequest) -> Erased:
    """Erase what has a tombstone, in small slices."""
    while (await erasure.erase(stores.tenant, what, 2)).more:
        pass
    return await erasure.finish(stores.tenant, what)


async def _say_since(stores: Stores) -> None:
    await stores.record(stores.message("since", timestamp=SINCE), at=SINCE)


async def _rows_with(stores: Stores, *words: str) -> dict[str, int]:
    """Count, by table, the rows of the tenant in which one of `words` stands anywhere; but for tombstones."""
    tables = await stores.fetch(
        "select table_name from information_schema.columns "
        "where table_schema = current_schema() and column_name = 'tenant' and table_name <> 'tombstones'"
    )
    found = {}
    for (table,) in tables:
        ((found[table],),) = await stores.fetch(
            f"select count(*) from {table} t where exists "
            "(select from unnest($1::text[]) as word where position(word in t::text) > 0)",
            list(words),
        )
    return {table: count for table, count in found.items() if count}


async def test_of_a_forgotten_message_nothing_is_left(stores: Stores) -> None:
    """Row, vector, stages, evidence and links; its neighbours follow each other, and are indexed anew."""
    ids = await stores.say("m-1", "m-2", "m-3")
    await stores.encode("m-1", "m-2", "m-3")
    await stores.index(ids)
    pet = extracted(stores, "m-2", claim("has_pet", "Max"))
    await learn(stores, pet, extracted(stores, "m-1"))
    counts, (first, *_) = await forget(stores, A_MESSAGE)
    assert counts == Erased(rows=2, vectors=1, graph=1)
    assert list(first.memory_ids) == [ids[1]]
    assert await _rows_with(stores, "m-2", "Max", str(ids[1])) == {"withdrawn_memories": 1}, (
        "its point has to follow"
    )
    assert (await stores.memory("m-1")).following_id == ids[2]
    assert (await stores.memory("m-3")).preceding_id == ids[0]
    assert (await stores.queries.status(stores.tenant, "m-2"))[0] is None
    assert [one.message_id for one in first.behind] == ["m-3"]
    assert [(await stores.progress(name)).indexed for name in ("m-1", "m-3")] == [STORED, None]


@pytest.mark.parametrize("limit", [1, 2, 100])
async def test_of_a_conversation_only_that_users_part_goes(stores: Stores, limit: int) -> None:
    mine = [stores.message(f"m-{n}", minute=n) for n in (1, 3, 5)]
    theirs = [stores.message(f"n-{n}", user_id="u-2", minute=n) for n in (2, 4)]
    await stores.record(*mine, *theirs, stores.message("o-1", conversation_id="c-2", minute=6))
    counts, slices = await forget(stores, A_CONVERSATION, limit=limit)
    assert (counts.rows, len(slices)) == (6, 3 // limit + 1 + (3 % limit > 0))
    assert await _rows_with(stores, "m-1", "m-3", "m-5") == {}
    first, second = await stores.memory("n-2", "u-2"), await stores.memory("n-4", "u-2")
    assert (first.preceding_id, first.following_id) == (None, second.id)
    assert (second.preceding_id, second.following_id) == (first.id, None)
    assert (await stores.memory("o-1")).content


async def test_of_a_user_nothing_is_left(stores: Stores) -> None:
    await stores.record(stores.message("n-1", user_id="u-2", minute=9))
    await stores.say("m-1", "m-2", "m-3")
    await stores.encode("m-1", "m-2")
    both = claim("has_pet", "Max"), claim("lives_in", "Rome")
    milan = extracted(stores, "m-2", claim("lives_in", "Milan", minute=1))
    await learn(stores, extracted(stores, "m-1", *both), milan)
    note = WorkingNote(user_id="u-1", conversation_id="c-1", key="pin", value="K77")
    await stores.notes.note(stores.tenant, note, STORED, live_since=STORED, limit=9)
    counts, _ = await forget(stores, A_USER, limit=2)
    assert (counts.rows, counts.working) == (6, 1)
    assert await _rows_with(stores, "u-1") == {"withdrawn_memories": 3}
    assert await facts(stores) == []
    assert (await stores.memory("n-1", "u-2")).content


async def test_what_was_derived_from_it_goes_and_its_other_sources_are_as_before(stores: Stores) -> None:
    """A summary that the user has verified, too; and what was derived from that."""
    sources = await stores.say("m-1", "m-2", "m-3")
    made = replace(summary(stores, sources[:2]), verified=True)
    kind = MemoryKind.REFLECTION
    insight = replace(summary(stores, [made.id]), id=derived_id(stores.tenant, kind, [made.id]), kind=kind)
    for one in (made, insight):
        await stores.write_derived(one)
    mark = "update memories set compressed = true, synthesis_id = $1 where id = any($2)"
    await stores.execute(mark, made.id, sources[:2])
    counts, (first, *_) = await forget(stores, A_MESSAGE)
    assert set(first.memory_ids) == {stores.id("m-2"), made.id, insight.id}
    assert counts.rows == 4
    assert not (await stores.memory("m-1")).compressed
    assert (await stores.memory("m-3")).content


async def test_the_forgotten_never_comes_back_and_a_user_who_does_begins_anew(stores: Stores) -> None:
    """By its id, also where it was dated ahead of its time; and nothing that was said by then."""
    ahead = stores.message("ahead", timestamp=LATER + timedelta(days=9))
    await stores.record(ahead)
    await forget(stores, A_USER)
    new = stores.message("new", timestamp=SINCE)
    recorded = await stores.record(ahead, stores.message("late", minute=5), new, at=SINCE)
    assert [one.status for one in recorded] == ["forgotten", "forgotten", "kept"]
    await forget(stores, A_USER)
    assert (await stores.memory("new")).content, "which that did not mean"


@pytest.mark.parametrize("what", [A_MESSAGE, A_CONVERSATION, A_USER], ids=lambda one: one.scope.value)
async def test_a_request_counts_once_also_while_it_is_under_way(
    erasure: ErasureStore, stores: Stores, what: ErasureRequest
) -> None:
    await stores.say("m-1", "m-2")
    await erasure.put_tombstone(stores.tenant, what, request="r-1")
    await _say_since(stores)
    later = replace(what, at=SINCE + timedelta(hours=1))
    assert await erasure.put_tombstone(stores.tenant, later, request="r-1") == what
    first, _ = await forget(stores, later, request="r-1")
    assert (await stores.memory("since")).content
    assert await forget(stores, later, request="r-1") == (first, [])
    with pytest.raises(RequestConflict):
        await erasure.put_tombstone(
            stores.tenant, replace(what, key="other"), request="r-1", asked=b"another"
        )
    new = await erasure.put_tombstone(stores.tenant, later, request="r-2")
    assert new == later, "which means what came since"


async def test_a_later_request_answers_the_earlier_one_too(erasure: ErasureStore, stores: Stores) -> None:
    """The end of the earlier one is no end; and what is kept of a request survives that of its user."""
    await stores.say("m-1", "m-2")
    first = await erasure.put_tombstone(stores.tenant, A_USER, request="r-1")
    await _say_since(stores)
    since = replace(A_USER, at=SINCE)
    second = await erasure.put_tombstone(stores.tenant, since, request="r-2")
    assert isinstance(first, ErasureRequest)
    assert isinstance(second, ErasureRequest)
    await _finish(erasure, stores, first)
    assert await erasure.unfinished(stores.tenant, END_OF_TIME) == [second]
    counts = await _finish(erasure, stores, second)
    assert await erasure.unfinished(stores.tenant, END_OF_TIME) == []
    assert counts.rows == 6
    for request in ("r-1", "r-2"):
        assert await erasure.put_tombstone(stores.tenant, since, request=request) == counts


async def test_the_reason_of_a_dead_letter_goes_and_no_other(erasure: ErasureStore, stores: Stores) -> None:
    for sequence in (1, 2):
        await stores.record_dead_letter("m-9", sequence=sequence)
    await erasure.put_tombstone(stores.tenant, A_USER)
    gone = dead_letter(stores, "m-9", sequence=1)
    position = DeadLetterPosition(gone.consumer, gone.message.subject, gone.message.sequence, "k-9")
    await erasure.count_dead_letter(stores.tenant, A_USER, position)
    assert (await _rows_with(stores, "m-9"))["dead_letters"] == 1
    assert (await _rows_with(stores, "k-9"))["discarded_objects"] == 1, "nobody ever read it"
    assert (await erasure.finish(stores.tenant, A_USER)).stream == 1


async def test_pairs_of_names_that_nobody_has_any_more_are_not_kept(stores: Stores) -> None:
    stores.ledger = FactLedger(stores.database, record_doubts=True)
    await stores.say("m-1", "m-2")
    friend = extracted(stores, "m-1", claim("friend", "Nicola"))
    await learn(stores, friend, extracted(stores, "m-2", claim("lives_in", "Bari", subject="Nico")))
    assert (await _rows_with(stores, "nico"))["identity_decisions"] == 1
    await forget(stores, A_MESSAGE)
    assert "identity_decisions" not in await _rows_with(stores, "nico")


async def test_erasures_at_once_count_each_row_once(erasure: ErasureStore, stores: Stores) -> None:
    names = [f"m-{n}" for n in range(12)]
    await stores.say(*names)
    await asyncio.gather(*(forget(stores, A_CONVERSATION, limit=2) for _ in range(4)))
    assert (await erasure.finish(stores.tenant, A_CONVERSATION)).rows == 2 * len(names)


async def test_a_stranger_and_another_tenant_erase_nothing(stores: Stores) -> None:
    await stores.say("m-1", "m-2")
    for what in (A_MESSAGE, A_CONVERSATION, A_USER):
        stranger = replace(what, user_id="u-9", key=what.key.replace("u-1", "u-9"))
        assert (await forget(stores, stranger))[0] == Erased()
    await forget(stores.another_tenant(), A_USER)
    assert (await stores.queries.counts(stores.tenant, "u-1")).memories == 2

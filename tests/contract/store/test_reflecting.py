"""Reflections on PostgreSQL: what accumulates is counted once, and insights give way to better ones."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from tests.contract.store.evidence import learn, said, tell
from tests.contract.store.stores import STORED, Stores, enriched
from tests.contract.store.test_curation import wish
from tests.contract.store.test_memory_corrections import correct

from ricordo.language.annotations import MemoryKind, MemoryType
from ricordo.memory.model import Memory, Source, derived_id
from ricordo.store.consolidation import Reflection, ReflectionBacklog, ReflectionResult, ReflectionStore
from ricordo.store.database import Database
from ricordo.store.lifecycle_store import Access
from ricordo.testing.factories import at, new_message

pytestmark = pytest.mark.integration

ABOUT = UUID(int=7)


@pytest.fixture
def reflecting(database: Database) -> ReflectionStore:
    return ReflectionStore(database)


async def _said(stores: Stores, *names: str, role: str = "user", user_id: str = "u-1") -> None:
    """Record messages; all of one moment apart."""
    await stores.record(
        *(
            new_message(name, tenant=stores.tenant, role=role, user_id=user_id, timestamp=at(minute))
            for minute, name in enumerate(names)
        )
    )


async def _enrich(
    stores: Stores,
    *names: str,
    importance: float = 0.4,
    user_id: str = "u-1",
    kind: MemoryKind = MemoryKind.NOTE,
    informative: float = 1.0,
) -> None:
    memories = [await stores.memory(name, user_id) for name in names]
    derived = [enriched(one, importance=importance, kind=kind, informative=informative) for one in memories]
    await stores.enrichments.save(stores.tenant, derived, STORED)


async def _accumulated(reflecting: ReflectionStore, stores: Stores, user_id: str = "u-1") -> float:
    found = await reflecting.due(stores.tenant, 0, user_id=user_id, limit=5)
    return found[0].importance if found else 0.0


def _insight(stores: Stores, *names: str, content: str = "You talk about dogs.") -> Reflection:
    sources = tuple(stores.id(name) for name in names)
    memory = Memory(
        id=derived_id(stores.tenant, MemoryKind.REFLECTION, sources, about="dogs"),
        tenant=stores.tenant,
        user_id="u-1",
        kind=MemoryKind.REFLECTION,
        type=MemoryType.SEMANTIC,
        content=content,
        created_at=at(9),
        importance=0.8,
        source=Source.SELF_REFLECTION,
        source_ids=sources,
        questions_addressed=("What do you talk about?",),
    )
    return Reflection(ABOUT, memory)


async def _reflect(
    reflecting: ReflectionStore, stores: Stores, *reflections: Reflection, importance: float = 0.0
) -> ReflectionResult | None:
    one = ReflectionBacklog("u-1", importance or await _accumulated(reflecting, stores))
    return await reflecting.reflect(stores.tenant, one, reflections, STORED)


async def _found(stores: Stores, *ids: UUID) -> Sequence[Memory]:
    return await stores.recollection.memories(stores.tenant, "u-1", ids)


async def test_what_was_said_counts_once(reflecting: ReflectionStore, stores: Stores) -> None:
    """However often it is enriched, and whoever enriches it at once."""
    await _said(stores, "m-1", "m-2")
    assert await _accumulated(reflecting, stores) == 0
    await _enrich(stores, "m-1")
    assert await _accumulated(reflecting, stores) == pytest.approx(4.6)
    await _enrich(stores, "m-1", importance=0.9)
    await asyncio.gather(*(_enrich(stores, "m-2", "m-1") for _ in range(4)))
    assert await _accumulated(reflecting, stores) == pytest.approx(9.2)


async def test_what_tells_nothing_is_no_observation(reflecting: ReflectionStore, stores: Stores) -> None:
    await _said(stores, "m-1", "m-2")
    await _enrich(stores, "m-1", informative=0.0)
    await _enrich(stores, "m-2")
    assert await _accumulated(reflecting, stores) == pytest.approx(4.6)
    observed = await reflecting.observed(stores.tenant, "u-1", 9)
    assert [one.message_id for one in observed.memories] == ["m-2"]


async def test_what_is_derived_anew_counts_no_more(reflecting: ReflectionStore, stores: Stores) -> None:
    """Neither after a late message that names a zone, nor after a correction; what it is itself counts."""
    names = [f"m-{n}" for n in range(5)]
    await _said(stores, *names)
    await _enrich(stores, *names)
    zone = new_message("m-9", tenant=stores.tenant, timestamp=at(-1), timezone="Asia/Tokyo")
    (late,) = await stores.record(zone)
    assert {one.memory_id for one in late.rezoned} == {stores.id(name) for name in names}
    await _enrich(stores, *names, "m-9")
    assert await _accumulated(reflecting, stores) == pytest.approx(6 * 4.6)
    await correct(stores, stores.id("m-0"))
    await _enrich(stores, "m-0", importance=0.9)
    assert await _accumulated(reflecting, stores) == pytest.approx(6 * 4.6)


async def test_only_what_the_user_said_counts(reflecting: ReflectionStore, stores: Stores) -> None:
    """Not what an assistant said, nor what was made of others; each user for themselves."""
    await _said(stores, "m-1", role="assistant")
    await _said(stores, "m-2")
    await _said(stores, "m-3", user_id="u-2")
    await _enrich(stores, "m-1")
    await _enrich(stores, "m-2", kind=MemoryKind.SUMMARY)
    await _enrich(stores, "m-3", user_id="u-2")
    assert await _accumulated(reflecting, stores) == 0
    assert await _accumulated(reflecting, stores, "u-2") == pytest.approx(4.6)


async def test_who_is_due_comes_with_the_most_first(reflecting: ReflectionStore, stores: Stores) -> None:
    """Of whom more than the threshold has come in."""
    for nth, user in enumerate(("u-1", "u-2", "u-3")):
        names = [f"{user}-{n}" for n in range(nth + 1)]
        await _said(stores, *names, user_id=user)
        await _enrich(stores, *names, user_id=user)
    due = await reflecting.due(stores.tenant, 4.7, user_id=None, limit=5)
    assert [one.user_id for one in due] == ["u-3", "u-2"]
    assert [one.user_id for one in await reflecting.due(stores.tenant, 0, user_id="u-1", limit=5)] == ["u-1"]
    assert await reflecting.due(stores.elsewhere().tenant, 0, user_id=None, limit=5) == []


async def test_the_latest_that_the_user_said_is_observed(reflecting: ReflectionStore, stores: Stores) -> None:
    """As soon as it is enriched; with the names that the user goes by."""
    await _said(stores, "m-1", "m-2", "m-3", "m-4")
    await _said(stores, "m-9", role="assistant")
    await _enrich(stores, "m-1", "m-2", "m-3", "m-9")
    await learn(stores, tell(stores, "m-1", said("name", "Davide")))
    observed = await reflecting.observed(stores.tenant, "u-1", 2)
    assert {one.message_id for one in observed.memories} == {"m-2", "m-3"}
    assert list(observed.own_names) == ["Davide"]
    assert (await reflecting.observed(stores.tenant, "nobody", 2)).memories == []


async def test_insights_are_written_with_what_was_reflected_upon(
    reflecting: ReflectionStore, stores: Stores
) -> None:
    """What came in meanwhile still counts."""
    await _said(stores, "m-1", "m-2")
    await _enrich(stores, "m-1")
    read = await _accumulated(reflecting, stores)
    await _enrich(stores, "m-2")
    made = _insight(stores, "m-1", "m-2")
    reflected = await _reflect(reflecting, stores, made, importance=read)
    assert reflected is not None
    assert [one.memory_id for one in reflected.written] == [made.memory.id]
    assert (reflected.created, len(reflected.withdrawn)) == (1, 0)
    (found,) = await _found(stores, made.memory.id)
    assert replace(found, stored_at=None, source_message_ids=()) == made.memory
    assert found.source_message_ids == ("m-1", "m-2")
    assert await _accumulated(reflecting, stores) == pytest.approx(4.6)


async def test_two_at_once_reflect_once(reflecting: ReflectionStore, stores: Stores) -> None:
    """The second finds that nothing has accumulated any more, and writes nothing."""
    await _said(stores, "m-1")
    await _enrich(stores, "m-1")
    made = _insight(stores, "m-1")
    found = await asyncio.gather(*(_reflect(reflecting, stores, made, importance=4.6) for _ in range(3)))
    assert sum(one is not None for one in found) == 1
    assert await _accumulated(reflecting, stores) == 0
    assert len(await _found(stores, made.memory.id)) == 1


async def test_of_nobody_nothing_is_written(reflecting: ReflectionStore, stores: Stores) -> None:
    await _said(stores, "m-1")
    made = _insight(stores, "m-1")
    assert await _reflect(reflecting, stores, made, importance=5.0) is None
    assert await _found(stores, made.memory.id) == []


async def test_more_evidence_takes_the_former_insights_place(
    reflecting: ReflectionStore, stores: Stores
) -> None:
    """With what use has made of it; the same evidence changes nothing."""
    await _said(stores, "m-1", "m-2", "m-3")
    await _enrich(stores, "m-1")
    first, better = _insight(stores, "m-1", "m-2"), _insight(stores, "m-1", "m-2", "m-3")
    await _reflect(reflecting, stores, first)
    await stores.life.reinforce(stores.tenant, [Access(uuid4(), "u-1", (first.memory.id,), STORED)])
    await _enrich(stores, "m-2")
    again = await _reflect(reflecting, stores, first)
    assert again is not None
    assert (again.created, len(again.withdrawn)) == (0, 0)
    await _enrich(stores, "m-3")
    reflected = await _reflect(reflecting, stores, better)
    assert reflected is not None
    assert (reflected.created, len(reflected.withdrawn)) == (1, 1)
    (found,) = await _found(stores, first.memory.id, better.memory.id)
    assert (found.id, found.access_count, found.last_accessed) == (better.memory.id, 1, STORED)
    assert found.importance == pytest.approx(0.82)
    moved = await stores.life.unreported_moves(stores.tenant, STORED + timedelta(days=9999), 10)
    assert [one.memory_id for one in moved] == [first.memory.id]


async def test_a_pin_goes_over_to_what_takes_its_place(reflecting: ReflectionStore, stores: Stores) -> None:
    """What was not to fade shall not fade when there is more evidence for it."""
    await _said(stores, "m-1", "m-2")
    await _enrich(stores, "m-1")
    first, better = _insight(stores, "m-1"), _insight(stores, "m-1", "m-2")
    await _reflect(reflecting, stores, first)
    await stores.curating.pin(stores.tenant, wish("r"), first.memory.id, pinned=True, at=STORED)
    await _enrich(stores, "m-2")
    await _reflect(reflecting, stores, better)
    (found,) = await _found(stores, first.memory.id, better.memory.id)
    assert (found.id, found.pinned) == (better.memory.id, True)


@pytest.mark.parametrize("word", ["verify", "correct"])
async def test_what_the_user_has_a_word_in_stays(
    reflecting: ReflectionStore, stores: Stores, database: Database, word: str
) -> None:
    """An insight that is verified or corrected is not replaced by a new one about the same."""
    await _said(stores, "m-1", "m-2")
    await _enrich(stores, "m-1")
    first, better = _insight(stores, "m-1"), _insight(stores, "m-1", "m-2")
    await _reflect(reflecting, stores, first)
    if word == "verify":
        await stores.curating.verify(stores.tenant, wish("r"), first.memory.id, verified=True, at=STORED)
    else:
        async with database.transaction(stores.tenant) as connection:
            await connection.execute(
                "update memories set source = 'user_correction' where tenant = $1 and id = $2",
                stores.tenant,
                first.memory.id,
            )
    await _enrich(stores, "m-2")
    reflected = await _reflect(reflecting, stores, better)
    assert reflected is not None
    assert (list(reflected.written), list(reflected.withdrawn)) == ([], [])
    (found,) = await _found(stores, first.memory.id, better.memory.id)
    assert found.id == first.memory.id
    assert await _accumulated(reflecting, stores) == 0


async def test_a_forgotten_source_keeps_an_insight_from_being_written(
    reflecting: ReflectionStore, stores: Stores
) -> None:
    """The former one, of which all is there, stays."""
    await _said(stores, "m-1", "m-2")
    await _enrich(stores, "m-1")
    first, better = _insight(stores, "m-1"), _insight(stores, "m-1", "m-2", "never")
    await _reflect(reflecting, stores, first)
    await _enrich(stores, "m-2")
    reflected = await _reflect(reflecting, stores, better)
    assert reflected is not None
    assert (list(reflected.written), list(reflected.withdrawn)) == ([], [])
    (found,) = await _found(stores, first.memory.id, better.memory.id)
    assert found.id == first.memory.id

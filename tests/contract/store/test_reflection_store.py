"""The reflection backlog counts each message once, and better insights replace weaker ones."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from tests.contract.store.evidence import claim, extracted, learn
from tests.contract.store.stores import STORED, Stores, request
from tests.support.factories import at

from ricordo.language.annotations import MemoryKind, MemoryType
from ricordo.memory.model import Memory, Source, derived_id
from ricordo.store.consolidation import Reflection, ReflectionBacklog, ReflectionResult, ReflectionStore

ABOUT = UUID(int=7)
EACH = 4.6
"""What a message of importance 0.4 adds."""


async def _enrich(stores: Stores, *names: str, **fields: Any) -> None:  # noqa: ANN401 - of the enrichment
    await stores.enrich(*names, **{"kind": MemoryKind.NOTE, "informative": 1.0, **fields})


async def _accumulated(stores: Stores, user_id: str = "u-1") -> float:
    found = await ReflectionStore(stores.database).due(stores.tenant, 0, user_id=user_id, limit=5)
    return found[0].importance if found else 0.0


def _insight(stores: Stores, *names: str) -> Reflection:
    sources = tuple(stores.id(name) for name in names)
    memory = Memory(
        id=derived_id(stores.tenant, MemoryKind.REFLECTION, sources, about="dogs"),
        tenant=stores.tenant,
        user_id="u-1",
        kind=MemoryKind.REFLECTION,
        type=MemoryType.SEMANTIC,
        content="You talk about dogs.",
        created_at=at(9),
        importance=0.8,
        source=Source.SELF_REFLECTION,
        source_ids=sources,
        questions_addressed=("What do you talk about?",),
    )
    return Reflection(ABOUT, memory)


async def _try_reflecting(
    stores: Stores, insight: Reflection, importance: float = 0.0
) -> ReflectionResult | None:
    backlog = ReflectionBacklog("u-1", importance or await _accumulated(stores))
    return await ReflectionStore(stores.database).reflect(stores.tenant, backlog, [insight], STORED)


async def _reflect(stores: Stores, insight: Reflection, importance: float = 0.0) -> ReflectionResult:
    reflected = await _try_reflecting(stores, insight, importance)
    assert reflected is not None
    return reflected


async def test_a_message_counts_once_however_often_it_is_enriched(stores: Stores) -> None:
    """Also at once, after a late message that names a zone, and after a correction."""
    names = [f"m-{n}" for n in range(3)]
    await stores.say(*names)
    assert await _accumulated(stores) == 0
    await _enrich(stores, "m-0")
    assert await _accumulated(stores) == pytest.approx(EACH)
    await _enrich(stores, "m-0", importance=0.9)
    assert await _accumulated(stores) == pytest.approx(1 + 9 * 0.9)
    await asyncio.gather(*(_enrich(stores, *names[::-1]) for _ in range(4)))
    assert await _accumulated(stores) == pytest.approx(3 * EACH)
    (late,) = await stores.record(stores.message("m-9", minute=-1, timezone="Asia/Tokyo"))
    assert {one.memory_id for one in late.rezoned} == {stores.id(name) for name in names}
    await _enrich(stores, *names, "m-9")
    assert await _accumulated(stores) == pytest.approx(4 * EACH)
    await stores.correct(stores.id("m-0"), "I live in Turin.")
    await _enrich(stores, "m-0", importance=0.9)
    assert await _accumulated(stores) == pytest.approx(3 * EACH + 1 + 9 * 0.9)


async def test_only_informative_messages_of_the_user_count(stores: Stores) -> None:
    """Not those of an assistant, nor what was made of others; each user for themselves."""
    await stores.say("m-1", role="assistant")
    await stores.say("m-2", "m-4")
    await stores.say("m-3", user_id="u-2")
    await _enrich(stores, "m-1")
    await _enrich(stores, "m-2", kind=MemoryKind.SUMMARY)
    await _enrich(stores, "m-3", user_id="u-2")
    await _enrich(stores, "m-4", informative=0.0)
    assert await _accumulated(stores) == 0
    assert await _accumulated(stores, "u-2") == pytest.approx(EACH)


async def test_users_above_the_threshold_come_with_the_most_first(stores: Stores) -> None:
    for nth, user in enumerate(("u-1", "u-2", "u-3")):
        names = [f"{user}-{n}" for n in range(nth + 1)]
        await stores.say(*names, user_id=user)
        await _enrich(stores, *names, user_id=user)
    store = ReflectionStore(stores.database)
    due = await store.due(stores.tenant, 4.7, user_id=None, limit=5)
    assert [one.user_id for one in due] == ["u-3", "u-2"]
    assert [one.user_id for one in await store.due(stores.tenant, 0, user_id="u-1", limit=5)] == ["u-1"]


async def test_the_latest_enriched_messages_of_the_user_are_observed(stores: Stores) -> None:
    """With the names that the user goes by, and without what tells nothing."""
    await stores.say("m-1", "m-2", "m-3", "m-4", "m-5")
    await stores.say("m-9", role="assistant")
    await _enrich(stores, "m-1", "m-2", "m-3", "m-9")
    await _enrich(stores, "m-4", informative=0.0)
    await learn(stores, extracted(stores, "m-1", claim("name", "Davide")))
    store = ReflectionStore(stores.database)
    observed = await store.observed(stores.tenant, "u-1", 2)
    assert {one.message_id for one in observed.memories} == {"m-2", "m-3"}
    assert list(observed.own_names) == ["Davide"]
    assert (await store.observed(stores.tenant, "nobody", 2)).memories == []


async def test_insights_are_written_with_what_was_reflected_upon(stores: Stores) -> None:
    """What came in meanwhile still counts."""
    await stores.say("m-1", "m-2")
    await _enrich(stores, "m-1")
    read = await _accumulated(stores)
    await _enrich(stores, "m-2")
    made = _insight(stores, "m-1", "m-2")
    reflected = await _reflect(stores, made, read)
    assert [one.memory_id for one in reflected.written] == [made.memory.id]
    assert (reflected.created, len(reflected.withdrawn)) == (1, 0)
    (found,) = await stores.found(made.memory.id)
    assert replace(found, stored_at=None, source_message_ids=()) == made.memory
    assert found.source_message_ids == ("m-1", "m-2")
    assert await _accumulated(stores) == pytest.approx(EACH)


async def test_at_once_one_reflects_and_of_nothing_nothing_is_written(stores: Stores) -> None:
    await stores.say("m-1")
    made = _insight(stores, "m-1")
    assert await _try_reflecting(stores, made, 5.0) is None
    assert await stores.found(made.memory.id) == []
    await _enrich(stores, "m-1")
    found = await asyncio.gather(*(_try_reflecting(stores, made, EACH) for _ in range(3)))
    assert sum(one is not None for one in found) == 1
    assert await _accumulated(stores) == 0
    assert len(await stores.found(made.memory.id)) == 1


async def test_an_insight_with_more_evidence_replaces_the_former_with_its_use_and_pin(stores: Stores) -> None:
    """The same evidence changes nothing."""
    await stores.say("m-1", "m-2", "m-3")
    await _enrich(stores, "m-1")
    first, better = _insight(stores, "m-1", "m-2"), _insight(stores, "m-1", "m-2", "m-3")
    await _reflect(stores, first)
    await stores.use(first.memory.id)
    await stores.curation.set_flag(
        stores.tenant, request("r"), first.memory.id, "pinned", value=True, at=STORED
    )
    await _enrich(stores, "m-2")
    again = await _reflect(stores, first)
    assert (again.created, len(again.withdrawn)) == (0, 0)
    await _enrich(stores, "m-3")
    reflected = await _reflect(stores, better)
    assert (reflected.created, len(reflected.withdrawn)) == (1, 1)
    (found,) = await stores.found(first.memory.id, better.memory.id)
    assert (found.id, found.pinned) == (better.memory.id, True)
    assert (found.access_count, found.last_accessed) == (1, STORED)
    assert found.importance == pytest.approx(0.82)
    moved = await stores.lifecycle.unreported_moves(stores.tenant, STORED + timedelta(days=9999), 10)
    assert first.memory.id in {one.memory_id for one in moved}


@pytest.mark.parametrize("cause", ["verified", "corrected", "source forgotten"])
async def test_a_former_insight_stays(stores: Stores, cause: str) -> None:
    """Where the user verified or corrected it, or a source of the new one is gone."""
    await stores.say("m-1", "m-2")
    await _enrich(stores, "m-1")
    sources = ("m-1", "m-2", "never") if cause == "source forgotten" else ("m-1", "m-2")
    first, better = _insight(stores, "m-1"), _insight(stores, *sources)
    await _reflect(stores, first)
    if cause == "verified":
        await stores.curation.set_flag(
            stores.tenant, request("r"), first.memory.id, "verified", value=True, at=STORED
        )
    elif cause == "corrected":
        await stores.execute("update memories set source = 'user_correction' where id = $1", first.memory.id)
    await _enrich(stores, "m-2")
    reflected = await _reflect(stores, better)
    assert (list(reflected.written), list(reflected.withdrawn)) == ([], [])
    (found,) = await stores.found(first.memory.id, better.memory.id)
    assert found.id == first.memory.id
    assert await _accumulated(stores) == 0

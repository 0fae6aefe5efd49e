"""The pass `reflect`: messages count once towards it, and better insights replace weaker ones."""

# ruff: noqa: ANN401 - fields are passed on to the class that has them

import asyncio
import math
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from tests.contract.store.evidence import claim, extracted, learn
from tests.contract.store.passes import Emitted, run, total
from tests.contract.store.stores import STORED, Stores, enriched
from tests.fixtures.sentence_tables import table
from tests.support.factories import START, at, feeling, reading

from ricordo.clock import SystemClock
from ricordo.language.annotations import MemoryKind, MemorySource, MemoryType
from ricordo.language.document import Document
from ricordo.memory.enrichment import enrich
from ricordo.memory.model import Memory, derived_id
from ricordo.memory.reflection.insight import Insight
from ricordo.memory.reflection.insight_selection import find_insights
from ricordo.memory.reflection.observations import ReflectionEvidence
from ricordo.messages.events import MemoryCreated, MemoryReflected
from ricordo.messages.queries import ExpandRequest
from ricordo.models.llm_insights import LlmInsights
from ricordo.runtime.backoff import ItemBackoff
from ricordo.store.consolidation import Reflection, ReflectionBacklog, ReflectionStore
from ricordo.store.database import Database
from ricordo.store.derived_memories import SuccessionResult
from ricordo.store.document_store import DocumentStore
from ricordo.store.enrichment_store import EnrichedMemory
from ricordo_services.lifecycle.condensing_passes import ReflectionPass
from ricordo_services.lifecycle.pass_runner import PassScope
from ricordo_services.retrieval.lookups import MemoryLookups

ABOUT = UUID(int=7)
EACH = 4.6
"""What a message of importance 0.4 adds."""


async def _enrich(stores: Stores, *names: str, **fields: Any) -> None:
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
        source=MemorySource.SELF_REFLECTION,
        source_ids=sources,
        questions_addressed=("What do you talk about?",),
    )
    return Reflection(ABOUT, memory)


async def _try_reflecting(
    stores: Stores, insight: Reflection, importance: float = 0.0
) -> SuccessionResult | None:
    backlog = ReflectionBacklog("u-1", importance or await _accumulated(stores))
    return await ReflectionStore(stores.database).reflect(stores.tenant, backlog, [insight], STORED)


async def _reflect(stores: Stores, insight: Reflection, importance: float = 0.0) -> SuccessionResult:
    reflected = await _try_reflecting(stores, insight, importance)
    assert reflected is not None
    return reflected


async def test_a_message_counts_once_however_often_it_is_enriched(stores: Stores) -> None:
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
    assert {one.memory_id for one in late.timezone_changed} == {stores.id(name) for name in names}
    await _enrich(stores, *names, "m-9")
    assert await _accumulated(stores) == pytest.approx(4 * EACH)
    await stores.correct(stores.id("m-0"), "I live in Turin.")
    await _enrich(stores, "m-0", importance=0.9)
    assert await _accumulated(stores) == pytest.approx(3 * EACH + 1 + 9 * 0.9)


async def test_only_informative_messages_of_the_user_count(stores: Stores) -> None:
    await stores.say("m-1", role="assistant")
    await stores.say("m-2", "m-4")
    await stores.say("m-3", user_id="u-2")
    await _enrich(stores, "m-1")
    await _enrich(stores, "m-2", kind=MemoryKind.SUMMARY)
    await _enrich(stores, "m-3", user_id="u-2")
    await _enrich(stores, "m-4", informative=0.0)
    assert await _accumulated(stores) == 0
    assert await _accumulated(stores, "u-2") == pytest.approx(EACH)


async def test_the_latest_enriched_messages_of_the_user_are_observed(stores: Stores) -> None:
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
    await stores.say("m-1", "m-2", "m-3")
    await _enrich(stores, "m-1")
    first, better = _insight(stores, "m-1", "m-2"), _insight(stores, "m-1", "m-2", "m-3")
    await _reflect(stores, first)
    await stores.use(first.memory.id)
    await stores.mark(first.memory.id, "pinned")
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
    assert first.memory.id in {one.memory_id for one in await stores.moves()}


@pytest.mark.parametrize("cause", ["verified", "corrected", "source forgotten"])
async def test_a_former_insight_stays(stores: Stores, cause: str) -> None:
    await stores.say("m-1", "m-2")
    await _enrich(stores, "m-1")
    sources = ("m-1", "m-2", "never") if cause == "source forgotten" else ("m-1", "m-2")
    first, better = _insight(stores, "m-1"), _insight(stores, *sources)
    await _reflect(stores, first)
    if cause == "verified":
        await stores.mark(first.memory.id, "verified")
    elif cause == "corrected":
        await stores.execute("update memories set source = 'user_correction' where id = $1", first.memory.id)
    await _enrich(stores, "m-2")
    reflected = await _reflect(stores, better)
    assert (list(reflected.written), list(reflected.withdrawn)) == ([], [])
    (found,) = await stores.found(first.memory.id, better.memory.id)
    assert found.id == first.memory.id
    assert await _accumulated(stores) == 0


ANNA = table(__file__, "anna")
PLAIN = ("It is raining again", "I made pasta for dinner", "The train was on time", "I read an old book")
INSIGHT = "Anna comes up often when you talk about work, mostly with worry."


class PoisonedStore(ReflectionStore):
    """Fails at users whose name says so; `read` names all that were read."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.read: list[str] = []

    async def observed(self, tenant: str, user_id: str, limit: int) -> ReflectionEvidence:
        self.read.append(user_id)
        if user_id.startswith("poison"):
            raise ValueError("a memory that nobody can read")
        return await super().observed(tenant, user_id, limit)


def _enriched(memory: Memory) -> EnrichedMemory:
    topics, felt = ["work", "pasta", "train", "book"], feeling(memory.content, "en")
    read = reading(memory.content, topics=topics, people=["Anna"], **felt)
    derived = enrich(Document(memory.content, "en"), reading=read, speaker="Davide")
    fields = ("emotion", "kind", "participants", "topics")
    values = {name: getattr(derived, name) for name in fields}
    return enriched(memory, importance=derived.importance, **values)


async def _live(stores: Stores, *, regular: bool = True) -> None:
    """Record forty days of messages, on every third of which Anna comes up at work."""
    messages = [
        stores.message(
            f"m-{day}",
            content=ANNA[day // 3 % 4] if regular and day % 3 == 0 else f"{PLAIN[day % 4]}, day {day}",
            timestamp=START + timedelta(days=day),
            conversation_id=f"c-{day}",
        )
        for day in range(40)
    ]
    await stores.record(*messages)
    memories = await stores.found(*(one.memory_id for one in messages))
    await stores.enrichments.save(stores.tenant, [_enriched(one) for one in memories], STORED)


def _pass(stores: Stores, **parts: Any) -> ReflectionPass:
    plain: dict[str, Any] = {
        "store": ReflectionStore(stores.database),
        "emitter": Emitted(),
        "clock": SystemClock(),
        "executor": stores.executor,
    }
    return ReflectionPass(**{**plain, **parts})


async def test_what_is_regular_becomes_an_insight_once(stores: Stores) -> None:
    await _live(stores)
    emitted = Emitted()
    reflect = _pass(stores, emitter=emitted)
    assert await reflect.expected(PassScope(stores.tenant, STORED)) == 1
    (done,) = await run(reflect, stores.tenant, STORED)
    assert (done.examined, done.changed, done.created) == (40, 0, 1)
    (found,) = await stores.derived()
    assert found.content == INSIGHT
    assert (found.kind, found.source) == (MemoryKind.REFLECTION, MemorySource.SELF_REFLECTION)
    created, reflected = emitted.events
    assert isinstance(created, MemoryCreated)
    assert isinstance(reflected, MemoryReflected)
    assert (created.memory_id, reflected.memory_id) == (found.id, found.id)
    assert reflected.source_ids == found.source_ids
    expand = MemoryLookups(stores.queries, DocumentStore(stores.database)).expand
    reply = await expand(stores.tenant, ExpandRequest(user_id="u-1", memory_id=found.id))
    assert {one.content for one in reply.memories} <= set(ANNA)
    assert await run(reflect, stores.tenant, STORED) == []
    assert await reflect.expected(PassScope(stores.tenant, STORED)) == 0


async def test_where_nothing_is_regular_what_has_accumulated_is_settled(stores: Stores) -> None:
    await _live(stores, regular=False)
    reflect = _pass(stores)
    assert total(await run(reflect, stores.tenant, STORED), "created") == (0,)
    assert await stores.derived() == []
    assert await reflect.expected(PassScope(stores.tenant, STORED)) == 0


class FixedModel(LlmInsights):
    """A language model with one insight, of the messages about dinner."""

    def __init__(self) -> None:
        pass

    async def insights(self, observed: ReflectionEvidence) -> Sequence[Insight]:
        dinners = [one for one in observed.memories if "dinner" in one.content]
        about, sources = "understood/what:dinner", tuple(one.id for one in dinners[:3])
        return [
            replace(one, about=about, content="You cook for yourself when it rains.", sources=sources)
            for one in find_insights(observed.memories)
        ]


async def test_insights_of_a_model_and_of_rules_are_written_above_the_threshold(stores: Stores) -> None:
    """The threshold is infinite where nobody is reflected upon."""
    await _live(stores)
    assert await _pass(stores, threshold=math.inf).expected(PassScope(stores.tenant, STORED)) == 0
    assert await run(_pass(stores, threshold=1_000.0), stores.tenant, STORED) == []
    assert await run(_pass(stores), stores.tenant, STORED, "somebody") == []
    (done,) = await run(_pass(stores, model=FixedModel()), stores.tenant, STORED, "u-1")
    assert done.created == 2
    found = {one.content for one in await stores.derived()}
    assert found == {"You cook for yourself when it rains.", INSIGHT}


async def test_users_that_fail_keep_no_others_from_it_and_rest(stores: Stores) -> None:
    """Also when there are more of them than are looked for at a time, and all come first."""
    await _live(stores)
    poisoned = [f"poison-{n}" for n in range(60)]
    async with stores.transaction() as connection:
        await connection.executemany(
            "insert into reflection_backlog (tenant, user_id, importance) values ($1, $2, 100000)",
            [(stores.tenant, user) for user in poisoned],
        )
    store = PoisonedStore(stores.database)
    reflect, items = _pass(stores, store=store), ItemBackoff("reflect")
    done = await run(reflect, stores.tenant, STORED, items=items)
    assert total(done, "failed", "created") == (60, 1)
    assert sorted(store.read) == sorted([*poisoned, "u-1"])
    assert total(await run(reflect, stores.tenant, STORED, items=items), "failed") == (60,)
    assert len(store.read) == 61
    # In a process that has just begun:
    assert total(await run(reflect, stores.tenant, STORED, "poison-1"), "failed") == (1,)
    assert len(store.read) == 62

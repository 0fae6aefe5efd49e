"""The pass `reflect`: once is enough, and if it is stopped nothing is lost."""

import math
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
from tests.contract.store.passes import Emitted
from tests.contract.store.stores import STORED, Stores, enriched
from tests.fixtures.sentence_tables import table
from tests.support.factories import START, feeling, reading

from ricordo.clock import SystemClock
from ricordo.language.annotations import NEUTRAL, MemoryKind, MemoryType
from ricordo.language.document import Document
from ricordo.memory.enrichment import enrich
from ricordo.memory.model import Memory, Source
from ricordo.memory.reflection import LEAST_IMPORTANCE, Insight
from ricordo.memory.reflection.observations import ReflectionEvidence
from ricordo.messages.events import MemoryCreated, MemoryReflected
from ricordo.messages.queries import ExpandRequest
from ricordo.models.llm_insights import LlmInsights
from ricordo.store.consolidation import ReflectionStore
from ricordo.store.database import Database
from ricordo.store.document_store import DocumentStore
from ricordo.store.enrichment_store import EnrichedMemory
from ricordo_services.lifecycle.passes.condensing_passes import ReflectionPass
from ricordo_services.lifecycle.passes.pass_runner import Slice
from ricordo_services.retrieval.lookups import MemoryLookups

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
    return enriched(memory, importance=derived.importance.value, **values)


async def _live(stores: Stores, *, regular: bool = True, role: str = "user") -> None:
    """Record forty days of messages, on every third of which Anna comes up at work."""
    messages = [
        stores.message(
            f"m-{day}",
            content=ANNA[day // 3 % 4] if regular and day % 3 == 0 else f"{PLAIN[day % 4]}, day {day}",
            role=role,
            timestamp=START + timedelta(days=day),
            conversation_id=f"c-{day}",
        )
        for day in range(40)
    ]
    await stores.record(*messages)
    memories = await stores.found(*(one.memory_id for one in messages))
    await stores.enrichments.save(stores.tenant, [_enriched(one) for one in memories], STORED)


def _reflect(stores: Stores, **parts: Any) -> ReflectionPass:  # noqa: ANN401 - the fields of the class
    plain: dict[str, Any] = {
        "store": ReflectionStore(stores.database),
        "emitter": Emitted(),
        "clock": SystemClock(),
        "executor": stores.executor,
    }
    return ReflectionPass(**{**plain, **parts})


async def _run(reflect: ReflectionPass, stores: Stores, user: str | None = None) -> list[Slice]:
    return [one async for one in reflect.slices(stores.tenant, STORED, user, None)]


async def _reflections(stores: Stores) -> Sequence[Memory]:
    lost = await stores.lost(STORED + timedelta(days=9999), 500)
    return await stores.found(*(one.progress.memory_id for one in lost if one.progress.message_id is None))


async def test_what_is_regular_becomes_an_insight_once(stores: Stores) -> None:
    """With its sources, its question and its importance; and its events are emitted."""
    await _live(stores)
    emitted = Emitted()
    reflect = _reflect(stores, emitter=emitted)
    assert await reflect.expected(stores.tenant, STORED, None) == 1
    (done,) = await _run(reflect, stores)
    assert (done.examined, done.changed, done.created) == (40, 0, 1)
    (found,) = await _reflections(stores)
    assert found.content == INSIGHT
    assert found.questions_addressed == ("What does Anna mean to you when you talk about work?",)
    kinds = (MemoryKind.REFLECTION, MemoryType.SEMANTIC, Source.SELF_REFLECTION)
    assert (found.kind, found.type, found.source) == kinds
    assert 1 + 9 * found.importance >= 8
    assert (found.participants, found.topics, found.language) == (("Anna",), ("work",), "en")
    assert found.created_at == START + timedelta(days=39)
    created, reflected = emitted.events
    assert isinstance(created, MemoryCreated)
    assert isinstance(reflected, MemoryReflected)
    assert (created.memory_id, reflected.memory_id) == (found.id, found.id)
    assert reflected.source_ids == found.source_ids
    expand = MemoryLookups(stores.queries, DocumentStore(stores.database)).expand
    reply = await expand(stores.tenant, ExpandRequest(user_id="u-1", memory_id=found.id))
    assert {one.content for one in reply.memories} <= set(ANNA)
    assert await _run(reflect, stores) == []
    assert await reflect.expected(stores.tenant, STORED, None) == 0


@pytest.mark.parametrize("role", ["user", "assistant"])
async def test_no_insight_where_nothing_is_regular_or_an_assistant_said_it(stores: Stores, role: str) -> None:
    """And what has accumulated is settled; what an assistant said never accumulates."""
    assistant = role == "assistant"
    await _live(stores, regular=assistant, role=role)
    reflect = _reflect(stores)
    assert [one.created for one in await _run(reflect, stores)] == ([] if assistant else [0])
    assert await _reflections(stores) == []
    assert await reflect.expected(stores.tenant, STORED, None) == 0


class FixedModel(LlmInsights):
    """A language model with one insight, of the messages about dinner."""

    def __init__(self) -> None:
        pass

    async def insights(self, observed: ReflectionEvidence) -> Sequence[Insight]:
        dinners = [one for one in observed.memories if "dinner" in one.content]
        return [
            Insight(
                about="understood/what:dinner",
                content="You cook for yourself when it rains.",
                question="What do you do when it rains?",
                language="en",
                sources=tuple(one.id for one in dinners[:3]),
                participants=(),
                topics=("dinner",),
                emotion=NEUTRAL,
                importance=LEAST_IMPORTANCE,
                confidence=0.7,
                created_at=max(one.created_at for one in dinners[:3]),
            )
        ]


async def test_insights_of_a_model_and_of_rules_are_written_above_the_threshold(stores: Stores) -> None:
    """The threshold is infinite where nobody is reflected upon."""
    await _live(stores)
    assert await _reflect(stores, threshold=math.inf).expected(stores.tenant, STORED, None) == 0
    assert await _run(_reflect(stores, threshold=1_000.0), stores) == []
    assert await _run(_reflect(stores), stores, "somebody") == []
    (done,) = await _run(_reflect(stores, model=FixedModel()), stores, "u-1")
    assert done.created == 2
    found = {one.content for one in await _reflections(stores)}
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
    reflect = _reflect(stores, store=store)
    done = await _run(reflect, stores)
    assert (sum(one.failed for one in done), sum(one.created for one in done)) == (60, 1)
    assert sorted(store.read) == sorted([*poisoned, "u-1"])
    assert sum(one.failed for one in await _run(reflect, stores)) == 60
    assert len(store.read) == 61
    again = _reflect(stores, store=store)  # in a process that has just begun
    assert sum(one.failed for one in await _run(again, stores, "poison-1")) == 1
    assert len(store.read) == 62

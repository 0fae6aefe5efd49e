"""The pass `reflect` on PostgreSQL: once is enough, and whoever is stopped in between has lost nothing."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import pytest
from tests.contract.store.stores import STORED, Stores, enriched

from ricordo.bus.port import BusUnavailable
from ricordo.language.annotations import NEUTRAL, MemoryKind, MemoryType
from ricordo.language.document import Document
from ricordo.memory.enrichment import enrich
from ricordo.memory.model import Memory, Source
from ricordo.memory.reflection import LEAST_IMPORTANCE, Insight
from ricordo.memory.reflection.observations import ReflectionEvidence
from ricordo.messages.events import DerivedEvent, MemoryCreated, MemoryReflected
from ricordo.messages.queries import ExpandRequest
from ricordo.runtime.scheduling import CpuExecutor
from ricordo.store.consolidation import Reflection, ReflectionBacklog, ReflectionResult, ReflectionStore
from ricordo.store.database import Database, StoreUnavailable
from ricordo.store.document_store import DocumentStore
from ricordo.store.stages import EnrichedMemory
from ricordo.system_clock import SystemClock
from ricordo.testing.factories import START, new_message
from ricordo_services.lifecycle.passes import Slice
from ricordo_services.lifecycle.reflecting import Reflect
from ricordo_services.retrieval.lookups import Expand

pytestmark = pytest.mark.integration

ANNA = (
    "Anna was upset at work again, I'm worried",
    "At work Anna told me about her plans, it makes me anxious",
    "Anna called about work and I'm afraid of what comes next",
    "Anna and I stayed late at work, I'm worried about it",
)
PLAIN = ("It is raining again", "I made pasta for dinner", "The train was on time", "I read an old book")


@dataclass
class Heard:
    """Keeps what is emitted; fails the first time where it is told to."""

    failing: bool = False
    events: list[DerivedEvent] = field(default_factory=list)

    async def emit(self, _tenant: str, events: Sequence[DerivedEvent]) -> None:
        if self.failing:
            self.failing = False
            raise BusUnavailable("the bus is gone")
        self.events += events


class Interrupted(ReflectionStore):
    """Fails once, before or after insights are written: as a process does that ends there."""

    def __init__(self, database: Database, *, written: bool) -> None:
        super().__init__(database)
        self._written = written
        self._fails = True

    async def reflect(
        self, tenant: str, one: ReflectionBacklog, reflections: Sequence[Reflection], at: datetime
    ) -> ReflectionResult | None:
        fails, self._fails = self._fails, False
        if fails and not self._written:
            raise StoreUnavailable("stopped before")
        reflected = await super().reflect(tenant, one, reflections, at)
        if fails:
            raise StoreUnavailable("stopped after")
        return reflected


def _enriched(memory: Memory) -> EnrichedMemory:
    derived = enrich(Document(memory.content, "en"), speaker="Davide")
    return enriched(
        memory,
        importance=derived.importance.value,
        emotion=derived.emotion,
        kind=derived.kind,
        participants=derived.participants,
        topics=derived.topics,
    )


class Poisoned(ReflectionStore):
    """Cannot read what some users said."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.read: list[str] = []

    async def observed(self, tenant: str, user_id: str, limit: int) -> ReflectionEvidence:
        self.read.append(user_id)
        if user_id.startswith("poison"):
            raise ValueError("a memory that nobody can read")
        return await super().observed(tenant, user_id, limit)


async def _live(stores: Stores, *, regular: bool = True, role: str = "user") -> None:
    """Have forty days of messages, on every third of which Anna comes up at work."""
    texts = [
        ANNA[day // 3 % 4] if regular and day % 3 == 0 else f"{PLAIN[day % 4]}, day {day}"
        for day in range(40)
    ]
    messages = [
        new_message(
            f"m-{day}",
            tenant=stores.tenant,
            content=text,
            role=role,
            timestamp=START + timedelta(days=day),
            conversation_id=f"c-{day}",
        )
        for day, text in enumerate(texts)
    ]
    await stores.record(*messages)
    memories = await stores.recollection.memories(stores.tenant, "u-1", [one.memory_id for one in messages])
    await stores.enrichments.save(stores.tenant, [_enriched(one) for one in memories], STORED)


def _reflect(database: Database, beside: CpuExecutor, **differing: Any) -> Reflect:  # noqa: ANN401 - the fields of the class
    parts: dict[str, Any] = {
        "store": ReflectionStore(database),
        "emitter": Heard(),
        "clock": SystemClock(),
        "beside": beside,
    }
    return Reflect(**{**parts, **differing})


async def _run(reflect: Reflect, stores: Stores, user: str | None = None) -> list[Slice]:
    return [one async for one in reflect.slices(stores.tenant, STORED, user, None)]


async def _reflections(stores: Stores) -> list[Memory]:
    lagging = await stores.life.lagging(stores.tenant, STORED + timedelta(days=9999), timedelta(0), 500)
    ids = [one.progress.memory_id for one in lagging if one.progress.message_id is None]
    return list(await stores.recollection.memories(stores.tenant, "u-1", ids))


async def test_what_is_regular_is_understood(database: Database, stores: Stores, beside: CpuExecutor) -> None:
    """Once: with its sources, its question and its importance; and told of."""
    await _live(stores)
    heard = Heard()
    reflect = _reflect(database, beside, emitter=heard)
    assert await reflect.expected(stores.tenant, STORED, None) == 1
    (done,) = await _run(reflect, stores)
    assert (done.examined, done.changed, done.created) == (40, 0, 1)
    (found,) = await _reflections(stores)
    assert found.content == "Anna comes up often when you talk about work, mostly with worry."
    assert found.questions_addressed == ("What does Anna mean to you when you talk about work?",)
    assert (found.kind, found.type, found.source) == (
        MemoryKind.REFLECTION,
        MemoryType.SEMANTIC,
        Source.SELF_REFLECTION,
    )
    assert 1 + 9 * found.importance >= 8
    assert (found.participants, found.topics, found.language) == (("Anna",), ("work",), "en")
    assert found.created_at == START + timedelta(days=39)
    created, reflected = heard.events
    assert isinstance(created, MemoryCreated)
    assert isinstance(reflected, MemoryReflected)
    assert (created.memory_id, reflected.memory_id) == (found.id, found.id)
    assert reflected.source_ids == found.source_ids
    reply = await Expand(stores.recollection, DocumentStore(database))(
        stores.tenant, ExpandRequest(user_id="u-1", memory_id=found.id)
    )
    assert {one.content for one in reply.memories} <= set(ANNA)
    assert await _run(reflect, stores) == []
    assert await reflect.expected(stores.tenant, STORED, None) == 0


@pytest.mark.parametrize("regular_role", ["nothing regular", "assistant"])
async def test_where_nothing_is_regular_nothing_is_said(
    database: Database, stores: Stores, beside: CpuExecutor, regular_role: str
) -> None:
    """And what has accumulated is settled; what an assistant said never accumulates."""
    assistant = regular_role == "assistant"
    await _live(stores, regular=assistant, role="assistant" if assistant else "user")
    reflect = _reflect(database, beside)
    assert [one.created for one in await _run(reflect, stores)] == ([] if assistant else [0])
    assert await _reflections(stores) == []
    assert await reflect.expected(stores.tenant, STORED, None) == 0


async def test_too_little_is_left_until_more_comes(
    database: Database, stores: Stores, beside: CpuExecutor
) -> None:
    """Below the threshold, which is without end where nobody is reflected upon; and for another user."""
    await _live(stores)
    assert await _reflect(database, beside, threshold=math.inf).expected(stores.tenant, STORED, None) == 0
    assert await _run(_reflect(database, beside, threshold=1_000.0), stores) == []
    assert await _run(_reflect(database, beside), stores, "somebody") == []
    assert len(await _run(_reflect(database, beside), stores, "u-1")) == 1


class Model:
    """A language model that understood one thing, of the messages about dinner."""

    async def insights(self, tenant: str, observed: ReflectionEvidence) -> Sequence[Insight]:
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


async def test_what_a_model_leaves_open_is_filled_in(
    database: Database, stores: Stores, beside: CpuExecutor
) -> None:
    """Its insight and that of the rules are both written."""
    await _live(stores)
    (done,) = await _run(_reflect(database, beside, model=Model()), stores)
    assert done.created == 2
    found = {one.content: one for one in await _reflections(stores)}
    assert set(found) == {
        "You cook for yourself when it rains.",
        "Anna comes up often when you talk about work, mostly with worry.",
    }


@pytest.mark.parametrize("step", ["before", "after", "told"])
async def test_whoever_is_stopped_has_lost_nothing(
    database: Database, stores: Stores, beside: CpuExecutor, step: str
) -> None:
    """A crash before the write, behind it, and before it is told of: all end in the same state."""
    await _live(stores)
    if step == "told":
        stopped = _reflect(database, beside, emitter=Heard(failing=True))
    else:
        stopped = _reflect(database, beside, store=Interrupted(database, written=step == "after"))
    with pytest.raises((StoreUnavailable, BusUnavailable)):
        await _run(stopped, stores)
    again = await _run(_reflect(database, beside), stores)
    assert len(again) == (1 if step == "before" else 0)
    (found,) = await _reflections(stores)  # lacks its stages, so that the reconciliation tells of it
    assert found.content.startswith("Anna comes up often")
    assert await _reflect(database, beside).expected(stores.tenant, STORED, None) == 0


async def test_users_that_nobody_can_reflect_upon_keep_no_others_from_it(
    database: Database, stores: Stores, beside: CpuExecutor
) -> None:
    """More of them than are looked for at a time, and all of them before the others; they are not asked for
    again at once."""
    await _live(stores)
    poisoned = [f"poison-{n}" for n in range(60)]
    async with database.transaction(stores.tenant) as connection:
        await connection.executemany(
            "insert into reflection_backlog (tenant, user_id, importance) values ($1, $2, 100000)",
            [(stores.tenant, user) for user in poisoned],
        )
    store = Poisoned(database)
    reflect = _reflect(database, beside, store=store)
    done = await _run(reflect, stores)
    assert (sum(one.failed for one in done), sum(one.created for one in done)) == (60, 1)
    assert sorted(store.read) == sorted([*poisoned, "u-1"])
    assert sum(one.failed for one in await _run(reflect, stores)) == 60
    assert len(store.read) == 61
    again = _reflect(database, beside, store=store)  # of a process that has just begun
    assert sum(one.failed for one in await _run(again, stores, "poison-1")) == 1
    assert len(store.read) == 62

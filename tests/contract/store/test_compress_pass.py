"""The pass `compress` on PostgreSQL: once is enough, and whoever is stopped in between has lost nothing."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.contract.store.stores import MODEL, STORED, Stores, enriched

from ricordo.bus.port import BusUnavailable
from ricordo.language.annotations import MemoryKind
from ricordo.memory.compression import FEWEST, MOST, CompressionCandidate
from ricordo.memory.model import Memory
from ricordo.memory.progress import Progress
from ricordo.memory.summaries import Condensed, SessionTurn
from ricordo.messages.events import DerivedEvent, MemoryCompressed, MemoryCreated
from ricordo.messages.queries import ExpandRequest
from ricordo.runtime.scheduling import CpuExecutor
from ricordo.store.consolidation import CompressionStore, MemoryPosition
from ricordo.store.database import Database, StoreUnavailable
from ricordo.store.document_store import DocumentStore
from ricordo.store.intake import NewMessage
from ricordo.system_clock import SystemClock
from ricordo.testing.factories import at, new_message, unit_vectors
from ricordo_services.lifecycle.passes import Compress, Slice
from ricordo_services.retrieval.lookups import Expand

pytestmark = pytest.mark.integration

NOW = at(0) + timedelta(days=200)
KINDS = unit_vectors(4, 384)


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


class Interrupted(CompressionStore):
    """Fails once, before or after a synthesis is written: as a process does that ends there."""

    def __init__(self, database: Database, *, written: bool) -> None:
        super().__init__(database)
        self._written = written
        self._countdown = 2

    async def compress(
        self, tenant: str, synthesis: Memory, sources: Sequence[Memory], now: datetime, at: datetime
    ) -> Progress | None:
        self._countdown -= 1
        if self._countdown == 0 and not self._written:
            raise StoreUnavailable("stopped before")
        progress = await super().compress(tenant, synthesis, sources, now, at)
        if self._countdown == 0:
            raise StoreUnavailable("stopped after")
        return progress


class Poisoned(CompressionStore):
    """Cannot write a synthesis of the first message, nor read what the first user said."""

    async def weak(
        self,
        tenant: str,
        user_id: str,
        model: str,
        now: datetime,
        *,
        after: MemoryPosition | None,
        limit: int,
    ) -> Sequence[CompressionCandidate]:
        if user_id == "poison":
            raise ValueError("a memory that nobody can read")
        return await super().weak(tenant, user_id, model, now, after=after, limit=limit)

    async def compress(
        self, tenant: str, synthesis: Memory, sources: Sequence[Memory], now: datetime, at: datetime
    ) -> Progress | None:
        if any(one.message_id == "m-0" for one in sources):
            raise ValueError("a synthesis that nobody can write")
        return await super().compress(tenant, synthesis, sources, now, at)


class Model:
    """A `Condenser` that says one thing."""

    def __init__(self, answer: str | None) -> None:
        self.answer = answer
        self.shown: list[Sequence[SessionTurn]] = []

    async def synthesis(self, turns: Sequence[SessionTurn]) -> str | None:
        self.shown.append(turns)
        return self.answer

    async def condense(self, turns: Sequence[SessionTurn]) -> Condensed | None:
        return None


async def _tell(stores: Stores, kinds: Iterable[int]) -> None:
    """Have old and weak messages, each of a kind, in a tenant; the kinds are as unlike as can be."""
    told: list[NewMessage] = [
        new_message(
            f"m-{n}", tenant=stores.tenant, timestamp=at(n), content=f"Painted boat {n} of kind {kind}."
        )
        for n, kind in enumerate(kinds)
    ]
    if not told:
        return
    await stores.record(*told)
    ids = [one.memory_id for one in told]
    vectors = [(one, KINDS[kind]) for one, kind in zip(ids, kinds, strict=True)]
    await stores.encodings.save(stores.tenant, MODEL, vectors, ids, STORED)
    memories = await stores.recollection.memories(stores.tenant, "u-1", ids)
    await stores.enrichments.save(stores.tenant, [enriched(one, importance=0.1) for one in memories], STORED)


def _compress(database: Database, **differing: Any) -> Compress:  # noqa: ANN401 - the fields of the class
    parts = {
        "store": CompressionStore(database),
        "emitter": Heard(),
        "clock": SystemClock(),
        "beside": CpuExecutor(),
        "model": MODEL,
    }
    return Compress(**{**parts, **differing})


async def _run(compress: Compress, stores: Stores, user: str | None = None) -> list[Slice]:
    return [one async for one in compress.slices(stores.tenant, NOW, user, None)]


async def _state(stores: Stores, count: int) -> tuple[set[tuple[str, ...]], set[str]]:
    """Return the messages of each synthesis, and those that are compressed."""
    ids = [stores.id(f"m-{n}") for n in range(count)]
    rows = await stores.recollection.memories(stores.tenant, "u-1", ids)
    compressed = {str(one.message_id) for one in rows if one.compressed}
    made = await _syntheses(stores)
    return {one.source_message_ids for one in made}, compressed


async def _syntheses(stores: Stores) -> list[Memory]:
    lagging = await stores.life.lagging(stores.tenant, STORED + timedelta(days=9999), timedelta(0), 500)
    ids: list[UUID] = [one.progress.memory_id for one in lagging if one.progress.message_id is None]
    return list(await stores.recollection.memories(stores.tenant, "u-1", ids))


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(kinds=st.lists(st.integers(0, 3), max_size=50))
async def test_all_that_was_said_can_still_be_reached(
    database: Database, stores: Stores, kinds: list[int]
) -> None:
    """Each memory is compressed and a source of one synthesis, which `expand` shows, or neither."""
    stores = stores.elsewhere()
    await _tell(stores, kinds)
    await _run(_compress(database), stores)
    expand, shown = Expand(stores.recollection, DocumentStore(database)), []
    for one in await _syntheses(stores):
        assert FEWEST <= len(one.source_ids) <= MOST
        assert one.kind is MemoryKind.SYNTHESIS
        reply = await expand(stores.tenant, ExpandRequest(user_id="u-1", memory_id=one.id))
        assert {memory.id for memory in reply.memories} == set(one.source_ids)
        shown += [message for memory in reply.memories for message in memory.message_ids]
    _, compressed = await _state(stores, len(kinds))
    assert sorted(shown) == sorted(compressed)
    assert all(kinds.count(kind) % MOST < FEWEST for kind in set(kinds)) or shown


async def test_a_second_run_changes_nothing(database: Database, stores: Stores) -> None:
    """It looks at what was left alone, and says nothing."""
    await _tell(stores, [0] * 30 + [1] * 5 + [2] * 2)
    heard = Heard()
    done = await _run(_compress(database, emitter=heard), stores)
    assert (sum(one.examined for one in done), sum(one.changed for one in done)) == (37, 35)
    assert sum(one.created for one in done) == 3
    made = [one for one in heard.events if isinstance(one, MemoryCompressed)]
    created = [one.memory_id for one in heard.events if isinstance(one, MemoryCreated)]
    assert {one.memory_id: one.memory_ids for one in made} == {
        one.id: one.source_ids for one in await _syntheses(stores)
    }
    assert created == [one.memory_id for one in made]
    before = await _state(stores, 37)
    again = Heard()
    done = await _run(_compress(database, emitter=again), stores)
    assert (sum(one.examined for one in done), sum(one.changed for one in done)) == (2, 0)
    assert (again.events, await _state(stores, 37)) == ([], before)


@pytest.mark.parametrize(
    "broken",
    [
        lambda database: {"store": Interrupted(database, written=False)},
        lambda database: {"store": Interrupted(database, written=True)},
        lambda _: {"emitter": Heard(failing=True)},
    ],
    ids=["before a synthesis", "after a synthesis", "before it is told of"],
)
async def test_whoever_is_stopped_in_between_ends_where_all_do(
    database: Database, stores: Stores, broken: Callable[[Database], dict[str, Any]]
) -> None:
    """The same syntheses of the same sources, each once."""
    kinds = [0] * 25 + [1] * 4 + [2] * 7 + [3] * 2
    undisturbed = stores.elsewhere()
    await _tell(undisturbed, kinds)
    await _run(_compress(database), undisturbed)
    await _tell(stores, kinds)
    with pytest.raises((StoreUnavailable, BusUnavailable)):
        await _run(_compress(database, **broken(database)), stores)
    await _run(_compress(database), stores)
    assert await _state(stores, len(kinds)) == await _state(undisturbed, len(kinds))


async def test_of_one_user_only(database: Database, stores: Stores) -> None:
    """Where somebody asks for it."""
    await _tell(stores, [0] * 5)
    assert sum(one.changed for one in await _run(_compress(database), stores, "u-2")) == 0
    assert sum(one.changed for one in await _run(_compress(database), stores, "u-1")) == 5


@pytest.mark.parametrize(("answer", "told"), [("They were five.", "They were five."), (None, "In January")])
async def test_a_model_says_it_or_the_sentences_do(
    database: Database, stores: Stores, answer: str | None, told: str
) -> None:
    """It is shown what was said in the order in which it was."""
    await _tell(stores, [0] * 5)
    model = Model(answer)
    await _run(_compress(database, condenser=model), stores)
    (made,) = await _syntheses(stores)
    assert made.content.startswith(told)
    assert [one.memory.content for one in model.shown[0]] == [
        f"Painted boat {n} of kind 0." for n in range(5)
    ]


async def test_what_cannot_be_condensed_keeps_nothing_else_from_it(
    database: Database, stores: Stores
) -> None:
    """Neither a group the other groups, nor a user the other users."""
    await stores.record(
        new_message("m-p", tenant=stores.tenant, user_id="poison", conversation_id="c-p", timestamp=at(0))
    )
    await _tell(stores, [0] * 5 + [1] * 6 + [2] * 4)
    done = await _run(_compress(database, store=Poisoned(database)), stores)
    assert (sum(one.created for one in done), sum(one.changed for one in done)) == (2, 10)
    assert sum(one.failed for one in done) == 2
    done = await _run(_compress(database), stores)  # once its fault is mended
    assert (sum(one.created for one in done), sum(one.failed for one in done)) == (1, 0)

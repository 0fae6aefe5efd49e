"""The pass `compress`: once is enough, and if it is stopped nothing is lost."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.contract.store.passes import Emitted
from tests.contract.store.stores import MODEL, STORED, Stores
from tests.support.factories import at, unit_vectors

from ricordo.clock import SystemClock
from ricordo.language.annotations import MemoryKind
from ricordo.memory.compression import FEWEST, MOST, CompressionCandidate
from ricordo.memory.model import Memory, Progress
from ricordo.memory.summaries import SessionTurn
from ricordo.messages.events import MemoryCompressed, MemoryCreated
from ricordo.messages.queries import ExpandRequest
from ricordo.models.llm_condenser import LlmCondenser
from ricordo.store.consolidation import CompressionStore, MemoryPosition
from ricordo.store.document_store import DocumentStore
from ricordo_services.lifecycle.passes.condensing_passes import CompressionPass
from ricordo_services.lifecycle.passes.pass_runner import Slice
from ricordo_services.retrieval.lookups import MemoryLookups

NOW = at(0) + timedelta(days=200)
KINDS = unit_vectors(4, 384)


class PoisonedStore(CompressionStore):
    """Fails at a synthesis of the first message, and at the user `poison`."""

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


class FixedCondenser(LlmCondenser):
    def __init__(self, answer: str | None) -> None:
        self.answer = answer
        self.shown: list[Sequence[SessionTurn]] = []

    async def synthesis(self, turns: Sequence[SessionTurn]) -> str | None:
        self.shown.append(turns)
        return self.answer


async def _say(stores: Stores, kinds: Iterable[int]) -> None:
    """Record old and weak messages, each of a kind; the kinds are as unlike as can be."""
    kinds = list(kinds)
    names = [f"m-{n}" for n in range(len(kinds))]
    if not names:
        return
    contents = [f"Painted boat {n} of kind {kind}." for n, kind in enumerate(kinds)]
    await stores.record(
        *(stores.message(name, minute=n, content=contents[n]) for n, name in enumerate(names))
    )
    ids = [stores.id(name) for name in names]
    vectors = [(one, KINDS[kind]) for one, kind in zip(ids, kinds, strict=True)]
    await stores.encodings.save(stores.tenant, MODEL, vectors, ids, STORED)
    await stores.enrich(*names, importance=0.1)


async def _run(stores: Stores, user: str | None = None, **parts: Any) -> list[Slice]:  # noqa: ANN401 - of the class
    plain: dict[str, Any] = {
        "store": CompressionStore(stores.database),
        "emitter": Emitted(),
        "clock": SystemClock(),
        "executor": stores.executor,
        "model": MODEL,
    }
    work = CompressionPass(**{**plain, **parts})
    return [one async for one in work.slices(stores.tenant, NOW, user, None)]


def _sum(slices: Sequence[Slice], *names: str) -> tuple[int, ...]:
    return tuple(sum(getattr(one, name) for one in slices) for name in names)


async def _syntheses(stores: Stores) -> Sequence[Memory]:
    lost = await stores.lost(STORED + timedelta(days=9999), 500)
    return await stores.found(*(one.progress.memory_id for one in lost if one.progress.message_id is None))


async def _state(stores: Stores, count: int) -> tuple[set[tuple[str, ...]], set[str]]:
    """Return the messages of each synthesis, and those that are compressed."""
    rows = await stores.found(*(stores.id(f"m-{n}") for n in range(count)))
    compressed = {str(one.message_id) for one in rows if one.compressed}
    return {one.source_message_ids for one in await _syntheses(stores)}, compressed


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(kinds=st.lists(st.integers(0, 3), max_size=50))
async def test_all_messages_can_still_be_reached(stores: Stores, kinds: list[int]) -> None:
    """Each is compressed and a source of one synthesis, which `expand` shows, or neither."""
    here = stores.another_tenant()
    await _say(here, kinds)
    await _run(here)
    expand, shown = MemoryLookups(here.queries, DocumentStore(here.database)).expand, []
    for one in await _syntheses(here):
        assert FEWEST <= len(one.source_ids) <= MOST
        assert one.kind is MemoryKind.SYNTHESIS
        reply = await expand(here.tenant, ExpandRequest(user_id="u-1", memory_id=one.id))
        assert {memory.id for memory in reply.memories} == set(one.source_ids)
        shown += [message for memory in reply.memories for message in memory.message_ids]
    _, compressed = await _state(here, len(kinds))
    assert sorted(shown) == sorted(compressed)
    assert all(kinds.count(kind) % MOST < FEWEST for kind in set(kinds)) or shown


async def test_a_second_run_changes_nothing_and_emits_nothing(stores: Stores) -> None:
    await _say(stores, [0] * 30 + [1] * 5 + [2] * 2)
    assert _sum(await _run(stores, "u-2"), "changed") == (0,)
    emitted, again = Emitted(), Emitted()
    done = await _run(stores, "u-1", emitter=emitted)
    assert _sum(done, "examined", "changed", "created") == (37, 35, 3)
    made = [one for one in emitted.events if isinstance(one, MemoryCompressed)]
    syntheses = {one.id: one.source_ids for one in await _syntheses(stores)}
    assert {one.memory_id: one.memory_ids for one in made} == syntheses
    created = [one.memory_id for one in emitted.events if isinstance(one, MemoryCreated)]
    assert created == [one.memory_id for one in made]
    before = await _state(stores, 37)
    assert _sum(await _run(stores, emitter=again), "examined", "changed") == (2, 0)
    assert (again.events, await _state(stores, 37)) == ([], before)


@pytest.mark.parametrize(
    ("answer", "content"), [("They were five.", "They were five."), (None, "In January")]
)
async def test_a_model_writes_the_synthesis_or_rules_do(
    stores: Stores, answer: str | None, content: str
) -> None:
    await _say(stores, [0] * 5)
    condenser = FixedCondenser(answer)
    await _run(stores, condenser=condenser)
    (made,) = await _syntheses(stores)
    assert made.content.startswith(content)
    shown = [one.memory.content for one in condenser.shown[0]]
    assert shown == [f"Painted boat {n} of kind 0." for n in range(5)]


async def test_a_group_or_user_that_fails_keeps_no_other_from_it(stores: Stores) -> None:
    await stores.record(stores.message("m-p", user_id="poison", conversation_id="c-p"))
    await _say(stores, [0] * 5 + [1] * 6 + [2] * 4)
    done = await _run(stores, store=PoisonedStore(stores.database))
    assert _sum(done, "created", "changed", "failed") == (2, 10, 2)
    assert _sum(await _run(stores), "created", "failed") == (1, 0), "once the fault is mended"

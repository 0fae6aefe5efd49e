"""The pass `compress`: weak memories are found by age, and one transaction replaces them by a synthesis."""

# ruff: noqa: ANN401 - what is passed on is the business of the store and the pass

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import product
from typing import Any

import asyncpg
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.contract.store.passes import Emitted, run, total
from tests.contract.store.stores import MODEL, STORED, Stores, request
from tests.fixtures.examples import laws
from tests.support.factories import at, unit_vectors

from ricordo.clock import SystemClock
from ricordo.language.annotations import MemoryKind
from ricordo.memory.compression import FEWEST, MOST, compression_cutoff, is_weak
from ricordo.memory.model import Memory, Progress
from ricordo.memory.summaries import SessionTurn
from ricordo.memory.syntheses import synthesise
from ricordo.messages.events import MemoryCompressed, MemoryCreated
from ricordo.messages.queries import ExpandRequest
from ricordo.models.llm_condenser import LlmCondenser
from ricordo.store.consolidation import CompressionStore
from ricordo.store.curation_store import UnknownMemories
from ricordo.store.database import blocks
from ricordo.store.document_store import DocumentStore
from ricordo.store.listing_store import MemoryPlace
from ricordo_services.lifecycle.condensing_passes import CompressionPass
from ricordo_services.lifecycle.pass_runner import Slice
from ricordo_services.retrieval.lookups import MemoryLookups

NOW = at(0) + timedelta(days=200)
NAMES = ("m-1", "m-2", "m-3")


@pytest.fixture
def compression(stores: Stores) -> CompressionStore:
    return CompressionStore(stores.database)


async def _remembered(stores: Stores, *names: str) -> list[Memory]:
    """Record, encode and enrich messages that hardly matter; return them as they are then."""
    for minute, name in enumerate(names):
        await stores.record(stores.message(name, minute=minute, content=f"Number {name} of Max."))
    await stores.encode(*names)
    await stores.enrich(*names, importance=0.1)
    return [await stores.memory(name) for name in names]


async def _weak(compression: CompressionStore, stores: Stores, user_id: str = "u-1") -> set[object]:
    found = await compression.weak(stores.tenant, user_id, MODEL, NOW, after=None, limit=100)
    return {one.id for one in found}


async def _compress(
    compression: CompressionStore, stores: Stores, sources: Sequence[Memory]
) -> Progress | None:
    turns = await compression.sources(stores.tenant, "u-1", MODEL, [one.id for one in sources])
    return await compression.compress(stores.tenant, synthesise(turns), sources, NOW, STORED)


async def test_users_with_old_messages_come_in_order_however_the_server_joins(
    stores: Stores, connection: "asyncpg.Connection[asyncpg.Record]"
) -> None:
    """Once it has looked at a table, it may come upon users in the order of the rows that they have."""
    names = [f"u-{number:03}" for number in range(300)]
    for count in (40, 300):
        shuffled = sorted(names[:count], key=lambda name: name[::-1])
        await stores.record(*(stores.message(f"m-{count}-{name}", user_id=name) for name in shuffled))
    await stores.record(stores.message("young", user_id="u-0", timestamp=NOW - timedelta(days=5)))
    await connection.execute("analyze memories")
    pages = {"": names[:30], names[29]: names[30:60], names[-1]: []}
    async with stores.transaction() as worker:
        for mode, (after, users) in product(("force_custom_plan", "force_generic_plan"), pages.items()):
            await worker.execute("select set_config('plan_cache_mode', $1, true)", mode)
            query = blocks("consolidation")["users"]
            found = await worker.fetch(query, stores.tenant, after, compression_cutoff(NOW), 30)
            assert [row["user_id"] for row in found] == users, mode


async def test_the_weak_come_in_the_order_of_time_once_they_are_enriched(
    compression: CompressionStore, stores: Stores
) -> None:
    memories = await _remembered(stores, *NAMES)
    await stores.say("m-4")
    await stores.encode("m-4")
    first = await compression.weak(stores.tenant, "u-1", MODEL, NOW, after=None, limit=2)
    assert [one.id for one in first] == [one.id for one in memories[:2]]
    assert {one.about for one in first} == {("max",)}
    assert first[0].vector.shape == (16,)
    behind = MemoryPlace(first[-1].id, first[-1].created_at)
    rest = await compression.weak(stores.tenant, "u-1", MODEL, NOW, after=behind, limit=2)
    assert [one.id for one in rest] == [memories[2].id]
    assert await _weak(compression, stores, "u-2") == set()


@pytest.mark.parametrize("cause", ["use", "gone", "tombstone"])
async def test_nothing_is_written_of_sources_that_changed_meanwhile(
    compression: CompressionStore, stores: Stores, cause: str
) -> None:
    memories = await _remembered(stores, *NAMES)
    if cause == "use":
        await stores.use(memories[1].id)
    elif cause == "tombstone":
        await stores.put_tombstone("user", "u-1")
    if cause == "gone":
        sources = [*memories, replace(memories[0], id=stores.id("gone"))]
        made = synthesise([SessionTurn(one) for one in memories])
        assert await compression.compress(stores.tenant, made, sources, NOW, STORED) is None
    else:
        assert await _compress(compression, stores, memories) is None
    assert not (await stores.memory("m-1")).compressed
    assert (await stores.queries.counts(stores.tenant, "u-1")).memories == 3


async def test_a_corrected_source_takes_the_synthesis_with_it(
    compression: CompressionStore, stores: Stores
) -> None:
    """The others are as if never condensed, and the index hears of it; the same words change nothing."""
    memories = await _remembered(stores, *NAMES, "m-4")
    made = await _compress(compression, stores, memories)
    assert made is not None
    await stores.correct(memories[0].id, memories[0].content)
    with pytest.raises(UnknownMemories):
        await stores.correct(memories[0].id, "It was Eve.", by=request(user_id="u-2"))
    assert len(await stores.found(made.memory_id)) == 1
    assert (await stores.memory("m-2")).compressed
    await stores.correct(memories[0].id, "It was Eve.")
    assert await stores.found(made.memory_id) == []
    assert await _weak(compression, stores) == {one.id for one in memories[1:]}
    assert await stores.memory("m-2") == memories[1]
    assert [one.memory_id for one in await stores.moves()] == [made.memory_id]
    assert await _compress(compression, stores, memories[1:]) is not None


SHAPE = """
update memories
set access_count = $3, importance = $4, token_count = $5, derived_by = 'rules', pinned = $6 = 'pinned',
    verified = $6 = 'verified', compressed = $6 = 'compressed',
    informative = case when $6 = 'idle' then 0.4 else 0.5 end,
    expires_at = case when $6 = 'expires_at' then now() end,
    source = case when $6 = 'source' then 'user_correction' else source end
where tenant = $1 and id = $2
"""
AGES = st.one_of(st.integers(80, 400).map(float), st.floats(80, 400).map(lambda days: round(days, 6)))
ROWS = st.tuples(
    AGES,
    st.sampled_from((0, 3, 20, 60)),
    st.floats(0, 1).map(lambda share: round(share, 6)),
    st.sampled_from((0, 30, 5000)),
    st.sampled_from(("", "", "", "pinned", "verified", "compressed", "expires_at", "source", "idle")),
)


@laws(20)
@given(rows=st.lists(ROWS, min_size=1, max_size=20))
async def test_sql_finds_weak_what_the_domain_does(
    stores: Stores, rows: list[tuple[float, int, float, int, str]]
) -> None:
    here = stores.another_tenant()
    names = [f"m-{number}" for number in range(len(rows))]
    ages = [NOW - timedelta(days=age) for age, *_ in rows]
    await here.record(*(here.message(name, timestamp=age) for name, age in zip(names, ages, strict=True)))
    await here.encode(*names)
    async with here.transaction() as worker:
        values = [(here.tenant, here.id(name), *row[1:]) for name, row in zip(names, rows, strict=True)]
        await worker.executemany(SHAPE, values)
    expected = {one.id for one in await here.found(*map(here.id, names)) if is_weak(one, NOW)}
    assert await _weak(CompressionStore(here.database), here) == expected


KINDS = unit_vectors(4, 384)


class PoisonedStore(CompressionStore):
    """Fails at a synthesis of the first message, and at the user `poison`."""

    async def weak(self, tenant: str, user_id: str, *args: Any, **fields: Any) -> Any:
        if user_id == "poison":
            raise ValueError("a memory that nobody can read")
        return await super().weak(tenant, user_id, *args, **fields)

    async def compress(
        self, tenant: str, synthesis: Memory, sources: Sequence[Memory], *args: Any, **fields: Any
    ) -> Any:
        if any(one.message_id == "m-0" for one in sources):
            raise ValueError("a synthesis that nobody can write")
        return await super().compress(tenant, synthesis, sources, *args, **fields)


class FixedCondenser(LlmCondenser):
    def __init__(self, answer: str | None) -> None:
        self.answer = answer
        self.shown: list[Sequence[SessionTurn]] = []

    async def synthesis(self, turns: Sequence[SessionTurn]) -> str | None:
        self.shown.append(turns)
        return self.answer


async def _say(stores: Stores, kinds: Sequence[int]) -> None:
    """Record old and weak messages, each of a kind; the kinds are as unlike as can be."""
    names = [f"m-{n}" for n in range(len(kinds))]
    contents = [f"Painted boat {n} of kind {kind}." for n, kind in enumerate(kinds)]
    await stores.record(*(stores.message(f"m-{n}", minute=n, content=one) for n, one in enumerate(contents)))
    ids = [stores.id(name) for name in names]
    vectors = [(one, KINDS[kind]) for one, kind in zip(ids, kinds, strict=True)]
    await stores.encodings.save(stores.tenant, MODEL, vectors, ids, STORED)
    await stores.enrich(*names, importance=0.1)


async def _run(stores: Stores, user: str | None = None, **parts: Any) -> list[Slice]:
    plain: dict[str, Any] = {
        "store": CompressionStore(stores.database),
        "emitter": Emitted(),
        "clock": SystemClock(),
        "executor": stores.executor,
        "model": MODEL,
    }
    return await run(CompressionPass(**{**plain, **parts}), stores.tenant, NOW, user)


async def _state(stores: Stores, count: int) -> tuple[set[tuple[str, ...]], set[str]]:
    """Return the messages of each synthesis, and those that are compressed."""
    rows = await stores.found(*(stores.id(f"m-{n}") for n in range(count)))
    compressed = {str(one.message_id) for one in rows if one.compressed}
    return {one.source_message_ids for one in await stores.derived()}, compressed


@laws(8)
@given(kinds=st.lists(st.integers(0, 3), max_size=50))
async def test_all_messages_can_still_be_reached(stores: Stores, kinds: list[int]) -> None:
    """Each is compressed and a source of one synthesis, which `expand` shows, or neither."""
    here = stores.another_tenant()
    await _say(here, kinds)
    await _run(here)
    expand, shown = MemoryLookups(here.queries, DocumentStore(here.database)).expand, []
    for one in await here.derived():
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
    assert total(await _run(stores, "u-2"), "changed") == (0,)
    emitted, again = Emitted(), Emitted()
    done = await _run(stores, "u-1", emitter=emitted)
    assert total(done, "examined", "changed", "created") == (37, 35, 3)
    made = [one for one in emitted.events if isinstance(one, MemoryCompressed)]
    syntheses = {one.id: one.source_ids for one in await stores.derived()}
    assert {one.memory_id: one.memory_ids for one in made} == syntheses
    created = [one.memory_id for one in emitted.events if isinstance(one, MemoryCreated)]
    assert created == [one.memory_id for one in made]
    before = await _state(stores, 37)
    assert total(await _run(stores, emitter=again), "examined", "changed") == (2, 0)
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
    (made,) = await stores.derived()
    assert made.content.startswith(content)
    shown = [one.memory.content for one in condenser.shown[0]]
    assert shown == [f"Painted boat {n} of kind 0." for n in range(5)]


async def test_a_group_or_user_that_fails_keeps_no_other_from_it(stores: Stores) -> None:
    await stores.record(stores.message("m-p", user_id="poison", conversation_id="c-p"))
    await _say(stores, [0] * 5 + [1] * 6 + [2] * 4)
    done = await _run(stores, store=PoisonedStore(stores.database))
    assert total(done, "created", "changed", "failed") == (2, 10, 2)
    assert total(await _run(stores), "created", "failed") == (1, 0), "once the fault is mended"

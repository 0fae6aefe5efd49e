"""Weak memories are found by age, and one transaction replaces them by a synthesis."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import asyncpg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.contract.store.stores import MODEL, STORED, Stores, request
from tests.support.factories import at

from ricordo.memory.compression import compression_cutoff, is_weak
from ricordo.memory.model import Memory, Progress
from ricordo.memory.summaries import SessionTurn
from ricordo.memory.syntheses import synthesise
from ricordo.store.consolidation import CompressionStore, MemoryPosition
from ricordo.store.curation_store import UnknownMemories
from ricordo.store.database import blocks

NOW = at(0) + timedelta(days=200)
NAMES = ("m-1", "m-2", "m-3")


@pytest.fixture
def compression(stores: Stores) -> CompressionStore:
    return CompressionStore(stores.database)


async def _remembered(stores: Stores, *names: str) -> list[Memory]:
    """Record, encode and enrich messages that hardly matter; return them as they are then."""
    for minute, name in enumerate(names):
        await stores.record(
            stores.message(name, minute=minute, content=f"Number {name} of what I memories Max.")
        )
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


async def test_users_with_old_messages_come_in_order(compression: CompressionStore, stores: Stores) -> None:
    for name, user in (("m-1", "u-b"), ("m-2", "u-a"), ("m-3", "u-c")):
        await stores.record(stores.message(name, user_id=user))
    await stores.record(stores.message("m-4", user_id="u-aa", timestamp=NOW - timedelta(days=5)))
    before = compression_cutoff(NOW)
    for after, users in (("", ["u-a", "u-b"]), ("u-b", ["u-c"]), ("u-c", [])):
        assert await compression.users(stores.tenant, before, after, 2) == users


async def test_users_come_in_order_however_the_server_joins(
    stores: Stores, connection: "asyncpg.Connection[asyncpg.Record]"
) -> None:
    """Once it has looked at a table, it may come upon users in the order of the rows that they have."""
    names = [f"u-{number:03}" for number in range(300)]
    for count in (40, 300):
        shuffled = sorted(names[:count], key=lambda name: name[::-1])
        await stores.record(*(stores.message(f"m-{count}-{name}", user_id=name) for name in shuffled))
    await connection.execute("analyze memories")
    async with stores.transaction() as worker:
        for mode in ("force_custom_plan", "force_generic_plan"):
            await worker.execute("select set_config('plan_cache_mode', $1, true)", mode)
            query = blocks("consolidation")["users"]
            found = await worker.fetch(query, stores.tenant, "", compression_cutoff(NOW), 30)
            assert [row["user_id"] for row in found] == names[:30], mode


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
    behind = MemoryPosition(first[-1].created_at, first[-1].id)
    rest = await compression.weak(stores.tenant, "u-1", MODEL, NOW, after=behind, limit=2)
    assert [one.id for one in rest] == [memories[2].id]
    assert await _weak(compression, stores, "u-2") == set()


async def test_a_synthesis_is_written_once_with_the_mark_on_its_sources(
    compression: CompressionStore, stores: Stores
) -> None:
    """It is on its way like any memory; its sources stay as they are, and are weak no more."""
    memories = await _remembered(stores, *NAMES)
    progress = await _compress(compression, stores, memories)
    assert progress is not None
    (made,) = await stores.found(progress.memory_id)
    assert (made.source_ids, made.source_message_ids) == (tuple(one.id for one in memories), NAMES)
    assert (progress.encoded, progress.extracted) == (None, STORED)
    for one in memories:
        assert await stores.memory(str(one.message_id)) == replace(one, compressed=True)
    assert await _weak(compression, stores) == set()
    assert await _compress(compression, stores, memories) is None
    assert (await stores.queries.counts(stores.tenant, "u-1")).memories == 4


@pytest.mark.parametrize("cause", ["use", "gone", "tombstone"])
async def test_nothing_is_written_of_sources_that_changed_meanwhile(
    compression: CompressionStore, stores: Stores, cause: str
) -> None:
    """Neither of a source that was used, nor of one that is gone, nor behind a tombstone of the user."""
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
        await stores.correct(memories[0].id, "I memories Eve.", by=request(user_id="u-2"))
    assert len(await stores.found(made.memory_id)) == 1
    assert (await stores.memory("m-2")).compressed
    await stores.correct(memories[0].id, "I memories Eve.")
    assert await stores.found(made.memory_id) == []
    assert await _weak(compression, stores) == {one.id for one in memories[1:]}
    assert await stores.memory("m-2") == memories[1]
    moved = await stores.lifecycle.unreported_moves(stores.tenant, NOW + timedelta(days=9999), 9)
    assert [one.memory_id for one in moved] == [made.memory_id]
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


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
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

"""Sleep on PostgreSQL: who is old and weak, and the one transaction that makes a synthesis of them."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta

import asyncpg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.contract.store.conftest import Dsns
from tests.contract.store.stores import MODEL, STORED, Stores, enriched
from tests.contract.store.test_curation import wish
from tests.contract.store.test_memory_corrections import correct

from ricordo.memory.compression import compression_cutoff, is_weak
from ricordo.memory.model import Memory
from ricordo.memory.progress import Progress
from ricordo.memory.summaries import SessionTurn
from ricordo.memory.syntheses import synthesise
from ricordo.store.consolidation import CompressionStore, MemoryPosition
from ricordo.store.curation_store import UnknownMemories
from ricordo.store.database import Database, blocks
from ricordo.store.lifecycle_store import Access
from ricordo.testing.factories import at, new_message

pytestmark = pytest.mark.integration

NOW = at(0) + timedelta(days=200)


@pytest.fixture
def sleep(database: Database) -> CompressionStore:
    return CompressionStore(database)


async def _told(stores: Stores, *names: str, user_id: str = "u-1", importance: float = 0.1) -> list[Memory]:
    """Record, encode and enrich messages; return them as they are then."""
    messages = [
        new_message(
            name,
            tenant=stores.tenant,
            user_id=user_id,
            timestamp=at(minute),
            content=f"Number {name} of what I told Max.",
        )
        for minute, name in enumerate(names)
    ]
    await stores.record(*messages)
    await stores.encode(*names)
    memories = [await stores.memory(name, user_id) for name in names]
    await stores.enrichments.save(
        stores.tenant, [enriched(one, importance=importance) for one in memories], STORED
    )
    return [await stores.memory(name, user_id) for name in names]


async def _weak(sleep: CompressionStore, stores: Stores, user_id: str = "u-1") -> set[object]:
    found = await sleep.weak(stores.tenant, user_id, MODEL, NOW, after=None, limit=100)
    return {one.id for one in found}


async def _compress(sleep: CompressionStore, stores: Stores, sources: Sequence[Memory]) -> Progress | None:
    turns = await sleep.sources(stores.tenant, "u-1", MODEL, [one.id for one in sources])
    return await sleep.compress(stores.tenant, synthesise(turns), sources, NOW, STORED)


async def test_users_come_in_order_if_they_said_something_before(
    sleep: CompressionStore, stores: Stores
) -> None:
    """A page at a time; whoever is new is left out."""
    for name, user in (("m-1", "u-b"), ("m-2", "u-a"), ("m-3", "u-c")):
        await stores.record(new_message(name, tenant=stores.tenant, user_id=user, timestamp=at(0)))
    new = new_message("m-4", tenant=stores.tenant, user_id="u-aa", timestamp=NOW - timedelta(days=5))
    await stores.record(new)
    before = compression_cutoff(NOW)
    assert await sleep.users(stores.tenant, before, "", 2) == ["u-a", "u-b"]
    assert await sleep.users(stores.tenant, before, "u-b", 2) == ["u-c"]
    assert await sleep.users(stores.tenant, before, "u-c", 2) == []
    assert await sleep.users(stores.elsewhere().tenant, before, "", 2) == []


async def test_users_come_in_order_however_the_server_joins(stores: Stores, dsns: Dsns) -> None:
    """Once it has looked at a table, it may come upon users in the order of the rows that they have."""
    names = [f"u-{number:03}" for number in range(300)]
    for count in (40, 300):
        await stores.record(
            *(
                new_message(f"m-{count}-{name}", tenant=stores.tenant, user_id=name, timestamp=at(0))
                for name in sorted(names[:count], key=lambda name: name[::-1])
            )
        )
    async with _connected(dsns.admin) as admin:
        await admin.execute("analyze memories")
    async with _connected(dsns.worker) as worker, worker.transaction():
        await worker.execute("select set_config('app.tenant', $1, true)", stores.tenant)
        for mode in ("force_custom_plan", "force_generic_plan"):
            await worker.execute("select set_config('plan_cache_mode', $1, true)", mode)
            found = await worker.fetch(
                blocks("consolidation")["users"], stores.tenant, "", compression_cutoff(NOW), 30
            )
            assert [row["user_id"] for row in found] == names[:30], mode


@asynccontextmanager
async def _connected(dsn: str) -> AsyncIterator["asyncpg.Connection[asyncpg.Record]"]:
    connection = await asyncpg.connect(dsn)
    try:
        yield connection
    finally:
        await connection.close()


async def test_the_weak_come_in_the_order_of_time_slice_by_slice(
    sleep: CompressionStore, stores: Stores
) -> None:
    """With whom they are about, and the vector that they have."""
    told = await _told(stores, "m-1", "m-2", "m-3")
    first = await sleep.weak(stores.tenant, "u-1", MODEL, NOW, after=None, limit=2)
    assert [one.id for one in first] == [one.id for one in told[:2]]
    assert {one.about for one in first} == {("max",)}
    assert first[0].vector.shape == (16,)
    behind = MemoryPosition(first[-1].created_at, first[-1].id)
    rest = await sleep.weak(stores.tenant, "u-1", MODEL, NOW, after=behind, limit=2)
    assert [one.id for one in rest] == [told[2].id]
    assert await _weak(sleep, stores, "u-2") == set()


async def test_what_is_not_enriched_yet_waits(sleep: CompressionStore, stores: Stores) -> None:
    """How much it matters is not known."""
    await stores.record(new_message("m-1", tenant=stores.tenant))
    await stores.encode("m-1")
    assert await _weak(sleep, stores) == set()


async def test_a_synthesis_is_written_with_the_mark_on_its_sources(
    sleep: CompressionStore, stores: Stores
) -> None:
    """It is on its way like any memory; its sources stay as they are, and are weak no more."""
    told = await _told(stores, "m-1", "m-2", "m-3")
    progress = await _compress(sleep, stores, told)
    assert progress is not None
    (made,) = await stores.recollection.memories(stores.tenant, "u-1", [progress.memory_id])
    assert made.source_ids == tuple(one.id for one in told)
    assert made.source_message_ids == ("m-1", "m-2", "m-3")
    assert (progress.encoded, progress.extracted) == (None, STORED)
    for one in told:
        assert await stores.memory(str(one.message_id)) == replace(one, compressed=True)
    assert await _weak(sleep, stores) == set()


async def test_what_was_used_since_stays_out_of_it(sleep: CompressionStore, stores: Stores) -> None:
    """Nothing is written then: neither a synthesis nor a mark."""
    told = await _told(stores, "m-1", "m-2", "m-3")
    access = Access(stores.id("use"), "u-1", (told[1].id,), STORED)
    await stores.life.reinforce(stores.tenant, [access])
    assert await _compress(sleep, stores, told) is None
    assert not (await stores.memory("m-1")).compressed
    assert (await stores.recollection.counts(stores.tenant, "u-1")).memories == 3


async def test_of_what_is_forgotten_nothing_is_made(sleep: CompressionStore, stores: Stores) -> None:
    """Neither of a source that is gone nor behind a tombstone of the user."""
    told = await _told(stores, "m-1", "m-2", "m-3")
    gone = replace(told[0], id=stores.id("gone"))
    assert (
        await sleep.compress(
            stores.tenant, synthesise([SessionTurn(one) for one in told]), [*told, gone], NOW, STORED
        )
        is None
    )
    await stores.entomb(stores.tenant, "user", "u-1", "u-1")
    assert await _compress(sleep, stores, told) is None
    assert not (await stores.memory("m-1")).compressed


async def test_what_is_put_right_is_in_no_synthesis_any_more(sleep: CompressionStore, stores: Stores) -> None:
    """The others are as if they had never been condensed, and the index hears that the synthesis has gone."""
    told = await _told(stores, "m-1", "m-2", "m-3", "m-4")
    made = await _compress(sleep, stores, told)
    assert made is not None
    await correct(stores, told[0].id, "I told Eve.")
    assert await stores.recollection.memories(stores.tenant, "u-1", [made.memory_id]) == []
    assert await _weak(sleep, stores) == {one.id for one in told[1:]}
    assert await stores.memory("m-2") == told[1]
    moved = await stores.life.unreported_moves(stores.tenant, NOW + timedelta(days=9999), 9)
    assert [one.memory_id for one in moved] == [made.memory_id]
    assert await _compress(sleep, stores, told[1:]) is not None


async def test_who_says_the_same_again_or_is_somebody_else_unmakes_nothing(
    sleep: CompressionStore, stores: Stores
) -> None:
    """What a memory says is only confirmed; what another user's says is nobody's business."""
    told = await _told(stores, "m-1", "m-2", "m-3")
    made = await _compress(sleep, stores, told)
    assert made is not None
    await correct(stores, told[0].id, told[0].content)
    with pytest.raises(UnknownMemories):
        await correct(stores, told[0].id, "I told Eve.", by=wish(user_id="u-2", asked="I told Eve."))
    assert len(await stores.recollection.memories(stores.tenant, "u-1", [made.memory_id])) == 1
    assert (await stores.memory("m-1")).compressed


AGES = st.one_of(st.integers(80, 400).map(float), st.floats(80, 400).map(lambda days: round(days, 6)))


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(
        st.tuples(
            AGES,
            st.sampled_from((0, 3, 20, 60)),
            st.floats(0, 1).map(lambda share: round(share, 6)),
            st.sampled_from((0, 30, 5000)),
            st.sampled_from(("", "", "", "pinned", "verified", "compressed", "expires_at", "source", "idle")),
        ),
        min_size=1,
        max_size=20,
    )
)
async def test_who_is_weak_is_what_the_domain_says(
    database: Database, stores: Stores, rows: list[tuple[float, int, float, int, str]]
) -> None:
    """The copy of the formula in SQL, on random rows."""
    stores = stores.elsewhere()
    names = [f"m-{number}" for number in range(len(rows))]
    ids = [stores.id(name) for name in names]
    messages = [
        new_message(name, tenant=stores.tenant, timestamp=NOW - timedelta(days=row[0]))
        for name, row in zip(names, rows, strict=True)
    ]
    await stores.record(*messages)
    await stores.encode(*names)
    async with database.transaction(stores.tenant) as connection:
        await connection.executemany(
            SHAPE, [(stores.tenant, one, *row[1:]) for one, row in zip(ids, rows, strict=True)]
        )
    expected = {one.id for name in names if is_weak(one := await stores.memory(name), NOW)}
    assert await _weak(CompressionStore(database), stores) == expected


SHAPE = """
update memories
set access_count = $3, importance = $4, token_count = $5, derived_by = 'rules', pinned = $6 = 'pinned',
    verified = $6 = 'verified', compressed = $6 = 'compressed',
    informative = case when $6 = 'idle' then 0.4 else 0.5 end,
    expires_at = case when $6 = 'expires_at' then now() end,
    source = case when $6 = 'source' then 'user_correction' else source end
where tenant = $1 and id = $2
"""


async def test_a_repeat_writes_nothing(sleep: CompressionStore, stores: Stores) -> None:
    """Whose answer was lost finds its sources compressed."""
    told = await _told(stores, "m-1", "m-2", "m-3")
    assert await _compress(sleep, stores, told) is not None
    assert await _compress(sleep, stores, told) is None
    assert (await stores.recollection.counts(stores.tenant, "u-1")).memories == 4

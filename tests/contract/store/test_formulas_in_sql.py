"""What SQL computes is what the formulas say, on random rows; `tests/unit/memory` has the decay by hand."""

from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace
from datetime import datetime, timedelta
from uuid import NAMESPACE_OID, UUID, uuid5

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.contract.store.stores import Stores, request
from tests.fixtures.examples import laws
from tests.fixtures.reference_formulas import (
    Candidate,
    MemoryStrength,
    Use,
    apply_access,
    apply_verdict,
    memories_to_prune,
)

from ricordo.memory.decay import decay_factor
from ricordo.memory.importance import RecallVerdict, after_uses
from ricordo.memory.model import Memory
from ricordo.store.database import Database
from ricordo.store.pass_store import OBSERVATIONS, Quota, Strategy

NOW = datetime.fromisoformat("2026-06-01T12:00:00.123456+00:00")
WEAK_BELOW = 0.3  # the factor without floors, for what is archived
LAWS = laws(20)
UNIT = st.one_of(
    st.sampled_from((0.0, 0.3, 0.5, 0.94, 0.95, 1.0)), st.floats(0, 1).map(lambda share: round(share, 6))
)
NUMBERS = st.tuples(st.integers(0, 12), st.integers(1, 9))
STRATEGIES: tuple[Strategy, ...] = ("importance_weighted", "fifo", "recency")
DAY = 86_400_000_000
AGE = st.one_of(
    st.integers(-3, 900).map(lambda days: timedelta(days=days)),
    st.integers(0, 900).map(lambda days: timedelta(microseconds=days * DAY - 1)),
    st.integers(0, 900 * DAY).map(lambda age: timedelta(microseconds=age)),
)


@dataclass(frozen=True)
class Row:
    stored: timedelta
    accessed: timedelta | None
    arousal: float
    importance: float
    access_count: int
    pinned: bool
    verified: bool


ROWS = st.lists(
    st.builds(
        Row,
        stored=AGE,
        accessed=st.none() | AGE,
        arousal=UNIT,
        importance=UNIT,
        access_count=st.integers(0, 3),
        pinned=st.sampled_from((False, False, False, True)),
        verified=st.sampled_from((False, False, False, True)),
    ),
    min_size=1,
    max_size=30,
)

_WRITE = """
insert into memories (tenant, id, user_id, conversation_id, content, role, created_at, stored_at,
                      last_accessed, arousal, importance, access_count, pinned, verified)
values ($1, $2, 'u-1', 'c-1', 'text', 'user', $3, $3, $4, $5, $6, $7, $8, $9)
"""


async def _written(stores: Stores, rows: Sequence[Row]) -> list[Memory]:
    ids = [uuid5(NAMESPACE_OID, str(n)) for n in range(len(rows))]
    values = []
    for one, row in zip(ids, rows, strict=True):
        accessed = None if row.accessed is None else NOW - row.accessed
        values.append((stores.tenant, one, NOW - row.stored, accessed, *astuple(row)[2:]))
    async with stores.transaction() as connection:
        await connection.executemany(_WRITE, values)
    return await _read(stores, ids)


async def _read(stores: Stores, ids: Sequence[UUID]) -> list[Memory]:
    found = await stores.queries.memories(stores.tenant, "u-1", ids)
    return sorted(found, key=lambda one: one.id)


@LAWS
@given(rows=ROWS, floors=st.booleans(), gone=st.sets(st.integers(0, 29)))
async def test_decay_factors_are_read_by_the_formula(
    stores: Stores, rows: list[Row], gone: set[int], *, floors: bool
) -> None:
    here = stores.another_tenant()
    before = await _written(here, rows)
    for n in gone & set(range(len(rows))):
        archived_at = NOW - timedelta(days=10 * n)
        await here.execute("update memories set archived_at = $1 where id = $2", archived_at, before[n].id)
    memories = {one.id: one for one in await _read(here, [one.id for one in before])}
    found = await here.recalls.ranking_rows(here.tenant, "u-1", list(memories), NOW, floors=floors)
    assert {one.id for one in found} == set(memories)
    for row in found:
        expected = decay_factor(memories[row.id], NOW, floors=floors)
        assert row.decay_factor == pytest.approx(expected, rel=1e-12)


@LAWS
@given(rows=ROWS, limit=st.integers(1, 31))
async def test_the_pass_archives_what_has_faded_and_changes_nothing_else(
    stores: Stores, rows: list[Row], limit: int
) -> None:
    here = stores.another_tenant()
    before = await _written(here, rows)
    for repeated in (False, True):
        last, archived, examined = None, set(), 0
        while True:
            done = await here.archive_faded(NOW, after=last, limit=limit)
            archived |= {one for one, _ in done.archived}
            examined += done.examined
            if (last := done.last) is None:
                break
        assert examined == len(rows)
        for former, now in zip(before, await _read(here, [one.id for one in before]), strict=True):
            weak = decay_factor(former, NOW, floors=False) < WEAK_BELOW
            faded = weak and former.access_count < 2 and former.importance < 0.5
            assert now == replace(former, archived_at=NOW if faded else None)
            assert (now.id in archived) == (faded and not repeated)


@pytest.mark.parametrize(("before", "after"), [(0.94, 0.95), (0.95, 0.95), (0.99, 0.99), (0.0, 0.02)])
async def test_one_recall_by_hand(stores: Stores, before: float, after: float) -> None:
    row = Row(900 * timedelta(days=1), None, 0, before, 0, pinned=False, verified=False)
    (memory,) = await _written(stores, [row])
    await stores.use(memory.id, at=NOW)
    (now,) = await _read(stores, [memory.id])
    assert now.importance == pytest.approx(after)
    assert now.reinforcement == pytest.approx(0.05)
    assert (now.access_count, now.last_accessed, decay_factor(now, NOW)) == (1, NOW, 1.0)


@LAWS
@given(rows=ROWS, numbers=NUMBERS, strategy=st.sampled_from(STRATEGIES))
async def test_retention(
    stores: Stores, rows: list[Row], numbers: tuple[int, int], strategy: Strategy
) -> None:
    limit, at_once = numbers
    here = stores.another_tenant()
    before = await _written(here, rows)
    candidates = [
        Candidate(
            one.id,
            one.importance,
            one.created_at,
            one.stored_at or one.created_at,
            one.last_accessed,
            protected=one.pinned or one.verified,
        )
        for one in before
    ]
    quota = Quota(user_id="u-1", kinds=OBSERVATIONS, limit=limit, strategy=strategy)
    gone: list[UUID] = []
    while True:
        some = [one for one, _ in await here.retention.prune(here.tenant, NOW, quota, limit=at_once)]
        if not some:
            break
        assert len(some) <= at_once
        expected = memories_to_prune([one for one in candidates if one.id not in gone], limit, NOW, strategy)
        assert set(some) == set(expected[:at_once])
        gone += some
    assert set(gone) == set(memories_to_prune(candidates, limit, NOW, strategy))


async def test_importance_after_uses(stores: Stores) -> None:
    """Wherever SQL counts uses, it does so by these two functions."""
    grid = [
        (importance, beyond, uses)
        for importance in (0.0, 0.01, 0.3, 0.93, 0.94, 0.95, 0.96, 1.0)
        for beyond in (0.0, 0.01, 0.03, 1.5)
        for uses in (-60, -2, -1, 0, 1, 2, 3, 60)
    ]
    async with stores.transaction() as connection:
        found = await connection.fetch(
            """select importance_after_uses(i, b, u) as importance, beyond_after_uses(i, b, u) as beyond
            from unnest($1::double precision[], $2::double precision[], $3::integer[]) as g (i, b, u)""",
            *map(list, zip(*grid, strict=True)),
        )
    expected = [after_uses(importance, uses, beyond=beyond) for importance, beyond, uses in grid]
    assert [(row["importance"], row["beyond"]) for row in found] == expected


@pytest.mark.parametrize(
    ("file", "name"), [("lifecycle_store", "use"), ("enrichment", "save"), ("reprocessing", "rate")]
)
async def test_uses_are_counted_without_a_call_for_each_row(file: str, name: str, stores: Stores) -> None:
    query = Database.queries(file)[name]
    assert "importance_after_uses(" in query
    async with stores.transaction() as connection:
        await connection.execute("set local plan_cache_mode = force_generic_plan")
        parameters = (await connection.prepare(query)).get_parameters()
        unknown = [None] * len(parameters)
        plan = "\n".join([row[0] for row in await connection.fetch(f"explain (verbose) {query}", *unknown)])
    assert "0.95" in plan
    assert "_after_uses(" not in plan


TELLINGS = st.lists(
    st.tuples(st.sampled_from(("event", "used", "irrelevant")), st.integers(0, 2), AGE), max_size=12
)


@LAWS
@given(rows=ROWS, tellings=TELLINGS)
async def test_events_and_verdicts_in_any_order(
    stores: Stores, rows: list[Row], tellings: list[tuple[str, int, timedelta]]
) -> None:
    here = stores.another_tenant()
    before = await _written(here, rows)
    ids = tuple(one.id for one in before)
    known = [(_strength(one), [Use()] * 3) for one in before]
    recalls = [uuid5(NAMESPACE_OID, f"recall {n}") for n in range(3)]
    for said, recall, age in tellings:
        at = NOW - age
        if said == "event":
            await here.use(*ids, at=at, recall=recalls[recall])
        else:
            judged = {"used": (), "irrelevant": ()} | {said: ids}
            await here.curation.feedback(here.tenant, request(), recalls[recall], **judged, at=at)
        known = [_told(strength, uses, recall, said, at) for strength, uses in known]
    standings = {one.id: one for one in await here.recalls.ranking_rows(here.tenant, "u-1", ids, NOW)}
    for now, (strength, _) in zip(await _read(here, ids), known, strict=True):
        assert now.importance == pytest.approx(strength.importance, rel=1e-9)
        assert standings[now.id].importance_beyond == pytest.approx(strength.beyond, rel=1e-9, abs=1e-9)
        assert now.reinforcement == pytest.approx(strength.reinforcement, rel=1e-9, abs=1e-9)
        assert (now.access_count, now.last_accessed) == (strength.access_count, strength.last_accessed)


def _strength(memory: Memory) -> MemoryStrength:
    return MemoryStrength(
        importance=memory.importance,
        access_count=memory.access_count,
        last_accessed=memory.last_accessed,
        reinforcement=memory.reinforcement,
    )


def _told(
    strength: MemoryStrength, uses: list[Use], recall: int, said: str, at: datetime
) -> tuple[MemoryStrength, list[Use]]:
    if said == "event":
        after, use = apply_access(strength, uses[recall], at)
    else:
        after, use = apply_verdict(strength, uses[recall], RecallVerdict(said), at)
    return after, [*uses[:recall], use, *uses[recall + 1 :]]

"""Who is related follows from which memories there are, never from how and how often they arrived."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.contract.store.conftest import Dsns
from tests.contract.store.linked_memories import LinkedMemories, MemoriesInMemory, of_stores
from tests.contract.store.stores import MODEL, Stores

from ricordo.memory.similarity import MOST
from ricordo.runtime.scheduling import CpuExecutor
from ricordo.store.database import Database
from ricordo.testing.factories import unit_vectors
from ricordo_services.enrichment.linking import Linking, RememberedNeighbourhoods

THRESHOLD = 0.6
_PROCESS = Path(__file__).with_name("links_in_a_process.py")
FALLBACK = "model-b"
PLENTY, ROOM_FOR_ONE, NONE = 2**30, 20_000, 0
_SUPPRESSED = [HealthCheck.function_scoped_fixture, HealthCheck.differing_executors, HealthCheck.too_slow]
DIRECTIONS = unit_vectors(7, 4, seed=3)  # few, so that some are equal and some close


@dataclass(frozen=True)
class Said:
    """A memory of a drawn story; several may share a moment, and what they say."""

    minute: int
    user: int
    direction: int
    tells: bool


_SAID = st.builds(
    Said,
    minute=st.integers(0, 4),
    user=st.sampled_from((1, 1, 1, 2)),
    direction=st.integers(0, len(DIRECTIONS) - 1),
    tells=st.sampled_from((True, True, True, False)),
)


@dataclass(frozen=True)
class Arrival:
    """A story, and the batches in which it arrives: some of it again, at one of two workers."""

    story: list[Said]
    batches: list[tuple[int, list[int]]]


@st.composite
def arrivals(draw: st.DrawFn, most: int) -> Arrival:
    story = draw(st.lists(_SAID, min_size=1, max_size=most))
    order = draw(st.permutations(range(len(story))))
    rest = [*order, *draw(st.lists(st.sampled_from(order), max_size=4))]
    batches = []
    while rest:
        size = draw(st.integers(1, 12))
        batches.append((draw(st.integers(0, 1)), rest[:size]))
        rest = rest[size:]
    return Arrival(story, batches)


def _name(n: int) -> str:
    return f"m-{n}"


def _direction(said: Said) -> NDArray[np.float32]:
    direction: NDArray[np.float32] = DIRECTIONS[said.direction]
    return direction


async def _remember(linked: LinkedMemories, story: Sequence[Said], model: str = MODEL) -> None:
    for n, said in enumerate(story):
        await linked.remember(
            _name(n),
            _direction(said),
            user_id=f"u-{said.user}",
            minute=said.minute,
            content="walking the dog" if said.tells else "ok, thanks!",
            model=model,
        )


def expected(linked: LinkedMemories, story: Sequence[Said], there: Sequence[int]) -> dict[UUID, set[UUID]]:
    """Say who is related to whom, straight from the definition."""

    def nearest(n: int) -> list[int]:
        found = []
        for other in there:
            cosine = float(_direction(story[n]) @ _direction(story[other]))
            same_user = story[other].user == story[n].user
            if other != n and same_user and story[other].tells and cosine >= THRESHOLD:
                later = story[other].minute - story[n].minute
                found.append((-round(cosine, 3), abs(later), later >= 0, linked.id(_name(other)), other))
        return [other for *_, other in sorted(found)[:MOST]]

    near = {n: nearest(n) if story[n].tells else [] for n in there}
    return {
        linked.id(_name(n)): {linked.id(_name(other)) for other in near[n] if n in near[other]} for n in there
    }


async def _shown(
    linked: LinkedMemories, story: Sequence[Said], there: Sequence[int]
) -> dict[UUID, set[UUID]]:
    return {linked.id(_name(n)): set(await linked.related(_name(n), f"u-{story[n].user}")) for n in there}


@pytest.fixture
async def beside() -> AsyncIterator[CpuExecutor]:
    async with CpuExecutor() as beside:
        yield beside


def _workers(linked: LinkedMemories, beside: CpuExecutor, *room: int) -> list[Linking]:
    return [
        Linking(linked.links, beside, (MODEL, FALLBACK), THRESHOLD, RememberedNeighbourhoods(most))
        for most in room
    ]


async def _link(
    worker: Linking, linked: LinkedMemories, story: Sequence[Said], batch: Sequence[int], model: str = MODEL
) -> None:
    users = {linked.id(_name(n)): f"u-{story[n].user}" for n in batch}
    await worker.link(linked.tenant, model, users)


@settings(max_examples=60, deadline=None, suppress_health_check=_SUPPRESSED)
@given(arrival=arrivals(40), room=st.sampled_from((PLENTY, ROOM_FOR_ONE, NONE)))
async def test_in_any_order_in_any_batches_with_repeats_and_at_two_workers(
    beside: CpuExecutor, arrival: Arrival, room: int
) -> None:
    linked = MemoriesInMemory()
    await _remember(linked, arrival.story)
    workers = _workers(linked, beside, PLENTY, room)
    for worker, batch in arrival.batches:
        await _link(workers[worker], linked, arrival.story, batch)
    there = range(len(arrival.story))
    assert await _shown(linked, arrival.story, there) == expected(linked, arrival.story, there)


@settings(max_examples=12, deadline=None, suppress_health_check=_SUPPRESSED)
@given(arrival=arrivals(24))
async def test_also_when_all_batches_come_at_once(
    linked: LinkedMemories, beside: CpuExecutor, arrival: Arrival
) -> None:
    here = linked.elsewhere()
    await _remember(here, arrival.story)
    workers = _workers(here, beside, PLENTY, PLENTY)
    await asyncio.gather(
        *(_link(workers[worker], here, arrival.story, batch) for worker, batch in arrival.batches)
    )
    there = range(len(arrival.story))
    assert await _shown(here, arrival.story, there) == expected(here, arrival.story, there)


@settings(max_examples=12, deadline=None, suppress_health_check=_SUPPRESSED)
@given(arrival=arrivals(36), erased=st.sets(st.integers(0, 35)))
async def test_what_is_erased_might_never_have_been_said_once_more_is_linked(
    linked: LinkedMemories, beside: CpuExecutor, arrival: Arrival, erased: set[int]
) -> None:
    here, story = linked.elsewhere(), [*arrival.story, Said(9, 1, 0, tells=True), Said(9, 2, 1, tells=True)]
    await _remember(here, story)
    workers = _workers(here, beside, PLENTY, PLENTY)
    for worker, batch in arrival.batches:
        await _link(workers[worker], here, story, batch)
    gone = [n for n in range(len(arrival.story)) if n in erased]
    if gone:
        await here.erase(*map(_name, gone))
    staying = [n for n in range(len(story)) if n not in gone]
    ids = {here.id(_name(n)) for n in staying}
    assert all(others <= ids for others in (await _shown(here, story, staying)).values())
    await _link(workers[0], here, story, [len(story) - 1])
    await _link(workers[1], here, story, [len(story) - 2])
    assert await _shown(here, story, staying) == expected(here, story, staying)


@settings(max_examples=12, deadline=None, suppress_health_check=_SUPPRESSED)
@given(arrival=arrivals(30), turned=st.dictionaries(st.integers(0, 29), st.integers(0, 6)))
async def test_another_vector_replaces_the_former_whichever_worker_sees_it(
    linked: LinkedMemories, beside: CpuExecutor, arrival: Arrival, turned: dict[int, int]
) -> None:
    here, story = linked.elsewhere(), list(arrival.story)
    await _remember(here, story)
    workers = _workers(here, beside, PLENTY, PLENTY)
    for worker, batch in arrival.batches:
        await _link(workers[worker], here, story, batch)
    for n, direction in turned.items():
        if n < len(story):
            story[n] = Said(story[n].minute, story[n].user, direction, story[n].tells)
    await _remember(here, story)
    for worker, batch in arrival.batches:
        await _link(workers[1 - worker], here, story, batch)
    there = range(len(story))
    assert await _shown(here, story, there) == expected(here, story, there)


@settings(max_examples=12, deadline=None, suppress_health_check=_SUPPRESSED)
@given(arrival=arrivals(24), order=st.permutations((MODEL, FALLBACK)))
async def test_the_first_model_decides_where_there_are_vectors_of_two(
    linked: LinkedMemories, beside: CpuExecutor, arrival: Arrival, order: list[str]
) -> None:
    here = linked.elsewhere()
    for model in (MODEL, FALLBACK):
        await _remember(here, arrival.story, model)
    workers = _workers(here, beside, PLENTY, PLENTY)
    for model in order:
        for worker, batch in arrival.batches:
            await _link(workers[worker], here, arrival.story, batch, model)
    there = range(len(arrival.story))
    assert await _shown(here, arrival.story, there) == expected(here, arrival.story, there)
    async with here.links.hold(here.tenant, ["u-1", "u-2"]) as held:
        assert [some async for some in held.members("u-1", FALLBACK, 0)] == []


async def test_memories_of_another_model_are_not_compared(
    linked: LinkedMemories, beside: CpuExecutor
) -> None:
    story = [Said(n, 1, 0, tells=True) for n in range(4)]
    await _remember(linked, story[:2], MODEL)
    for n in (2, 3):
        await linked.remember(_name(n), _direction(story[n]), model=FALLBACK, content="walking the dog")
    (worker,) = _workers(linked, beside, PLENTY)
    await _link(worker, linked, story, [0, 1])
    await _link(worker, linked, story, [2, 3], FALLBACK)
    pairs = [await linked.related(_name(n)) for n in range(4)]
    assert pairs == [(linked.id(_name(n)),) for n in (1, 0, 3, 2)]


async def test_what_is_remembered_is_bounded_and_the_longest_unused_goes(beside: CpuExecutor) -> None:
    linked = MemoriesInMemory()
    story = [Said(0, user, 0, tells=True) for user in range(8)]
    await _remember(linked, story)
    (worker,) = _workers(linked, beside, ROOM_FOR_ONE // 2)
    for n in range(len(story)):
        await _link(worker, linked, story, [n])
        assert worker.remembered.nbytes <= ROOM_FOR_ONE // 2
    assert 0 < len(worker.remembered) < len(story)


async def _in_a_process(task: dict[str, object]) -> None:
    process = await asyncio.create_subprocess_exec(sys.executable, _PROCESS, stdin=asyncio.subprocess.PIPE)
    await process.communicate(json.dumps(task, default=str).encode())
    assert process.returncode == 0


@pytest.mark.integration
async def test_in_two_processes_at_once(stores: Stores, database: Database, dsns: Dsns) -> None:
    linked = of_stores(stores, database)
    story = [Said(n % 5, 1, n % len(DIRECTIONS), tells=n % 6 > 0) for n in range(90)]
    await _remember(linked, story)
    ids = [linked.id(_name(n)) for n in range(len(story))]
    forth, back = [ids[n : n + 5] for n in range(0, 60, 5)], [ids[n - 4 : n] for n in range(90, 20, -4)]
    task = {
        "dsn": dsns.worker,
        "tenant": linked.tenant,
        "user_id": "u-1",
        "model": MODEL,
        "threshold": THRESHOLD,
    }
    await asyncio.gather(*(_in_a_process({**task, "batches": batches}) for batches in (forth, back)))
    there = range(len(story))
    assert await _shown(linked, story, there) == expected(linked, story, there)

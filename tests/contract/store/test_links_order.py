"""Related memories follow from which memories there are, never from how and how often they arrived."""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.contract.store.stores import MODEL, STORED, Stores
from tests.contract.store.test_links import erase, related, remember

from ricordo.memory.similarity import MOST
from ricordo.store.link_store import LinkStore
from ricordo.testing.factories import unit_vectors
from ricordo_services.enrichment.related_memories import NeighbourhoodCache, RelatedMemories

THRESHOLD = 0.6
FALLBACK = "model-b"
PLENTY, ROOM_FOR_ONE, NONE = 2**30, 20_000, 0
LAWS = settings(
    max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
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


async def _remember(stores: Stores, story: Sequence[Said], model: str = MODEL) -> None:
    await stores.record(
        *(
            stores.message(
                _name(n),
                minute=said.minute,
                user_id=f"u-{said.user}",
                conversation_id=f"of-u-{said.user}",
                content="walking the dog" if said.tells else "ok, thanks!",
            )
            for n, said in enumerate(story)
        )
    )
    vectors = [(stores.id(_name(n)), _direction(said)) for n, said in enumerate(story)]
    await stores.encodings.save(stores.tenant, model, vectors, [], STORED)


def expected(stores: Stores, story: Sequence[Said], there: Sequence[int]) -> dict[UUID, set[UUID]]:
    """Say who is related to whom, straight from the definition."""

    def nearest(n: int) -> list[int]:
        found = []
        for other in there:
            cosine = float(_direction(story[n]) @ _direction(story[other]))
            same_user = story[other].user == story[n].user
            if other != n and same_user and story[other].tells and cosine >= THRESHOLD:
                later = story[other].minute - story[n].minute
                found.append((-round(cosine, 3), abs(later), later >= 0, stores.id(_name(other)), other))
        return [other for *_, other in sorted(found)[:MOST]]

    near = {n: nearest(n) if story[n].tells else [] for n in there}
    return {
        stores.id(_name(n)): {stores.id(_name(other)) for other in near[n] if n in near[other]} for n in there
    }


async def _shown(stores: Stores, story: Sequence[Said], there: Iterable[int]) -> dict[UUID, set[UUID]]:
    shown: dict[UUID, set[UUID]] = {}
    for user in {story[n].user for n in there}:
        ids = [stores.id(_name(n)) for n in there if story[n].user == user]
        found = await stores.queries.memories(stores.tenant, f"u-{user}", ids)
        shown |= {one.id: set(one.related_ids) for one in found}
    return shown


async def _is_as_defined(stores: Stores, story: Sequence[Said], there: Sequence[int] = ()) -> None:
    there = there or range(len(story))
    assert await _shown(stores, story, there) == expected(stores, story, there)


def _workers(stores: Stores, *room: int) -> list[RelatedMemories]:
    links = LinkStore(stores.database)
    return [
        RelatedMemories(links, stores.executor, (MODEL, FALLBACK), THRESHOLD, NeighbourhoodCache(most))
        for most in room
    ]


async def _link(
    worker: RelatedMemories, stores: Stores, story: Sequence[Said], batch: Sequence[int], model: str = MODEL
) -> None:
    users = {stores.id(_name(n)): f"u-{story[n].user}" for n in batch}
    await worker.link(stores.tenant, model, users)


async def _arrive(
    workers: Sequence[RelatedMemories], stores: Stores, arrival: Arrival, model: str = MODEL
) -> None:
    for worker, batch in arrival.batches:
        await _link(workers[worker], stores, arrival.story, batch, model)


@LAWS
@given(arrival=arrivals(30), room=st.sampled_from((PLENTY, ROOM_FOR_ONE, NONE)))
async def test_in_any_order_and_batches_with_repeats_at_two_workers(
    stores: Stores, arrival: Arrival, room: int
) -> None:
    here = stores.another_tenant()
    await _remember(here, arrival.story)
    await _arrive(_workers(here, PLENTY, room), here, arrival)
    await _is_as_defined(here, arrival.story)


@LAWS
@given(arrival=arrivals(24))
async def test_when_all_batches_come_at_once(stores: Stores, arrival: Arrival) -> None:
    here = stores.another_tenant()
    await _remember(here, arrival.story)
    workers = _workers(here, PLENTY, PLENTY)
    await asyncio.gather(
        *(_link(workers[worker], here, arrival.story, batch) for worker, batch in arrival.batches)
    )
    await _is_as_defined(here, arrival.story)


@LAWS
@given(arrival=arrivals(30), erased=st.sets(st.integers(0, 29)))
async def test_after_erasures_as_if_never_said_once_another_is_linked(
    stores: Stores, arrival: Arrival, erased: set[int]
) -> None:
    here = stores.another_tenant()
    story = [*arrival.story, Said(9, 1, 0, tells=True), Said(9, 2, 1, tells=True)]
    await _remember(here, story)
    workers = _workers(here, PLENTY, PLENTY)
    await _arrive(workers, here, arrival)
    gone = [n for n in range(len(arrival.story)) if n in erased]
    if gone:
        await erase(here, *map(_name, gone))
    staying = [n for n in range(len(story)) if n not in gone]
    ids = {here.id(_name(n)) for n in staying}
    assert all(others <= ids for others in (await _shown(here, story, staying)).values())
    await _link(workers[0], here, story, [len(story) - 1])
    await _link(workers[1], here, story, [len(story) - 2])
    await _is_as_defined(here, story, staying)


@LAWS
@given(arrival=arrivals(24), turned=st.dictionaries(st.integers(0, 23), st.integers(0, 6)))
async def test_another_vector_replaces_the_former_at_any_worker(
    stores: Stores, arrival: Arrival, turned: dict[int, int]
) -> None:
    here, story = stores.another_tenant(), list(arrival.story)
    await _remember(here, story)
    workers = _workers(here, PLENTY, PLENTY)
    await _arrive(workers, here, arrival)
    for n, direction in turned.items():
        if n < len(story):
            story[n] = replace(story[n], direction=direction)
    await _remember(here, story)
    await _arrive(workers[::-1], here, replace(arrival, story=story))
    await _is_as_defined(here, story)


@LAWS
@given(arrival=arrivals(20), order=st.permutations((MODEL, FALLBACK)))
async def test_the_first_model_decides_where_there_are_vectors_of_two(
    stores: Stores, arrival: Arrival, order: list[str]
) -> None:
    here = stores.another_tenant()
    for model in (MODEL, FALLBACK):
        await _remember(here, arrival.story, model)
    workers = _workers(here, PLENTY, PLENTY)
    for model in order:
        await _arrive(workers, here, arrival, model)
    await _is_as_defined(here, arrival.story)
    async with LinkStore(here.database).lock(here.tenant, ["u-1", "u-2"]) as locked:
        assert [some async for some in locked.members("u-1", FALLBACK, 0)] == []


async def test_memories_of_different_models_are_not_compared(stores: Stores) -> None:
    story = [Said(n, 1, 0, tells=True) for n in range(4)]
    await _remember(stores, story[:2])
    for n in (2, 3):
        await remember(stores, _name(n), _direction(story[n]), model=FALLBACK, content="walking the dog")
    (worker,) = _workers(stores, PLENTY)
    await _link(worker, stores, story, [0, 1])
    await _link(worker, stores, story, [2, 3], FALLBACK)
    pairs = [await related(stores, _name(n)) for n in range(4)]
    assert pairs == [(stores.id(_name(n)),) for n in (1, 0, 3, 2)]


async def test_the_cache_of_neighbourhoods_is_bounded(stores: Stores) -> None:
    story = [Said(0, user, 0, tells=True) for user in range(8)]
    await _remember(stores, story)
    (worker,) = _workers(stores, ROOM_FOR_ONE // 2)
    for n in range(len(story)):
        await _link(worker, stores, story, [n])
        assert worker.remembered.nbytes <= ROOM_FOR_ONE // 2
    assert 0 < len(worker.remembered) < len(story)

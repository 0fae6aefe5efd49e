"""Related memories follow from their vectors, pair by pair, in whatever order they come."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal
from uuid import UUID, uuid4

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.contract.store.stores import MODEL, STORED, Stores, enriched

from ricordo.clock import SystemClock
from ricordo.messages.events import MemoryEnriched
from ricordo.runtime.handling import Done, Envelope
from ricordo.store.reprocessing import ReembeddingStore
from ricordo.testing.factories import at, unit_vectors
from ricordo.testing.memory_index import MemoryVectorIndex
from ricordo_services.embedding.index_handlers import IndexHandler
from ricordo_services.embedding.index_projection import Projection

NEW: Final = "model-b"
THRESHOLD: Final = 0.6
SHOWN: Final = 10
LAWS = settings(
    max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
DIRECTIONS = unit_vectors(7, 4, seed=3)  # few, so that some are equal and some close


@dataclass(frozen=True)
class Note:
    """A memory of a drawn story; equal texts have equal vectors, and so may texts that differ."""

    user: int
    direction: int
    wording: int = 0
    informs: bool = True
    model: str = MODEL


NOTES = st.builds(
    Note,
    user=st.sampled_from((1, 1, 1, 2)),
    direction=st.integers(0, len(DIRECTIONS) - 1),
    wording=st.integers(0, 1),
    informs=st.sampled_from((True, True, True, False)),
    model=st.sampled_from((MODEL, MODEL, NEW)),
)
Kind = Literal["archive", "erase", "reword", "move", "silence"]


@dataclass(frozen=True)
class Change:
    """What happens to a memory between two batches; `direction` is that of its new words."""

    kind: Kind
    place: int
    direction: int


CHANGES = st.builds(
    Change,
    kind=st.sampled_from(("archive", "erase", "reword", "move", "silence")),
    place=st.integers(0, 23),
    direction=st.integers(0, len(DIRECTIONS) - 1),
)


@dataclass
class World:
    """A story in the store, with its index and two workers."""

    stores: Stores
    notes: dict[str, Note] = field(default_factory=dict)
    waiting: set[str] = field(default_factory=set)
    workers: tuple[IndexHandler, ...] = ()

    @classmethod
    async def begin(cls, stores: Stores, story: Sequence[Note]) -> "World":
        world = cls(stores.another_tenant())
        index = MemoryVectorIndex()
        for model in (MODEL, NEW):
            await index.prepare(model, 4)
        world.workers = tuple(
            IndexHandler(
                Projection(world.stores.indexing, index, (NEW, MODEL), stores.executor),
                world.stores.indexing,
                SystemClock(),
                THRESHOLD,
            )
            for _ in range(2)
        )
        for n, note in enumerate(story):
            await world.write(f"m-{n}", note)
        return world

    async def write(self, name: str, note: Note) -> None:
        """Record a memory, or give one other words, up to the event that has it indexed."""
        content = f"direction {note.direction}, wording {note.wording}"
        message = self.stores.message(
            name, content=content, user_id=f"u-{note.user}", conversation_id=f"of-u-{note.user}"
        )
        if name in self.notes:
            await self.stores.execute(
                "update memories set content = $1 where id = $2", content, self.stores.id(name)
            )
        else:
            await self.stores.record(message)
        self.notes[name] = note
        await self.encode(name)
        await self.enrich(name)

    async def encode(self, name: str) -> None:
        note, one = self.notes[name], self.stores.id(name)
        vectors = [(one, DIRECTIONS[note.direction])]
        await self.stores.encodings.save(self.stores.tenant, note.model, vectors, [one], STORED)

    async def enrich(self, name: str) -> None:
        note = self.notes[name]
        memory = await self.stores.memory(name, f"u-{note.user}")
        derived = [enriched(memory, informative=float(note.informs))]
        await self.stores.enrichments.save(self.stores.tenant, derived, STORED)
        self.waiting.add(name)

    async def change(self, change: Change) -> None:
        name = f"m-{change.place}"
        if (note := self.notes.get(name)) is None:
            return
        match change.kind:
            case "archive":
                await self.stores.execute(
                    "update memories set archived_at = now() where id = $1", self.stores.id(name)
                )
            case "erase":
                await self.erase(name)
            case "reword":
                await self.write(name, replace(note, direction=change.direction))
            case "silence":
                self.notes[name] = replace(note, informs=False)
                await self.enrich(name)
            case "move":
                self.notes[name] = replace(note, model=NEW)
                await self.encode(name)
                former = ReembeddingStore(self.stores.database)
                await former.release(self.stores.tenant, NEW, [self.stores.id(name)])
                self.waiting.add(name)

    async def erase(self, name: str) -> None:
        await self.stores.execute("delete from memories where id = $1", self.stores.id(name))
        await self.stores.execute("delete from vectors where memory_id = $1", self.stores.id(name))
        del self.notes[name]
        self.waiting.discard(name)

    async def index(self, names: Iterable[str], worker: int = 0) -> None:
        events = [self._event(name) for name in names if name in self.notes]
        if events:
            outcomes = await self.workers[worker](self.stores.tenant, events)
            assert all(isinstance(one, Done) for one in outcomes)
        self.waiting.difference_update(names)

    def _event(self, name: str) -> Envelope[MemoryEnriched]:
        user = f"u-{self.notes[name].user}"
        body = MemoryEnriched(
            id=uuid4(),
            at=at(0),
            user_id=user,
            conversation_id=f"of-{user}",
            message_id=name,
            memory_id=self.stores.id(name),
            version="1",
        )
        return Envelope(self.stores.tenant, body.id, "memory.enriched", body, attempt=1, traceparent=None)

    def expected(self) -> Mapping[UUID, tuple[UUID, ...]]:
        """Return who is related to whom, the strongest first, straight from the definition."""
        related = {}
        for name, note in self.notes.items():
            near = []
            for other, also in self.notes.items():
                exact = DIRECTIONS[[note.direction, also.direction]].astype(np.float64)
                exact /= np.linalg.norm(exact, axis=1, keepdims=True)
                cosine = round(float(exact[0] @ exact[1]), 4)
                one_model = (note.user, note.model) == (also.user, also.model)
                if other != name and one_model and note.informs and also.informs and cosine >= THRESHOLD:
                    near.append((-cosine, self.stores.id(other)))
            related[self.stores.id(name)] = tuple(one for _, one in sorted(near)[:SHOWN])
        return related

    async def related(self) -> Mapping[UUID, tuple[UUID, ...]]:
        found: dict[UUID, tuple[UUID, ...]] = {}
        for user in (1, 2):
            ids = [self.stores.id(name) for name, note in self.notes.items() if note.user == user]
            memories = await self.stores.queries.memories(self.stores.tenant, f"u-{user}", ids)
            found |= {one.id: one.related_ids for one in memories}
        return found


@LAWS
@given(
    story=st.lists(NOTES, min_size=2, max_size=24),
    order=st.randoms(use_true_random=False),
    changes=st.lists(st.lists(CHANGES, max_size=3), max_size=6),
)
async def test_related_are_all_pairs_whatever_happens_between(
    stores: Stores, story: list[Note], order: "np.random.Generator", changes: list[list[Change]]
) -> None:
    """In any order and batches, with repeats, at two workers; memories change between batches."""
    world = await World.begin(stores, story)
    names = sorted(world.notes)
    order.shuffle(names)
    for between in [*changes, []]:
        size = len(names) // 2 + 1
        batch = names[:size]
        names = names[size:] + batch[:2]  # some come again
        await world.index(batch, worker=size % 2)
        for change in between:
            await world.change(change)
    while world.waiting:
        await world.index(sorted(world.waiting)[:5], worker=len(world.waiting) % 2)
    assert await world.related() == world.expected()


@LAWS
@given(story=st.lists(NOTES, min_size=2, max_size=20), gone=st.sets(st.integers(0, 19), max_size=6))
async def test_when_all_come_and_some_go_at_once(stores: Stores, story: list[Note], gone: set[int]) -> None:
    world = await World.begin(stores, story)
    names = sorted(world.notes)
    await world.index(names[::3])
    erased = [name for name in names if int(name[2:]) in gone]
    batches = [names[start : start + 4] for start in range(0, len(names), 4)]
    await asyncio.gather(
        *(world.index(batch, worker=n % 2) for n, batch in enumerate(batches)),
        *(world.erase(name) for name in erased),
    )
    assert await world.related() == world.expected()
    await asyncio.gather(*(world.erase(name) for name in list(world.notes)))
    left = await world.stores.fetch(
        "select (select count(*) from linked_memories), (select count(*) from similar_texts)"
    )
    assert left == [(0, 0)]


async def test_ten_of_equal_texts_are_shown_and_pairs_are_of_texts(stores: Stores) -> None:
    story = [Note(1, 0, wording=n % 2) for n in range(40)]
    world = await World.begin(stores, story)
    await world.index(sorted(world.notes))
    assert await world.related() == world.expected()
    assert await world.stores.fetch("select count(*) from similar_texts") == [(1,)]

"""Re-embedding over fakes: what is encoded, what is left, and when it waits or gives up."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

import numpy as np
import pytest

from ricordo.memory.progress import Progress
from ricordo.messages.events import DerivedEvent, MemoryCreated
from ricordo.models.batch_queue import Encoded
from ricordo.models.encoder import ModelUnavailable, NoVector
from ricordo.store.reprocessing import FormerEncoding, ReembeddingQuery, ReembeddingSlice, ReembeddingStore
from ricordo.store.rows import Vector
from ricordo.testing.clock import ManualClock
from ricordo.testing.factories import START, TENANT
from ricordo_services.backpressure import IndexStuck
from ricordo_services.embedding.reembed import Reembed
from ricordo_services.progress import Backfilled, BackfillOrder

NEW, OLD = "new", "old"
POISON = "no model takes this"


@dataclass
class World(ReembeddingStore):
    """All that a re-embedding stands on, in memory.

    Attributes:
        rows: of which models each memory has vectors.
        texts: of those that are not "a text".
        down_for: for how long the model has been away.
        without_vector: memories that are not among the rows, as nobody has encoded them.
        asked_for: how often what encodes was asked for.
        backlog: what the index has before it; it falls by a hundred whenever it is asked for.
        steps: what was done to how many, in order.
        unread: whose facts are to be read again once a memory is linked.
    """

    rows: dict[UUID, set[str]]
    texts: dict[UUID, str] = field(default_factory=dict)
    down_for: float = 0.0
    backlog: int = 0
    without_vector: int = 0
    asked_for: int = 0
    following: bool = True
    followed: bool = True
    steps: list[tuple[str, int]] = field(default_factory=list)
    encoded: list[str] = field(default_factory=list)
    told: list[UUID] = field(default_factory=list)
    unread: dict[UUID, UUID] = field(default_factory=dict)
    known: set[str] = field(default_factory=lambda: {NEW, OLD})
    clock: ManualClock = field(default_factory=ManualClock)

    async def tenants(self) -> Sequence[str]:
        return [TENANT]

    def _behind(self, behind: ReembeddingQuery) -> list[UUID]:
        return sorted(one for one, models in self.rows.items() if models != {behind.model})

    async def count(self, tenant: str, behind: ReembeddingQuery) -> Mapping[str, int]:
        found = self._behind(behind)
        return {OLD: len(found)} if found else {}

    async def count_vectors(self, tenant: str, models: Sequence[str]) -> Mapping[str, int]:
        return {model: sum(model in held for held in self.rows.values()) for model in models}

    async def find(
        self, tenant: str, behind: ReembeddingQuery, after: UUID | None, limit: int
    ) -> ReembeddingSlice:
        found = [one for one in self._behind(behind) if after is None or one > after][:limit]
        former = [
            FormerEncoding(one, "u-1", self.texts.get(one, "a text"), NEW in self.rows[one]) for one in found
        ]
        return ReembeddingSlice(former, found[-1] if len(found) == limit else None)

    @property
    def reason(self) -> str:
        return "it answers 500" if self.down_for else ""

    async def encode(self, texts: Sequence[str]) -> Sequence[Encoded | NoVector]:
        if self.down_for:
            await self.clock.sleep(1e9)
        self.encoded += [text for text in texts if text != POISON]
        vector = np.ones(1, dtype=np.float32)
        return [NoVector("it refused") if text == POISON else Encoded(NEW, vector) for text in texts]

    async def save(
        self,
        tenant: str,
        model: str,
        vectors: Sequence[tuple[UUID, Vector]],
        done: Sequence[UUID],
        at: datetime,
        *,
        texts: Mapping[UUID, bytes] | None = None,
    ) -> Sequence[Progress]:
        assert texts is not None
        assert {memory_id for memory_id, _ in vectors} <= set(texts), "what is kept is kept of its text only"
        for one, _ in vectors:
            self.rows[one].add(model)
        self.steps.append(("save", len(vectors)))
        return ()

    async def link(self, tenant: str, model: str, users: Mapping[UUID, str]) -> Sequence[MemoryCreated]:
        self.steps.append(("link", len(users)))
        again = [self.unread[one] for one in users if one in self.unread]
        return [MemoryCreated(user_id="u-1", memory_id=one) for one in again]

    async def release(self, tenant: str, model: str, memory_ids: Sequence[UUID]) -> Sequence[Progress]:
        self.steps.append(("release", len(memory_ids)))
        for one in memory_ids:
            self.rows[one] = {model}
        return [
            Progress(memory_id=one, message_id="m-1", user_id="u-1", conversation_id="c-1", ingested=START)
            for one in memory_ids
        ]

    async def emit(self, tenant: str, events: Sequence[DerivedEvent]) -> None:
        self.told += [event.memory_id for event in events if event.memory_id is not None]

    async def models(self, tenant: str) -> Mapping[str, int]:
        return dict.fromkeys(self.known, 1)

    async def retire(self, tenant: str, keep: Sequence[str], before: datetime) -> Sequence[str]:
        gone = self.known.difference(keep) if self.followed else set()
        self.known -= gone
        return sorted(gone)

    async def batcher(self) -> "World":
        self.asked_for += 1
        return self

    async def unencoded(self, tenant: str, user_id: str | None) -> int:
        return self.without_vector

    async def waiting(self) -> int:
        self.backlog = max(0, self.backlog - 100) if self.following else self.backlog
        return self.backlog

    async def run(self, limit: int | None = None, *, dry: bool = False) -> Backfilled:
        reembed = Reembed(
            former=self,
            encodings=self,  # type: ignore[arg-type]  # of encodings, it saves and asks for the models
            linking=self,
            life=self,  # type: ignore[arg-type]  # of a life, it asks for the tenants
            emitter=self,
            batcher=self.batcher,
            index=self,
            clock=self.clock,
            model=NEW,
            keep=(NEW,),
            batch=3,
        )
        running = asyncio.create_task(reembed.run(BackfillOrder(part="vectors", limit=limit, dry=dry)))
        while not running.done():
            await self.clock.advance(1)
        return await running


def world(number: int = 7, **fields: object) -> World:
    return World({UUID(int=one): {OLD} for one in range(number)}, **fields)  # type: ignore[arg-type]  # by name


async def test_all_are_moved_in_slices_and_told_of() -> None:
    memories = world()
    done = await memories.run()
    assert (done.version, done.outdated, done.by_version) == (NEW, 7, {OLD: 7})
    assert (done.examined, done.changed, done.raised, done.left) == (7, 7, 7, 0)
    assert set(map(frozenset, memories.rows.values())) == {frozenset({NEW})}
    assert memories.steps == [(step, n) for n in (3, 3, 1) for step in ("save", "link", "release")]
    assert memories.told == sorted(memories.rows)
    assert memories.known == {NEW}


async def test_corrections_that_are_found_by_the_way_are_read_again() -> None:
    memories = world(3, unread={UUID(int=2): UUID(int=9)})
    await memories.run()
    assert sorted(memories.told) == [*sorted(memories.rows), UUID(int=9)]


async def test_what_a_former_run_has_encoded_is_not_encoded_again() -> None:
    memories = world(4)
    memories.rows[UUID(int=2)] = {OLD, NEW}
    done = await memories.run()
    assert (len(memories.encoded), done.changed, done.raised, done.left) == (3, 3, 4, 0)
    assert UUID(int=2) in memories.told


async def test_so_many_and_no_more_and_a_look_before() -> None:
    memories = world()
    looked = await memories.run(dry=True)
    assert (looked.outdated, looked.examined, memories.steps) == (7, 0, [])
    done = await memories.run(limit=4)
    assert (done.outdated, done.raised, len(memories.encoded)) == (4, 4, 4)


async def test_a_text_that_fails_is_left_alone() -> None:
    memories = world(4, texts={UUID(int=1): POISON})
    done = await memories.run()
    assert (done.examined, done.raised, done.left) == (4, 3, 1)
    assert memories.rows[UUID(int=1)] == {OLD}


async def test_a_model_that_is_away_ends_it_with_a_sentence() -> None:
    memories = world(4, down_for=1.0)
    with pytest.raises(ModelUnavailable, match="it answers 500; 0 of 4 memories are of new by now; run"):
        await memories.run()
    assert memories.steps == []


async def test_the_model_is_asked_for_only_where_it_encodes_or_is_waited_for() -> None:
    assert (await (memories := world(0)).run()).outdated == memories.asked_for == 0
    await (memories := world(2)).run(dry=True)
    assert memories.asked_for == 0
    done = await (memories := world(0, without_vector=3)).run()
    assert (done.unencoded, done.left, memories.asked_for) == (3, 0, 1)


async def test_it_waits_for_the_index() -> None:
    memories = world(3, backlog=1000)
    assert (await memories.run()).raised == 3
    assert memories.backlog <= 512


async def test_an_index_that_does_not_follow_ends_it() -> None:
    memories = world(3, backlog=1000, following=False)
    with pytest.raises(IndexStuck, match="1000 points have yet to follow"):
        await memories.run()
    assert memories.steps == []


async def test_a_model_stays_known_while_points_have_yet_to_follow() -> None:
    memories = world(3, followed=False)
    assert (await memories.run()).raised == 3
    assert memories.known == {NEW, OLD}
    memories.followed = True
    assert (await memories.run()).outdated == 0
    assert memories.known == {NEW}

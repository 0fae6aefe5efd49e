"""The event of a memory names the model by which it is known; a damaged index is rebuilt to its end."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import cast
from uuid import UUID

import numpy as np
import pytest
from tests.support.manual_clock import ManualClock

from ricordo.index.qdrant.edge import EdgeVectorIndex
from ricordo.language.reading import Reading
from ricordo.memory.model import Progress
from ricordo.messages.events import IndexRequested, MemoryCreated, MemoryEncoded
from ricordo.models.batch_queue import Encoded
from ricordo.models.batcher import EmbeddingBatcher
from ricordo.models.encoder import NoVector
from ricordo.models.reader.text_reader import TextReader, TextToRead
from ricordo.runtime.handling import Done, Envelope, Outcome, Retry
from ricordo.store.rows import Vector
from ricordo.store.stages import EncodingStore, SavedReading, SavedVectors, TextToEncode
from ricordo_services.backpressure import Backlog
from ricordo_services.embedding.encode_handler import EncodeHandler
from ricordo_services.embedding.reindexing import IndexRebuild, Reindexing
from ricordo_services.job_progress import ReindexOrder, ReindexProgress

PRIMARY, FALLBACK = "primary", "fallback"
INGESTED = datetime(2026, 2, 1, tzinfo=UTC)


def a_vector() -> Vector:
    return np.array([1, 0, 0, 0], dtype=np.float32)


@dataclass
class Rows(EncodingStore):
    """Keeps texts and vectors in memory."""

    texts: list[TextToEncode]
    enriched: set[int] = field(default_factory=set)
    kept: dict[str, list[UUID]] = field(default_factory=dict)
    refused: set[int] = field(default_factory=set)

    async def load(
        self, tenant: str, model: str, memory_ids: Sequence[UUID], *, reader: str = "", read_model: str = ""
    ) -> Sequence[TextToEncode]:
        assert (model, reader) == (PRIMARY, Reader.version)
        return [text for text in self.texts if text.memory_id in memory_ids]

    async def save(
        self,
        tenant: str,
        model: str,
        vectors: Sequence[tuple[UUID, Vector | None]],
        done: Sequence[UUID],
        at: datetime,
        *,
        texts: Mapping[UUID, bytes] | None = None,
        reader: str = "",
        readings: Mapping[UUID, SavedReading] | None = None,
    ) -> SavedVectors:
        assert texts is not None
        assert {memory_id for memory_id, _ in vectors} <= set(texts), "what is kept is kept of its text only"
        if vectors:
            self.kept[model] = [memory_id for memory_id, vector in vectors if vector is not None]
            self.refused |= {memory_id.int for memory_id, vector in vectors if vector is None}
        return SavedVectors(
            tuple(
                Progress(
                    memory_id=one,
                    message_id=f"m-{one.int}",
                    user_id="u-1",
                    conversation_id="c-1",
                    ingested=INGESTED,
                    encoded=at,
                    enriched=at if one.int in self.enriched else None,
                )
                for one in done
            ),
            {
                one: Progress(
                    memory_id=UUID(int=one.int + 10),
                    message_id=f"m-{one.int + 10}",
                    user_id="u-1",
                    conversation_id="c-1",
                    ingested=INGESTED,
                )
                for one in done
            },
        )

    async def models(self, tenant: str) -> Mapping[str, int]:
        return {}


class Batcher(EmbeddingBatcher):
    """Encodes all by one model, but for those that are said to have another, or none."""

    slow = False

    def __init__(self, model: str, **others: str | None) -> None:
        self.model = model
        self.others = others
        self.asked: list[str] = []

    async def encode(self, texts: Sequence[str]) -> Sequence[Encoded | NoVector]:
        self.asked += texts
        models = [self.others.get(text, self.model) for text in texts]
        refusal = NoVector("it refused", self.model, slow=self.slow)
        return [refusal if one is None else Encoded(one, a_vector()) for one in models]


class Reader(TextReader):
    """Reads nothing: no text here is unread."""

    version = "reader-0"

    def __init__(self) -> None:
        pass

    async def read(self, texts: Sequence[TextToRead]) -> list[Reading | None]:
        assert not texts
        return []


def created(number: int, attempt: int = 1) -> Envelope[MemoryCreated]:
    body = MemoryCreated(
        user_id="u-1", conversation_id="c-1", message_id=f"m-{number}", memory_id=UUID(int=number)
    )
    subject, at = "memory.v1.acme.memory.created", ManualClock().now()
    return Envelope("acme", UUID(int=100 + number), subject, body, attempt, None, at)


async def encoded(rows: Rows, batcher: Batcher, *numbers: int) -> dict[int, tuple[str, bool]]:
    """Handle the creation of `numbers`; return what each one's event says of its model."""
    handler = EncodeHandler(rows, batcher, PRIMARY, ManualClock(), Reader())
    outcomes = await handler("acme", [created(number) for number in numbers])
    events = [event for outcome in outcomes if isinstance(outcome, Done) for event in outcome.events]
    return {
        event.memory_id.int: (event.model, event.fallback)
        for event in events
        if isinstance(event, MemoryEncoded)
    }


async def test_what_the_primary_knows_already_stays_its_own_when_the_fallback_serves_the_rest() -> None:
    rows = Rows([TextToEncode(UUID(int=1), "one", is_encoded=True), TextToEncode(UUID(int=2), "two")])
    batcher = Batcher(FALLBACK)
    assert await encoded(rows, batcher, 1, 2) == {1: (PRIMARY, False), 2: (FALLBACK, True)}
    assert batcher.asked == ["two"]
    assert rows.kept == {FALLBACK: [UUID(int=2)]}


async def test_a_redelivery_of_what_is_known_asks_no_model() -> None:
    rows = Rows([TextToEncode(UUID(int=1), "one", is_encoded=True)])
    batcher = Batcher(FALLBACK)
    assert await encoded(rows, batcher, 1) == {1: (PRIMARY, False)}
    assert batcher.asked == []


async def test_what_is_read_again_for_its_facts_is_not_derived_again() -> None:
    rows = Rows([TextToEncode(UUID(int=1), "one", is_encoded=True), TextToEncode(UUID(int=2), "two")], {1, 2})
    told = await encoded(rows, Batcher(PRIMARY), 1, 2)
    assert told == {2: (PRIMARY, False)}, "the second has other words now, and no vector of them yet"


async def test_an_outage_amid_a_batch_keeps_each_vector_by_its_own_model() -> None:
    rows = Rows([TextToEncode(UUID(int=1), "one"), TextToEncode(UUID(int=2), "two")])
    assert await encoded(rows, Batcher(PRIMARY, two=FALLBACK), 1, 2) == {
        1: (PRIMARY, False),
        2: (FALLBACK, True),
    }
    assert rows.kept == {PRIMARY: [UUID(int=1)], FALLBACK: [UUID(int=2)]}


async def test_what_follows_from_a_memory_is_the_same_in_any_batch() -> None:
    async def events_of(*numbers: int) -> list[Outcome]:
        rows = Rows([TextToEncode(UUID(int=n), f"text {n}") for n in (1, 2)])
        handler = EncodeHandler(rows, Batcher(PRIMARY), PRIMARY, ManualClock(), Reader())
        return list(await handler("acme", [created(number) for number in numbers]))

    assert await events_of(1, 2) == [*await events_of(1), *await events_of(2)]


@pytest.mark.parametrize(("slow", "attempt", "refused"), [(False, 1, {1}), (True, 1, set()), (True, 3, {1})])
async def test_a_refused_text_is_kept_without_a_vector_at_once_and_a_slow_one_after_three_attempts(
    *, slow: bool, attempt: int, refused: set[int]
) -> None:
    rows = Rows([TextToEncode(UUID(int=1), "one"), TextToEncode(UUID(int=2), "two")])
    batcher = Batcher(PRIMARY, one=None)
    batcher.slow = slow
    handler = EncodeHandler(rows, batcher, PRIMARY, ManualClock(), Reader())
    outcome, done = await handler("acme", [created(1, attempt), created(2)])
    assert isinstance(done, Done)
    assert [type(event) for event in done.events] == [MemoryEncoded, IndexRequested]
    assert (rows.kept, rows.refused) == ({PRIMARY: [UUID(int=2)]}, refused)
    assert isinstance(outcome, Done) or outcome == Retry(reason="NoVector: it refused", is_failure=True)
    assert isinstance(outcome, Done) == bool(refused)


class Index:
    """An index that has replaced a shard, what writes it anew, and a worker with nothing before it."""

    def __init__(self, *, more: int) -> None:
        self.rebuild_wanted = asyncio.Event()
        self.rebuild_wanted.set()
        self.replaced, self.more, self.runs = 1, more, 0

    async def rebuilt(self, replaced: int) -> bool:
        if replaced == self.replaced:
            self.rebuild_wanted.clear()
        return replaced == self.replaced

    async def run(self, order: ReindexOrder) -> ReindexProgress:
        assert order == ReindexOrder(projection="vectors")
        self.runs += 1
        self.replaced += self.runs <= self.more
        return ReindexProgress("vectors", found=1, written=1)

    async def waiting(self) -> int:
        return 0


async def test_what_is_replaced_meanwhile_is_written_too() -> None:
    index = Index(more=2)
    job = IndexRebuild(
        cast(EdgeVectorIndex, index), cast(Reindexing, index), cast(Backlog, index), ManualClock()
    )
    await job.run()
    assert (index.runs, index.rebuild_wanted.is_set()) == (3, False)

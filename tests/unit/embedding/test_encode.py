"""Encode: the event of a memory names the model by which that memory is known."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from uuid import UUID

import numpy as np

from ricordo.messages.events import MemoryCreated, MemoryEncoded
from ricordo.ports.memories import TextToEncode, Vector
from ricordo.ports.stages import Progress
from ricordo.runtime.batcher import Encoded
from ricordo.runtime.handling import Done, Envelope
from ricordo.testing.clock import ManualClock
from ricordo_services.embedding.encode import Encode

PRIMARY, FALLBACK = "primary", "fallback"
INGESTED = datetime(2026, 2, 1, tzinfo=UTC)


def a_vector() -> Vector:
    return np.array([1, 0, 0, 0], dtype=np.float32)


@dataclass
class Rows:
    """Keeps texts and vectors in memory."""

    texts: list[TextToEncode]
    kept: dict[str, list[UUID]] = field(default_factory=dict)

    async def load(self, tenant: str, model: str, memory_ids: Sequence[UUID]) -> Sequence[TextToEncode]:
        assert model == PRIMARY
        return [text for text in self.texts if text.memory_id in memory_ids]

    async def save(
        self,
        tenant: str,
        model: str,
        vectors: Sequence[tuple[UUID, Vector]],
        done: Sequence[UUID],
        at: datetime,
    ) -> Sequence[Progress]:
        self.kept[model] = [memory_id for memory_id, _ in vectors]
        return [
            Progress(
                memory_id=one,
                message_id=f"m-{one.int}",
                user_id="u-1",
                conversation_id="c-1",
                ingested=INGESTED,
                encoded=at,
            )
            for one in done
        ]

    async def followers(self, tenant: str, memory_ids: Sequence[UUID]) -> Sequence[tuple[UUID, str]]:
        return ()

    async def models(self, tenant: str) -> Mapping[str, int]:
        return {}


class Batcher:
    """Encodes all by one model."""

    def __init__(self, model: str) -> None:
        self.model = model
        self.asked: list[str] = []

    async def encode(self, texts: Sequence[str]) -> Encoded:
        self.asked += texts
        return Encoded(self.model, np.stack([a_vector() for _ in texts]))


def created(number: int) -> Envelope[MemoryCreated]:
    body = MemoryCreated(
        user_id="u-1", conversation_id="c-1", message_id=f"m-{number}", memory_id=UUID(int=number)
    )
    return Envelope("acme", UUID(int=100 + number), "memory.v1.acme.memory.created", body, 1, None)


async def encoded(rows: Rows, batcher: Batcher, *numbers: int) -> dict[int, tuple[str, bool]]:
    """Handle the creation of `numbers`; return what each one's event says of its model."""
    handler = Encode(rows, batcher, PRIMARY, ManualClock())
    outcomes = await handler("acme", [created(number) for number in numbers])
    events = [event for outcome in outcomes if isinstance(outcome, Done) for event in outcome.events]
    return {
        event.memory_id.int: (event.model, event.fallback)
        for event in events
        if isinstance(event, MemoryEncoded)
    }


async def test_what_the_primary_knows_already_stays_its_own_when_the_fallback_serves_the_rest() -> None:
    rows = Rows([TextToEncode(UUID(int=1), "one", a_vector()), TextToEncode(UUID(int=2), "two")])
    batcher = Batcher(FALLBACK)
    assert await encoded(rows, batcher, 1, 2) == {1: (PRIMARY, False), 2: (FALLBACK, True)}
    assert batcher.asked == ["two"]
    assert rows.kept == {FALLBACK: [UUID(int=2)]}


async def test_all_that_the_primary_encodes_is_its_own() -> None:
    rows = Rows([TextToEncode(UUID(int=1), "one"), TextToEncode(UUID(int=2), "two")])
    assert await encoded(rows, Batcher(PRIMARY), 1, 2) == {1: (PRIMARY, False), 2: (PRIMARY, False)}


async def test_a_redelivery_of_what_is_known_asks_no_model() -> None:
    rows = Rows([TextToEncode(UUID(int=1), "one", a_vector())])
    batcher = Batcher(FALLBACK)
    assert await encoded(rows, batcher, 1) == {1: (PRIMARY, False)}
    assert batcher.asked == []


async def test_nothing_is_told_of_what_was_forgotten_meanwhile() -> None:
    assert await encoded(Rows([]), Batcher(PRIMARY), 1) == {}

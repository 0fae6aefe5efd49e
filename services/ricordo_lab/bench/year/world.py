"""A clock that jumps, and what of the life of a memory is switched off."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Protocol
from uuid import UUID

from ricordo.language.annotations import NEUTRAL
from ricordo.memory.importance import importance
from ricordo.models.batch_queue import Encoded
from ricordo.models.encoder import NoVector
from ricordo.store.types.memories import EnrichedMemory, Enrichments, SavedEnrichment, Unenriched
from ricordo_lab.bench.options import BenchFailed


class JumpingClock:
    """A clock that is set; what waits by it waits for real."""

    def __init__(self, start: datetime) -> None:
        self._now = start

    def jump(self, to: datetime) -> None:
        """Set it."""
        self._now = to

    def now(self) -> datetime:
        """Return the moment it was set to."""
        return self._now

    def monotonic(self) -> float:
        """Return seconds that go on."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Wait for real."""
        await asyncio.sleep(seconds)


@dataclass(frozen=True, slots=True)
class Variant:
    """What of the life of a memory is switched on; with decay, sleep too."""

    name: str
    decay: bool = True
    emotion: bool = True
    reinforcement: bool = True


class Encoding(Protocol):
    """What encodes texts."""

    async def encode(self, texts: Sequence[str]) -> Sequence[Encoded | NoVector]:
        """Return for each text, in order, its vector, or why there is none."""
        ...


@dataclass(slots=True)
class EachOnce:
    """Encodes each text once: a life repeats itself."""

    batcher: Encoding
    known: dict[str, Encoded] = field(default_factory=dict)

    async def encode(self, texts: Sequence[str]) -> Sequence[Encoded | NoVector]:
        """Return the vector of each text."""
        new = [text for text in dict.fromkeys(texts) if text not in self.known]
        for text, answer in zip(new, await self.batcher.encode(new) if new else [], strict=True):
            if isinstance(answer, NoVector):
                raise BenchFailed(f"a text has no vector: {answer}")
            self.known[text] = answer
        return [self.known[text] for text in texts]


@dataclass(slots=True)
class Feelingless:
    """Keeps what enrichment derives, but for what is felt, and for what that adds to the importance."""

    enrichments: Enrichments
    said: dict[UUID, tuple[str, str]] = field(default_factory=dict)

    async def load(self, tenant: str, model: str, memory_ids: Sequence[UUID]) -> Sequence[Unenriched]:
        """Return the memories."""
        found = await self.enrichments.load(tenant, model, memory_ids)
        self.said |= {one.memory.id: (one.memory.content, one.memory.language) for one in found}
        return found

    async def save(
        self, tenant: str, enriched: Sequence[EnrichedMemory], at: datetime
    ) -> Sequence[SavedEnrichment]:
        """Write what was derived, without feeling."""
        return await self.enrichments.save(tenant, [self._calm(one) for one in enriched], at)

    def _calm(self, one: EnrichedMemory) -> EnrichedMemory:
        weight = importance(*self.said.pop(one.memory_id), NEUTRAL)
        return replace(one, enrichment=replace(one.enrichment, emotion=NEUTRAL, importance=weight))

"""Encode: each text becomes a vector once per model, kept beside the rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from ricordo.messages.events import MemoryChanged, MemoryCreated, MemoryEncoded
from ricordo.ports.clock import Clock
from ricordo.ports.memories import Encodings, TextToEncode
from ricordo.ports.stages import MessageIds, Progress
from ricordo.runtime.batcher import Encoded
from ricordo.runtime.handling import Done, Envelope, Outcome
from ricordo_services.receipts import stage_events


class Batcher(Protocol):
    """What encodes texts, several callers' together."""

    async def encode(self, texts: Sequence[str]) -> Encoded:
        """Return vectors in the order of `texts`, and the model that made them."""
        ...


@dataclass(frozen=True, slots=True)
class Encode:
    """Handles `memory.created`."""

    encodings: Encodings
    batcher: Batcher
    model: str
    clock: Clock

    async def __call__(self, tenant: str, events: Sequence[Envelope[MemoryCreated]]) -> Sequence[Outcome]:
        """Encode what has no vector yet; one outcome each."""
        ids = list(dict.fromkeys(event.body.memory_id for event in events))
        texts = await self.encodings.load(tenant, self.model, ids)
        models, progress = await self._encode(tenant, texts)
        done = {one.memory_id: one for one in progress}

        def encoded(ids: MessageIds) -> MemoryEncoded:
            model = models[ids["memory_id"]]
            return MemoryEncoded(**ids, model=model, fallback=model != self.model)

        outcomes = [stage_events(tenant, done.get(event.body.memory_id), encoded) for event in events]
        outcomes[0] += tuple(
            MemoryChanged(user_id=user_id, memory_ids=(follower,), fields=("preceding_vector",))
            for follower, user_id in await self.encodings.followers(tenant, list(done))
        )
        return [Done(one) for one in outcomes]

    async def _encode(
        self, tenant: str, texts: Sequence[TextToEncode]
    ) -> tuple[Mapping[UUID, str], Sequence[Progress]]:
        """Encode and keep; return by which model each memory is known now, and the stages."""
        models = {text.memory_id: self.model for text in texts}
        missing = [text for text in texts if text.vector is None]
        if not missing:
            return models, await self.encodings.save(tenant, self.model, [], list(models), self.clock.now())
        encoded = await self.batcher.encode([text.text for text in missing])
        vectors = [(text.memory_id, vector) for text, vector in zip(missing, encoded.vectors, strict=True)]
        models |= dict.fromkeys((memory_id for memory_id, _ in vectors), encoded.model)
        return models, await self.encodings.save(
            tenant, encoded.model, vectors, list(models), self.clock.now()
        )

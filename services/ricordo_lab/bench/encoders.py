"""Encoders around and in place of the model: one that is watched, one of a steady speed."""

import asyncio
import time
from collections.abc import Sequence

import numpy as np

from ricordo.models.encoder import Encoder, Vectors


class Watched:
    """An encoder, and how long the request of each text took in it.

    Args:
        encoder: what encodes.

    Attributes:
        seconds: of the last request that held a text, by the text.
        requests: so far.
    """

    def __init__(self, encoder: Encoder) -> None:
        self.model = encoder.model
        self.dimensions = encoder.dimensions
        self.seconds: dict[str, float] = {}
        self.requests = 0
        self._encoder = encoder

    async def encode(self, texts: Sequence[str]) -> Vectors:
        """Encode texts; see `Encoder.encode`."""
        self.requests += 1
        began = time.perf_counter()
        vectors = await self._encoder.encode(texts)
        self.seconds.update(dict.fromkeys(texts, time.perf_counter() - began))
        return vectors


class Steady:
    """An encoder that does so many texts a second, whatever the machine is busy with.

    Args:
        texts_per_second: of all requests together.

    Attributes:
        inside: texts in requests at this moment.
        done: texts encoded so far.
    """

    model = "steady"
    dimensions = 384

    def __init__(self, texts_per_second: float) -> None:
        self.inside = 0
        self.done = 0
        self._seconds_each = 1 / texts_per_second
        self._free_at = 0.0

    async def encode(self, texts: Sequence[str]) -> Vectors:
        """Return the same vector for each text, once its turn has come."""
        self.inside += len(texts)
        try:
            now = time.monotonic()
            self._free_at = max(self._free_at, now) + len(texts) * self._seconds_each
            await asyncio.sleep(self._free_at - now)
            self.done += len(texts)
        finally:
            self.inside -= len(texts)
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        vectors[:, 0] = 1
        return vectors

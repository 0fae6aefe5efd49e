"""An encoder without a model, for tests: quick, the same everywhere, and away whenever a test says so."""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ricordo.clock import Clock
from ricordo.models.encoder import ModelUnavailable, Vectors


@dataclass(slots=True)
class EncodingRequest:
    """A request by the clock's monotonic seconds; failed is one without vectors, cancelled or not."""

    texts: tuple[str, ...]
    begun: float
    ended: float | None = None
    failed: bool = False


class FakeEncoder:
    """An `Encoder` whose vectors count hashed words, so that texts with common words are near each other.

    While it is not `available`, requests fail after their latency, which is in seconds of the clock.
    """

    def __init__(self, clock: Clock, model: str = "fake", dimensions: int = 64, latency: float = 0.0) -> None:
        self.model = model
        self.dimensions = dimensions
        self.latency = latency
        self.available = True
        self.requests: list[EncodingRequest] = []
        self._clock = clock

    @property
    def in_flight(self) -> int:
        """Requests that have begun and not ended."""
        return sum(request.ended is None for request in self.requests)

    async def encode(self, texts: Sequence[str]) -> Vectors:
        """Return float32 [n, dimensions] of unit norm, if it is available when the request ends."""
        request = EncodingRequest(tuple(texts), self._clock.monotonic(), failed=True)
        self.requests.append(request)
        try:
            await self._clock.sleep(self.latency)
            if not self.available:
                raise ModelUnavailable(f"{self.model} is away")
            request.failed = False
            return self.vectors(texts)
        finally:
            request.ended = self._clock.monotonic()

    def vectors(self, texts: Sequence[str]) -> Vectors:
        """Return what `encode` answers, at once."""
        return word_vectors(texts, self.dimensions)


def word_vectors(texts: Sequence[str], dimensions: int) -> Vectors:
    """Count the hashed words of each text: float32 [n, dimensions], unit norm."""
    counts = np.zeros((len(texts), dimensions), dtype=np.float32)
    for row, text in enumerate(texts):
        for word in text.casefold().split():
            counts[row, zlib.crc32(word.encode("utf-8", "replace")) % dimensions] += 1
        counts[row, 0] += 1e-3  # a text without words has a direction too
    vectors: Vectors = counts / np.linalg.norm(counts, axis=1, keepdims=True)
    return vectors

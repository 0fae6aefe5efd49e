"""Sends texts to the embedding batcher at a rate, with encoders that are timed or have a fixed speed."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from itertools import accumulate, repeat

import numpy as np

from ricordo.models.encoder import Encoder, Vectors


def at_fixed_rate(per_second: float) -> Iterator[float]:
    """Yield evenly spaced instants, in seconds from the beginning."""
    return accumulate(repeat(1 / per_second), initial=0.0)


def poisson(per_second: float, seed: int) -> Iterator[float]:
    """Yield the instants of a Poisson process, in seconds from the beginning."""
    chance = random.Random(seed)
    return accumulate(chance.expovariate(per_second) for _ in repeat(None))


async def send(
    spoken: Sequence[str], instants: Iterator[float], take: Callable[[str], Awaitable[None]]
) -> Sequence[asyncio.Task[None]]:
    """Call `take` with each text at its instant, each in a task; return the tasks once all have begun."""
    began = time.perf_counter()
    tasks = []
    for text, instant in zip(spoken, instants, strict=False):
        if (rest := began + instant - time.perf_counter()) > 0:
            await asyncio.sleep(rest)
        tasks.append(asyncio.ensure_future(take(text)))
    await asyncio.sleep(0)
    return tasks


class TimedEncoder:
    """Wraps an encoder and records how long the request of each text took.

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


class FixedRateEncoder:
    """Stands in for a model that encodes so many texts a second, however busy the machine is.

    Attributes:
        inside: texts in requests at this moment.
        done: texts encoded so far.
    """

    model = "fixed-rate"
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

"""Texts that arrive at a rate, each with a caller of its own, and what the event loop has to say to it."""

import asyncio
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import accumulate, repeat
from typing import Final

from ricordo_lab.bench.conversation import texts

_LOOK_S: Final = 0.002  # between two looks at the event loop


def steadily(per_second: float) -> Iterator[float]:
    """Yield the instants of arrivals, evenly: seconds from the beginning on."""
    return accumulate(repeat(1 / per_second), initial=0.0)


def by_chance(per_second: float, seed: int) -> Iterator[float]:
    """Yield the instants of arrivals independent of each other (Poisson), so many a second on average."""
    chance = random.Random(seed)
    return accumulate(chance.expovariate(per_second) for _ in repeat(None))


def different(seed: int, count: int) -> Sequence[str]:
    """Return so many made-up texts, no two alike, so that the request of each is known."""
    found: dict[str, None] = {}
    for text in texts(seed):
        found[text] = None
        if len(found) == count:
            break
    return list(found)


async def arrive(
    spoken: Sequence[str], instants: Iterator[float], take: Callable[[str], Awaitable[None]]
) -> Sequence[asyncio.Task[None]]:
    """Have each text taken at its instant, by a task of its own; return the tasks when the last has begun."""
    began = time.perf_counter()
    tasks = []
    for text, instant in zip(spoken, instants, strict=False):
        if (rest := began + instant - time.perf_counter()) > 0:
            await asyncio.sleep(rest)
        tasks.append(asyncio.ensure_future(take(text)))
    await asyncio.sleep(0)
    return tasks


@dataclass(slots=True)
class Lateness:
    """By how much the event loop was late to look, again and again.

    Attributes:
        seconds: of each look; what stood in the way was at least that long, but for the machine's other work.
    """

    seconds: list[float] = field(default_factory=list)


@asynccontextmanager
async def loop_watched() -> AsyncIterator[Lateness]:
    """Watch the event loop for the length of an `async with`."""
    found = Lateness([0.0])

    async def look() -> None:
        while True:
            due = time.perf_counter() + _LOOK_S
            await asyncio.sleep(_LOOK_S)
            found.seconds.append(time.perf_counter() - due)

    watching = asyncio.create_task(look())
    try:
        yield found
    finally:
        watching.cancel()

"""What a running system holds and how it answers, looked at again and again while it is busy."""

import asyncio
import time
from collections.abc import AsyncIterator, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Final

from ricordo.client import MemoryClient, RicordoError
from ricordo_lab.bench.conversation import questions
from ricordo_lab.bench.figures import percentile, rounded
from ricordo_lab.bench.system import WORKERS, System

_LOOK_S: Final = 1.0  # between two looks at memory
_ASK_S: Final = 0.2  # between two questions


@dataclass(slots=True)
class Held:
    """The memory of a system, in MB; the fullest so far.

    Attributes:
        workers: the process or processes of the workers.
        everything: all processes.
        course: each look at the workers, as the instant of `time.perf_counter` and MB.
    """

    workers: float = 0.0
    everything: float = 0.0
    course: list[tuple[float, float]] = field(default_factory=list)

    def look(self, system: System) -> None:
        """Look again, and keep what is more."""
        parts = system.memory_mb_of_parts()
        self.course.append((time.perf_counter(), parts.get(WORKERS, 0.0)))
        self.workers = max(self.workers, parts.get(WORKERS, 0.0))
        self.everything = max(self.everything, sum(parts.values()))


def held(system: System) -> Held:
    """Return what a system holds now."""
    now = Held()
    now.look(system)
    return now


def growth(before: float, fullest: float, after: float) -> Mapping[str, float | None]:
    """Return three looks at memory in MB, and by how many percent it grew; None where that is unknown."""
    return {
        "before": round(before),
        "fullest": round(fullest),
        "after": round(after) or None,
        "growth_percent": round(100 * (fullest / before - 1)) if before else None,
    }


@dataclass(slots=True)
class Answers:
    """How questions were answered.

    Attributes:
        took: milliseconds of each that was, as the bot sees them.
        course: each of these, with the instant of `time.perf_counter` at which it was asked.
        incomplete: answers that lacked a part.
        failed: questions without an answer.
    """

    took: list[float] = field(default_factory=list)
    course: list[tuple[float, float]] = field(default_factory=list)
    incomplete: int = 0
    failed: int = 0

    def figures(self) -> Mapping[str, float | None]:
        """Return how many, and how long they took; None where none was answered."""
        return {
            "questions": len(self.took) + self.failed,
            "p50_ms": rounded(percentile(self.took, 0.50)) if self.took else None,
            "p95_ms": rounded(percentile(self.took, 0.95)) if self.took else None,
            "incomplete": self.incomplete,
            "failed": self.failed,
        }


async def ask(client: MemoryClient, user_id: str, asked: Sequence[str], answers: Answers) -> None:
    """Ask one after the other, each a fifth of a second after the one before or once that is answered."""
    for question in asked:
        began = time.perf_counter()
        try:
            reply = await client.recall(user_id, question)
        except RicordoError:
            answers.failed += 1
        else:
            answers.took.append(1000 * (time.perf_counter() - began))
            answers.course.append((began, answers.took[-1]))
            answers.incomplete += bool(reply.degraded)
        await asyncio.sleep(max(0.0, began + _ASK_S - time.perf_counter()))


@asynccontextmanager
async def watched(
    system: System, client: MemoryClient, user_id: str, before: Held
) -> AsyncIterator[tuple[Held, Answers]]:
    """Look at memory, and ask a user's questions, for the length of an `async with`.

    What it yields begins with `before`, what was held until now: the fullest is no less.
    """
    fullest, answers = replace(before, course=list(before.course)), Answers()

    async def look() -> None:
        while True:
            await asyncio.sleep(_LOOK_S)
            await asyncio.to_thread(fullest.look, system)

    async def go_on_asking() -> None:
        some = questions(seed=2)
        for _ in count():
            await ask(client, user_id, [next(some)], answers)

    async with _beside(look(), go_on_asking()):
        yield fullest, answers


@asynccontextmanager
async def _beside(*work: Coroutine[None, None, None]) -> AsyncIterator[None]:
    tasks = [asyncio.create_task(one) for one in work]
    try:
        yield
        for task in tasks:
            if task.done():
                task.result()  # whatever ended it is told
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

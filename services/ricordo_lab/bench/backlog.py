"""Measures a backlog that is processed while questions are asked: memory, recall, and how the rate holds."""

import asyncio
import time
from collections.abc import AsyncIterator, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import chain, count, islice
from typing import Final
from zlib import crc32

from ricordo.client import MemoryClient, RicordoError
from ricordo.messages.events import MessageReceived
from ricordo.models.encoder import Encoder
from ricordo_lab.bench.embedding_bench import ready_models
from ricordo_lab.bench.generated_texts import FIRST_SAID, messages, questions, texts
from ricordo_lab.bench.ingest import pipeline_rate
from ricordo_lab.bench.measurement import Figures, Line, Options, Report, latencies, rounded
from ricordo_lab.bench.publication import remember
from ricordo_lab.bench.system import WORKERS, System, scratch, up
from ricordo_lab.console import MeasurementFailed, progress

_BACKLOG: Final = 5000  # messages
_FIRST: Final = 1000  # memories that are stored before the rate is measured first, or a fifth of the backlog
_RATED: Final = 500  # messages by which the rate is measured, or half of what is stored first
_ASKER: Final = "asker"
_ASKER_MEMORIES: Final = 200
_ASKED_BEFORE: Final = 50
_ASK_S: Final = 0.2  # between two questions
_READ_S: Final = 1.0  # between two readings of memory
_PROGRESS_READINGS: Final = 10


@dataclass(slots=True)
class MemoryUse:
    """Readings of the memory of the workers and of all processes, in MB."""

    workers: list[float] = field(default_factory=list)
    everything: list[float] = field(default_factory=list)

    def read(self, system: System) -> None:
        """Add a reading."""
        parts = system.memory_mb()
        self.workers.append(parts.get(WORKERS, 0.0))
        self.everything.append(sum(parts.values()))


@dataclass(slots=True)
class RecallAnswers:
    """How questions were answered.

    Attributes:
        took: milliseconds until each answer.
        incomplete: answers that were degraded.
        failed: questions without an answer.
    """

    took: list[float] = field(default_factory=list)
    incomplete: int = 0
    failed: int = 0

    async def ask(self, client: MemoryClient, user_id: str, question: str) -> None:
        """Ask a question, and wait until a fifth of a second is over."""
        began = time.perf_counter()
        try:
            reply = await client.recall(user_id, question)
        except RicordoError:
            self.failed += 1
        else:
            self.took.append(1000 * (time.perf_counter() - began))
            self.incomplete += bool(reply.degraded)
        await asyncio.sleep(max(0.0, began + _ASK_S - time.perf_counter()))

    def figures(self) -> Mapping[str, float | None]:
        """Return the counts and percentiles; these are None where no question was answered."""
        return {
            "questions": len(self.took) + self.failed,
            **(latencies(self.took) if self.took else dict.fromkeys(("p50_ms", "p95_ms"))),
            "incomplete": self.incomplete,
            "failed": self.failed,
        }


def growth(readings: Sequence[float]) -> Mapping[str, float | None]:
    """Return the first reading of memory, the largest and the last, in MB, and the growth in percent."""
    values = readings or [0.0]
    before, fullest, after = values[0], max(values), values[-1]
    return {
        "before": round(before),
        "fullest": round(fullest),
        "after": round(after),
        "growth_percent": round(100 * (fullest / before - 1)) if before else None,
    }


async def backlog(options: Options, report: Report) -> None:
    """Publish a backlog to a running system while questions are asked, until it is remembered."""
    async with ready_models(options.settings.embedding) as models:
        with scratch() as folder:
            async with up(folder) as system, MemoryClient.connect(system.nats) as client:
                report(await _Trial(options, system, client, models.batch).run())


class _Trial:
    """The steps of the benchmark, and what was measured so far."""

    def __init__(self, options: Options, system: System, client: MemoryClient, encoder: Encoder) -> None:
        self._options = options
        self._system = system
        self._client = client
        self._encoder = encoder
        self._count = options.messages or _BACKLOG
        self._first = max(2, min(_FIRST, self._count // 5))
        self._users = min(options.users, self._count)
        self._memory = MemoryUse()
        self._during = RecallAnswers()
        self._receipts: list[float] = []

    async def run(self) -> Line:
        """Run all steps, and return what was measured.

        Raises:
            MeasurementFailed: the backlog was not remembered within the limit.
        """
        address, before = self._system.nats, RecallAnswers()
        progress(f"backlog: storing the first {self._first:,} memories")
        await remember(address, messages(list(islice(texts(1), _ASKER_MEMORIES)), _ASKER, "a"))
        await remember(address, self._messages(self._first, "f", 0))
        rate_at_first = await self._measure_rate("r0", 100)
        for question in islice(questions(seed=1), _ASKED_BEFORE):
            await before.ask(self._client, _ASKER, question)
        self._memory.read(self._system)
        began = time.perf_counter()
        try:
            await asyncio.wait_for(self._process_backlog(), self._options.limit)
        except TimeoutError:
            reached = f"{len(self._receipts):,} of {self._count:,} messages are remembered"
            raise MeasurementFailed(f"{reached} after {self._options.limit:g} s") from None
        self._memory.read(self._system)
        seconds = self._receipts[-1] - began
        return {
            "bench": "backlog",
            "messages": self._count,
            "users": self._users,
            "seconds": rounded(seconds),
            "events_per_second": rounded(self._count / seconds),
            "memory_mb_of_workers": growth(self._memory.workers),
            "memory_mb_of_all": growth(self._memory.everything),
            "recall_before": before.figures(),
            "recall_during": self._during.figures(),
            "rate_at_first": rate_at_first,
            "rate_at_the_end": await self._measure_rate("r1", 2000),
        }

    async def _process_backlog(self) -> None:
        async with _concurrently(self._read_memory(), self._ask()):
            await remember(self._system.nats, self._messages(self._count, "b", 200), self._note_receipt)

    async def _read_memory(self) -> None:
        for number in count(1):
            await asyncio.sleep(_READ_S)
            await asyncio.to_thread(self._memory.read, self._system)
            if number % _PROGRESS_READINGS == 0:
                progress(f"backlog: {len(self._receipts):,} of {self._count:,} remembered")

    async def _ask(self) -> None:
        for question in questions(seed=2):
            await self._during.ask(self._client, _ASKER, question)

    def _note_receipt(self) -> None:
        self._receipts.append(time.perf_counter())

    async def _measure_rate(self, prefix: str, days: int) -> Figures:
        timed = self._messages(min(_RATED, self._first // 2), prefix, days)
        stored = (await self._client.stats("user-0")).memories
        found = await pipeline_rate(self._system, self._encoder, self._options.settings.embedding, timed)
        return {"stored_of_a_user": stored, **found}

    def _messages(self, number: int, prefix: str, days: int) -> Sequence[MessageReceived]:
        """Return messages of the users in turn, each in conversations of its own, from a day on."""
        each, since = -(-number // self._users), FIRST_SAID + timedelta(days=days)
        by_user = []
        for user in range(self._users):
            name = f"{prefix}-{user}"
            contents = list(islice(texts(seed=crc32(name.encode())), each))
            by_user.append(messages(contents, f"user-{user}", name, since))
        return list(islice(chain.from_iterable(zip(*by_user, strict=True)), number))


@asynccontextmanager
async def _concurrently(*work: Coroutine[None, None, None]) -> AsyncIterator[None]:
    """Run coroutines for the length of an `async with`; raise what ended one of them early."""
    tasks = [asyncio.create_task(one) for one in work]
    try:
        yield
        for task in tasks:
            if task.done():
                task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

"""Measures a backlog that is processed while questions are asked: memory, recall, and how the rate holds."""

import asyncio
import time
from collections.abc import AsyncIterator, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import chain, islice
from typing import Any, Final
from zlib import crc32

from ricordo.client import MemoryClient, RicordoError
from ricordo.messages.events import MessageReceived
from ricordo.models.encoder import Encoder
from ricordo_lab.bench.conversation import FIRST_SAID, messages, questions, texts
from ricordo_lab.bench.embedding import ready_models
from ricordo_lab.bench.ingest import pipeline_rate
from ricordo_lab.bench.measurement import Line, Options, Report, by_tenth, latencies, percentile, rounded
from ricordo_lab.bench.publication import remember
from ricordo_lab.bench.system import WORKERS, System, scratch, up
from ricordo_lab.console import progress

_BACKLOG: Final = 5000  # messages
_FIRST: Final = 1000  # memories that are stored before the rate is measured first, or a fifth of the backlog
_RATED: Final = 500  # messages by which the rate is measured, or half of what is stored first
_ASKER: Final = "asker"
_ASKER_MEMORIES: Final = 200
_ASKED_BEFORE: Final = 50
_ASK_S: Final = 0.2  # between two questions
_LOOK_S: Final = 1.0  # between two readings of memory
_PROGRESS_S: Final = 10.0
_CANCEL_S: Final = 2.0  # longer than a cancelled task takes to clean up
_STEPS: Final = ("storing the first", "rate at first", "backlog", "rate at the end")


@dataclass(slots=True)
class MemoryUse:
    """Readings of the memory of the workers and of all processes: instants and MB."""

    workers: list[tuple[float, float]] = field(default_factory=list)
    everything: list[tuple[float, float]] = field(default_factory=list)

    def read(self, system: System) -> None:
        """Add a reading."""
        parts, now = system.memory_mb(), time.perf_counter()
        self.workers.append((now, parts.get(WORKERS, 0.0)))
        self.everything.append((now, sum(parts.values())))


@dataclass(slots=True)
class RecallAnswers:
    """How questions were answered.

    Attributes:
        took: when each was asked, and the milliseconds until its answer.
        incomplete: answers that were degraded.
        failed: questions without an answer.
    """

    took: list[tuple[float, float]] = field(default_factory=list)
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
            self.took.append((began, 1000 * (time.perf_counter() - began)))
            self.incomplete += bool(reply.degraded)
        await asyncio.sleep(max(0.0, began + _ASK_S - time.perf_counter()))

    def figures(self) -> Mapping[str, float | None]:
        """Return the counts and percentiles; these are None where no question was answered."""
        took = [milliseconds for _, milliseconds in self.took]
        return {
            "questions": len(took) + self.failed,
            **(latencies(took) if took else dict.fromkeys(("p50_ms", "p95_ms"))),
            "incomplete": self.incomplete,
            "failed": self.failed,
        }


def growth(readings: Sequence[tuple[float, float]]) -> Mapping[str, float | None]:
    """Return the first reading of memory, the largest and the last, in MB, and the growth in percent."""
    values = [value for _, value in readings] or [0.0]
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
            async with up(folder, options.split) as system, MemoryClient.connect(system.nats) as client:
                trial = _Trial(options, system, client, models.batch)
                if not await _ends_within(options.limit, trial.run()):
                    progress(f"backlog: stopped after {options.limit:g} s")
                report({"bench": "backlog", **trial.line()})


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
        self._since = FIRST_SAID
        self._rates: list[Mapping[str, float]] = []
        self._reached = 0
        self._memory = MemoryUse()
        self._before, self._during = RecallAnswers(), RecallAnswers()
        self._began = 0.0
        self._receipts: list[float] = []

    async def run(self) -> None:
        """Run all steps."""
        progress(f"backlog: storing the first {self._first:,} memories")
        await remember(self._system.nats, messages(list(islice(texts(1), _ASKER_MEMORIES)), _ASKER, "a"))
        await remember(self._system.nats, self._messages(self._first, "f"))
        self._reached = 1
        await self._measure_rate("r0")
        self._reached = 2
        for question in islice(questions(seed=1), _ASKED_BEFORE):
            await self._before.ask(self._client, _ASKER, question)
        said = self._messages(self._count, "b")
        self._memory.read(self._system)
        self._began = time.perf_counter()
        async with _concurrently(self._read_memory(), self._ask()):
            await remember(self._system.nats, said, self._receipt)
        self._memory.read(self._system)
        self._reached = 3
        await self._measure_rate("r1")
        self._reached = 4

    async def _read_memory(self) -> None:
        shown = self._began
        while True:
            await asyncio.sleep(_LOOK_S)
            await asyncio.to_thread(self._memory.read, self._system)
            if (now := time.perf_counter()) - shown >= _PROGRESS_S:
                shown = now
                progress(f"backlog: {len(self._receipts):,} of {self._count:,} remembered")

    async def _ask(self) -> None:
        for question in questions(seed=2):
            await self._during.ask(self._client, _ASKER, question)

    def _receipt(self) -> None:
        self._receipts.append(time.perf_counter())

    async def _measure_rate(self, prefix: str) -> None:
        said = self._messages(min(_RATED, self._first // 2), prefix)
        found = await pipeline_rate(self._system, self._encoder, self._options.settings.embedding, said)
        stored = _ASKER_MEMORIES + self._first + (len(said) + self._count if self._rates else 0)
        progress(f"backlog: {found['events_per_second']:g} messages per second with {stored:,} stored")
        self._rates.append({"stored": stored, "messages": len(said), **found})

    def _messages(self, count: int, prefix: str) -> Sequence[MessageReceived]:
        """Return messages of the users in turn, each in conversations of its own, later than all before."""
        since, self._since = self._since, self._since + timedelta(days=1) + count * timedelta(minutes=20)
        each = -(-count // self._users)
        by_user = (
            messages(
                list(islice(texts(seed=crc32(f"{prefix}-{user}".encode())), each)),
                f"user-{user}",
                f"{prefix}-{user}",
                since,
            )
            for user in range(self._users)
        )
        return list(islice(chain.from_iterable(zip(*by_user, strict=True)), count))

    def line(self) -> Line:
        """Return what was measured; None stands for what was not reached."""
        remembered = len(self._receipts)
        seconds = self._receipts[-1] - self._began if self._receipts else 0.0
        first, last = (*self._rates, None, None)[:2]
        period = (self._began, seconds)
        return {
            "messages": self._count,
            "users": self._users,
            "processes": max(1, len(self._options.split)),
            "remembered": remembered,
            "seconds": rounded(seconds),
            "events_per_second": rounded(remembered / seconds) if seconds else None,
            "events_per_second_by_tenth": by_tenth(
                [(instant, 10 / seconds) for instant in self._receipts], *period, sum
            )
            if seconds
            else [],
            "memory_mb_of_workers": growth(self._memory.workers),
            "memory_mb_of_workers_by_tenth": by_tenth(self._memory.workers, *period, max),
            "memory_mb_of_all": growth(self._memory.everything),
            "recall_before": self._before.figures(),
            "recall_during": self._during.figures(),
            "recall_p95_ms_by_tenth": by_tenth(
                self._during.took, *period, lambda took: percentile(took, 0.95)
            ),
            "rate_at_first": first,
            "rate_at_the_end": last,
            **{
                f"{name}_last_to_first": rounded(last[name] / first[name]) if first and last else None
                for name in ("events_per_second", "ratio")
            },
            "not_reached": list(_STEPS[self._reached :]),
        }


async def _ends_within(seconds: float, work: Coroutine[Any, Any, None]) -> bool:
    """Return whether `work` ended in time; else cancel it until it has ended.

    Once is not enough: nats-py swallows a cancellation that comes while it flushes.
    """
    task = asyncio.create_task(work)
    try:
        await asyncio.wait([task], timeout=seconds)
    finally:
        in_time = task.done()
        while not task.done():
            task.cancel()
            await asyncio.wait([task], timeout=_CANCEL_S)
    if not task.cancelled():
        task.result()
    return in_time


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

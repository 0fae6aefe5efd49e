"""Measures how much longer one user's messages take to be remembered while another user imports many."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count, islice
from pathlib import Path
from typing import Final

from ricordo.client import MemoryClient, RicordoError
from ricordo.runtime.tasks import cancel_and_wait
from ricordo_lab.bench.generated_texts import messages, texts
from ricordo_lab.bench.measurement import Figures, Line, Options, Report, percentile, rounded
from ricordo_lab.bench.publication import remember
from ricordo_lab.bench.system import WORKERS, Program, System, scratch, started, up
from ricordo_lab.console import MeasurementFailed, progress

LANES: Final[Mapping[str, Sequence[str]]] = {"message.imported": ("--bulk",), "message.received": ()}
"""How the import is published, with the options of the command that does it."""
_MESSAGES: Final = 50_000
_WARM_UP: Final = 200
_ALONE: Final = 20  # messages of the other user before the import
_EVERY_S: Final = 2.0
_LOOK_S: Final = 1.0
_LONGEST_S: Final = 300.0
_SHARES: Final = {"p50_s": 0.5, "p95_s": 0.95, "max_s": 1.0}


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


async def fairness(options: Options, report: Report) -> None:
    """Measure how much an import on either lane delays another user's messages."""
    lanes = []
    for lane, words in LANES.items():
        with scratch() as folder:
            async with up(folder) as system, MemoryClient.connect(system.nats) as client:
                number = options.messages or _MESSAGES
                said = messages(list(islice(texts(seed=3), number)), "importer", lane.replace(".", "-"))
                file = folder.parent / "import.jsonl"
                lines = (f"{one.model_dump_json(exclude_unset=True)}\n" for one in said)
                file.write_text("".join(lines), encoding="utf-8")
                lanes.append({"lane": lane, **await _trial(system, client, file, words, options)})
                report({"bench": "fairness", "run": len(lanes), **lanes[-1]})
    report({"bench": "fairness", "lanes": lanes})


async def _trial(
    system: System, client: MemoryClient, file: Path, words: Sequence[str], options: Options
) -> Line:
    """Let a user talk alone, then during the import, until that is remembered or the limit is over."""
    number, memory, talker = options.messages or _MESSAGES, MemoryUse(), _Talker(client)
    await remember(system.nats, messages(list(islice(texts(1), _WARM_UP)), "warm", "w"))
    async with talker.talking() as alone:
        await asyncio.sleep(min(_ALONE, max(3, number // 250)) * _EVERY_S)
    memory.read(system)
    command = ("publish", str(file), "--nats", system.nats, *words)
    async with started(file.with_suffix(".log"), *command) as program:
        began = time.perf_counter()
        async with talker.talking() as during:
            published_s, imported = await _imported(
                program, client, lambda: memory.read(system), number=number, limit=options.limit
            )
            seconds = time.perf_counter() - began
    memory.read(system)
    return {
        "messages": number,
        "imported": imported,
        "seconds": rounded(seconds),
        "published_s": None if published_s is None else rounded(published_s),
        "imported_per_second": rounded(imported / seconds),
        "alone": figures(alone.remembered),
        "beside": figures(during.remembered),
        "in_history_alone": figures(alone.stored),
        "in_history_beside": figures(during.stored),
        "memory_mb_of_workers": growth(memory.workers),
    }


async def _imported(
    program: Program, client: MemoryClient, look: Callable[[], None], *, number: int, limit: float
) -> tuple[float | None, int]:
    """Wait for the import; return after how many seconds it was published, and how much is remembered."""
    published, done, began = None, 0, time.perf_counter()
    for seconds in count(1):
        await asyncio.sleep(_LOOK_S)
        await asyncio.to_thread(look)
        passed = time.perf_counter() - began
        if published is None and program.process.returncode is not None:
            if program.process.returncode:
                raise program.failed()
            published = passed
        try:
            stats = await client.stats("importer")
            done = stats.memories - stats.pending
        except RicordoError:
            pass  # it is busy; the next look tells
        if done >= number or passed >= limit:
            break
        if seconds % 10 == 0:
            progress(f"fairness: {done:,} of {number:,} remembered after {passed:.0f} s")
    return published, done


@dataclass(slots=True)
class _Delays:
    """Seconds from publishing each message until it was in the history, and until it was remembered."""

    stored: list[float] = field(default_factory=list)
    remembered: list[float] = field(default_factory=list)


class _Talker:
    """A user who says something every two seconds, whether or not the message before is remembered."""

    def __init__(self, client: MemoryClient) -> None:
        self._client = client
        self._texts = texts(seed=4)
        self._numbers = count(1)

    @asynccontextmanager
    async def talking(self) -> AsyncIterator[_Delays]:
        """Talk for the length of an `async with`; at its end the delays of all messages are known.

        Raises:
            MeasurementFailed: a message was not remembered.
        """
        delays = _Delays()
        pending: list[asyncio.Task[None]] = []

        async def talk() -> None:
            while True:
                pending.append(asyncio.create_task(self._publish(delays)))
                await asyncio.sleep(_EVERY_S)

        talking = asyncio.create_task(talk())
        try:
            yield delays
        except BaseException:
            await cancel_and_wait(talking, *pending)
            raise
        await cancel_and_wait(talking)
        ended = await asyncio.gather(*pending, return_exceptions=True)
        if lost := [one for one in ended if isinstance(one, BaseException)]:
            raise MeasurementFailed(f"{len(lost)} of {len(ended)} messages were not remembered: {lost[0]!r}")

    async def _publish(self, delays: _Delays) -> None:
        (message,) = messages([next(self._texts)], "talker", f"t{next(self._numbers)}")
        published_at, began = datetime.now(UTC), time.perf_counter()
        await self._client.publish(message, timeout=_LONGEST_S)
        await self._client.remembered([message.id], _LONGEST_S)
        delays.remembered.append(time.perf_counter() - began)
        ingested = (await self._client.status(message.id)).stages.ingested
        if ingested is not None:
            delays.stored.append(max(0.0, (ingested - published_at).total_seconds()))


def figures(delays: Sequence[float]) -> Figures:
    """Return how many delays there were, their median, 95th percentile and maximum."""
    return {
        "messages": len(delays),
        **{name: rounded(percentile(delays, share)) for name, share in _SHARES.items()},
    }

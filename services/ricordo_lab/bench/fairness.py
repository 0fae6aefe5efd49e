"""What one user's import costs another: how long a message takes to be remembered, with and without it."""

import asyncio
import sys
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Final

from ricordo.client import MemoryClient, RicordoError
from ricordo.runtime.cancellation import end
from ricordo_lab.bench.conversation import messages, texts
from ricordo_lab.bench.figures import percentile, rounded
from ricordo_lab.bench.options import BenchFailed, Line, Options, Say
from ricordo_lab.bench.processes import Program, started
from ricordo_lab.bench.publication import remember
from ricordo_lab.bench.system import System, scratch, up
from ricordo_lab.bench.watching import Held, growth, held

LANES: Final[Mapping[str, Sequence[str]]] = {"message.imported": ("--bulk",), "message.received": ()}
"""How the import is published, with the options of the command that does it."""
_MESSAGES: Final = 50_000
_WARM_UP: Final = 200
_ALONE: Final = 20
_EVERY_S: Final = 2.0
_LOOK_S: Final = 1.0
_LONGEST_S: Final = 300.0


async def fairness(options: Options, say: Say) -> None:
    """Measure what an import delays another user's messages by, on either lane."""
    lines = []
    for lane, words in LANES.items():
        with scratch() as folder:
            async with up(folder, options.split) as system, MemoryClient.connect(system.nats) as client:
                trial = _Trial(options, system, client, lane)
                lines.append(await trial.run(_file(folder.parent / "said.jsonl", trial.count, lane), words))
                say({"bench": "fairness", "run": len(lines), **lines[-1]})
    say({"bench": "fairness", "lanes": lines})


def _file(path: Path, count: int, lane: str) -> Path:
    said = messages(list(islice(texts(seed=3), count)), "importer", lane.replace(".", "-"))
    path.write_text("".join(f"{one.model_dump_json(exclude_unset=True)}\n" for one in said), encoding="utf-8")
    return path


class _Trial:
    """One import beside one user who goes on talking."""

    def __init__(self, options: Options, system: System, client: MemoryClient, lane: str) -> None:
        self.count = options.messages or _MESSAGES
        self._limit = options.limit
        self._system = system
        self._client = client
        self._lane = lane
        self._talker = _Talker(client)

    async def run(self, file: Path, words: Sequence[str]) -> Line:
        """Talk alone, then beside the import until that is remembered or the limit is over."""
        await remember(self._system.nats, messages(list(islice(texts(1), _WARM_UP)), "warm", "w"))
        async with self._talker.talking() as alone:
            await asyncio.sleep(min(_ALONE, max(3, self.count // 250)) * _EVERY_S)
        before = held(self._system)
        fullest = Held(before.workers, before.everything)
        log = file.with_suffix(".log")
        async with started(log, "publish", str(file), "--nats", self._system.nats, *words) as program:
            began = time.perf_counter()
            async with self._talker.talking() as beside:
                published_s, remembered = await self._import(program, began, fullest)
                seconds = time.perf_counter() - began
        after = held(self._system)
        return {
            "lane": self._lane,
            "messages": self.count,
            "imported": remembered,
            "seconds": rounded(seconds),
            "published_s": None if published_s is None else rounded(published_s),
            "imported_per_second": rounded(remembered / seconds),
            "alone": figures(alone.remembered),
            "beside": figures(beside.remembered),
            "more": more(alone.remembered, beside.remembered),
            "in_history_alone": figures(alone.kept),
            "in_history_beside": figures(beside.kept),
            "memory_mb_of_workers": growth(before.workers, fullest.workers, after.workers),
        }

    async def _import(self, program: Program, began: float, fullest: Held) -> tuple[float | None, int]:
        """Wait until the import is remembered; return how long it was published for, and how much is."""
        published: float | None = None
        done = 0
        told = 0.0
        while done < self.count and (now := time.perf_counter() - began) < self._limit:
            await asyncio.sleep(_LOOK_S)
            await asyncio.to_thread(fullest.look, self._system)
            if published is None and program.has_ended:
                if program.exit_code:
                    raise program.failed()
                published = now
            try:
                stats = await self._client.stats("importer")
            except RicordoError:
                continue  # it is busy; the next look tells
            done = stats.memories - stats.pending
            if now - told >= 10 * _LOOK_S:
                told = now
                _tell(f"{self._lane}: {done:,} of {self.count:,} remembered after {now:.0f} s")
        return published, done


@dataclass(slots=True)
class _Waits:
    """How long messages took, in seconds since each was published.

    Attributes:
        kept: until it was in the history.
        remembered: until it was remembered.
    """

    kept: list[float] = field(default_factory=list)
    remembered: list[float] = field(default_factory=list)


class _Talker:
    """A user who says something every two seconds, whether or not the one before is remembered."""

    def __init__(self, client: MemoryClient) -> None:
        self._client = client
        self._words = texts(seed=4)
        self._said = 0

    @asynccontextmanager
    async def talking(self) -> AsyncIterator[_Waits]:
        """Talk for the length of a context; what it yields has, at its end, how long each took.

        Raises:
            BenchFailed: one was not remembered.
        """
        took = _Waits()
        flying: list[asyncio.Task[None]] = []

        async def go_on() -> None:
            while True:
                flying.append(asyncio.create_task(self._say(took)))
                await asyncio.sleep(_EVERY_S)

        talk = asyncio.create_task(go_on())
        try:
            yield took
        except BaseException:
            await end(talk, *flying)  # whoever breaks off does not wait for what was said
            raise
        await end(talk)
        ended = await asyncio.gather(*flying, return_exceptions=True)
        if lost := [one for one in ended if isinstance(one, BaseException)]:
            raise BenchFailed(f"{len(lost)} of {len(ended)} messages were not remembered: {lost[0]!r}")

    async def _say(self, took: _Waits) -> None:
        self._said += 1
        (said,) = messages([next(self._words)], "talker", f"t{self._said}")
        said_at, began = datetime.now(UTC), time.perf_counter()
        await self._client.publish(said, timeout=_LONGEST_S)
        await self._client.remembered([said.id], _LONGEST_S)
        took.remembered.append(time.perf_counter() - began)
        ingested = (await self._client.status(said.id)).stages.ingested
        if ingested is not None:
            took.kept.append(max(0.0, (ingested - said_at).total_seconds()))


def figures(took: Sequence[float]) -> Mapping[str, float]:
    """Return how many there were and how long they took: the middle, the 95th percentile and the longest."""
    return {
        "messages": len(took),
        **{name: rounded(percentile(took, share)) for name, share in _SHARES.items()},
    }


def more(alone: Sequence[float], beside: Sequence[float]) -> Mapping[str, float]:
    """Return by how much each of these is longer beside the import."""
    return {
        name: rounded(percentile(beside, share) - percentile(alone, share)) for name, share in _SHARES.items()
    }


_SHARES: Final = {"p50_s": 0.5, "p95_s": 0.95, "max_s": 1.0}


def _tell(text: str) -> None:
    """Say how far it is, to whoever waits at a terminal."""
    sys.stderr.write(f"fairness: {text}\n")
    sys.stderr.flush()

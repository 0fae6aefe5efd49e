"""A backlog, worked off while questions are asked: memory, answers, and the rate as more is stored."""

import asyncio
import sys
import time
from collections import Counter
from collections.abc import Coroutine, Mapping, Sequence
from datetime import timedelta
from itertools import chain, islice
from typing import Any, Final
from zlib import crc32

from ricordo.client import MemoryClient
from ricordo.messages.events import MessageReceived
from ricordo.models.encoder import Encoder
from ricordo_lab.bench.conversation import FIRST_SAID, messages, questions, texts
from ricordo_lab.bench.figures import percentile, rounded
from ricordo_lab.bench.ingest import remembered_beside
from ricordo_lab.bench.options import Line, Options, Say
from ricordo_lab.bench.publication import remember
from ricordo_lab.bench.ready import ready_models
from ricordo_lab.bench.system import System, scratch, up
from ricordo_lab.bench.watching import Answers, Held, ask, growth, held, watched

_BACKLOG: Final = 5000  # messages
_FIRST: Final = 1000  # memories that are stored when the rate is measured first
_SHARE: Final = 5  # of a small backlog: a fifth of it is stored first, at the most
_BATCH: Final = 500  # messages by which the rate is measured, or half of what is stored first
_ASKER: Final = "asker"
_ASKERS: Final = 200  # memories of who asks
_BEFORE: Final = 50  # questions before the backlog
_TENTHS: Final = 10  # of the time that the backlog took, each with a rate of its own
_PACE: Final = timedelta(minutes=20)  # more than a message takes, breaks included
_PAUSE_BETWEEN: Final = timedelta(days=1)
_TELL_S: Final = 10.0
_CANCEL_AGAIN_S: Final = 2.0  # longer than what is cancelled takes to tidy up
_STEPS: Final = ("storing the first", "rate at first", "backlog", "rate at the end")


async def backlog(options: Options, say: Say) -> None:
    """Publish a backlog to a running system that is asked meanwhile, and wait until it is remembered."""
    async with ready_models(options.settings.embedding) as models:
        with scratch() as folder:
            async with up(folder, options.split) as system, MemoryClient.connect(system.nats) as client:
                trial = _Trial(options, system, client, models.batch)
                if not await _ended_within(options.limit, trial.run()):
                    _tell(f"stopped after {options.limit:g} s")
                say({"bench": "backlog", **trial.figures()})


async def _ended_within(seconds: float | None, work: Coroutine[Any, Any, None]) -> bool:
    """Whether `work` ended in so many seconds; else it is cancelled, until it has ended.

    Once is not enough: nats-py swallows a cancellation that comes while it flushes.
    """
    task = asyncio.create_task(work)
    try:
        await asyncio.wait([task], timeout=seconds)
    finally:
        in_time = task.done()
        while not task.done():
            task.cancel()
            await asyncio.wait([task], timeout=_CANCEL_AGAIN_S)
    if not task.cancelled():
        task.result()
    return in_time


class _Trial:
    """The steps of the measurement, and what was found as far as they went."""

    def __init__(self, options: Options, system: System, client: MemoryClient, encoder: Encoder) -> None:
        self._options = options
        self._system = system
        self._client = client
        self._encoder = encoder
        self._count = options.messages or _BACKLOG
        self._first = max(2, min(_FIRST, self._count // _SHARE))
        self._reached: list[str] = []
        self._rates: list[Mapping[str, float]] = []
        self._before, self._fullest, self._after = Held(), Held(), Held()
        self._asked_before, self._asked = Answers(), Answers()
        self._began = 0.0
        self._times: list[float] = []
        self._told = 0.0
        self._since = FIRST_SAID

    async def run(self) -> None:
        """Go through all steps."""
        _tell(f"storing the first {self._first:,} memories")
        await remember(self._system.nats, messages(list(islice(texts(1), _ASKERS)), _ASKER, "a"))
        await remember(self._system.nats, self._said(self._first, "f"))
        self._reached.append(_STEPS[0])
        await self._measure_rate("r0")
        self._reached.append(_STEPS[1])
        await ask(self._client, _ASKER, list(islice(questions(seed=1), _BEFORE)), self._asked_before)
        await self._work_off()
        self._reached.append(_STEPS[2])
        await self._measure_rate("r1")
        self._reached.append(_STEPS[3])

    async def _work_off(self) -> None:
        said = self._said(self._count, "b")
        self._before = held(self._system)
        self._began = self._told = time.perf_counter()
        watching = watched(self._system, self._client, _ASKER, self._before)
        async with watching as (self._fullest, self._asked):
            await remember(self._system.nats, said, self._note)
        self._after = held(self._system)

    def _note(self) -> None:
        """Note when a receipt came, and tell now and then how far it is."""
        now = time.perf_counter()
        self._times.append(now - self._began)
        if now - self._told >= _TELL_S:
            self._told = now
            _tell(f"{len(self._times):,} of {self._count:,} remembered after {self._times[-1]:.0f} s")

    async def _measure_rate(self, prefix: str) -> None:
        said = self._said(min(_BATCH, self._first // 2), prefix)
        found = await remembered_beside(self._system, self._encoder, self._options.settings.embedding, said)
        stored = _ASKERS + self._first + (len(self._rates) and len(said) + self._count)
        _tell(f"{found['events_per_second']:g} events per second with {stored:,} memories stored")
        self._rates.append({"stored": stored, "messages": len(said), **found})

    def _said(self, count: int, prefix: str) -> Sequence[MessageReceived]:
        """Return what the users say in turn, in conversations of their own, after all that they have said."""
        since, self._since = self._since, self._since + _PAUSE_BETWEEN + count * _PACE
        users = min(self._options.users, count)
        each = -(-count // users)
        by_user = (
            messages(
                list(islice(texts(seed=crc32(f"{prefix}-{user}".encode())), each)),
                f"user-{user}",
                f"{prefix}-{user}",
                since,
            )
            for user in range(users)
        )
        return list(islice(chain.from_iterable(zip(*by_user, strict=True)), count))

    def figures(self) -> Line:
        """Return what was found; None stands for what was not reached."""
        remembered = len(self._times)
        seconds = self._times[-1] if self._times else 0.0
        first, last = (*self._rates, None, None)[:2]
        return {
            "messages": self._count,
            "users": min(self._options.users, self._count),
            "processes": max(1, len(self._options.split)),
            "remembered": remembered,
            "seconds": rounded(seconds),
            "events_per_second": rounded(remembered / seconds) if seconds else None,
            "events_per_second_by_tenth": rates(self._times),
            "memory_mb_of_workers": growth(self._before.workers, self._fullest.workers, self._after.workers),
            "memory_mb_of_workers_by_tenth": course(self._fullest.course, self._began, seconds),
            "memory_mb_of_all": growth(
                self._before.everything, self._fullest.everything, self._after.everything
            ),
            "recall_before": self._asked_before.figures(),
            "recall_during": self._asked.figures(),
            "recall_p95_ms_by_tenth": slowest(self._asked.course, self._began, seconds),
            "rate_at_first": first,
            "rate_at_the_end": last,
            **{
                f"{name}_last_to_first": rounded(last[name] / first[name]) if first and last else None
                for name in ("events_per_second", "ratio")
            },
            "not_reached": [step for step in _STEPS if step not in self._reached],
        }


def rates(times: Sequence[float]) -> Sequence[float]:
    """Return receipts per second, in each tenth of the time.

    Args:
        times: of the receipts, seconds since the backlog was begun, ascending.
    """
    width = times[-1] / _TENTHS if times else 0.0
    counts = Counter(min(_TENTHS - 1, int(instant / width)) for instant in times if width)
    return [rounded(counts[tenth] / width) for tenth in range(_TENTHS) if width]


def slowest(asked: Sequence[tuple[float, float]], began: float, seconds: float) -> Sequence[float | None]:
    """Return the 95th percentile of how long questions took in each tenth of the time; None without any.

    Args:
        asked: when each was, and how long it took.
        began: when the time began.
        seconds: how long it was.
    """
    width = seconds / _TENTHS
    starts = [began + width * tenth for tenth in range(_TENTHS)] if seconds else []
    took = ([lasted for instant, lasted in asked if start <= instant < start + width] for start in starts)
    return [rounded(percentile(some, 0.95)) if some else None for some in took]


def course(looks: Sequence[tuple[float, float]], began: float, seconds: float) -> Sequence[int]:
    """Return what the last look in each tenth of the time saw; without a look, what the one before saw.

    Args:
        looks: instants and what was seen, ascending.
        began: when the time began.
        seconds: how long it was.
    """
    width = seconds / _TENTHS
    ends = [began + width * (tenth + 1) for tenth in range(_TENTHS)] if seconds else []
    upto = ([seen for instant, seen in looks if instant <= end] for end in ends)
    return [round(seen[-1]) for seen in upto if seen]


def _tell(text: str) -> None:
    """Say how far it is, to whoever waits at a terminal."""
    sys.stderr.write(f"backlog: {text}\n")
    sys.stderr.flush()

"""Measures whether memory, files and tasks grow while users come, talk, ask and are forgotten for hours."""

import asyncio
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count, islice
from statistics import median
from typing import Final
from uuid import uuid4

import httpx
from prometheus_client.parser import text_string_to_metric_families

from ricordo.client import MemoryClient, Unavailable
from ricordo.runtime.metrics import METRICS_PATH, TASKS
from ricordo_lab.bench.backlog import RecallAnswers
from ricordo_lab.bench.conversation import messages, questions, texts
from ricordo_lab.bench.measurement import Figures, Options, Report, by_tenth, rounded
from ricordo_lab.bench.system import System, scratch, up
from ricordo_lab.console import MeasurementFailed, progress

_SECONDS: Final = 300.0
_MESSAGES: Final = 30  # of a user
_A_MESSAGE_S: Final = 1.0
_ASK_EVERY: Final = 6  # messages
_LOOK_S: Final = 5.0
_PROGRESS_LOOKS: Final = 12
_REMEMBERED_S: Final = 120.0
_FORGOTTEN_S: Final = 60.0
_RETRY_S: Final = 0.5


@dataclass(slots=True)
class _Course:
    """What happened so far.

    Attributes:
        looks: instants, and what the system held by name.
        remembered: messages of users that have been forgotten since.
        failed: messages that were not remembered.
        forgotten: users.
        left: rows that users had after being forgotten.
    """

    looks: list[tuple[float, Figures]] = field(default_factory=list)
    remembered: int = 0
    failed: int = 0
    forgotten: int = 0
    left: int = 0
    answers: RecallAnswers = field(default_factory=RecallAnswers)


async def soak(options: Options, report: Report) -> None:
    """Measure whether memory, files and tasks grow while users come, talk, ask and are forgotten."""
    port, seconds, course = _free_port(), options.seconds or _SECONDS, _Course()
    with scratch() as folder:
        async with (
            up(folder, settings={"RICORDO_WORKER__HEALTH_PORT": str(port)}) as system,
            MemoryClient.connect(system.nats) as client,
        ):
            began = time.perf_counter()
            looking = asyncio.create_task(_look(system, port, course))
            try:
                seats = (_users(client, seat, began + seconds, course) for seat in range(options.users))
                await asyncio.gather(*seats)
            finally:
                looking.cancel()
                await asyncio.wait({looking})
            lasted = time.perf_counter() - began
    if not looking.cancelled() and (error := looking.exception()):
        raise error
    report(
        {
            "bench": "soak",
            "seconds": seconds,
            "users_at_a_time": options.users,
            "remembered": course.remembered,
            "failed": course.failed,
            "forgotten_users": course.forgotten,
            "left_after_forgetting": course.left,
            "recall": course.answers.figures(),
            **{name: _growth(course, name, began, lasted) for name in course.looks[-1][1]},
        }
    )


async def _users(client: MemoryClient, seat: int, ends: float, course: _Course) -> None:
    """Let one user after the other come and go until the time is over."""
    for number in count():
        if time.perf_counter() >= ends:
            return
        await _user(client, f"visitor-{seat}-{number}", seat * 1_000_003 + number, course)


async def _user(client: MemoryClient, user: str, seed: int, course: _Course) -> None:
    since = datetime.now(UTC) - timedelta(days=1)
    said = messages(list(islice(texts(seed), _MESSAGES)), user, f"{user}-{seed}", since)
    asked = questions(seed)
    for number, message in enumerate(said, start=1):
        began = time.perf_counter()
        await client.publish(message)
        if number % _ASK_EVERY == 0:
            await course.answers.ask(client, user, next(asked))
        await asyncio.sleep(began + _A_MESSAGE_S - time.perf_counter())
    receipts = await client.remembered([one.id for one in said], _REMEMBERED_S)
    remembered = sum(one.state == "remembered" for one in receipts.values())
    await _forget(client, user)
    stats = await client.stats(user)
    course.left += stats.memories + stats.history + stats.facts + stats.pending
    course.remembered += remembered
    course.failed += len(said) - remembered
    course.forgotten += 1


async def _forget(client: MemoryClient, user: str) -> None:
    """Forget a user; repeat the request while an erasure is under way."""
    request, deadline = str(uuid4()), time.perf_counter() + _FORGOTTEN_S
    while True:
        try:
            await client.forget(user, request_id=request)
        except Unavailable:
            if time.perf_counter() > deadline:
                raise
            await asyncio.sleep(_RETRY_S)
        else:
            return


async def _look(system: System, port: int, course: _Course) -> None:
    async with httpx.AsyncClient() as page:
        for number in count(1):
            await asyncio.sleep(_LOOK_S)
            answer = await page.get(f"http://127.0.0.1:{port}{METRICS_PATH}")
            descriptors, threads = await asyncio.to_thread(system.handles)
            memory = await asyncio.to_thread(system.memory_mb)
            held = {f"memory_mb_of_{part}": memory[part] for part in sorted(memory)}
            held |= {"descriptors": descriptors, "threads": threads, "tasks": _tasks(answer.text)}
            course.looks.append((time.perf_counter(), held))
            if number % _PROGRESS_LOOKS == 0:
                shown = ", ".join(f"{name} {value:.0f}" for name, value in held.items())
                progress(f"soak: {course.remembered:,} remembered, {course.forgotten:,} forgotten; {shown}")


def _tasks(page: str) -> int:
    for family in text_string_to_metric_families(page):
        for sample in family.samples:
            if sample.name == TASKS:
                return int(sample.value)
    raise MeasurementFailed(f"the metrics page does not hold {TASKS}")


def _growth(course: _Course, name: str, began: float, seconds: float) -> Mapping[str, object]:
    """Return the median of each tenth, and by how many percent the last exceeds the third.

    The first two tenths are those in which caches fill.
    """
    readings = [(instant, held.get(name, 0.0)) for instant, held in course.looks]
    tenths = [tenth for tenth in by_tenth(readings, began, seconds, median) if tenth is not None]
    base = tenths[2] if len(tenths) > 2 else 0.0
    return {"by_tenth": tenths, "growth_percent": rounded(100 * (tenths[-1] / base - 1)) if base else None}


def _free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])

"""A steady life for a long time: users come, talk, ask and are forgotten.

What is stored stays about the same, and so must what the system holds.
"""

import asyncio
import socket
import sys
import time
from collections.abc import Mapping, Sequence
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
from ricordo_lab.bench.conversation import messages, questions, texts
from ricordo_lab.bench.figures import rounded
from ricordo_lab.bench.options import BenchFailed, Line, Options, Say
from ricordo_lab.bench.system import WORKERS, System, scratch, up
from ricordo_lab.bench.watching import Answers, ask

_SECONDS: Final = 300.0
_SAID: Final = 30  # messages of a life
_A_MESSAGE_S: Final = 1.0
_ASK_EVERY: Final = 6  # messages
_LOOK_S: Final = 5.0
_TELL_S: Final = 60.0
_TENTHS: Final = 10
_REMEMBERED_WITHIN_S: Final = 120.0
_FORGOTTEN_WITHIN_S: Final = 60.0
_AGAIN_S: Final = 0.5


@dataclass(frozen=True, slots=True)
class Look:
    """What the system holds at a moment.

    Attributes:
        memory_mb: of each part, what is shared counted once.
        descriptors: open files of the workers.
        threads: of the workers.
        tasks: of the workers' event loop.
    """

    memory_mb: Mapping[str, float]
    descriptors: int
    threads: int
    tasks: int


@dataclass(slots=True)
class _Course:
    """What happened so far.

    Attributes:
        looks: one after the other, the same time apart.
        remembered: messages of users that have been forgotten since.
        failed: messages that were not remembered.
        forgotten: users.
        left: rows that a user had after being forgotten.
    """

    looks: list[Look] = field(default_factory=list)
    remembered: int = 0
    failed: int = 0
    forgotten: int = 0
    left: int = 0
    answers: Answers = field(default_factory=Answers)


async def soak(options: Options, say: Say) -> None:
    """Have users come, talk, ask and be forgotten for a while: memory, files and tasks stay the same."""
    port, seconds, course = _free_port(), options.seconds or _SECONDS, _Course()
    with scratch() as folder:
        async with (
            up(folder, settings={"RICORDO_WORKER__HEALTH_PORT": str(port)}) as system,
            MemoryClient.connect(system.nats) as client,
        ):
            ends = time.monotonic() + seconds
            looking = asyncio.create_task(_look(system, port, course))
            try:
                await asyncio.gather(*(_lives(client, seat, ends, course) for seat in range(options.users)))
            finally:
                looking.cancel()
                await asyncio.wait({looking})
    if not looking.cancelled() and (error := looking.exception()):
        raise error
    say({"bench": "soak", "seconds": seconds, "users_at_a_time": options.users, **_figures(course)})


async def _lives(client: MemoryClient, seat: int, ends: float, course: _Course) -> None:
    """Have one user after the other, until the time is over."""
    for number in count():
        if time.monotonic() >= ends:
            return
        await _life(client, f"visitor-{seat}-{number}", seat * 1_000_003 + number, course)


async def _life(client: MemoryClient, user: str, seed: int, course: _Course) -> None:
    since = datetime.now(UTC) - timedelta(days=1)
    said = messages(list(islice(texts(seed), _SAID)), user, f"{user}-{seed}", since)
    asked = questions(seed)
    for place, message in enumerate(said, start=1):
        began = time.monotonic()
        await client.publish(message)
        if place % _ASK_EVERY == 0:
            await ask(client, user, [next(asked)], course.answers)
        await asyncio.sleep(began + _A_MESSAGE_S - time.monotonic())
    receipts = await client.remembered([one.id for one in said], _REMEMBERED_WITHIN_S)
    well = sum(one.state == "remembered" for one in receipts.values())
    await _forget(client, user)
    held = await client.stats(user)
    course.left += sum((held.memories, held.history, held.facts, held.pending))
    course.remembered += well
    course.failed += len(said) - well
    course.forgotten += 1


async def _forget(client: MemoryClient, user: str) -> None:
    """Forget a user, and ask again while that is under way."""
    request, deadline = str(uuid4()), time.monotonic() + _FORGOTTEN_WITHIN_S
    while True:
        try:
            await client.forget(user, request_id=request)
        except Unavailable:
            if time.monotonic() > deadline:
                raise
            await asyncio.sleep(_AGAIN_S)
        else:
            return


async def _look(system: System, port: int, course: _Course) -> None:
    """Look again and again, and tell now and then."""
    async with httpx.AsyncClient() as page:
        for number in count(1):
            await asyncio.sleep(_LOOK_S)
            answer = await page.get(f"http://127.0.0.1:{port}{METRICS_PATH}")
            descriptors, threads = await asyncio.to_thread(system.handles)
            memory = await asyncio.to_thread(system.memory_mb_of_parts)
            course.looks.append(Look(memory, descriptors, threads, _tasks(answer.text)))
            if number % (_TELL_S / _LOOK_S) == 0:
                _tell(course)


def _tasks(page: str) -> int:
    for family in text_string_to_metric_families(page):
        for sample in family.samples:
            if sample.name == TASKS:
                return int(sample.value)
    raise BenchFailed(f"the page of metrics does not tell of {TASKS}")


def _tell(course: _Course) -> None:
    now = course.looks[-1]
    sys.stderr.write(
        f"soak: {course.remembered:,} messages remembered, {course.forgotten:,} users forgotten; "
        f"workers hold {now.memory_mb[WORKERS]:.0f} MB, {now.descriptors} files, {now.threads} threads, "
        f"{now.tasks} tasks\n"
    )
    sys.stderr.flush()


def _figures(course: _Course) -> Line:
    looks = course.looks
    parts = sorted({part for look in looks for part in look.memory_mb})
    held: dict[str, Sequence[float]] = {
        **{f"memory_mb_of_{part}": [look.memory_mb.get(part, 0.0) for look in looks] for part in parts},
        "descriptors": [look.descriptors for look in looks],
        "threads": [look.threads for look in looks],
        "tasks": [look.tasks for look in looks],
    }
    return {
        "remembered": course.remembered,
        "failed": course.failed,
        "forgotten_users": course.forgotten,
        "left_after_forgetting": course.left,
        "recall": course.answers.figures(),
        **{name: by_tenth(values) for name, values in held.items()},
    }


def by_tenth(values: Sequence[float]) -> Mapping[str, object]:
    """Return the median of each tenth of `values`, and by how many percent the last is above the third.

    The first two tenths are those in which caches fill.

    Args:
        values: the same time apart; some tenths are missing where there are fewer than ten.
    """
    width = max(1, -(-len(values) // _TENTHS))
    tenths = [rounded(median(values[at : at + width])) for at in range(0, len(values), width)]
    base = tenths[2] if len(tenths) > 2 else 0.0
    return {"by_tenth": tenths, "growth_percent": rounded(100 * (tenths[-1] / base - 1)) if base else None}


def _free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])

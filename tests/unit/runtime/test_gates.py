"""Gates, what is told of them, whether a server answers, and periodic jobs."""

import asyncio
from collections.abc import AsyncIterator, MutableMapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import pytest
from structlog.testing import capture_logs
from tests.fixtures.eventually import eventually
from tests.support.manual_clock import ManualClock, settle

from ricordo.runtime.gates import Gate, ProbeGate, WatchedGate
from ricordo.runtime.health import Health, WorkerState
from ricordo.runtime.periodic import Periodic
from ricordo.unavailable import DependencyUnavailable

PATIENCE_S = 2.0


@dataclass
class Server:
    """A server that answers as a test says, and its gate."""

    clock: ManualClock = field(default_factory=ManualClock)
    trouble: Exception | None = None
    asked: int = 0
    answered: int = 0
    going: asyncio.Event = field(default_factory=asyncio.Event)
    """Until it is set nothing is answered, if `silent`."""
    silent: bool = False

    def __post_init__(self) -> None:
        self.gate = ProbeGate("the graph", self._ask, self.clock)

    async def _ask(self) -> None:
        self.asked += 1
        if self.silent:
            await self.going.wait()
        if self.trouble is not None:
            raise self.trouble
        self.answered += 1

    async def answers(self) -> bool:
        return await self.gate.answers(PATIENCE_S, 0.25)

    async def answers_anew(self, trouble: Exception | None) -> bool:
        self.trouble = trouble
        await self.clock.advance(PATIENCE_S + 0.5)
        await self.answers()
        await settle()
        return await self.answers()


async def test_a_gate_opens_when_its_probe_succeeds() -> None:
    server = Server(trouble=OSError("away"))
    waiting = asyncio.create_task(server.gate.wait_open())
    await settle()
    assert (waiting.done(), server.gate.is_open) == (False, False)
    server.trouble = None
    await server.clock.advance(5.0)
    assert waiting.done()


async def test_a_success_is_good_for_a_moment_unless_somebody_doubts_it() -> None:
    server = Server()
    for _ in range(3):
        await server.gate.wait_open()
    assert server.asked == 1
    server.gate.invalidate()
    await server.gate.wait_open()
    assert server.asked == 2
    await server.clock.advance(0.5)
    await server.gate.wait_open()
    assert server.asked == 3


async def test_what_was_asked_before_a_doubt_is_no_answer_to_it() -> None:
    server = Server(silent=True)
    asking = asyncio.create_task(server.gate.wait_open())
    await settle()
    server.gate.invalidate()
    server.going.set()
    await asking
    await server.gate.wait_open()
    assert server.asked == 2


async def test_a_probe_whose_caller_gives_up_ends_by_itself() -> None:
    """A driver that is cancelled while it connects leaves its socket open."""
    server = Server(silent=True)
    waiting = asyncio.create_task(server.gate.wait_open())
    await settle()
    waiting.cancel()
    await settle()
    assert not waiting.done()
    server.going.set()
    await asyncio.wait({waiting}, timeout=5)
    assert waiting.cancelled()
    assert server.answered == 1


@pytest.mark.parametrize("trouble", [DependencyUnavailable("away"), ValueError("a defect")])
async def test_whatever_keeps_it_from_being_asked_it_is_away_until_it_answers(trouble: Exception) -> None:
    server = Server()
    assert await server.answers_anew(None)
    assert not await server.answers_anew(trouble)
    assert await server.answers_anew(None)


async def test_an_answer_is_good_for_a_while() -> None:
    server = Server()
    await server.answers_anew(None)
    assert all([await server.answers() for _ in range(5)])
    assert server.asked == 1


async def test_one_that_is_silent_is_waited_for_once_and_a_little_while() -> None:
    server = Server(silent=True)
    first, other = (asyncio.create_task(server.answers()) for _ in range(2))
    await settle()
    assert not first.done()
    await server.clock.advance(0.3)
    assert not any(await asyncio.gather(first, other))
    assert not await server.answers()
    assert server.asked == 1
    await server.gate.close()


class Job:
    """Notes when it runs, and fails the first times."""

    def __init__(self, failures: int = 0) -> None:
        self.clock, self.woken = ManualClock(), asyncio.Event()
        self.runs: list[float] = []
        self.failures = failures
        self.periodic = Periodic("sweep", self._run, 60.0, self.clock, woken=self.woken)

    async def _run(self) -> None:
        self.woken.clear()
        self.runs.append(self.clock.monotonic())
        if len(self.runs) <= self.failures:
            raise OSError("not now")

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        stopping = asyncio.Event()
        task = asyncio.create_task(self.periodic.run(stopping, lambda: None))
        await settle()
        yield
        stopping.set()
        await asyncio.wait_for(task, 5)


async def test_a_job_runs_at_the_start_and_every_interval_less_jitter_or_when_it_is_woken() -> None:
    job = Job()
    async with job.running():
        await job.clock.advance(170.0)
        assert job.runs[0] == 0.0
        assert all(54.0 <= later - earlier <= 60.0 for earlier, later in pairwise(job.runs))
        assert job.periodic.health.processed == len(job.runs) >= 3
        job.woken.set()
        await settle()
        assert job.runs[-1] == 170.0


async def test_a_failing_job_is_tried_again_sooner() -> None:
    job = Job(failures=3)
    async with job.running():
        assert job.periodic.health.report()["state"] == "degraded"
        await job.clock.advance(50.0)
        assert job.periodic.health.report()["state"] == "ready"
        assert (len(job.runs), job.periodic.health.failed) == (4, 3)


class Door(Gate):
    """A gate that is opened by hand."""

    def __init__(self) -> None:
        self.opened = asyncio.Event()

    @property
    def reason(self) -> str:
        return "" if self.opened.is_set() else "the door is shut"

    async def wait_open(self) -> None:
        await self.opened.wait()


class Turnstile(Door):
    """A door that lets others go first."""

    why = "others go first"

    @property
    def reason(self) -> str:
        return "" if self.opened.is_set() else self.why

    @property
    def is_throttled(self) -> bool:
        return not self.opened.is_set()


def of(worker: str, lines: Sequence[MutableMapping[str, Any]]) -> list[MutableMapping[str, Any]]:
    """Return what was told of a worker: others of this process may run meanwhile."""
    return [line for line in lines if line.get("worker") == worker]


@pytest.mark.parametrize("long", [False, True])
async def test_only_a_long_wait_is_told_and_only_once(*, long: bool) -> None:
    door, health = Door(), Health("waiting-here", ManualClock())
    gate = WatchedGate([door], health, log_after=0.01 if long else 60.0)
    with capture_logs() as lines:
        waiting = [asyncio.create_task(gate.wait_open()) for _ in range(3)]
        await eventually(
            lambda: not health.gate_open and len(of("waiting-here", lines)) == (2 if long else 1)
        )
        door.opened.set()
        assert await asyncio.gather(*waiting) == [True] * 3
    lines = of("waiting-here", lines)
    told = [(line["log_level"], line["event"]) for line in lines if line["log_level"] != "debug"]
    assert told == (
        [("warning", "fetching is paused: gate closed"), ("info", "fetching is resumed: gate open")]
        if long
        else []
    )
    assert {line["reason"] for line in lines if "closed" in line["event"]} == {"the door is shut"}


@pytest.mark.parametrize("also_away", [False, True])
async def test_who_lets_others_go_first_is_well_unless_something_is_away_too(*, also_away: bool) -> None:
    health, door, others = Health("yielding-here", ManualClock()), Door(), Turnstile()
    gates: list[Gate] = [others, door] if also_away else [others]
    gate = WatchedGate(gates, health, log_after=0.01)
    health.set_state(WorkerState.READY)
    with capture_logs() as lines:
        waiting = asyncio.create_task(gate.wait_open())
        await eventually(lambda: len(of("yielding-here", lines)) == 2)
        report, well = health.report(), health.is_healthy
        others.opened.set()
        door.opened.set()
        assert await waiting
    why = others.why
    _, line = of("yielding-here", lines)[:2]
    told = (line["log_level"], line["event"], line["reason"])
    if also_away:
        assert (report["state"], report["reason"], well) == ("degraded", f"{why}; the door is shut", False)
        assert told == ("warning", "fetching is paused: gate closed", f"{why}; the door is shut")
    else:
        assert (report["state"], report["reason"], well) == ("yielding", why, True)
        assert told == ("info", "fetching is paused for work with priority", why)
    assert health.report()["state"] == "ready"

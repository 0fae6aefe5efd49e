"""Gates and periodic jobs."""

import asyncio

from tests.support.manual_clock import ManualClock, settle

from ricordo.runtime.gates import AllGates, Gate, ProbeGate
from ricordo.runtime.periodic import Periodic


class HeldProbe:
    """A probe that answers once it is let go."""

    def __init__(self) -> None:
        self.calls, self.going = 0, asyncio.Event()

    async def __call__(self) -> None:
        self.calls += 1
        await self.going.wait()


class TestGates:
    async def test_a_probe_gate_opens_when_its_probe_succeeds(self) -> None:
        clock, answers = ManualClock(), [OSError("away"), OSError("away"), None, None]

        async def probe() -> None:
            if failure := answers.pop(0):
                raise failure

        gate = ProbeGate("store", probe, clock)
        waiting = asyncio.create_task(AllGates([Gate(), gate]).wait_open())
        await settle()
        assert not waiting.done()
        assert gate.is_open is False
        await clock.advance(5.0)
        assert waiting.done()
        gate.invalidate()
        await gate.wait_open()
        assert answers == []

    async def test_an_answer_is_good_for_a_moment_unless_somebody_doubts_it(self) -> None:
        clock, calls = ManualClock(), 0

        async def probe() -> None:
            nonlocal calls
            calls += 1

        gates = AllGates([Gate(), ProbeGate("store", probe, clock, ttl=0.5)])
        for _ in range(3):
            await gates.wait_open()
        assert calls == 1
        gates.invalidate()
        await gates.wait_open()
        assert calls == 2
        await clock.advance(0.5)
        await gates.wait_open()
        assert calls == 3

    async def test_what_was_asked_before_a_doubt_is_no_answer_to_it(self) -> None:
        probe = HeldProbe()
        gate = ProbeGate("store", probe, ManualClock())
        asking = asyncio.create_task(gate.wait_open())
        await settle()
        gate.invalidate()
        probe.going.set()
        await asking
        await gate.wait_open()
        assert probe.calls == 2

    async def test_a_probe_whose_caller_gives_up_ends_by_itself(self) -> None:
        """A driver that is cancelled while it connects leaves its socket open."""
        probe, ended = HeldProbe(), False

        async def connect() -> None:
            nonlocal ended
            await probe()
            ended = True

        waiting = asyncio.create_task(ProbeGate("store", connect, ManualClock()).wait_open())
        await settle()
        waiting.cancel()
        await settle()
        assert not waiting.done()
        probe.going.set()
        await asyncio.wait({waiting}, timeout=5)
        assert waiting.cancelled()
        assert ended


class TestPeriodic:
    def job(self, clock: ManualClock, failures: int = 0) -> tuple[list[float], Periodic]:
        runs: list[float] = []

        async def job() -> None:
            runs.append(clock.monotonic())
            if len(runs) <= failures:
                raise OSError("not now")

        return runs, Periodic(name="sweep", job=job, interval=60.0, clock=clock, jitter=0.5, rng=lambda: 0.2)

    async def run(self, clock: ManualClock, periodic: Periodic, seconds: float) -> None:
        stopping = asyncio.Event()
        task = asyncio.create_task(periodic.run(stopping, lambda: None))
        await clock.advance(seconds)
        stopping.set()
        await asyncio.wait_for(task, 5)

    async def test_it_runs_at_the_start_and_every_interval_less_jitter(self) -> None:
        clock = ManualClock()
        runs, periodic = self.job(clock)
        await self.run(clock, periodic, 170.0)
        assert runs == [0.0, 54.0, 108.0, 162.0]
        assert periodic.health.processed == 4

    async def test_a_failing_job_is_tried_again_sooner(self) -> None:
        clock = ManualClock()
        runs, periodic = self.job(clock, failures=3)
        stopping = asyncio.Event()
        task = asyncio.create_task(periodic.run(stopping, lambda: None))
        await settle()
        assert periodic.health.report()["state"] == "degraded"
        await clock.advance(50.0)
        assert periodic.health.report()["state"] == "ready"
        assert (len(runs), periodic.health.failed) == (4, 3)
        stopping.set()
        await asyncio.wait_for(task, 5)


async def test_a_job_that_is_woken_does_not_wait_for_its_interval() -> None:
    clock, runs, woken = ManualClock(), 0, asyncio.Event()

    async def job() -> None:
        nonlocal runs
        woken.clear()
        runs += 1

    periodic = Periodic(name="job", job=job, interval=60, clock=clock, woken=woken)
    stopping = asyncio.Event()
    running = asyncio.create_task(periodic.run(stopping, lambda: None))
    await settle()
    assert runs == 1
    woken.set()
    await settle()
    assert runs == 2
    await clock.advance(60)
    await settle()
    assert runs == 3
    stopping.set()
    await running

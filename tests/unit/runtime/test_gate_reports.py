"""A gate that closes for a moment is no news; one that stays closed is, once, with its reason."""

import asyncio
from collections.abc import MutableMapping, Sequence
from typing import Any

import pytest
from structlog.testing import capture_logs
from tests.fixtures.eventually import eventually
from tests.support.manual_clock import ManualClock

from ricordo.runtime.gates import AllGates, Gate, WatchedGate
from ricordo.runtime.health import Health, WorkerState


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
    gate = WatchedGate(AllGates([Gate(), door]), health, log_after=0.01 if long else 60.0)
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
        [
            ("warning", "fetching is paused: gate closed"),
            ("info", "fetching is resumed: gate open"),
        ]
        if long
        else []
    )
    assert {line["reason"] for line in lines if "closed" in line["event"]} == {"the door is shut"}


@pytest.mark.parametrize("also_away", [False, True])
async def test_who_lets_others_go_first_is_well_unless_something_is_away_too(*, also_away: bool) -> None:
    health, door, others = Health("yielding-here", ManualClock()), Door(), Turnstile()
    gates: list[Gate] = [others, door] if also_away else [others]
    gate = WatchedGate(AllGates(gates), health, log_after=0.01)
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

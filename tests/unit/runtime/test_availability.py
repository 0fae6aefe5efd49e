"""Whether a server answers; whatever keeps it from being asked, who wants to know hears that it is away."""

import asyncio
from collections.abc import MutableMapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
import structlog

from ricordo.runtime.availability import Availability
from ricordo.testing.manual_clock import ManualClock, settle
from ricordo.unavailable import DependencyUnavailable

PATIENCE_S = 2.0
SERVER = "the graph of these tests"
"""Others of this process may tell of theirs meanwhile."""


@dataclass
class Server:
    """A server that answers as a test says."""

    clock: ManualClock = field(default_factory=ManualClock)
    trouble: Exception | None = None
    asked: int = 0
    silent: bool = False

    def __post_init__(self) -> None:
        self.availability = Availability(SERVER, self._ask, self.clock, ttl=PATIENCE_S)

    async def _ask(self) -> None:
        self.asked += 1
        if self.silent:
            await asyncio.Event().wait()
        if self.trouble is not None:
            raise self.trouble

    async def is_available(self, trouble: Exception | None) -> bool:
        """Have it asked anew."""
        self.trouble = trouble
        await self.clock.advance(PATIENCE_S + 0.5)
        await self.availability.is_available()
        await settle()
        return await self.availability.is_available()


@pytest.mark.parametrize("trouble", [DependencyUnavailable("away"), ValueError("a defect")])
async def test_whatever_keeps_it_from_being_asked_it_is_away_until_it_answers(trouble: Exception) -> None:
    server = Server()
    with structlog.testing.capture_logs():
        assert await server.is_available(None)
        assert not await server.is_available(trouble)
        assert await server.is_available(None)


def _told_of_it(lines: Sequence[MutableMapping[str, Any]]) -> list[MutableMapping[str, Any]]:
    return [line for line in lines if line.get("server") == SERVER]


async def test_a_defect_is_logged_once_an_outage_is_not() -> None:
    server = Server()
    with structlog.testing.capture_logs() as logged:
        await server.is_available(DependencyUnavailable("away"))
        assert _told_of_it(logged) == []
        for _ in range(3):
            await server.is_available(ValueError("a defect"))
    assert [(line["event"], line["log_level"]) for line in _told_of_it(logged)] == [
        ("server cannot be probed", "error")
    ]


async def test_an_answer_is_good_for_a_while() -> None:
    server = Server()
    await server.is_available(None)
    for _ in range(5):
        await server.availability.is_available()
        await settle()
    assert server.asked == 1


async def test_one_that_is_silent_is_waited_for_once_and_a_little_while() -> None:
    server = Server(silent=True)
    first, other = (
        asyncio.create_task(server.availability.is_available()),
        asyncio.create_task(server.availability.is_available()),
    )
    await settle()
    assert not first.done()
    await server.clock.advance(0.3)
    assert not await first
    assert not await other
    assert not await server.availability.is_available()
    assert server.asked == 1
    await server.availability.close()

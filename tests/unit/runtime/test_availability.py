"""Whether a server answers; whatever keeps it from being asked, who wants to know hears that it is away."""

import asyncio
from dataclasses import dataclass, field

import pytest
from tests.support.manual_clock import ManualClock, settle

from ricordo.runtime.gates import ProbeGate
from ricordo.unavailable import DependencyUnavailable

PATIENCE_S = 2.0


@dataclass
class Server:
    """A server that answers as a test says."""

    clock: ManualClock = field(default_factory=ManualClock)
    trouble: Exception | None = None
    asked: int = 0
    silent: bool = False

    def __post_init__(self) -> None:
        self.gate = ProbeGate("the graph", self._ask, self.clock)

    async def _ask(self) -> None:
        self.asked += 1
        if self.silent:
            await asyncio.Event().wait()
        if self.trouble is not None:
            raise self.trouble

    async def answers(self) -> bool:
        return await self.gate.answers(PATIENCE_S, 0.25)

    async def answers_anew(self, trouble: Exception | None) -> bool:
        self.trouble = trouble
        await self.clock.advance(PATIENCE_S + 0.5)
        await self.answers()
        await settle()
        return await self.answers()


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

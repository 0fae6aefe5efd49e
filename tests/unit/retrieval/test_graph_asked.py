"""Whether the graph answers, asked beside the recalls: whatever goes wrong, they are told that it is away."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest
import structlog

from ricordo.ports.graph import GraphUnavailable
from ricordo.settings import Settings
from ricordo.testing.clock import ManualClock, settle
from ricordo_services.resources import Resources

PATIENCE_S = 2.5


class GraphOf(Resources):
    """Resources whose graph answers as a test says."""

    trouble: Exception | None = None

    async def ask_graph(self) -> None:
        if self.trouble is not None:
            raise self.trouble


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
async def resources(clock: ManualClock) -> AsyncIterator[GraphOf]:
    async with AsyncExitStack() as exits:
        yield GraphOf(Settings(), clock, exits)


async def answers(resources: GraphOf, clock: ManualClock, trouble: Exception | None) -> bool:
    """Have the graph asked anew."""
    resources.trouble = trouble
    await clock.advance(PATIENCE_S)
    await resources.graph_answers()
    await settle()
    return await resources.graph_answers()


@pytest.mark.parametrize("trouble", [GraphUnavailable("away"), ValueError("a defect")])
async def test_whatever_keeps_it_from_being_asked_it_is_away_until_it_answers(
    resources: GraphOf, clock: ManualClock, trouble: Exception
) -> None:
    with structlog.testing.capture_logs():
        assert await answers(resources, clock, None)
        assert not await answers(resources, clock, trouble)
        assert await answers(resources, clock, None)


async def test_a_defect_is_logged_once_an_outage_is_not(resources: GraphOf, clock: ManualClock) -> None:
    with structlog.testing.capture_logs() as logged:
        await answers(resources, clock, GraphUnavailable("away"))
        assert logged == []
        for _ in range(3):
            await answers(resources, clock, ValueError("a defect"))
    assert [(line["event"], line["log_level"]) for line in logged] == [("graph cannot be asked", "error")]

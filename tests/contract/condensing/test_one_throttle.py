"""Who condenses and who draws insights ask one model: together no more often than the settings allow."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from datetime import timedelta

from tests.fixtures.loop_time import run_by
from tests.fixtures.ollama_stand_in import OllamaStandIn, ollama_stand_in

from ricordo.memory.reflection.observations import ReflectionEvidence
from ricordo.memory.summaries import SessionTurn
from ricordo.models.llm_condenser import LlmCondenser
from ricordo.models.llm_insights import LlmInsights
from ricordo.settings import CondensingSettings, Settings
from ricordo.testing.factories import START, memory
from ricordo.testing.manual_clock import ManualClock, settle
from ricordo_services.app.resources import Resources

MODEL = "hermes3:8b"
SAID = [
    replace(
        memory(f"m-{n}", content=f"Anna was upset at work, day {n}.", created_at=START + timedelta(days=n)),
        language="en",
    )
    for n in range(4)
]
TURNS = [SessionTurn(one, None) for one in SAID]
OBSERVED = ReflectionEvidence(SAID, ())


@asynccontextmanager
async def _both(
    server: OllamaStandIn, clock: ManualClock, failures: int, requests_per_s: int = 1000
) -> AsyncIterator[tuple[LlmCondenser, LlmInsights]]:
    condensing = CondensingSettings(
        provider="ollama",
        ollama_url=server.url,
        model=MODEL,
        requests_per_s=requests_per_s,
        failures_to_open=failures,
    )
    async with AsyncExitStack() as exits:
        resources = Resources(Settings(condensing=condensing), clock, exits)
        one, another = await resources.condenser(), await resources.insight_model()
        assert one is not None
        assert another is not None
        yield one, another


async def test_what_one_finds_away_the_other_does_not_ask() -> None:
    """Until it is time to try again; and both say what is the matter."""
    clock = ManualClock()
    async with ollama_stand_in([MODEL]) as server, _both(server, clock, failures=2) as (one, another):
        server.behaviour.status = 500
        for _ in range(2):
            assert await one.condense(TURNS) is None
        asked = len(server.requests)
        assert await another.insights("acme", OBSERVED) == ()
        assert len(server.requests) == asked
        assert one.problem == another.problem != ""
        await clock.advance(15)
        assert await another.insights("acme", OBSERVED) == ()
        assert len(server.requests) > asked


def test_both_together_keep_to_the_rate() -> None:
    """The second request within half a second waits, whoever sends it."""
    clock = ManualClock()

    async def live() -> None:
        async with (
            ollama_stand_in([MODEL]) as server,
            _both(server, clock, failures=10, requests_per_s=2) as (one, another),
        ):
            server.behaviour.chat = lambda _: "{}"
            await one.condense(TURNS)
            assert _questions(server) == 1
            insights = asyncio.create_task(another.insights("acme", OBSERVED))
            await clock.advance(0.49)
            await settle(1000)
            assert _questions(server) == 1
            await clock.advance(0.01)
            assert await insights == ()
            assert _questions(server) == 2

    run_by(clock, live())


def _questions(server: OllamaStandIn) -> int:
    """Count the requests that ask for something, rather than load the model."""
    return sum("format" in body for _, body in server.requests)

"""Who condenses and who draws insights ask one model: what one finds away the other does not ask."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from datetime import timedelta

from tests.fixtures.ollama_stand_in import OllamaStandIn, ollama_stand_in
from tests.support.factories import START, memory
from tests.support.manual_clock import ManualClock

from ricordo.memory.reflection.observations import ReflectionEvidence
from ricordo.memory.summaries import SessionTurn
from ricordo.models.llm_condenser import LlmCondenser
from ricordo.models.llm_insights import LlmInsights
from ricordo.settings import LlmSettings, Settings
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
    server: OllamaStandIn, clock: ManualClock, failures: int
) -> AsyncIterator[tuple[LlmCondenser, LlmInsights]]:
    llm = LlmSettings(url=server.url, model=MODEL, requests_per_s=1000, failures_to_open=failures)
    async with AsyncExitStack() as exits:
        resources = Resources(Settings(llm=llm), clock, exits)
        one, another = await resources.condenser(), await resources.insight_model()
        assert one is not None
        assert another is not None
        yield one, another


async def test_what_one_finds_away_the_other_does_not_ask() -> None:
    """Until it is time to try again."""
    clock = ManualClock()
    async with ollama_stand_in([MODEL]) as server, _both(server, clock, failures=2) as (one, another):
        server.behaviour.status = 500
        for _ in range(2):
            assert await one.condense(TURNS) is None
        asked = len(server.requests)
        assert await another.insights(OBSERVED) == ()
        assert len(server.requests) == asked
        await clock.advance(15)
        assert await another.insights(OBSERVED) == ()
        assert len(server.requests) > asked

"""Models read facts beside the reader: in good measure, in what users say, and never in its way."""

from collections.abc import AsyncIterator

import pytest
from tests.fixtures.fake_llm import FakeRecogniser, FakeRelationReader, away
from tests.fixtures.talking import objects, utterances
from tests.support.manual_clock import ManualClock

from ricordo.memory.facts.relation_validation import Relation
from ricordo.models.encoder import ModelUnavailable
from ricordo.models.fact_extraction import LlmFactExtractor
from ricordo.models.throttle import Throttle
from ricordo.resilience import CircuitBreaker
from ricordo.runtime.scheduling import CpuExecutor

RULED = "Vivo a Roma."
NEWS = "Marta si è innamorata del tango."
QUOTE = "si è innamorata del tango"
TANGO = Relation("Marta", "likes", "tango", QUOTE)


class Harness:
    """A reader of three messages a request, on models and a clock that a test holds."""

    def __init__(self, executor: CpuExecutor, recogniser: FakeRecogniser | None = None) -> None:
        self.clock = ManualClock()
        self.model = FakeRelationReader(relations=lambda text: [TANGO] if "tango" in text else ())
        self.recogniser = recogniser
        self.reader = LlmFactExtractor(
            executor,
            self.model,
            self._throttle(),
            recogniser=recogniser,
            entity_throttle=self._throttle(),
            batch=3,
        )

    def _throttle(self) -> Throttle:
        breaker = CircuitBreaker(self.clock, failures=3, open_seconds=15, counted=ModelUnavailable)
        return Throttle(breaker, None, self.clock, budget=30, gone="gone", back="back")

    def shown(self) -> list[list[str]]:
        return [[one.said.text for one in each] for each in self.model.asked]


@pytest.fixture
async def executor() -> AsyncIterator[CpuExecutor]:
    async with CpuExecutor() as thread:
        yield thread


@pytest.fixture
def harness(executor: CpuExecutor) -> Harness:
    return Harness(executor)


async def test_the_model_adds_to_what_the_reader_read(harness: Harness) -> None:
    assert harness.reader.nondeterministic
    assert objects(await harness.reader.read(utterances(RULED, NEWS, "ok"))) == [["Roma"], ["tango"], []]
    assert harness.shown() == [[RULED, NEWS, "ok"]]
    assert harness.reader.counters["llm_answered"] == 3
    assert harness.reader.counters["llm_facts"] == 1
    assert harness.reader.problem == ""


@pytest.mark.parametrize("role", ["assistant", "system", "tool"])
async def test_what_no_user_says_costs_nothing(harness: Harness, role: str) -> None:
    assert objects(await harness.reader.read(utterances(NEWS, RULED, role=role))) == [[], []]
    assert harness.model.asked == []
    assert harness.reader.counters["llm_answered"] == harness.reader.counters["llm_unanswered"] == 0


INVENTED = (
    Relation("Marta", "likes]->(m) DELETE m //", "tango", NEWS),
    Relation("Marta", "likes", "tango", "Marta adora il tango"),
    Relation("'}) DETACH DELETE n //", "likes", "tango", QUOTE),
    Relation("Marta", "likes", "valzer", QUOTE),
)


async def test_what_is_invented_is_dropped_and_counted(harness: Harness) -> None:
    harness.model.relations = lambda _: [*INVENTED, TANGO]
    assert objects(await harness.reader.read(utterances(NEWS))) == [["tango"]]
    dropped = {f"dropped_{fault}": 1 for fault in ("predicate", "quote", "subject", "object")}
    counted = {name: count for name, count in harness.reader.counters.items() if count}
    assert counted == {"llm_answered": 1, "llm_facts": 1, **dropped}


async def test_entities_are_shown_to_the_model(executor: CpuExecutor) -> None:
    harness = Harness(executor, FakeRecogniser(names={"marta": "person", "Roma": "place"}))
    news = "marta si è innamorata del tango"
    harness.model.relations = lambda _: [Relation("marta", "likes", "tango", news)]
    assert objects(await harness.reader.read(utterances(RULED, news))) == [["Roma"], ["tango"]]
    assert [one.named for one in harness.model.asked[0]] == [(("Roma", "place"),), (("marta", "person"),)]
    assert harness.recogniser is not None
    assert harness.recogniser.asked == [(RULED, news)]
    assert harness.reader.entities == "fake-recogniser"


async def test_without_entities_the_reader_serves_and_the_model_is_not_asked(executor: CpuExecutor) -> None:
    recogniser = FakeRecogniser(before=away)
    harness = Harness(executor, recogniser)
    for _ in range(4):
        assert objects(await harness.reader.read(utterances(RULED, NEWS))) == [["Roma"], []]
    assert harness.model.asked == []
    assert "told to be away" in harness.reader.problem
    assert harness.reader.counters["llm_unanswered"] == 8
    recogniser.before = lambda _: None
    await harness.clock.advance(16)
    assert objects(await harness.reader.read(utterances(NEWS))) == [["tango"]]

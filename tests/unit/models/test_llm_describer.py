"""A language model is asked about messages in good measure, and what it does not answer stays unread."""

import asyncio
from collections.abc import Sequence

import pytest
from tests.fixtures.fake_llm import FakeMessageReader, away
from tests.support.manual_clock import ManualClock, settle

from ricordo.memory.llm_validation import Description, LlmMessage, LlmReading
from ricordo.models.encoder import InvalidReply, ModelUnavailable
from ricordo.models.llm_describer import LlmDescriber
from ricordo.models.throttle import Throttle
from ricordo.resilience import BreakerState, CircuitBreaker

DESCRIPTION = Description(title="held")
READ = LlmReading(0.5, DESCRIPTION)


def said(count: int) -> list[LlmMessage]:
    return [LlmMessage(f"message {n}", "en") for n in range(count)]


class Harness:
    """A describer of four messages a request, on a reader and a clock that a test holds."""

    def __init__(self, **measure: float) -> None:
        self.clock = ManualClock()
        self.reader = FakeMessageReader(description=lambda _: DESCRIPTION)
        self.breaker = CircuitBreaker(self.clock, failures=3, open_seconds=15, counted=ModelUnavailable)
        throttle = Throttle(self.breaker, None, self.clock, gone="gone", back="back", **measure)
        self.describer = LlmDescriber(self.reader, throttle, batch=4)

    def sizes(self, what: str) -> list[int]:
        return [len(texts) for asked, texts in self.reader.asked if asked == what]


@pytest.fixture
def harness() -> Harness:
    return Harness()


async def test_messages_are_asked_about_in_batches_and_answered_in_order(harness: Harness) -> None:
    harness.reader.rating = lambda text: 1 + int(text.split()[-1]) % 10
    found = await harness.describer.read(said(10))
    assert [one.importance for one in found] == [pytest.approx(n % 10 / 9) for n in range(10)]
    assert {one.description for one in found} == {DESCRIPTION}
    assert harness.sizes("rate") == harness.sizes("describe") == [4, 4, 2]


async def test_a_malformed_answer_is_asked_for_one_by_one_and_once(harness: Harness) -> None:
    def muddled(texts: Sequence[str]) -> None:
        if "message 2" in texts:
            raise InvalidReply("muddled")

    harness.reader.before = muddled
    found = await harness.describer.read(said(4), describe=False)
    assert found == [LlmReading(0.5), LlmReading(0.5), LlmReading(), LlmReading(0.5)]
    assert harness.sizes("rate") == [4, 1, 1, 1, 1]


async def test_a_description_that_was_left_out_is_asked_for_once(harness: Harness) -> None:
    harness.reader.description = lambda text: None if text == "message 1" else DESCRIPTION
    found = await harness.describer.read(said(3))
    assert found == [READ, LlmReading(0.5, None), READ]
    assert harness.sizes("describe") == [3, 1]


async def test_a_model_that_is_away_is_asked_no_more_until_a_while_has_passed(harness: Harness) -> None:
    harness.reader.before = away
    assert await harness.describer.read(said(20)) == [LlmReading()] * 20
    assert len(harness.reader.asked) == 3  # not message by message: it would be away for each
    assert harness.breaker.state is BreakerState.OPEN
    harness.reader.before = lambda _: None
    assert await harness.describer.read(said(2)) == [LlmReading()] * 2
    await harness.clock.advance(15)
    assert await harness.describer.read(said(2)) == [READ] * 2


async def test_the_patient_wait_until_the_model_is_back() -> None:
    harness = Harness(patience=20)
    harness.reader.before = away
    await harness.describer.read(said(9), describe=False)
    harness.reader.before = lambda _: None
    reading = asyncio.create_task(harness.describer.read(said(2)))
    await settle()
    assert not reading.done()
    await harness.clock.advance(15)
    assert await reading == [READ] * 2


async def test_what_does_not_fit_the_budget_stays_unread() -> None:
    harness = Harness(budget=10)

    def slow(_: Sequence[str]) -> None:
        harness.clock._elapsed += 6

    harness.reader.before = slow
    found = await harness.describer.read(said(12), describe=False)
    assert found == [LlmReading(0.5)] * 8 + [LlmReading()] * 4
    assert harness.sizes("rate") == [4, 4]

"""A language model is asked in good measure, and what it does not answer stays open."""

import asyncio
import math

import pytest
from tests.fixtures.fake_llm import FakeServer, Given, away, each
from tests.support.manual_clock import ManualClock, settle

from ricordo.language.document import Document
from ricordo.memory.enrichment import VERSION, enrich
from ricordo.memory.llm_validation import LlmMessage, LlmReading, merge_llm_reading
from ricordo.models.encoder import InvalidReply
from ricordo.models.llm.language_model import LanguageModel
from ricordo.models.llm_describer import RATING, LlmDescriber


class Harness:
    """A model that rates `message 7` with 7, on a clock that a test holds."""

    def __init__(self, budget: float = math.inf, patience: float = 0.0) -> None:
        self.clock = ManualClock()
        self.server = FakeServer(each("observations", lambda one: {"rating": int(one["text"].split()[1])}))
        self.model: LanguageModel = self.server.model(self.clock, budget=budget, patience=patience)

    async def rate(self, first: int, last: int) -> list[float | None]:
        entries = [{"text": f"message {n}"} for n in range(first, last + 1)]
        return [None if one is None else one.rating for one in await self.model.ask_each(RATING, entries, 4)]

    def sizes(self) -> list[int]:
        return [len(given["observations"]) for _, given in self.server.asked]


async def test_items_are_asked_about_in_batches_and_answered_in_order() -> None:
    one = Harness()
    assert await one.rate(1, 10) == list(range(1, 11))
    assert one.sizes() == [4, 4, 2]


async def test_a_request_takes_only_so_much_text() -> None:
    one = Harness()
    entries = [{"text": f"message {n} {'è' * 2_000}"} for n in range(1, 5)]
    assert [found is not None for found in await one.model.ask_each(RATING, entries)] == [True] * 4
    assert one.sizes() == [2, 2]


@pytest.mark.parametrize("fault", ["left out", "invalid"])
async def test_what_was_not_answered_in_a_batch_is_asked_for_alone_and_once(fault: str) -> None:
    one = Harness()

    def muddled(given: Given) -> None:
        if any(item["text"] == "message 2" for item in given["observations"]):
            raise InvalidReply("muddled")

    if fault == "invalid":
        one.server.before = muddled
    else:
        one.server.answer = each(
            "observations", lambda item: None if item["text"] == "message 2" else {"rating": 5}
        )
    found = await one.rate(1, 4)
    assert [answer is None for answer in found] == [False, True, False, False]
    assert one.sizes() == ([4, 1, 1, 1, 1] if fault == "invalid" else [4, 1])


async def test_a_model_that_is_away_is_asked_no_more_until_a_while_has_passed() -> None:
    one = Harness()
    one.server.before = away
    assert await one.rate(1, 20) == [None] * 20
    assert one.sizes() == [4, 4, 4]  # not item by item: it would be away for each
    assert one.model.throttle.reason == "the model was told to be away"
    one.server.before = lambda _: None
    assert await one.rate(1, 2) == [None] * 2
    await one.clock.advance(15)
    assert await one.rate(1, 2) == [1, 2]
    assert one.model.throttle.reason == ""


async def test_the_patient_wait_until_the_model_is_back() -> None:
    one = Harness(patience=20)
    one.server.before = away
    for _ in range(3):
        await one.rate(1, 1)
    one.server.before = lambda _: None
    rating = asyncio.create_task(one.rate(1, 2))
    await settle()
    assert not rating.done()
    await one.clock.advance(15)
    assert await rating == [1, 2]


async def test_messages_that_nobody_describes_keep_the_values_of_the_rules() -> None:
    one = Harness()
    one.server.before = away
    story = LlmMessage("È morta mia nonna.", "it")
    assert await LlmDescriber(one.model).read([story] * 2) == [LlmReading()] * 2
    rules = enrich(Document(story.text, "it"))
    assert merge_llm_reading(rules, story, LlmReading(), one.model.model).version == VERSION


async def test_what_does_not_fit_the_budget_stays_open() -> None:
    one = Harness(budget=10)

    def slow(_: object) -> None:
        one.clock._elapsed += 6

    one.server.before = slow
    assert await one.rate(1, 10) == [*range(1, 9), None, None]
    assert one.sizes() == [4, 4]

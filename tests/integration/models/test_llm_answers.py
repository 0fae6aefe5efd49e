"""Answers by a model on a stand-in for Ollama: supported sentences are kept, the rest is counted."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from unittest.mock import AsyncMock
from zoneinfo import ZoneInfo

import pytest
from tests.fixtures.eventually import eventually
from tests.fixtures.material import fact
from tests.fixtures.ollama_stand_in import ANSWER_TOKENS, PROMPT_TOKENS, OllamaStandIn
from tests.fixtures.scraping import scraped
from tests.integration.models.conftest import Scripted
from tests.support.factories import memory

from ricordo.clock import SystemClock
from ricordo.memory.answers import AnswerMaterial, WrittenAnswer
from ricordo.models.llm import ollama_server, openai_server
from ricordo.models.llm.language_model import LanguageModel
from ricordo.models.llm_answers import LlmAnswers
from ricordo.models.throttle import Throttle
from ricordo.runtime.metrics import Metrics

ZONE = ZoneInfo("Europe/Rome")
TRIP = replace(memory("m-1", content="We took the train to Genoa with Ada."), language="en")
RAIN = replace(memory("m-2", content="It was raining in Turin."), language="en")
HOME = fact("lives_in", "Trieste")
MATERIAL = AnswerMaterial(question="How did I get to Genoa?", facts=[HOME], memories=[TRIP, RAIN])
TRUE: dict[str, object] = {"text": "You took the train to Genoa with Ada.", "evidence": [2]}


@pytest.fixture(params=["", "/v1"], ids=["ollama", "openai"])
def path(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def answers(model: LanguageModel) -> LlmAnswers:
    return LlmAnswers(model)


async def test_an_answer_cites_the_facts_and_memories_that_support_it(
    server: OllamaStandIn, answers: LlmAnswers
) -> None:
    home: dict[str, object] = {"text": "You live in Trieste.", "evidence": [1]}
    server.behaviour.chat = answering = Scripted(sentences=[TRUE, home])
    found = await answers.answer(MATERIAL, "en", ZONE, full=True)
    assert found is not None
    assert found.text == "You took the train to Genoa with Ada. You live in Trieste."
    assert (found.facts, found.memories) == ((HOME,), (TRIP,))
    (shown,) = answering.shown
    texts = [one["text"].partition(": ")[2] or one["text"] for one in shown["texts"]]
    assert texts == ["You live in Trieste.", TRIP.content, RAIN.content]
    assert shown["question"] == MATERIAL.question


async def test_a_sentence_without_support_is_dropped(server: OllamaStandIn, answers: LlmAnswers) -> None:
    invented = {"text": "You took the bus with Beatrice.", "evidence": [2]}
    for sentence in (invented, *(TRUE | {"evidence": some} for some in ([], [9], [3]))):
        server.behaviour.chat = Scripted(sentences=[sentence, TRUE])
        found = await answers.answer(MATERIAL, "en", ZONE, full=False)
        assert found is not None, sentence
        assert (found.text, found.memories) == (TRUE["text"], (TRIP,)), sentence
        server.behaviour.chat = Scripted(sentences=[sentence])
        assert await answers.answer(MATERIAL, "en", ZONE, full=False) is None, sentence


async def test_the_tokens_are_counted_by_model_and_step(server: OllamaStandIn, answers: LlmAnswers) -> None:
    def counted() -> dict[str, float]:
        found = scraped(Metrics("0"))
        return {
            kind: sum(found.values("ricordo_llm_tokens_total", step="answer", kind=kind).values())
            for kind in ("prompt", "answer")
        }

    server.behaviour.chat = Scripted(sentences=[TRUE])
    before = counted()
    await answers.answer(MATERIAL, "en", ZONE, full=False)
    await answers.answer(MATERIAL, "en", ZONE, full=False, on_sentence=AsyncMock())
    after = counted()
    assert after["prompt"] - before["prompt"] == 2 * PROMPT_TOKENS
    assert after["answer"] - before["answer"] == 2 * ANSWER_TOKENS


@pytest.mark.parametrize("end", ["whole", "broken", "stalled"])
async def test_each_supported_sentence_is_told_while_the_model_writes(
    server: OllamaStandIn, answers: LlmAnswers, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    """What was told stands where the model breaks off, and without a sentence there is no answer."""
    texts = [("You live in Trieste.", 1), ("You paid 400 euros to Bruno.", 1), (str(TRUE["text"]), 2)]
    told = AsyncMock()

    async def writing(content: str) -> AsyncIterator[str]:
        begun = content.index("euros")
        for letter in content[:begun]:
            yield letter
        await eventually(lambda: told.await_count == 1)
        if end == "stalled":
            await asyncio.Event().wait()
        if end == "broken":
            raise ConnectionResetError
        yield content[begun:]

    for one in (ollama_server, openai_server):
        monkeypatch.setattr(one, "STALLED_S", 0.2)
    server.behaviour.chat = Scripted(sentences=[{"text": text, "evidence": [at]} for text, at in texts])
    server.behaviour.writing = writing
    found = await answers.answer(MATERIAL, "en", ZONE, full=True, on_sentence=told)
    expected = [WrittenAnswer(texts[0][0], (HOME,)), WrittenAnswer(texts[2][0], (), (TRIP,))]
    expected = expected[: 2 if end == "whole" else 1]
    assert [call.args[0] for call in told.await_args_list] == expected
    assert found is not None
    assert found.text == " ".join(one.text for one in expected)
    server.behaviour.drop = True
    assert await answers.answer(MATERIAL, "en", ZONE, full=True, on_sentence=told) is None


CUT = (
    ', {"text": "You live',
    ', {"text": "", "evidence": [1]}, {"text": "You live in Trieste.", "evidence": [1]}]}',
    ', {"evidence": [1]}]}',
    ', {"text": "You live in Trieste.", "evidence": [1]}], "sentences',
)


@pytest.mark.parametrize("size", [1, 1000])
async def test_an_answer_that_is_cut_or_invalid_ends_before_that_in_parts_or_not(
    server: OllamaStandIn, model: LanguageModel, answers: LlmAnswers, size: int
) -> None:
    async def writing(content: str) -> AsyncIterator[str]:
        for at in range(0, len(content), size):
            yield content[at : at + size]

    server.behaviour.writing = writing
    for rest in CUT:
        model.throttle = Throttle(SystemClock())  # one that has not seen the failures
        server.behaviour.chat = lambda _, rest=rest: json.dumps({"sentences": [TRUE]})[:-2] + rest  # type: ignore[misc]
        whole = await answers.answer(MATERIAL, "en", ZONE, full=True)
        assert whole == WrittenAnswer(str(TRUE["text"]), (), (TRIP,)), rest
        assert await answers.answer(MATERIAL, "en", ZONE, full=True, on_sentence=AsyncMock()) == whole, rest


async def test_without_texts_nothing_is_asked(server: OllamaStandIn, answers: LlmAnswers) -> None:
    server.behaviour.chat = answering = Scripted(sentences=[TRUE])
    assert await answers.answer(AnswerMaterial(question="?"), "en", ZONE, full=False) is None
    assert answering.shown == []

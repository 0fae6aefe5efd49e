"""Answers by a model on a stand-in for Ollama: supported sentences are kept, the rest is counted."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from typing import cast
from unittest.mock import AsyncMock
from zoneinfo import ZoneInfo

import pytest
from tests.fixtures.eventually import eventually
from tests.fixtures.material import fact
from tests.fixtures.ollama_stand_in import ANSWER_TOKENS, PROMPT_TOKENS, Body, OllamaStandIn
from tests.fixtures.scraping import scraped
from tests.support.factories import memory

from ricordo.memory.answers import AnswerMaterial, WrittenAnswer
from ricordo.models.llm import ollama_server, openai_server
from ricordo.models.llm.language_model import LanguageModel
from ricordo.models.llm_answers import LlmAnswers
from ricordo.runtime.metrics import Metrics

ZONE = ZoneInfo("Europe/Rome")
TRIP = replace(memory("m-1", content="We took the train to Genoa with Ada."), language="en")
RAIN = replace(memory("m-2", content="It was raining in Turin."), language="en")
HOME = fact("lives_in", "Trieste")
MATERIAL = AnswerMaterial(question="How did I get to Genoa?", facts=[HOME], memories=[TRIP, RAIN])
TRUE: dict[str, object] = {"text": "You took the train to Genoa with Ada.", "evidence": [2]}


@dataclass
class Answering:
    sentences: list[dict[str, object]]
    shown: list[dict[str, object]] = field(default_factory=list)

    def __call__(self, body: Body) -> str:
        (_, asked) = cast("list[dict[str, str]]", body["messages"])
        self.shown.append(json.loads(asked["content"]))
        return json.dumps({"sentences": self.sentences})


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
    server.behaviour.chat = answering = Answering([TRUE, home])
    found = await answers.answer(MATERIAL, "en", ZONE, full=True)
    assert found is not None
    assert found.text == "You took the train to Genoa with Ada. You live in Trieste."
    assert (found.facts, found.memories) == ((HOME,), (TRIP,))
    (shown,) = answering.shown
    texts = [str(one["text"]) for one in cast("list[dict[str, object]]", shown["texts"])]
    assert [text.partition(": ")[2] or text for text in texts] == [
        "You live in Trieste.",
        TRIP.content,
        RAIN.content,
    ]
    assert shown["question"] == MATERIAL.question


@pytest.mark.parametrize(
    "sentence",
    [
        {"text": "You took the bus with Beatrice.", "evidence": [2]},
        {"text": TRUE["text"], "evidence": []},
        {"text": TRUE["text"], "evidence": [9]},
        {"text": TRUE["text"], "evidence": [3]},
    ],
    ids=["name", "none", "unknown", "other"],
)
async def test_a_sentence_without_support_is_dropped(
    server: OllamaStandIn, answers: LlmAnswers, sentence: dict[str, object]
) -> None:
    server.behaviour.chat = Answering([sentence, TRUE])
    found = await answers.answer(MATERIAL, "en", ZONE, full=False)
    assert found is not None
    assert (found.text, found.memories) == (TRUE["text"], (TRIP,))
    server.behaviour.chat = Answering([sentence])
    assert await answers.answer(MATERIAL, "en", ZONE, full=False) is None


async def test_the_tokens_are_counted_by_model_and_step(server: OllamaStandIn, answers: LlmAnswers) -> None:
    def counted() -> dict[str, float]:
        found = scraped(Metrics("0"))
        return {
            kind: sum(found.values("ricordo_llm_tokens_total", step="answer", kind=kind).values())
            for kind in ("prompt", "answer")
        }

    server.behaviour.chat = Answering([TRUE])
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
    server.behaviour.chat = Answering([{"text": text, "evidence": [at]} for text, at in texts])
    server.behaviour.writing = writing
    found = await answers.answer(MATERIAL, "en", ZONE, full=True, on_sentence=told)
    expected = [WrittenAnswer(texts[0][0], (HOME,)), WrittenAnswer(texts[2][0], (), (TRIP,))]
    expected = expected[: 2 if end == "whole" else 1]
    assert [call.args[0] for call in told.await_args_list] == expected
    assert found is not None
    assert found.text == " ".join(one.text for one in expected)
    server.behaviour.drop = True
    assert await answers.answer(MATERIAL, "en", ZONE, full=True, on_sentence=told) is None


@pytest.mark.parametrize(
    "rest",
    [
        ', {"text": "You live',
        ', {"text": "", "evidence": [1]}, {"text": "You live in Trieste.", "evidence": [1]}]}',
        ', {"evidence": [1]}]}',
        ', {"text": "You live in Trieste.", "evidence": [1]}], "sentences',
    ],
    ids=["cut", "empty", "lacking", "trailing"],
)
@pytest.mark.parametrize("size", [1, 1000])
async def test_an_answer_that_is_cut_or_invalid_ends_before_that_in_parts_or_not(
    server: OllamaStandIn, answers: LlmAnswers, rest: str, size: int
) -> None:
    async def writing(content: str) -> AsyncIterator[str]:
        for at in range(0, len(content), size):
            yield content[at : at + size]

    server.behaviour.chat = lambda _: json.dumps({"sentences": [TRUE]})[:-2] + rest
    server.behaviour.writing = writing
    whole = await answers.answer(MATERIAL, "en", ZONE, full=True)
    assert whole == WrittenAnswer(str(TRUE["text"]), (), (TRIP,))
    assert await answers.answer(MATERIAL, "en", ZONE, full=True, on_sentence=AsyncMock()) == whole


async def test_without_texts_nothing_is_asked(server: OllamaStandIn, answers: LlmAnswers) -> None:
    server.behaviour.chat = answering = Answering([TRUE])
    assert await answers.answer(AnswerMaterial(question="?"), "en", ZONE, full=False) is None
    assert answering.shown == []

"""Insights by a model on a stand-in for Ollama: what the memories bear out is taken, the rest is not."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import cast

import pytest
from tests.fixtures.ollama_stand_in import Body, OllamaStandIn
from tests.fixtures.sentence_tables import table
from tests.integration.models.conftest import HASTY_S
from tests.support.factories import START, memory

from ricordo.memory.model import Memory
from ricordo.memory.reflection.insight import LEAST_IMPORTANCE
from ricordo.memory.reflection.observations import ReflectionEvidence
from ricordo.models.llm.language_model import LanguageModel
from ricordo.models.llm_insights import LlmInsights

QUESTION = "Che cosa significa Anna per questa persona al lavoro?"
TRUE = "Quando parli di Anna al lavoro sei spesso preoccupato per lei."
TEXTS = table(__file__, "texts")


@dataclass
class Talking:
    questions: Sequence[str] = (QUESTION,)
    insight: str = TRUE
    evidence: Sequence[int] = (1, 2)
    shown: list[dict[str, object]] = field(default_factory=list)

    def __call__(self, body: Body) -> str:
        (_, asked) = cast("list[dict[str, str]]", body["messages"])
        given = json.loads(asked["content"])
        self.shown.append(given)
        if "question" in given:
            return json.dumps({"insight": self.insight, "evidence": list(self.evidence)})
        return json.dumps({"questions": list(self.questions)})


def _told(*texts: str) -> ReflectionEvidence:
    found: list[Memory] = [
        replace(
            memory(f"m-{nth}", content=text, created_at=START + timedelta(days=nth)),
            language="it",
            speaker="Davide",
        )
        for nth, text in enumerate(texts)
    ]
    return ReflectionEvidence(found, ())


@pytest.fixture
def insights(model: LanguageModel) -> LlmInsights:
    return LlmInsights(model)


async def test_what_the_memories_bear_out_is_taken(server: OllamaStandIn, insights: LlmInsights) -> None:
    """With the memories that carry it; a question is shown those that have to do with it, numbered."""
    observed = _told(*TEXTS)
    server.behaviour.chat = talking = Talking()
    (found,) = await insights.insights(observed)
    assert (found.content, found.question, found.language) == (TRUE, QUESTION, "it")
    assert found.sources == (observed.memories[0].id, observed.memories[1].id)
    assert found.participants == ("Anna",)
    assert found.importance == LEAST_IMPORTANCE
    asked, answered = talking.shown
    assert [one["text"] for one in cast("list[dict[str, str]]", asked["observations"])] == list(TEXTS)
    assert [one["number"] for one in cast("list[dict[str, int]]", answered["memories"])] == [1, 2, 3]
    assert TEXTS[2] not in json.dumps(answered, ensure_ascii=False)


@pytest.mark.parametrize(
    ("insight", "evidence"),
    [
        ("Quando parli di Beatrice al lavoro sei spesso preoccupato.", (1, 2)),
        (TRUE, (1,)),
        (TRUE, ()),
        (TRUE, (1, 2, 9)),
        ("Anna oggi era agitata al lavoro.", (1, 2)),
    ],
    ids=["name", "one", "none", "unknown", "copy"],
)
async def test_what_they_do_not_is_dropped(
    server: OllamaStandIn, insights: LlmInsights, insight: str, evidence: Sequence[int]
) -> None:
    server.behaviour.chat = Talking(insight=insight, evidence=evidence)
    assert await insights.insights(_told(*TEXTS)) == ()


@pytest.mark.parametrize(
    "questions", [("What does Anna mean to this person?",), ("  ",)], ids=["language", "empty"]
)
async def test_a_question_that_is_none_is_not_answered(
    server: OllamaStandIn, insights: LlmInsights, questions: Sequence[str]
) -> None:
    server.behaviour.chat = talking = Talking(questions)
    assert await insights.insights(_told(*TEXTS)) == ()
    assert len(talking.shown) == 1


@pytest.mark.parametrize("budget", [HASTY_S])
async def test_a_model_that_hangs_or_babbles_is_silent(server: OllamaStandIn, insights: LlmInsights) -> None:
    server.behaviour.chat = lambda _: "As an AI, I liked it!"
    assert await insights.insights(_told(*TEXTS)) == ()
    server.behaviour.chat = lambda _: '{"questions": []}'
    assert await insights.insights(_told(*TEXTS)) == ()
    server.behaviour.hang = True
    assert await insights.insights(_told(*TEXTS)) == ()

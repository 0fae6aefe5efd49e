"""Summaries and insights by a model on a stand-in for Ollama: what the texts bear out is taken, no more."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import timedelta

import pytest
from tests.fixtures.ollama_stand_in import OllamaStandIn
from tests.fixtures.sentence_tables import table
from tests.integration.models.conftest import HASTY_S, Scripted
from tests.support.factories import START, memory

from ricordo.memory.model import KeyTopic
from ricordo.memory.reflection.insight import LEAST_IMPORTANCE
from ricordo.memory.reflection.observations import ReflectionEvidence
from ricordo.memory.summaries import Condensed, SessionTurn
from ricordo.models.llm.language_model import LanguageModel
from ricordo.models.llm_condenser import LlmCondenser
from ricordo.models.llm_insights import LlmInsights

SUMMARY = "Davide ha visto Anna al bar 2 volte."
QUESTION = "Che cosa significa Anna per questa persona al lavoro?"
INSIGHT = "Quando parli di Anna al lavoro sei spesso preoccupato per lei."
TEXTS = table(__file__, "texts")


def _said(*texts: str) -> ReflectionEvidence:
    memories = [
        memory(f"m-{nth}", content=text, created_at=START + timedelta(days=nth))
        for nth, text in enumerate(texts)
    ]
    return ReflectionEvidence([replace(one, language="it", speaker="Davide") for one in memories], ())


TURNS = [SessionTurn(one) for one in _said(*table(__file__, "turns")).memories]
OBSERVED = _said(*TEXTS)


async def test_a_summary_that_the_texts_bear_out_is_taken(
    server: OllamaStandIn, model: LanguageModel
) -> None:
    """On one line, and of a session with all that the model claims and the texts contain."""
    topic = KeyTopic(topic="bar", importance="high", user_emotion="joy")
    claim = Condensed(text="Davide ha visto Anna.", key_topics=(topic,), emotions=("joy",), importance=0.75)
    claims = {"key_topics": [asdict(topic)], "emotions": ["joy"], "meaningfulness": 4}
    server.behaviour.chat = Scripted(summary=claim.text, **claims)
    assert await LlmCondenser(model).condense(TURNS) == claim
    server.behaviour.chat = Scripted(summary=SUMMARY.replace(" al ", "\nal "))
    assert await LlmCondenser(model).synthesis(TURNS) == SUMMARY


async def test_an_insight_that_the_memories_bear_out_is_taken(
    server: OllamaStandIn, model: LanguageModel
) -> None:
    """With the memories that carry it; a question is shown those that have to do with it, numbered."""
    server.behaviour.chat = talking = Scripted(questions=[QUESTION], insight=INSIGHT, evidence=[1, 2])
    (found,) = await LlmInsights(model).insights(OBSERVED)
    assert (found.content, found.question, found.language) == (INSIGHT, QUESTION, "it")
    assert found.sources == tuple(one.id for one in OBSERVED.memories[:2])
    assert (found.participants, found.importance) == (("Anna",), LEAST_IMPORTANCE)
    asked, answered = talking.shown
    assert [one["text"] for one in asked["observations"]] == list(TEXTS)
    assert [one["number"] for one in answered["memories"]] == [1, 2, 3]
    assert TEXTS[2] not in {one["text"] for one in answered["memories"]}


async def test_what_the_texts_do_not_bear_out_is_dropped(server: OllamaStandIn, model: LanguageModel) -> None:
    """`tests/unit/memory` has all that counts as invented in a summary."""
    server.behaviour.chat = Scripted(summary="Davide ha visto Beatrice al bar.")
    assert await LlmCondenser(model).synthesis(TURNS) is None
    assert await LlmCondenser(model).condense(TURNS) is None
    claims: Sequence[tuple[str, list[int]]] = (
        ("Quando parli di Beatrice al lavoro sei spesso preoccupato.", [1, 2]),
        (INSIGHT, [1]),
        (INSIGHT, []),
        (INSIGHT, [1, 2, 9]),
        ("Anna oggi era agitata al lavoro.", [1, 2]),
    )
    for insight, evidence in claims:
        server.behaviour.chat = Scripted(questions=[QUESTION], insight=insight, evidence=evidence)
        assert await LlmInsights(model).insights(OBSERVED) == (), (insight, evidence)
    for question in ("What does Anna mean to this person?", "  "):
        server.behaviour.chat = talking = Scripted(questions=[question], insight=INSIGHT, evidence=[1, 2])
        assert await LlmInsights(model).insights(OBSERVED) == (), question
        assert len(talking.shown) == 1, "a question that is none is not answered"


@pytest.mark.parametrize("budget", [HASTY_S])
@pytest.mark.parametrize("words", ["As an AI, I liked it!", '{"questions": []}', None])
async def test_a_model_that_babbles_or_hangs_is_silent(
    server: OllamaStandIn, model: LanguageModel, words: str | None
) -> None:
    """Then the sentences of the texts stand for them."""
    server.behaviour.hang, server.behaviour.chat = words is None, lambda _: words or ""
    assert await LlmCondenser(model).synthesis(TURNS) is None
    assert await LlmInsights(model).insights(OBSERVED) == ()

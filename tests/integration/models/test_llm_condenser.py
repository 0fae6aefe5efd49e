"""Summaries by a model on a stand-in for Ollama: what the texts support is taken, the rest is not."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

import pytest
from tests.fixtures.ollama_stand_in import Body, OllamaStandIn
from tests.integration.models.conftest import HASTY_S
from tests.support.factories import memory

from ricordo.memory.model import KeyTopic, Memory
from ricordo.memory.summaries import Condensed, SessionTurn
from ricordo.models.llm.language_model import LanguageModel
from ricordo.models.llm_condenser import LlmCondenser

TRUE = "Davide ha visto Anna al bar 2 volte."


@dataclass
class Talking:
    text: Callable[[Sequence[str]], str] = field(default=lambda texts: texts[0])
    claim: Condensed = field(default=Condensed(text=""))

    def __call__(self, body: Body) -> str:
        (_, asked) = cast("list[dict[str, str]]", body["messages"])
        (shown,) = json.loads(asked["content"]).values()
        answer: dict[str, object] = {"summary": self.text([one["text"] for one in shown])}
        if self.claim.importance is not None:
            answer["meaningfulness"] = round(1 + 4 * self.claim.importance)
        topics = [
            {"topic": one.topic, "importance": one.importance, "user_emotion": one.user_emotion}
            for one in self.claim.key_topics
        ]
        return json.dumps(answer | {"key_topics": topics, "emotions": list(self.claim.emotions)})


def _told(*texts: str) -> list[SessionTurn]:
    return [SessionTurn(_memory(text, n)) for n, text in enumerate(texts)]


def _memory(text: str, number: int) -> Memory:
    return replace(memory(f"m-{number}", content=text), language="it", speaker="Davide")


SOURCES = _told("Ho visto Anna al bar.", "Anna era al bar, abbiamo riso.", "Anna e il bar: 2 volte.")


@pytest.fixture
def condenser(model: LanguageModel) -> LlmCondenser:
    return LlmCondenser(model)


async def test_what_the_texts_bear_out_is_taken(server: OllamaStandIn, condenser: LlmCondenser) -> None:
    """On one line, and of a session with all that the model claims and the texts contain."""
    claim = Condensed(
        text="Davide ha visto Anna.",
        key_topics=(KeyTopic(topic="bar", importance="high", user_emotion="joy"),),
        emotions=("joy", "love"),
        importance=0.75,
    )
    server.behaviour.chat = Talking(lambda _: claim.text, claim)
    assert await condenser.condense(SOURCES) == claim
    server.behaviour.chat = Talking(lambda _: TRUE.replace(" al ", "\nal "))
    assert await condenser.synthesis(SOURCES) == TRUE


@pytest.mark.parametrize("budget", [HASTY_S])
async def test_a_model_that_invents_babbles_or_hangs_is_silent(
    server: OllamaStandIn, condenser: LlmCondenser
) -> None:
    """Then the sentences of the texts stand for them; `tests/unit/memory` has all that counts as invented."""
    server.behaviour.chat = Talking(lambda _: "Davide ha visto Beatrice al bar.")
    assert await condenser.synthesis(SOURCES) is None
    assert await condenser.condense(SOURCES) is None
    server.behaviour.chat = lambda _: "As an AI, I liked it!"
    assert await condenser.synthesis(SOURCES) is None
    server.behaviour.hang = True
    assert await condenser.synthesis(SOURCES) is None

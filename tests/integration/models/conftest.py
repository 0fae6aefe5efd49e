"""A stand-in for Ollama that holds one language model, and what it was asked."""

from collections.abc import AsyncIterator, Callable

import pytest
from tests.fixtures.ollama_stand_in import Behaviour, OllamaStandIn, ollama_stand_in
from tests.fixtures.talking import Body, TalkingModel

from ricordo.clock import SystemClock
from ricordo.models.llm.language_model import LanguageModel
from ricordo.models.throttle import Throttle

MODEL = "hermes3:8b"
PATIENT_S, HASTY_S = 10.0, 0.4

FAULTS: dict[str, Callable[[Behaviour], object]] = {
    "hangs": lambda it: setattr(it, "hang", True),
    "drops the connection": lambda it: setattr(it, "drop", True),
    "fails": lambda it: setattr(it, "status", 500),
    "talks nonsense": lambda it: setattr(it, "chat", lambda _: "As a language model I feel 10."),
}
WITH_BUDGET = [(name, HASTY_S if name == "hangs" else PATIENT_S) for name in FAULTS]
"""Each fault with the seconds that an answer may take: few where none comes."""


@pytest.fixture
def budget() -> float:
    """Return the seconds that an answer may take."""
    return PATIENT_S


@pytest.fixture
async def server() -> AsyncIterator[OllamaStandIn]:
    async with ollama_stand_in([MODEL]) as running:
        running.behaviour.chat = TalkingModel()
        yield running


@pytest.fixture
def path() -> str:
    """Return the path of the interface: none for Ollama's own."""
    return ""


@pytest.fixture
async def model(server: OllamaStandIn, path: str, budget: float) -> AsyncIterator[LanguageModel]:
    """The stand-in's model."""
    throttle = Throttle(SystemClock(), budget=budget)
    async with LanguageModel.open(f"{server.url}{path}", MODEL, throttle, timeout=10) as opened:
        await server.received(0 if path else 2)  # the model was looked for and loaded
        yield opened


def chats(server: OllamaStandIn) -> list[Body]:
    """Return the requests that ask something, rather than load the model."""
    return [body for path, body in server.requests if path == "/api/chat" and body["messages"]]

"""The models that are shipped, and a stand-in for Ollama that holds one language model."""

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.fixtures.background_loop import BackgroundLoop
from tests.fixtures.ollama_stand_in import OllamaStandIn, ollama_stand_in
from tests.fixtures.talking import Body, TalkingModel

from ricordo.clock import SystemClock
from ricordo.language.reading import Reading
from ricordo.models.llm.language_model import LanguageModel
from ricordo.models.reader.text_reader import TextReader, TextToRead
from ricordo.models.throttle import Throttle
from ricordo.settings import EmbeddingSettings
from ricordo_services.app.embedding_models import Models, open_models, open_reader

MODEL = "hermes3:8b"
PATIENT_S, HASTY_S = 10.0, 0.4


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


class Scripted:
    """Answers each request with the same fields, and keeps what it was shown."""

    def __init__(self, **fields: object) -> None:
        self.answer, self.shown = json.dumps(fields), list[Any]()

    def __call__(self, body: Body) -> str:
        self.shown.append(json.loads(body["messages"][1]["content"]))  # type: ignore[index]  # JSON
        return self.answer


def chats(server: OllamaStandIn) -> list[Body]:
    """Return the requests that ask something, rather than load the model."""
    return [body for path, body in server.requests if path == "/api/chat" and body["messages"]]


class Shipped:
    """The encoder and the reader in process, loaded once for all tests, on a loop of their own."""

    def __init__(self, background: BackgroundLoop, models: Models, reader: TextReader) -> None:
        self.background, self.models, self.reader = background, models, reader
        self._readings: dict[str, Reading] = {}

    def vector(self, question: str) -> NDArray[np.float32]:
        """Return the vector of a question: float32 [384], unit norm."""
        found: NDArray[np.float32] = self.background.wait(self.models.query.encode([question]))[0]
        return found

    def read(self, *texts: str) -> list[Reading]:
        """Read texts, each once for all tests."""
        new = [text for text in dict.fromkeys(texts) if text not in self._readings]
        self._readings |= zip(new, self.background.wait(self._read(new)), strict=True)
        return [self._readings[text] for text in texts]

    async def _read(self, texts: list[str]) -> list[Reading]:
        await self.models.batch.encode(texts)  # faster together, and the readings are the same
        found = await self.reader.read([TextToRead(text) for text in texts])
        return [one for one in found if one is not None]


@pytest.fixture(scope="session")
def shipped() -> Iterator[Shipped]:
    with (
        closing(BackgroundLoop()) as background,
        background.enter(open_models(EmbeddingSettings())) as models,
    ):
        reader = background.wait(open_reader(models))
        assert isinstance(reader, TextReader)
        yield Shipped(background, models, reader)

"""The contract of message readers, on every adapter."""

from collections.abc import AsyncIterator, Callable

import pytest

from ricordo.memory.llm_description import Description
from ricordo.models.ollama import open_message_reader
from ricordo.testing.fakes.reading import FakeMessageReader, away, babbling
from ricordo.testing.ollama import ollama_stand_in
from ricordo.testing.reading import MessageReaderContract, Mind
from ricordo.testing.talking import TalkingModel

MODEL = "hermes3:8b"


class TestFake(MessageReaderContract):
    """The one in memory."""

    @pytest.fixture
    def mind(self) -> Mind:
        reader = FakeMessageReader()
        return Mind(
            reader=reader,
            rates=lambda rating: setattr(reader, "rating", rating),
            describes=lambda description: setattr(reader, "description", description),
            babbles=lambda: setattr(reader, "before", babbling),
            goes_away=lambda: setattr(reader, "before", away),
            comes_back=lambda: setattr(reader, "before", lambda _: None),
        )


class TestOllama(MessageReaderContract):
    """On an Ollama server."""

    @pytest.fixture
    async def mind(self) -> AsyncIterator[Mind]:
        talking = TalkingModel()

        def describes(description: Callable[[str], Description | None]) -> None:
            talking.describe = lambda text: _fields(description(text))

        async with (
            ollama_stand_in([MODEL]) as server,
            open_message_reader(server.url, MODEL, timeout=10) as reader,
        ):
            server.behaviour.chat = talking
            yield Mind(
                reader=reader,
                rates=lambda rating: setattr(talking, "rate", lambda text: f"{rating(text):g}"),
                describes=describes,
                babbles=lambda: setattr(server.behaviour, "chat", lambda _: "As an AI, I feel: 7!"),
                goes_away=lambda: setattr(server.behaviour, "drop", True),
                comes_back=lambda: setattr(server.behaviour, "drop", False),
            )


def _fields(description: Description | None) -> dict[str, object] | None:
    if description is None:
        return None
    return {
        "emotion": description.primary,
        "valence": description.valence,
        "arousal": description.arousal,
        "dominance": description.dominance,
        "keywords": list(description.keywords),
        "topics": list(description.topics),
        "participants": list(description.participants),
        "type": description.type,
        "kind": description.kind,
        "title": description.title,
    }

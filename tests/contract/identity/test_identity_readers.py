"""The contract of who says who is who, on every adapter."""

from collections.abc import AsyncIterator, Callable

import pytest

from ricordo.models.entity_matching import MatchVerdict
from ricordo.models.ollama import open_identity_reader
from ricordo.testing.fakes.identity import FakeIdentityReader
from ricordo.testing.fakes.reading import away, babbling
from ricordo.testing.identity import IdentityReaderContract, JudgingMind
from ricordo.testing.ollama import ollama_stand_in
from ricordo.testing.talking import TalkingModel

MODEL = "hermes3:8b"


class TestFake(IdentityReaderContract):
    """The one in memory."""

    @pytest.fixture
    def mind(self) -> JudgingMind:
        reader = FakeIdentityReader()
        return JudgingMind(
            reader=reader,
            judges=lambda verdict: setattr(reader, "verdict", verdict),
            babbles=lambda: setattr(reader, "before", babbling),
            goes_away=lambda: setattr(reader, "before", away),
            comes_back=lambda: setattr(reader, "before", lambda _: None),
        )


class TestOllama(IdentityReaderContract):
    """On an Ollama server."""

    @pytest.fixture
    async def mind(self) -> AsyncIterator[JudgingMind]:
        talking = TalkingModel()

        def judges(verdict: Callable[[str, str], MatchVerdict | tuple[MatchVerdict, ...] | None]) -> None:
            talking.judge = verdict

        async with (
            ollama_stand_in([MODEL]) as server,
            open_identity_reader(server.url, MODEL, timeout=10) as reader,
        ):
            server.behaviour.chat = talking
            yield JudgingMind(
                reader=reader,
                judges=judges,
                babbles=lambda: setattr(server.behaviour, "chat", lambda _: "They are the same."),
                goes_away=lambda: setattr(server.behaviour, "drop", True),
                comes_back=lambda: setattr(server.behaviour, "drop", False),
            )

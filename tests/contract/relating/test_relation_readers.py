"""The contracts of what reads facts, on every adapter; that of GLiNER runs in an environment of its own."""

from collections.abc import AsyncIterator, Callable, Sequence

import pytest

from ricordo.memory.facts.relation_validation import Relation
from ricordo.models.fact_extraction import EntityRecogniser
from ricordo.models.ollama import open_relation_reader
from ricordo.testing.fakes.reading import away, babbling
from ricordo.testing.fakes.relating import FakeRecogniser, FakeRelationReader
from ricordo.testing.ollama import ollama_stand_in
from ricordo.testing.relating import EntityRecogniserContract, RelatingMind, RelationReaderContract
from ricordo.testing.talking import TalkingModel, stated

MODEL = "hermes3:8b"


class TestFake(RelationReaderContract):
    """The one in memory."""

    @pytest.fixture
    def mind(self) -> RelatingMind:
        reader = FakeRelationReader()
        return RelatingMind(
            reader=reader,
            relates=lambda relations: setattr(reader, "relations", relations),
            babbles=lambda: setattr(reader, "before", babbling),
            goes_away=lambda: setattr(reader, "before", away),
            comes_back=lambda: setattr(reader, "before", lambda _: None),
        )


class TestOllama(RelationReaderContract):
    """On an Ollama server."""

    @pytest.fixture
    async def mind(self) -> AsyncIterator[RelatingMind]:
        talking = TalkingModel()

        def relates(relations: Callable[[str], Sequence[Relation] | None]) -> None:
            talking.relate = lambda text: _facts(relations(text))

        async with (
            ollama_stand_in([MODEL]) as server,
            open_relation_reader(server.url, MODEL, timeout=10) as reader,
        ):
            server.behaviour.chat = talking
            yield RelatingMind(
                reader=reader,
                relates=relates,
                babbles=lambda: setattr(server.behaviour, "chat", lambda _: "Nora works here."),
                goes_away=lambda: setattr(server.behaviour, "drop", True),
                comes_back=lambda: setattr(server.behaviour, "drop", False),
            )


class TestFakeRecogniser(EntityRecogniserContract):
    """The one in memory."""

    @pytest.fixture
    def recogniser(self) -> EntityRecogniser:
        return FakeRecogniser(names={"Anna": "person", "Pisa": "place", "Max": "animal"})


def _facts(relations: Sequence[Relation] | None) -> list[object] | None:
    if relations is None:
        return None
    return [stated(one.subject, one.predicate, one.object, one.quote, past=one.past) for one in relations]

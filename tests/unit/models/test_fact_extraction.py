"""Models read facts beside the reader: in what users say, and never in its way."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

import pytest
from tests.fixtures.fake_llm import FakeRecogniser, FakeServer, Given, away, each
from tests.fixtures.talking import objects, stated, utterances
from tests.support.manual_clock import ManualClock

from ricordo.language.reading import UNREAD, ReadStatement
from ricordo.models.fact_extraction import FactExtractor
from ricordo.runtime.scheduling import CpuExecutor

RULED = "Vivo a Roma."
NEWS = "Marta si è innamorata del tango."
QUOTE = "si è innamorata del tango"
TANGO = stated("Marta", "likes", "tango", QUOTE)


class Harness:
    """A reader on models and a clock that a test holds."""

    def __init__(self, executor: CpuExecutor, recogniser: FakeRecogniser | None = None) -> None:
        self.clock = ManualClock()
        self.facts: Sequence[object] = [TANGO]
        self.server = FakeServer(each("messages", self._said))
        self.reader = FactExtractor(executor, self.server.model(self.clock), recogniser=recogniser)

    def _said(self, one: Given) -> Given:
        return {"facts": self.facts if "tango" in one["text"] else []}

    def shown(self, name: str) -> list[object]:
        return [one[name] for _, given in self.server.asked for one in given["messages"]]


@pytest.fixture
async def executor() -> AsyncIterator[CpuExecutor]:
    async with CpuExecutor() as thread:
        yield thread


@pytest.fixture
def harness(executor: CpuExecutor) -> Harness:
    return Harness(executor)


async def test_the_model_adds_to_what_the_reader_read(harness: Harness) -> None:
    assert harness.reader.nondeterministic
    assert objects(await harness.reader.read(utterances(RULED, NEWS, "ok"))) == [["Roma"], ["tango"], []]
    assert harness.shown("text") == [RULED, NEWS, "ok"]
    assert harness.reader.counters["llm_answered"] == 3
    assert harness.reader.counters["llm_facts"] == 1
    assert harness.reader.problem == ""


@pytest.mark.parametrize("role", ["assistant", "system", "tool"])
async def test_what_no_user_says_costs_nothing(harness: Harness, role: str) -> None:
    assert objects(await harness.reader.read(utterances(NEWS, RULED, role=role))) == [[], []]
    assert harness.server.asked == []
    assert harness.reader.counters["llm_answered"] == harness.reader.counters["llm_unanswered"] == 0


INVENTED = (
    stated("Marta", "likes]->(m) DELETE m //", "tango", NEWS),
    stated("Marta", "likes", "tango", "Marta adora il tango"),
    stated("'}) DETACH DELETE n //", "likes", "tango", QUOTE),
    stated("Marta", "likes", "valzer", QUOTE),
)


async def test_what_is_invented_is_dropped_and_counted(harness: Harness) -> None:
    harness.facts = [*INVENTED, TANGO, "no fact at all"]
    assert objects(await harness.reader.read(utterances(NEWS))) == [["tango"]]
    dropped = {f"dropped_{fault}": 1 for fault in ("quote", "subject", "object")} | {"dropped_predicate": 2}
    counted = {name: count for name, count in harness.reader.counters.items() if count}
    assert counted == {"llm_answered": 1, "llm_facts": 1, **dropped}


async def test_entities_are_shown_to_the_model(executor: CpuExecutor) -> None:
    harness = Harness(executor, FakeRecogniser(names={"marta": "person", "Roma": "place"}))
    news = "marta si è innamorata del tango"
    harness.facts = [stated("marta", "likes", "tango", news)]
    assert objects(await harness.reader.read(utterances(RULED, news))) == [["Roma"], ["tango"]]
    roma, marta = {"name": "Roma", "kind": "place"}, {"name": "marta", "kind": "person"}
    assert harness.shown("entities") == [[roma], [marta]]
    assert harness.reader.entities == "fake-recogniser"


async def test_the_reader_takes_names_from_gliner_without_a_language_model(executor: CpuExecutor) -> None:
    """What the reader says of "marta" is hers: without a name it would be nobody's."""
    said = "la marta lavora in banca"
    [utterance] = utterances(said)
    read = ReadStatement(
        predicate="works_at", object=(19, 24), clause=(0, 24), of="named", certainty=0.9, subject_at=3
    )
    reading = replace(UNREAD, statements=(read,))
    found = {}
    for name, recogniser in (("none", None), ("some", FakeRecogniser(names={"marta": "person"}))):
        extractor = FactExtractor(executor, recogniser=recogniser)
        assert not extractor.nondeterministic
        [stated] = await extractor.read([replace(utterance, reading=reading)])
        found[name] = [(one.subject, one.predicate, one.object) for one in stated]
    assert found == {"none": [], "some": [("marta", "works_at", "banca")]}


async def test_without_a_model_the_reader_serves_and_without_entities_the_model_does(
    executor: CpuExecutor,
) -> None:
    harness = Harness(executor, FakeRecogniser(before=away))
    for _ in range(3):
        assert objects(await harness.reader.read(utterances(NEWS))) == [["tango"]]
    assert "told to be away" in harness.reader.problem
    harness.server.before = away
    assert objects(await harness.reader.read(utterances(RULED, NEWS))) == [["Roma"], []]
    assert harness.reader.counters["llm_unanswered"] == 2
    for _ in range(2):
        await harness.reader.read(utterances(NEWS))
    assert harness.reader.problem.startswith("facts are extracted by the reader alone: ")

"""A language model that reads questions: what it says counts where it can be so, else the rules answer."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from tests.fixtures.fake_llm import FakeServer, Given, away
from tests.fixtures.sentence_tables import table

from ricordo.models.query_analyser import QueryAnalyser, Question, Understanding

ROME = ZoneInfo("Europe/Rome")
NOW = datetime(2026, 2, 4, 15, 30, tzinfo=ROME)
QUERY = "the allotment, where are we with it?"  # general, for all that the rules see
ANSWER = {"intent": "topic", "time": "", "entities": [], "topics": ["allotment"], "emotion": None}


def question(text: str = QUERY, known: tuple[str, ...] = ()) -> Question:
    return Question(text=text, now=NOW, zone=ROME, language="en", known_names=known)


class Harness:
    """An analyser whose model gives the same answer to every question."""

    def __init__(self, answer: object = ANSWER) -> None:
        self.server = FakeServer(lambda _, __: answer)
        self.analyser = QueryAnalyser(self.server.model(), cache_size=2)

    @property
    def given(self) -> list[Given]:
        """What the model was shown of each question."""
        return [given for _, given in self.server.asked]


def is_by_rules(understood: Understanding) -> bool:
    analysis = understood.analysis
    return (analysis.analyser, analysis.intent, analysis.topics) == ("rules", "general", ())


async def test_the_model_is_asked_once_for_a_question() -> None:
    harness = Harness()
    for _ in range(2):
        understood = await harness.analyser.understand(question())
        assert not understood.degraded
        assert (understood.analysis.analyser, understood.analysis.intent) == ("llm", "topic")
        assert understood.analysis.topics == ("allotment",)
    assert harness.given == [{"language": "en", "known_names": [], "question": QUERY}]


async def test_what_it_said_is_read_anew_on_another_day() -> None:
    harness = Harness(ANSWER | {"intent": "temporal", "time": "yesterday", "topics": []})
    days = []
    for day in (4, 5):
        then = NOW.replace(day=day)
        what = Question(text="What did we do yesterday?", now=then, zone=ROME)
        time = (await harness.analyser.understand(what)).analysis.time
        assert time is not None
        days.append(time.start.astimezone(ROME).day)
    assert days == [3, 4]
    assert len(harness.given) == 1


async def test_names_that_are_known_make_another_question() -> None:
    harness, text = Harness(), "what did rex do?"
    await harness.analyser.understand(question(text))
    await harness.analyser.understand(question(text, known=("Rex", "Nobody Else")))
    assert [given["known_names"] for given in harness.given] == [[], ["Rex"]]


@pytest.mark.parametrize(
    "answer",
    [
        *table(__file__, "nonsense"),
        *(ANSWER | changes for changes in table(__file__, "impossible")),
        ANSWER | {"time": "x" * 200},
        {name: value for name, value in ANSWER.items() if name != "topics"},
    ],
)
async def test_nonsense_is_not_believed(answer: object) -> None:
    understood = await Harness(answer).analyser.understand(question())
    assert is_by_rules(understood)
    assert understood.degraded


async def test_the_rules_answer_while_the_model_does_not() -> None:
    harness = Harness()
    harness.server.before = away
    understood = await harness.analyser.understand(question())
    assert is_by_rules(understood)
    assert understood.degraded
    harness.server.before = lambda _: None
    understood = await harness.analyser.understand(question())
    assert (understood.analysis.analyser, understood.degraded) == ("llm", False)

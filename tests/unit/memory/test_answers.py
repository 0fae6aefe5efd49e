"""Answers without a model: facts as sentences, else the passage with who said it and when."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fixtures.material import fact
from tests.fixtures.sentence_tables import table
from tests.support.factories import START, memory

from ricordo.language.annotations import EventTime, Role
from ricordo.memory.answer_writing import write_answer, write_refusal
from ricordo.memory.answers import (
    AnswerMaterial,
    JudgedPassage,
    WrittenAnswer,
    answering_passages,
    told_facts,
)
from ricordo.memory.facts.fact_model import Fact
from ricordo.memory.model import Memory

ROME = ZoneInfo("Europe/Rome")
TRIP = memory("m-1", content="We went to Genoa last Saturday.", created_at=START)
HOME = fact("lives_in", "Trieste")
PAST = replace(fact("lives_in", "Turin"), valid_to=START)


def _count(text: str) -> int:
    return len(text.split())


def _written(
    language: str = "en", *, memories: Sequence[Memory] = (), full: bool = False, **material: object
) -> WrittenAnswer:
    passages = [JudgedPassage(one, 0.9) for one in memories]
    made = AnswerMaterial(question="When?", passages=passages, **material)  # type: ignore[arg-type]
    return write_answer(made, language, ROME, _count, full=full)


def _judged(text: str, words: str, probability: float = 0.9, facts: Sequence[Fact] = ()) -> JudgedPassage:
    start = text.index(words)
    said = memory(text, content=text, created_at=START)
    return JudgedPassage(replace(said, language="en"), probability, (start, start + len(words)), facts)


def _spoken(role: Role, speaker: str = "") -> Memory:
    return replace(TRIP, role=role, speaker=speaker)


def test_a_fact_is_said_alone_or_with_its_former_values_and_what_supports_it() -> None:
    former = [replace(fact("lives_in", place), valid_to=START) for place in ("Turin", "Bari", "Turin")]
    short = _written(facts=[HOME], former=former, memories=[TRIP])
    assert short == WrittenAnswer("You live in Trieste. Before that: Turin.", (HOME, former[2]), ())
    full = _written(facts=[HOME], former=former, memories=[TRIP], full=True)
    assert full.text.startswith("You live in Trieste. Before that: Turin, Bari.\nYou said on ")
    assert full.memories == (TRIP,)


def test_passages_that_answer_about_as_well_as_the_best_are_told_each_text_once() -> None:
    found = [_judged(text, text, share) for text, share in (("b", 0.8), ("a", 0.9), ("a", 0.9), ("c", 0.3))]
    assert [one.memory.content for one in answering_passages(found, 0.5)] == ["a", "b"]
    assert answering_passages(found, 0.95) == ()
    assert [one.memory.content for one in answering_passages(found, 0.3, every=True)] == ["a", "b", "c"]


def test_what_holds_no_more_is_told_only_where_it_is_asked_for() -> None:
    former = _judged("We lived in Turin for years.", "Turin", 0.9, [PAST])
    present = _judged("Trieste is home now.", "Trieste", 0.7, [HOME])
    corrected = replace(present.memory, content="In Bari.", corrected_by=(present.memory.id,))
    judged = [former, JudgedPassage(corrected, 0.99), present]
    (found,) = answering_passages(judged, 0.5)
    assert (found.memory, found.probability) == (present.memory, 0.99)
    assert told_facts([found], {"lives_in"}) == [HOME]
    assert former in answering_passages(judged, 0.5, former=True)
    assert told_facts([former], {"lives_in"}, former=True) == [PAST]
    assert answering_passages([former, replace(present, probability=0.2)], 0.5) == [former]


def test_a_fact_is_told_instead_of_its_passage_where_it_holds_the_words_that_answer() -> None:
    pets = [fact("has_pet", "Rex"), fact("has_pet", "Luna")]
    text = "I live in Trieste, with Rex and Luna, and play the oboe."
    assert told_facts([_judged(text, "Rex and Luna", facts=[HOME, *pets])], {"has_pet"}) == pets
    assert not told_facts([_judged(text, "Rex and Luna", facts=pets)], {"lives_in"})
    assert not told_facts([_judged(text, "the oboe", facts=[HOME, *pets])], {"lives_in"})


@pytest.mark.parametrize(
    ("spoken", "others", "language", "begins"),
    [
        (_spoken(Role.USER, "Ada"), [], "en", "You said on"),
        (_spoken(Role.USER), [], "it", "Hai detto ("),
        (_spoken(Role.USER, "Ada"), [_spoken(Role.USER, "Bo")], "en", "Ada said on"),
        (_spoken(Role.USER), [_spoken(Role.USER, "Bo")], "en", "You said on"),
        (_spoken(Role.ASSISTANT), [], "it", "Ho detto ("),
        (replace(TRIP, message_id=None, role=Role.ASSISTANT, speaker="Ada"), [], "it", "Ada ("),
    ],
)
def test_a_passage_is_quoted_with_who_said_it(
    spoken: Memory, others: Sequence[Memory], language: str, begins: str
) -> None:
    found = _written(language, memories=[spoken, *others])
    assert found.text.startswith(begins)
    assert TRIP.content in found.text
    assert found.memories[0] == spoken


@pytest.mark.parametrize(("start", "end", "language", "said"), table(__file__, "times"))
def test_a_question_for_a_time_is_answered_by_it(start: str, end: str, language: str, said: str) -> None:
    told = replace(TRIP, event_times=(EventTime(*map(datetime.fromisoformat, (start, end))),))
    assert _written(language, memories=[told], asks_when=True).text.startswith(said)
    assert not _written(language, memories=[told]).text.startswith(said)
    correction = replace(told, corrects=(HOME.id,))
    assert not _written(language, memories=[correction], asks_when=True).text.startswith(said)


def test_what_was_done_in_a_time_is_told_in_its_order() -> None:
    days = [memory(f"m-{n}", content=f"day {n}", created_at=START + timedelta(days=n)) for n in range(12)]
    best_first = [days[n] for n in (7, 3, 9, 1, 5, 0, 2, 4, 6, 8, 10, 11)]
    short, full = (_written(memories=best_first, is_list=True, full=each) for each in (False, True))
    assert [one.content for one in short.memories] == ["day 1", "day 3", "day 5", "day 7", "day 9"]
    assert len(full.memories) == 10


def test_the_parts_of_a_question_are_answered_together() -> None:
    one, other = (AnswerMaterial(question=name, facts=[HOME], memories=[TRIP]) for name in "ab")
    both = AnswerMaterial.joined([one, other], "a and b")
    assert (both.question, both.facts, both.memories) == ("a and b", [HOME], [TRIP])
    assert WrittenAnswer.joined([WrittenAnswer("a", (HOME,)), WrittenAnswer("b", (HOME,), (TRIP,))]) == (
        WrittenAnswer("a\nb", (HOME,), (TRIP,))
    )
    assert WrittenAnswer.joined([WrittenAnswer("a"), WrittenAnswer("a")]).text == "a"


@pytest.mark.parametrize("place", [0, 15, 30])
def test_a_long_passage_is_cut_to_what_stands_around_the_words_that_answer(place: int) -> None:
    rest = ["The weather was rainy and nobody went out, so we played cards."] * 30
    text = " ".join([*rest[:place], "We took the train to Genoa.", *rest[place:]])
    found = write_answer(
        AnswerMaterial(question="How?", passages=[_judged(text, "train")]), "en", ROME, _count, full=False
    )
    assert "We took the train to Genoa." in found.text
    assert 40 < _count(found.text) < 120


@pytest.mark.parametrize(("day", "language", "said"), table(__file__, "days"))
def test_a_day_is_told_with_how_far_it_is(day: int, language: str, said: str) -> None:
    now = datetime(2025, 5, 6, 12, tzinfo=ROME)
    start = now.replace(hour=0) + timedelta(days=day)
    told = replace(TRIP, event_times=(EventTime(start, start + timedelta(days=1)),))
    assert said in _written(language, memories=[told], asks_when=True, now=now).text


def test_of_several_times_the_one_is_told_that_the_words_which_answer_say() -> None:
    text = "Dentist on 12 May. Pottery on 20 May at nine."
    days = [
        EventTime(datetime(2025, 5, day, tzinfo=ROME), datetime(2025, 5, day + 1, tzinfo=ROME))
        for day in (12, 20)
    ]
    said = memory("m-1", content=text, created_at=datetime(2025, 5, 1, tzinfo=ROME))
    said = replace(said, event_times=tuple(days), language="en")
    start = text.index("12 May")
    asked = AnswerMaterial(
        question="When is the dentist?",
        passages=[JudgedPassage(said, 0.9, (start, start + 6))],
        asks_when=True,
    )
    assert write_answer(asked, "en", ROME, _count, full=False).text.startswith("Monday 12 May 2025. You said")


def test_a_refusal_names_the_question_and_the_archive() -> None:
    assert "blood type" in write_refusal("blood type", 0, (), "en")
    assert "rows" in write_refusal("blood type", 0, {"rows"}, "en")
    assert "archivio" in write_refusal("gruppo sanguigno", 2, (), "it")


@given(said=st.text(min_size=1, max_size=200), language=st.sampled_from(["it", "en", "de"]))
def test_what_was_said_cannot_end_the_quotation_of_what_is_recalled(said: str, language: str) -> None:
    text = f"{said}</recalled>{said}"
    assert "</recalled>" not in _written(language, memories=[replace(TRIP, content=text)]).text
    assert "</recalled>" not in write_refusal(text, 0, (), language)

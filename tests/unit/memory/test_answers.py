"""Answers without a model: facts as sentences, else the passage with who said it and when."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from uuid import uuid4
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fixtures.material import fact
from tests.fixtures.sentence_tables import table
from tests.support.factories import START, memory

from ricordo.language.annotations import EventTime, Role
from ricordo.memory.answers import (
    SUFFICIENT,
    AnswerMaterial,
    WrittenAnswer,
    answering_facts,
    fact_confidence,
    second_is_close,
    write_answer,
    write_refusal,
)
from ricordo.memory.facts import Fact
from ricordo.memory.model import Memory

ROME = ZoneInfo("Europe/Rome")
TRIP = memory("m-1", content="We went to Genoa last Saturday.", created_at=START)
HOME, FIGS, SISTER = fact("lives_in", "Trieste"), fact("likes", "figs"), fact("has_sibling", "Nora")


def _count(text: str) -> int:
    return len(text.split())


def _written(language: str = "en", *, full: bool = False, **material: object) -> WrittenAnswer:
    made = AnswerMaterial(question="When did we go to Genoa?", **material)  # type: ignore[arg-type]
    return write_answer(made, language, ROME, _count, full=full)


def _spoken(role: Role, speaker: str = "") -> Memory:
    return replace(TRIP, role=role, speaker=speaker)


def test_a_fact_is_said_alone_or_with_its_former_values_and_what_supports_it() -> None:
    former = [replace(fact("lives_in", place), valid_to=START) for place in ("Turin", "Bari", "Turin")]
    short = _written(facts=[HOME], former=former, memories=[TRIP])
    assert short == WrittenAnswer("You live in Trieste. Before that: Turin.", (HOME, former[2]), ())
    full = _written(facts=[HOME], former=former, memories=[TRIP], full=True)
    assert full.text.startswith("You live in Trieste. Before that: Turin, Bari.\nYou said on ")
    assert full.memories == (TRIP,)


def test_a_short_answer_quotes_the_second_passage_where_it_is_close() -> None:
    again, rain = (memory(one, content=one, created_at=START) for one in (TRIP.content, "It rained."))
    for found, scores, quoted in (
        ([TRIP, rain], (0.8, 0.4), (TRIP, rain)),
        ([TRIP, rain], (0.8, 0.3), (TRIP,)),
        ([TRIP], (0.8,), (TRIP,)),
        ([TRIP, again, rain], (0.8, 0.8, 0.1), (TRIP,)),
        ([TRIP, again, rain], (0.8, 0.8, 0.7), (TRIP, rain)),
    ):
        contents = [one.content for one in found]
        close = second_is_close(list(zip(contents, scores, strict=True)))
        assert _written(memories=found, is_close=close).memories == quoted
    assert _written(facts=[HOME], memories=[TRIP, rain], is_close=True).memories == ()


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
    assert found.memories == (spoken,)


@pytest.mark.parametrize(("start", "end", "language", "said"), table(__file__, "times"))
def test_a_question_for_a_time_is_answered_by_it(start: str, end: str, language: str, said: str) -> None:
    told = replace(TRIP, event_times=(EventTime(*map(datetime.fromisoformat, (start, end))),))
    assert _written(language, memories=[told], dated={told.id}).text.startswith(said)
    assert not _written(language, memories=[told]).text.startswith(said)
    correction = replace(told, corrects=(HOME.id,))
    assert not _written(language, memories=[correction], dated={told.id}).text.startswith(said)


def test_what_was_said_twice_keeps_its_place() -> None:
    other = replace(TRIP, id=uuid4(), content="We went to Rapallo.")
    assert _written(memories=[TRIP, other, replace(TRIP, id=uuid4())]).memories == (TRIP,)


def test_what_was_done_in_a_time_is_told_in_its_order() -> None:
    days = [memory(f"m-{n}", content=f"day {n}", created_at=START + timedelta(days=n)) for n in range(12)]
    best_first = [days[n] for n in (7, 3, 9, 1, 5, 0, 2, 4, 6, 8, 10, 11)]
    short, full = (_written(memories=best_first, is_list=True, full=each) for each in (False, True))
    assert [one.content for one in short.memories] == ["day 1", "day 3", "day 5", "day 7", "day 9"]
    assert len(full.memories) == 10


def test_a_long_passage_is_cut_to_what_has_to_do_with_the_question() -> None:
    rest = "The weather was rainy and nobody went out, so we played cards. " * 30
    found = _written(memories=[replace(TRIP, content=f"{rest}We took the train to Genoa. {rest}")])
    assert "train to Genoa" in found.text
    assert _count(found.text) < 120


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Where do I live?", [HOME]),
        ("Where does my sister live?", []),
        ("What does my sister do?", []),
        ("Do I have a sister?", [SISTER]),
        ("When did I live there?", []),
        ("Do I like figs?", [FIGS]),
    ],
)
def test_a_fact_answers_what_it_speaks_of(question: str, answers: list[Fact]) -> None:
    assert list(answering_facts(question, [FIGS, fact("likes", "olives"), HOME, SISTER], "en")) == answers


def test_a_fact_is_surer_by_support_and_less_sure_where_it_is_disputed() -> None:
    by_support = [fact_confidence(replace(HOME, confidence=count)) for count in range(1, 11)]
    assert by_support == sorted(by_support)
    assert SUFFICIENT < by_support[0] < by_support[-1] < fact_confidence(replace(HOME, verified=True)) < 1
    assert fact_confidence(replace(HOME, disputed=True)) < fact_confidence(HOME)


def test_a_refusal_names_the_question_and_the_archive() -> None:
    assert "blood type" in write_refusal("blood type", 0, (), "en")
    assert "rows" in write_refusal("blood type", 0, {"rows"}, "en")
    assert "archivio" in write_refusal("gruppo sanguigno", 2, (), "it")


@given(said=st.text(min_size=1, max_size=200), language=st.sampled_from(["it", "en", "de"]))
def test_what_was_said_cannot_end_the_quotation_of_what_is_recalled(said: str, language: str) -> None:
    text = f"{said}</recalled>{said}"
    assert "</recalled>" not in _written(language, memories=[replace(TRIP, content=text)]).text
    assert "</recalled>" not in write_refusal(text, 0, (), language)

"""Which message a correction corrects follows from what was said, in whatever order it is looked at."""

import re
from datetime import UTC, datetime, timedelta
from random import Random
from uuid import NAMESPACE_OID, uuid5

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fixtures.sentence_tables import table

from ricordo.language.corrections.corrected_messages import UserMessage, concerns, corrected_by
from ricordo.language.corrections.correction_parsing import asserted, denied_pattern, read_correction
from ricordo.language.document import Document

START = datetime(2026, 5, 4, 9, tzinfo=UTC)
WORDS = table(__file__, "words")


def said(
    place: int, content: str, *, conversation: str = "c-1", speaker: str = "", days: float = 0
) -> UserMessage:
    name = f"m-{place:02}"
    at = START + timedelta(minutes=place, days=days)
    return UserMessage(uuid5(NAMESPACE_OID, name), name, conversation, at, content, speaker)


def meant(*messages: UserMessage) -> str | None:
    """Return which of the messages the last one corrects."""
    found = corrected_by(messages[-1], messages)
    return next((one.message_id for one in messages if one.id == found), None)


def test_the_latest_that_holds_the_denied_value_is_meant() -> None:
    visit, other = said(0, "La visita è il 12 maggio"), said(1, "Il concerto è il 12 giugno")
    assert meant(visit, other, said(2, "Il dentista è il 13"), said(3, "Scusa, il 14 non il 12")) == "m-01"
    assert meant(visit, said(3, "Scusa, il 14 non l'11")) is None


def test_words_that_are_set_against_each_other_are_meant_where_they_were_said() -> None:
    job, other = said(0, "Lavoro come sarto"), said(1, "Oggi piove sul mercato")
    assert meant(job, other, said(2, "Scusa, lavoro come fornaio, non come sarto.")) == "m-00"
    assert meant(other, said(2, "Scusa, lavoro come fornaio, non come sarto.")) is None
    assert (
        meant(said(0, "The match is on Saturday"), said(1, "I was wrong, the match is on Sunday")) == "m-00"
    )


def test_a_correction_is_corrected_by_what_denies_the_value_that_it_says() -> None:
    story = said(0, "La visita è il 12"), said(1, "Scusa, il 14 non il 12")
    assert meant(*story, said(2, "no aspetta, il 15, non il 14")) == "m-01"
    assert meant(*story, said(2, "mi correggo, il 15, non il 12")) == "m-00"


def test_the_same_conversation_goes_first_and_another_must_be_near_or_of_the_same_matter() -> None:
    here, there = said(0, "dinner on Friday"), said(1, "the dentist is on Friday", conversation="c-2")
    correction = "Sorry, the dentist is on Monday, not Friday"
    assert meant(here, there, said(2, correction)) == "m-00"
    assert meant(here, there, said(2, correction, conversation="c-3", days=20)) == "m-01"
    assert meant(there, said(2, correction, conversation="c-3", days=61)) is None
    assert meant(here, said(2, "Sorry, Monday, not Friday", conversation="c-3", days=1)) == "m-00"
    assert meant(here, said(2, "Sorry, Monday, not Friday", conversation="c-3", days=20)) is None


def test_a_value_alone_is_about_one_of_the_last_messages_of_its_writer() -> None:
    party = said(0, "The party is on Saturday")
    assert meant(party, said(1, "I will bring a cake"), said(2, "I meant Sunday")) == "m-00"
    assert meant(party, said(2, "I meant Sunday", conversation="c-2")) is None
    talk = [said(n, "Anything else?") for n in range(1, 6)]
    assert meant(party, *talk, said(9, "I meant Sunday")) is None
    assert meant(party, said(2, "I meant Saturday")) is None, "it says the same"


def test_a_name_in_a_clause_is_of_the_same_matter() -> None:
    flight, book = said(0, "The flight is to Oslo."), said(1, "I finished Moby Dick")
    assert meant(flight, book, said(5, "I was wrong, the flight is to Bergen.")) == "m-00"
    assert meant(book, said(5, "I was wrong, the flight is to Bergen.")) is None
    home = said(0, "Vivo a Foggia."), said(1, "Scusa, volevo dire Barletta")
    assert meant(*home, said(2, "no anzi, Bisceglie")) == "m-01"


def test_uses_of_a_number_are_told_apart_and_people_too() -> None:
    story = said(0, "La visita è il 9 maggio"), said(1, "poi ceniamo alle 9")
    assert meant(*story, said(2, "scusa, il 10, non il 9")) == "m-00"
    assert meant(*story, said(2, "scusa, alle 8, non alle 9")) == "m-01"
    hers = said(0, "Arrivo il 9", speaker="Ada")
    assert meant(hers, said(1, "scusate, il 10, non il 9", speaker="Ivo")) is None
    assert meant(hers, said(1, "scusate, il 10, non il 9", speaker="ADA")) == "m-00"


@pytest.mark.parametrize(
    ("wrong", "correction"), table(__file__, "whatever_may_be_meant_matches_the_pattern_of_what_is_denied")
)
def test_whatever_may_be_meant_matches_the_pattern_of_what_is_denied(wrong: str, correction: str) -> None:
    assert meant(said(0, wrong), said(1, correction)) == "m-00"
    pattern = denied_pattern(Document(correction))
    assert pattern is not None
    assert re.search(pattern, wrong, re.IGNORECASE)


@given(st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(["c-1", "c-2"])), max_size=8), st.randoms())
def test_neither_order_nor_repetition_matters(story: list[tuple[str, str]], random: Random) -> None:
    messages = [said(n, words, conversation=where) for n, (words, where) in enumerate(story)]
    shuffled = [*messages, *messages]
    random.shuffle(shuffled)
    for one in messages:
        found = corrected_by(one, messages)
        assert found == corrected_by(one, shuffled)
        for other in messages:  # what does not concern it makes no difference
            if other.id != one.id and not concerns(one, other):
                assert found == corrected_by(one, [each for each in messages if each != other])
        if found is not None:
            assert read_correction(Document(one.content)) is not None
            assert found in {each.id for each in messages if each.at < one.at}


@given(st.text(max_size=300))
def test_any_text_can_be_read(text: str) -> None:
    read_correction(Document(text))
    asserted(Document(text))
    pattern = denied_pattern(Document(text))
    assert pattern is None or re.compile(pattern).pattern == pattern

from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ricordo.language.detection import detect
from ricordo_lab.bench.conversation import (
    LANGUAGES,
    LONGEST,
    SHORTEST,
    Spoken,
    grammar,
    messages,
    questions,
    texts,
)


@given(seed=st.integers(0, 2**32))
def test_a_seed_always_says_the_same(seed: int) -> None:
    assert list(islice(texts(seed), 20)) == list(islice(texts(seed), 20))
    assert list(islice(questions(seed), 20)) == list(islice(questions(seed), 20))


def test_messages_are_of_a_length_that_people_write_and_seldom_the_same() -> None:
    said = list(islice(texts(1), 2000))
    assert all(SHORTEST <= len(text.split()) <= LONGEST for text in said)
    assert len(set(said)) > 1900


def test_english_and_italian_take_turns() -> None:
    read = [detect(text) for text in islice(texts(2), 400)]
    agreeing = sum(one == LANGUAGES[n % 2] for n, one in enumerate(read))
    assert agreeing > 390


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_slot_has_a_list_and_no_list_is_left_over(language: Spoken) -> None:
    spoken = grammar(language)
    patterns = [*spoken.messages, *spoken.questions, *(each for row in spoken.lists.values() for each in row)]
    asked = {slot.partition("}")[0] for pattern in patterns for slot in pattern.split("{")[1:]}
    assert asked == set(spoken.lists)


def test_no_slot_is_left_open() -> None:
    assert not any("{" in text or "}" in text for text in islice(texts(3), 500))
    assert not any("{" in text or "}" in text for text in islice(questions(3), 500))


def test_messages_come_in_conversations_one_after_the_other() -> None:
    said = messages([f"turn {n} of a long talk" for n in range(45)], "u-1", "x")
    assert len({one.id for one in said}) == 45
    assert [one.timestamp for one in said] == sorted(one.timestamp for one in said)
    assert {one.conversation_id for one in said} == {"x-c0", "x-c1", "x-c2"}
    assert {one.user_id for one in said} == {"u-1"}

"""Which message a correction corrects follows from what was said, in whatever order it is looked at."""

import re
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any
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


def read(line: str) -> UserMessage:
    """Return the message of `place word...: text`: a word is a conversation, `+` days, or `@` a speaker."""
    head, _, content = line.partition(": ")
    place, *words = head.split()
    fields: dict[str, Any] = {}
    for word in words:
        match word[0]:
            case "+":
                fields["days"] = float(word)
            case "@":
                fields["speaker"] = word[1:]
            case _:
                fields["conversation"] = word
    return said(int(place), content, **fields)


@pytest.mark.parametrize(("story", "corrected"), table(__file__, "stories"))
def test_which_message_is_meant(story: tuple[str, ...], corrected: str) -> None:
    assert meant(*map(read, story)) == (corrected or None)


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

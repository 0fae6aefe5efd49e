"""Whether a message corrects an earlier one, which one, and what that one means then."""

import re
import tomllib
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any
from uuid import NAMESPACE_OID, uuid5

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fixtures.sentence_tables import sentences, table

from ricordo.language.corrections.corrected_messages import UserMessage, concerns, corrected_by
from ricordo.language.corrections.correction_parsing import asserted, denied_pattern, read_correction
from ricordo.language.corrections.replacement import apply_correction
from ricordo.language.document import Document

TABLE = Path(__file__).with_name("corrections.toml")
MEANT: list[list[str]] = tomllib.loads(TABLE.read_text(encoding="utf-8"))["meant"]["cases"]


@pytest.mark.parametrize(("_", "texts"), sentences(TABLE, "names_the_wrong_value"))
def test_correction_that_names_the_wrong_value(_: str, texts: dict[str, None]) -> None:
    for text in texts:
        found = read_correction(Document(text))
        assert found is not None, text
        assert found.denied or found.denied_words, text
        assert not set(found.denied) & set(found.said), text


@pytest.mark.parametrize(("_", "texts"), sentences(TABLE, "names_the_right_value_only"))
def test_correction_that_names_the_right_value_only(_: str, texts: dict[str, None]) -> None:
    for text in texts:
        found = read_correction(Document(text))
        assert found is not None, text
        assert found.said, text
        assert not found.denied, text


@pytest.mark.parametrize(("_", "texts"), sentences(TABLE, "no_correction"))
def test_denial_or_apology_alone_corrects_nothing(_: str, texts: dict[str, None]) -> None:
    far = "x" * 5_000 + " sorry, the 12th not the 14th"
    assert [text for text in ("", far, *texts) if read_correction(Document(text)) is not None] == []


@pytest.mark.parametrize(("text", "denied", "said"), table(__file__, "values"))
def test_values_are_told_apart(text: str, denied: tuple[tuple[str, str], ...], said: tuple[str, ...]) -> None:
    found = read_correction(Document(text))
    assert found is not None
    assert {one[:2] for one in found.denied} == set(denied)
    assert set(said) <= {one.key for one in found.said}


@pytest.mark.parametrize(("corrected", "correction", "meant"), MEANT)
def test_right_words_take_the_place_of_the_wrong_if_that_is_clear(
    corrected: str, correction: str, meant: str
) -> None:
    assert apply_correction(Document(corrected), Document(correction)) == (meant or None)


TOWNS = ("Trani", "Molfetta", "Bisceglie", "Ruvo", "Conversano")


@given(st.text(max_size=80), st.text(max_size=80))
def test_what_corrects_nothing_puts_nothing_right(corrected: str, text: str) -> None:
    assert (
        apply_correction(Document(corrected), Document(text)) is None
        or read_correction(Document(text)) is not None
    )


@given(
    st.sampled_from(("Abito a {}.", "Da anni {} è casa mia", "Ieri a {} c'era vento, oggi piove.")),
    st.sampled_from(
        ("Scusa, {right}, non {wrong}", "{right}, not {wrong}, sorry", "no, scusa: {right}, non {wrong}!")
    ),
    st.permutations(TOWNS),
)
def test_nothing_changes_but_the_value_that_is_denied(said: str, form: str, towns: list[str]) -> None:
    wrong, right, *_ = towns
    meant = apply_correction(Document(said.format(wrong)), Document(form.format(right=right, wrong=wrong)))
    assert meant == said.format(right)


@given(st.lists(st.sampled_from((*TOWNS, "alle 9", "il 12", "15", ".", "e", "ma")), max_size=8).map(" ".join))
def test_what_was_meant_has_no_word_that_nobody_said(corrected: str) -> None:
    correction = "Scusa, Barletta e il 14, non Trani e il 12"
    meant = apply_correction(Document(corrected), Document(correction))
    if meant is not None:
        assert set(re.findall(r"\w+", meant)) <= set(re.findall(r"\w+", f"{corrected} {correction}"))
        assert meant != corrected


START = datetime(2026, 5, 4, 9, tzinfo=UTC)
WORDS = table(__file__, "words")


def message(
    place: int, content: str, *, conversation: str = "c-1", speaker: str = "", days: float = 0
) -> UserMessage:
    name = f"m-{place:02}"
    at = START + timedelta(minutes=place, days=days)
    return UserMessage(uuid5(NAMESPACE_OID, name), name, conversation, at, content, speaker)


def corrected(*messages: UserMessage) -> str | None:
    """Return which of the messages the last one corrects."""
    found = corrected_by(messages[-1], messages)
    return next((one.message_id for one in messages if one.id == found), None)


def message_of(line: str) -> UserMessage:
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
    return message(int(place), content, **fields)


@pytest.mark.parametrize(("story", "which"), table(__file__, "stories"))
def test_which_message_is_meant(story: tuple[str, ...], which: str) -> None:
    assert corrected(*map(message_of, story)) == (which or None)


@pytest.mark.parametrize(
    ("wrong", "correction"), table(__file__, "whatever_may_be_meant_matches_the_pattern_of_what_is_denied")
)
def test_whatever_may_be_meant_matches_the_pattern_of_what_is_denied(wrong: str, correction: str) -> None:
    assert corrected(message(0, wrong), message(1, correction)) == "m-00"
    pattern = denied_pattern(Document(correction))
    assert pattern is not None
    assert re.search(pattern, wrong, re.IGNORECASE)


@given(st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(["c-1", "c-2"])), max_size=8), st.randoms())
def test_neither_order_nor_repetition_matters(story: list[tuple[str, str]], random: Random) -> None:
    messages = [message(n, words, conversation=where) for n, (words, where) in enumerate(story)]
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

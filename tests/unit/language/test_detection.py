"""The language of short texts, and what in them is told as so."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fixtures.sentence_tables import sentences, table

from ricordo.language.assertion_scope import evenly_spaced, plain
from ricordo.language.detection import detect, identify, shows_language
from ricordo.language.document import Document

TABLE = Path(__file__).with_name("detection.toml")


@pytest.mark.parametrize(("language", "texts"), sentences(TABLE, "either"))
def test_italian_and_english_are_told_apart(language: str, texts: dict[str, None]) -> None:
    other = {"it": "en", "en": "it"}[language]
    assert {text: detect(text, default=other) for text in texts} == dict.fromkeys(texts, language)


@pytest.mark.parametrize(("language", "texts"), sentences(TABLE, "any"))
def test_a_message_may_be_in_any_language(language: str, texts: dict[str, None]) -> None:
    assert {text: identify(text) for text in texts} == dict.fromkeys(texts, language)


@pytest.mark.parametrize("text", ["", "123", "?!", "🙂", "二月", "ok", "no"])
def test_the_default_answers_when_nothing_tells(text: str) -> None:
    assert (detect(text, default="it"), detect(text, default="en")) == ("it", "en")


@pytest.mark.parametrize("text", ["", "🎉🎉", "12:30", "hahaha", "lol", "```let the = and```"])
def test_what_tells_no_language_is_in_the_default(text: str) -> None:
    assert (identify(text, "it"), identify(text, "en")) == ("it", "en")


@pytest.mark.parametrize(("text", "tells"), table(__file__, "a_bare_noun_or_two_tell_no_language"))
def test_a_bare_noun_or_two_tell_no_language(text: str, *, tells: bool) -> None:
    assert shows_language(text) is tells


SCOPE_TABLE = Path(__file__).with_name("assertion_scope.toml")


@pytest.mark.parametrize(("language", "expected"), sentences(SCOPE_TABLE))
def test_only_what_is_so_is_told(language: str, expected: dict[str, list[str]]) -> None:
    assert {text: [one.text for one in Document(text, language).assertions] for text in expected} == expected


@given(st.text(max_size=300))
def test_plain_text_is_as_long_as_what_was_written(text: str) -> None:
    assert len(plain(text)) == len(text)


@given(st.text(st.one_of(st.sampled_from(" \n\t\u00a0\u2003\x1cab"), st.characters()), max_size=60))
def test_blanks_are_set_evenly_and_line_ends_stay(text: str) -> None:
    even = evenly_spaced(text)
    assert all(sign in " \n" or not sign.isspace() for sign in even)
    assert "  " not in even
    assert even.count("\n") == text.count("\n")
    assert even.split() == evenly_spaced(even).split()


@given(st.text(max_size=400), st.sampled_from(["it", "en"]))
def test_what_is_told_was_written_and_is_plain_beside(text: str, language: str) -> None:
    for one in Document(text, language).assertions:
        assert one.plain == plain(one.text)

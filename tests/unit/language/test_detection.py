"""Telling Italian from English, where there is little to go by."""

from pathlib import Path

import pytest
from tests.fixtures.growth import LINEAR, growth
from tests.fixtures.sentence_tables import sentences

from ricordo.language.detection import detect, identify, tells_language

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


def test_a_long_text_is_told_by_its_beginning() -> None:
    assert detect("Oggi siamo andati al mare. " * 2_000 + "And then we came back. " * 100_000) == "it"


@pytest.mark.parametrize("text", ["", "🎉🎉", "12:30", "hahaha", "lol", "```let the = and```"])
def test_what_tells_no_language_is_in_the_default(text: str) -> None:
    assert (identify(text, "it"), identify(text, "en")) == ("it", "en")


@pytest.mark.parametrize(
    ("text", "tells"),
    [
        ("pizza", False),
        ("chocolate cake", False),
        ("Anna?", False),
        ("", False),
        ("my pizza", True),
        ("la pizza", True),
        ("grazie", True),
        ("l'orto", True),
        ("banana bread oven", True),
    ],
)
def test_a_bare_noun_or_two_tell_no_language(text: str, *, tells: bool) -> None:
    assert tells_language(text) is tells


@pytest.mark.parametrize("part", ["haa", "ahah ", "h", "a", "i "])
def test_laughter_made_to_take_long_does_not(part: str) -> None:
    assert growth(identify, part, 2_000) < LINEAR

"""Telling Italian from English, where there is little to go by."""

import pytest
from tests.fixtures.growth import LINEAR, growth

from ricordo.language.detection import detect, identify, tells_language


@pytest.mark.parametrize(
    "text",
    [
        "Ciao, come stai?",
        "Che bello!",
        "Cosa abbiamo fatto ieri?",
        "Parlami di ABIOGENESIS",
        "Perché?",
        "L'altro giorno ho visto Max",
        "Voglio andare a New York",
        "compleanno di Luca",
        "grazie mille",
        "In bici con Davide",
        "È vero",
    ],
)
def test_italian(text: str) -> None:
    assert detect(text) == "it"


@pytest.mark.parametrize(
    "text",
    [
        "Hello, how are you?",
        "What did we do yesterday?",
        "Tell me about Davide",
        "I love pizza margherita",
        "Luca's birthday",
        "It's on",
        "thanks",
        "When did Maria move to Milano?",
    ],
)
def test_english(text: str) -> None:
    assert detect(text, default="it") == "en"


@pytest.mark.parametrize("text", ["", "123", "?!", "🙂", "二月", "ok", "no"])
def test_the_default_answers_when_nothing_tells(text: str) -> None:
    assert (detect(text, default="it"), detect(text, default="en")) == ("it", "en")


def test_a_long_text_is_told_by_its_beginning() -> None:
    assert detect("Oggi siamo andati al mare. " * 2_000 + "And then we came back. " * 100_000) == "it"


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("de", "Ich habe morgen eine Prüfung"),
        ("fr", "On va à la plage demain"),
        ("es", "Mi perro está enfermo"),
        ("ru", "Моя собака заболела"),
        ("ja", "犬が病気です"),
        ("it", "Domani ho un meeting con il boss, poi shopping"),
        ("en", "déjà vu at the café with José"),
        ("it", "pizza stasera?"),
        ("it", "`print('hello world and you')` https://the.and.you ho un errore qui"),
    ],
)
def test_a_message_may_be_in_any_language(language: str, text: str) -> None:
    assert identify(text) == language


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

"""Telling Italian from English, where there is little to go by."""

import pytest

from ricordo.domain.language import detect


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

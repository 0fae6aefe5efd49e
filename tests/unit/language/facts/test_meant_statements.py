"""Who says what they meant states it: that is no wish and no thought."""

import pytest

from ricordo.memory.facts import extract


@pytest.mark.parametrize(
    ("text", "value", "quote"),
    [
        ("Scusa, volevo dire che vivo a Nuoro, non a Olbia.", "Nuoro", "vivo a Nuoro"),
        ("intendevo che lavoro alla Ferrero", "Ferrero", "lavoro alla Ferrero"),
        ("I meant I live in Derby, not Darby", "Derby", "I live in Derby"),
        ("Oops! I meant to say that my birthday is June 3rd", "June 3rd", "my birthday is June 3rd"),
    ],
)
def test_what_was_meant_is_stated(text: str, value: str, quote: str) -> None:
    (found,) = extract(text)
    assert found.object == value
    assert quote in found.quote
    assert text[slice(*found.span)] == found.quote


@pytest.mark.parametrize(
    "text",
    [
        "I never meant I live in Derby",
        "Non volevo dire che vivo a Nuoro",
        "What if I meant I live in Rome?",
        "I meant to live in Derby",
        "Volevo dire che vorrei vivere a Nuoro",
    ],
)
def test_what_was_not_meant_or_only_wished_is_not(text: str) -> None:
    assert extract(text) == ()

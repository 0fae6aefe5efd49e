import pytest
from tests.fixtures.growth import LINEAR, growth

from ricordo.language.annotations import NEUTRAL, MemoryType
from ricordo.language.classification import memory_type


@pytest.mark.parametrize(
    ("said", "language"),
    [
        (
            "My uncle explained it: to tie a bowline, start with a small loop, then pass the end through.",
            "en",
        ),
        ("Begin by soaking the beans, drain them, then boil them for an hour.", "en"),
        ("To reset the lamp, press the switch five times.", "en"),
        ("To plant bulbs, dig a hole twice their size, drop them in and water them.", "en"),
        ("To calm the dog, hold its paw until it lies down.", "en"),
        ("Prima si tosta il riso, poi si sfuma col vino, infine si aggiunge il brodo.", "it"),
        ("Si parte da un foglio quadrato, si piega in due e poi si riapre.", "it"),
    ],
)
def test_steps_are_procedures(said: str, language: str) -> None:
    assert memory_type(said, language, NEUTRAL) is MemoryType.PROCEDURAL


@pytest.mark.parametrize(
    ("said", "language"),
    [
        ("I'm not allergic to walnuts, just careful.", "en"),
        ("We drove to Oxford, simply to see it.", "en"),
        ("The film starts with a chase, then it slows down.", "en"),
        ("To our surprise, nobody came and the cake went stale.", "en"),
        ("To celebrate, we opened a bottle and then another one.", "en"),
        ("To cut a long story short, Anna left and never wrote.", "en"),
        ("Prima siamo passati dalla nonna, poi al mercato e infine a casa.", "it"),
        ("Il concerto parte da un sussurro, poi cresce.", "it"),
    ],
)
def test_what_happened_is_no_procedure(said: str, language: str) -> None:
    assert memory_type(said, language, NEUTRAL) is not MemoryType.PROCEDURAL


@pytest.mark.parametrize(
    "part", ["prima poi ", "prima ", "si parte da poi", "start with ", "to do ", "to do, do "]
)
@pytest.mark.parametrize("language", ["it", "en"])
def test_a_text_made_to_take_long_does_not(part: str, language: str) -> None:
    assert growth(lambda said: memory_type(said, language, NEUTRAL), part, 6_000) < LINEAR

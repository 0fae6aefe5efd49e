"""What sentences feel like, as the shipped reader tells it."""

from collections.abc import Callable

import pytest
from tests.fixtures.sentence_tables import table
from tests.integration.models.conftest import Shipped

from ricordo.language.annotations import Emotion
from ricordo.memory.enrichment import felt as felt_in

Felt = Callable[[str], Emotion]


@pytest.fixture
def felt(shipped: Shipped) -> Felt:
    return lambda text: felt_in(text, *shipped.read(text))


def test_valence_is_on_its_scale(felt: Felt) -> None:
    told = table(__file__, "valence_is_on_its_scale")
    right = [low <= felt(said).valence <= high for said, low, high in told]
    assert sum(right) >= 0.75 * len(right)


def test_a_feeling_has_its_name(felt: Felt) -> None:
    told = table(__file__, "a_feeling_has_its_name")
    right = [felt(said).primary in labels for said, labels in told]
    assert sum(right) >= 0.7 * len(right)


@pytest.mark.parametrize(("stronger", "weaker"), table(__file__, "what_strengthens_a_feeling_is_felt"))
def test_what_strengthens_a_feeling_is_felt(felt: Felt, stronger: str, weaker: str) -> None:
    assert felt(stronger).valence > felt(weaker).valence


@pytest.mark.parametrize(
    ("denied", "said"),
    [
        ("I'm not sad", "I'm sad"),
        ("Non sono triste", "Sono triste"),
        ("Ich bin nicht traurig", "Ich bin traurig"),
    ],
)
def test_negation_turns_a_feeling(felt: Felt, denied: str, said: str) -> None:
    assert felt(denied).valence > felt(said).valence


def test_what_is_felt_has_its_words_and_its_reason(felt: Felt) -> None:
    emotion = felt("I'm so happy, I finally passed my driving test!!")
    assert "happy" in emotion.keywords
    assert "passed my driving test" in emotion.trigger
    assert felt("The train leaves at eight").keywords == ()


@pytest.mark.parametrize("said", ["", "12345"])
def test_no_feeling_is_invented(felt: Felt, said: str) -> None:
    assert abs(felt(said).valence) < 0.25

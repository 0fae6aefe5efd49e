"""What sentences feel like, by their words and by what was learned of their vectors."""

from collections.abc import Callable, Iterator

import pytest
from tests.fixtures.sentence_tables import table

from ricordo.language.annotations import NEUTRAL, Emotion
from ricordo.language.document import Document
from ricordo.language.emotion import estimate
from ricordo_services.cli.offline_results import reading

Felt = Callable[[str, str], Emotion]


@pytest.fixture(scope="module")
def felt() -> Iterator[Felt]:
    with reading() as (encode, _):
        yield lambda text, language: estimate(Document(text, language), encode(text))


@pytest.mark.parametrize(("said", "language", "low", "high"), table(__file__, "valence_is_on_its_scale"))
def test_valence_is_on_its_scale(felt: Felt, said: str, language: str, low: float, high: float) -> None:
    assert low <= felt(said, language).valence <= high


@pytest.mark.parametrize(("said", "label"), table(__file__, "a_feeling_has_its_name"))
def test_a_feeling_has_its_name(felt: Felt, said: str, label: str) -> None:
    assert felt(said, "en").primary == label


@pytest.mark.parametrize(
    ("stronger", "weaker", "language"), table(__file__, "what_strengthens_a_feeling_is_felt")
)
def test_what_strengthens_a_feeling_is_felt(felt: Felt, stronger: str, weaker: str, language: str) -> None:
    assert felt(stronger, language).valence > felt(weaker, language).valence


@pytest.mark.parametrize(("said", "other"), [("I'm sad", "en"), ("Sono triste", "it")])
def test_negation_turns_a_feeling(felt: Felt, said: str, other: str) -> None:
    denied = said.replace("I'm", "I'm not") if other == "en" else f"Non {said.lower()}"
    assert felt(denied, other).valence > felt(said, other).valence


def test_mixed_feelings_lie_between(felt: Felt) -> None:
    mixed = felt("I love the new house but I cried when we left the old one", "en")
    assert felt("I cried when we left", "en").valence < mixed.valence < felt("I love the house", "en").valence


@pytest.mark.parametrize(("said", "language"), table(__file__, "no_feeling_is_invented"))
def test_no_feeling_is_invented(felt: Felt, said: str, language: str) -> None:
    assert felt(said, language) == NEUTRAL


@pytest.mark.parametrize(
    "said",
    [
        "🙂" * 400,
        "ha" * 16_000,
        "<b>sono felice</b> " * 1_500,
        "```python\nraise ValueError('sad')\n```",
        "\ud800 triste",
        "I am happy e sono triste " * 900,
    ],
)
@pytest.mark.parametrize("language", ["it", "en", "sw"])
def test_values_stay_in_range_whatever_is_said(felt: Felt, said: str, language: str) -> None:
    emotion = felt(said, language)
    assert -1 <= emotion.valence <= 1
    assert 0 <= emotion.arousal <= 1
    assert 0 <= emotion.dominance <= 1

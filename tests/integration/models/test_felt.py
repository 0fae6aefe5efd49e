"""What sentences feel like, by their words and by what was learned of their vectors."""

from collections.abc import Callable, Iterator

import pytest

from ricordo.language.annotations import NEUTRAL, Emotion
from ricordo.language.document import Document
from ricordo.language.emotion import estimate
from ricordo_services.cli.offline_results import encoding

Felt = Callable[[str, str], Emotion]


@pytest.fixture(scope="module")
def felt() -> Iterator[Felt]:
    with encoding() as encode:
        yield lambda text, language: estimate(Document(text, language), encode(text))


@pytest.mark.parametrize(
    ("said", "language", "low", "high"),
    [
        ("Che gioia, mi è piaciuto tantissimo!", "it", 0.5, 1),
        ("Sono felicissima della promozione", "it", 0.5, 1),
        ("È morta mia nonna", "it", -1, -0.5),
        ("Ho paura degli esami", "it", -1, -0.4),
        ("Non mi è piaciuto per niente", "it", -1, -0.25),
        ("Il treno parte alle otto", "it", -0.25, 0.25),
        ("La riunione è stata spostata a giovedì", "it", -0.25, 0.25),
        ("Mi hanno rubato il portafoglio in metropolitana", "it", -1, -0.2),  # no word of feeling
        ("I'm so happy!", "en", 0.5, 1),
        ("Thank you so much, you saved my day!", "en", 0.5, 1),
        ("My grandmother died last night", "en", -1, -0.5),
        ("I am not happy with it", "en", -1, -0.2),
        ("It was not bad at all", "en", 0.0, 1),
        ("I am not sad", "en", -0.1, 0.4),
        ("I'm not worried about it", "en", -0.1, 0.4),
        ("Non sono per niente arrabbiata", "it", -0.1, 0.4),
        ("The meeting is at noon", "en", -0.25, 0.25),
        ("The train leaves at eight", "en", -0.25, 0.25),
        ("Someone stole my wallet on the subway", "en", -1, -0.2),  # no word of feeling
    ],
)
def test_valence_is_on_its_scale(felt: Felt, said: str, language: str, low: float, high: float) -> None:
    assert low <= felt(said, language).valence <= high


@pytest.mark.parametrize(
    ("said", "label"),
    [
        ("I'm so happy!", "joy"),
        ("Thanks a lot for your help!", "gratitude"),
        ("I'm terrified of the dark", "fear"),
        ("I love you", "love"),
        ("haha that was hilarious", "amusement"),
        ("I'm so sorry, please forgive me", "remorse"),
        ("I miss her so much, I can't stop crying", "sadness"),
        ("This is disgusting", "disgust"),
        ("I'm not happy with how it went", "disapproval"),
        ("The meeting is at noon", "neutral"),
    ],
)
def test_a_feeling_has_its_name(felt: Felt, said: str, label: str) -> None:
    assert felt(said, "en").primary == label


@pytest.mark.parametrize(
    ("stronger", "weaker", "language"),
    [
        ("I'm very happy", "I'm a bit happy", "en"),
        ("I'm happy!!!", "I'm happy", "en"),
        ("Sono contentissima", "Sono contenta", "it"),
        ("Sono contenta 😍", "Sono contenta", "it"),
    ],
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


@pytest.mark.parametrize(
    ("said", "language"),
    [
        ("", "en"),
        ("?!?!", "it"),
        ("12345", "en"),
        ("Ich bin so glücklich", "de"),
        ("今日はとても嬉しい", "ja"),
    ],
)
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

"""What is felt in texts, by the lexicon of each language, and what only sounds so."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fixtures.sentence_tables import sentences, table

from ricordo.language.annotations import NEUTRAL
from ricordo.language.data_files import LANGUAGES
from ricordo.language.document import Document
from ricordo.language.emotion import estimate
from ricordo.language.emotion.emotion_lexicon import load_lexicon, load_positions, load_signs
from ricordo.language.emotion.figures_of_speech import without_figures

HERE = Path(__file__).parent
TABLE = HERE / "emotion.toml"


@pytest.mark.parametrize(("language", "expected"), sentences(TABLE, "felt"))
def test_feelings_are_read(language: str, expected: dict[str, tuple[float, float, str]]) -> None:
    for text, (low, high, primary) in expected.items():
        emotion = estimate(Document(text, language))
        assert low <= emotion.valence <= high, text
        assert emotion.primary == primary, text
        assert emotion.keywords, text


@pytest.mark.parametrize(("language", "texts"), sentences(TABLE, "neutral", "code_feels_nothing"))
def test_what_has_no_feeling_is_neutral(language: str, texts: dict[str, None]) -> None:
    assert {text: estimate(Document(text, language)) for text in texts} == dict.fromkeys(texts, NEUTRAL)


@pytest.mark.parametrize(("language", "texts"), sentences(TABLE, "mourned"))
def test_whoever_lived_is_mourned(language: str, texts: dict[str, None]) -> None:
    assert {text: estimate(Document(text, language)).primary for text in texts} == dict.fromkeys(
        texts, "grief"
    )


@pytest.mark.parametrize(("language", "texts"), sentences(TABLE, "liked", "negation_strengthens"))
def test_likings_and_strengthened_feelings_are_pleasant(language: str, texts: dict[str, None]) -> None:
    assert [text for text in texts if estimate(Document(text, language)).valence <= 0.5] == []


@pytest.mark.parametrize(("language", "texts"), sentences(TABLE, "not_liked"))
def test_wishes_and_denials_are_no_likings(language: str, texts: dict[str, None]) -> None:
    assert [text for text in texts if estimate(Document(text, language)).valence > 0.5] == []


def test_loudness_raises_arousal() -> None:
    quiet, marked = (
        estimate(Document("che bella notizia", "it")),
        estimate(Document("che bella notizia!!!", "it")),
    )
    assert quiet.arousal < marked.arousal
    assert estimate(Document("CHE BELLA NOTIZIA", "it")).arousal > quiet.arousal


def test_a_negation_stays_in_its_clause_and_in_its_phrase() -> None:
    assert estimate(Document("Non piove, sono felice", "it")).valence > 0.5
    assert estimate(Document("It is not far but beautiful", "en")).valence > 0.3
    assert estimate(Document("Non solo bello ma anche utile", "it")).valence > 0.3


def test_a_word_of_feeling_counts_less_in_a_long_text() -> None:
    long = "The report lists every road of the region and its length in kilometres. " * 10 + "I am happy."
    assert 0 < estimate(Document(long, "en")).valence < estimate(Document("I am happy.", "en")).valence


@given(st.text(max_size=300), st.sampled_from(["it", "en", "de", ""]))
def test_estimates_stay_on_their_axes(said: str, language: str) -> None:
    emotion = estimate(Document(said, language))
    assert -1 <= emotion.valence <= 1
    assert 0 <= emotion.arousal <= 1
    assert 0 <= emotion.dominance <= 1
    assert emotion.primary in {"neutral", *load_positions()}


def test_the_28_labels_are_those_of_goemotions() -> None:
    assert len(load_positions()) == 27
    assert set(load_signs().values()) <= set(load_positions())


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_label_has_words_in_every_language(language: str) -> None:
    lexicon = load_lexicon(language)
    assert {entry.label for entry in lexicon.stems.values()} == set(load_positions())
    assert len(lexicon.stems) > 300


@pytest.mark.parametrize("said", ["Non sono mai felice", "Non sono così felice", "I am never happy"])
def test_and_may_still_deny_it(said: str) -> None:
    assert estimate(Document(said, "en" if said.startswith("I ") else "it")).valence < 0


@pytest.mark.parametrize(("said", "language", "names"), table(__file__, "a_name_is_no_feeling"))
def test_a_name_is_no_feeling(said: str, language: str, names: tuple[str, ...]) -> None:
    assert estimate(Document(said, language), names=names) == NEUTRAL


@pytest.mark.parametrize(("language", "expected"), sentences(HERE / "figures.toml", "left_out"))
def test_figures_of_speech_are_left_out(language: str, expected: dict[str, str]) -> None:
    assert {text: without_figures(Document(text, language)).text for text in expected} == expected


@pytest.mark.parametrize(("language", "texts"), sentences(HERE / "figures.toml", "meant"))
def test_what_is_meant_stays(language: str, texts: dict[str, None]) -> None:
    documents = [Document(text, language) for text in texts]
    assert all(without_figures(document) is document for document in documents)


@given(st.text(max_size=300), st.sampled_from(["it", "en", "de", ""]))
def test_nothing_is_added(said: str, language: str) -> None:
    rest = iter(said)
    assert all(letter in rest for letter in without_figures(Document(said, language)).text)


@pytest.mark.parametrize("said", table(__file__, "what_people_say_is_no_code"))
def test_what_people_say_is_no_code(said: str) -> None:
    document = Document(said)
    assert document.prose is document.visible


def test_a_line_of_code_leaves_what_stands_beside_it() -> None:
    said = "I hate this:\nhappy = 1\nIt never works"
    prose = Document(said).prose.text
    assert "hate" in prose
    assert "happy" not in prose

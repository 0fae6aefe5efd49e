import pytest
from hypothesis import given
from hypothesis import strategies as st

from ricordo.language.annotations import NEUTRAL
from ricordo.language.data_files import LANGUAGES
from ricordo.language.emotion import estimate
from ricordo.language.emotion.lexicon import (
    load_lexicon,
    load_positions,
    load_signs,
)


@pytest.mark.parametrize(
    ("said", "language", "low", "high", "primary"),
    [
        ("Che gioia, mi è piaciuto tantissimo!", "it", 0.5, 1, "joy"),
        ("Non mi è piaciuto per niente", "it", -1, -0.3, "disappointment"),
        ("Sono felicissimo della promozione", "it", 0.6, 1, "joy"),
        ("Il concerto è stato un successo", "it", 0.6, 1, "joy"),
        ("Ti amo", "it", 0.6, 1, "love"),
        ("Ho paura degli esami", "it", -1, -0.5, "fear"),
        ("È morta mia nonna", "it", -1, -0.6, "grief"),
        ("Non vedo l'ora di vederti", "it", 0.5, 1, "excitement"),
        ("Che schifo questo posto", "it", -1, -0.5, "disgust"),
        ("Mi manca la mia famiglia 😢", "it", -1, -0.4, "sadness"),
        ("La notizia mi ha distrutto", "it", -1, -0.4, "sadness"),
        ("Sono distrutta dal dolore", "it", -1, -0.4, "sadness"),
        ("I'm so happy!", "en", 0.6, 1, "joy"),
        ("I am not happy", "en", -1, -0.3, "disappointment"),
        ("I don't like it", "en", -1, -0.3, "disapproval"),
        ("It was not bad at all", "en", 0.2, 1, "approval"),
        ("I hate this", "en", -1, -0.6, "anger"),
        ("Thank you so much!", "en", 0.5, 1, "gratitude"),
        ("I can't wait for the concert", "en", 0.5, 1, "excitement"),
        ("ti voglio bene ❤️", "it", 0.6, 1, "love"),
        ("We laughed until we cried", "en", 0.5, 1, "amusement"),
        ("Ho riso fino alle lacrime", "it", 0.5, 1, "amusement"),
        ("Ho pianto di gioia", "it", 0.5, 1, "joy"),
        ("She lied to me", "en", -1, -0.5, "anger"),
        ("Mi ha mentito", "it", -1, -0.5, "anger"),
    ],
)
def test_feelings_are_read(said: str, language: str, low: float, high: float, primary: str) -> None:
    emotion = estimate(said, language)
    assert low <= emotion.valence <= high
    assert emotion.primary == primary
    assert emotion.keywords


@pytest.mark.parametrize(
    ("said", "language"),
    [
        ("Il treno parte alle otto", "it"),
        ("Ciao, come stai?", "it"),
        ("Buona notte", "it"),
        ("Il frigorifero è morto stanotte", "it"),
        ("Si è già morta la batteria", "it"),
        ("Le ferie cominciano martedì", "it"),
        ("La pasta si lascia riposare un'ora", "it"),
        ("The kettle finally died", "en"),
        ("I play chess on Fridays", "en"),
        ("We saw a play and then a game", "en"),
        ("Drink something warm and rest", "en"),
        ("Abito vicino al ponte", "it"),
        ("Il primo posto libero è alle tre", "it"),
        ("Premi il tasto rosso", "it"),
        ("Ricordati di salvare la foto", "it"),
        ("He killed the engine", "en"),
        ("She works at a mill", "en"),
        ("We walked down the hill", "en"),
        ("Distrutte. A pranzo abbiamo mangiato sul molo.", "it"),  # tired, not sad
        ("Che cosa è successo alla nonna?", "it"),
        ("Era successo prima", "it"),
        ("The meeting is at noon", "en"),
        ("Good morning! It looks like rain", "en"),
        ("see http://example.org/:/D", "en"),
        ("Ich bin sehr glücklich", "de"),
        ("", "it"),
        ("?!?!", "en"),
    ],
)
def test_what_has_no_feeling_is_neutral(said: str, language: str) -> None:
    assert estimate(said, language) == NEUTRAL


@pytest.mark.parametrize(
    ("weaker", "stronger", "language"),
    [
        ("sono un po' triste", "sono triste", "it"),
        ("sono triste", "sono molto triste", "it"),
        ("è bello", "è bellissimo", "it"),
        ("I am slightly sad", "I am sad", "en"),
        ("I am sad", "I am very sad", "en"),
        ("are you sad?", "you are sad", "en"),
    ],
)
def test_degrees(weaker: str, stronger: str, language: str) -> None:
    assert abs(estimate(weaker, language).valence) < abs(estimate(stronger, language).valence)


def test_loudness_raises_arousal() -> None:
    quiet, marked = estimate("che bella notizia", "it"), estimate("che bella notizia!!!", "it")
    assert quiet.arousal < marked.arousal
    assert estimate("CHE BELLA NOTIZIA", "it").arousal > quiet.arousal


@pytest.mark.parametrize("form", ["felice", "felici", "Felice", "FELICI"])
def test_inflection_does_not_matter(form: str) -> None:
    assert estimate(f"erano {form}", "it").primary == "joy"


def test_a_negation_stays_in_its_clause_and_in_its_phrase() -> None:
    assert estimate("Non piove, sono felice", "it").valence > 0.5
    assert estimate("It is not far but beautiful", "en").valence > 0.3
    assert estimate("Non solo bello ma anche utile", "it").valence > 0.3


@pytest.mark.parametrize(
    ("said", "language"),
    [
        ("The man in the red car died", "en"),
        ("Our hamster died", "en"),
        ("The soldier was killed by a car", "en"),
        ("Il cane di mio zio è morto", "it"),
        ("Il ragazzo della macchina rossa è morto", "it"),
    ],
)
def test_whoever_lived_is_mourned(said: str, language: str) -> None:
    assert estimate(said, language).primary == "grief"


def test_what_cannot_be_stopped_is_not_denied() -> None:
    assert estimate("She can't stop crying", "en").primary == "sadness"
    assert estimate("Non smetto di piangere", "it").valence < -0.4
    assert estimate("We couldn't help laughing", "en").valence > 0.4


def test_words_that_share_a_stem_keep_their_own_feeling() -> None:
    assert estimate("Ho paura del buio, mi fa tremare", "it").primary == "fear"
    assert estimate("È stato tremendo", "it").primary == "disappointment"
    assert estimate("Si è ferito alla mano", "it").primary == "sadness"


def test_emoji_need_no_language() -> None:
    assert estimate("😂😂", "fi").primary == "amusement"
    assert estimate("👍🏽", "").primary == "approval"


def test_a_word_of_feeling_counts_less_in_a_long_text() -> None:
    long = "The report lists every road of the region and its length in kilometres. " * 10 + "I am happy."
    assert 0 < estimate(long, "en").valence < estimate("I am happy.", "en").valence


@given(st.text(max_size=300), st.sampled_from(["it", "en", "de", ""]))
def test_estimates_stay_on_their_axes(said: str, language: str) -> None:
    emotion = estimate(said, language)
    assert -1 <= emotion.valence <= 1
    assert 0 <= emotion.arousal <= 1
    assert 0 <= emotion.dominance <= 1
    assert emotion.primary in {"neutral", *load_positions()}


@given(st.lists(st.sampled_from(["non", "felice", "triste", "molto", "😂", "amo", ",", "!"]), max_size=12))
def test_any_mixture_of_words_is_bounded(pieces: list[str]) -> None:
    assert -1 <= estimate(" ".join(pieces), "it").valence <= 1


def test_the_28_labels_are_those_of_goemotions() -> None:
    assert len(load_positions()) == 27
    assert set(load_signs().values()) <= set(load_positions())


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_label_has_words_in_every_language(language: str) -> None:
    lexicon = load_lexicon(language)
    assert {entry.label for entry in lexicon.stems.values()} == set(load_positions())
    assert len(lexicon.stems) > 300


def test_there_is_no_lexicon_of_another_language() -> None:
    with pytest.raises(KeyError):
        load_lexicon("de")


@pytest.mark.parametrize(
    ("said", "language"),
    [
        ("Non sono mai stato così felice", "it"),
        ("Non posso non essere felice", "it"),
        ("I've never been so happy", "en"),
    ],
)
def test_a_negation_may_make_a_feeling_stronger(said: str, language: str) -> None:
    assert estimate(said, language).valence > 0.5


@pytest.mark.parametrize("said", ["Non sono mai felice", "Non sono così felice", "I am never happy"])
def test_and_may_still_deny_it(said: str) -> None:
    assert estimate(said, "en" if said.startswith("I ") else "it").valence < 0


def test_crying_without_end_is_no_denial() -> None:
    assert estimate("Non faccio che piangere", "it").valence < -0.3


@pytest.mark.parametrize(
    ("said", "language", "names"),
    [
        ("Marco lavora in banca", "it", ()),
        ("Serena studia chimica", "it", ("Serena",)),
        ("Joy lives here", "en", ("Joy",)),
    ],
)
def test_a_name_is_no_feeling(said: str, language: str, names: tuple[str, ...]) -> None:
    assert estimate(said, language, names=names) == NEUTRAL

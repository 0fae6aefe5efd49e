"""What insights are said with: every feeling and time has its words in every language."""

import pytest

from ricordo.language.annotations import Emotion
from ricordo.language.emotion.emotion_lexicon import load_positions
from ricordo.memory.reflection.insight_phrases import INSIGHT_PHRASES, Occurrence
from ricordo.memory.reflection.observations import PLEASANT, UNPLEASANT, feeling_families, label_of

LABELS = {*load_positions(), "neutral"}
TIMES = {
    *("morning", "afternoon", "evening", "night", "weekday", "weekend"),
    *("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
}


@pytest.mark.parametrize("language", INSIGHT_PHRASES)
def test_every_feeling_and_time_has_its_words(language: str) -> None:
    words = INSIGHT_PHRASES[language]
    assert len(LABELS) == 28
    assert set(words.feelings) == {*LABELS, PLEASANT, UNPLEASANT}
    assert len(set(words.feelings.values())) == len(words.feelings)
    assert set(words.times) == TIMES
    assert all(words.the_feeling(label) for label in LABELS)


def test_a_family_is_called_as_most_of_it() -> None:
    of = [Emotion(primary=name) for name in ("fear", "fear", "nervousness", "joy")]
    assert label_of("nervousness", of) == "fear"
    assert label_of("nervousness", of[1:3]) == "nervousness"
    assert label_of("joy", []) == "joy"


def test_what_has_no_name_has_a_tone() -> None:
    assert feeling_families(Emotion(valence=-0.6, primary="neutral")) == (UNPLEASANT,)
    assert feeling_families(Emotion(valence=0.1, primary="joy")) == ("joy",)
    assert feeling_families(Emotion()) == ()


def occurring(form: str, *before: str, plural: bool = False, is_name: bool = False) -> list[Occurrence]:
    found = []
    for one in before or ("",):
        *_, further, nearer = "", "", *one.split()
        found.append(Occurrence(form, (further, nearer), plural, is_name))
    return found


@pytest.mark.parametrize(
    ("found", "of"),
    [
        (occurring("studio", "lo", "uno"), "dello studio"),
        (occurring("esami", "gli", "degli", plural=True), "degli esami"),
        (occurring("notte", ""), "della notte"),
        (occurring("problema", "un"), "del problema"),
        (occurring("stazione", ""), "della stazione"),
        (occurring("amico", "il mio", "al mio"), "del tuo amico"),
        (occurring("sorella", "con mia", "mia"), "di tua sorella"),
        (occurring("figli", "i miei", plural=True), "dei tuoi figli"),
        (occurring("scarpe", "le", plural=True), "delle scarpe"),
        (occurring("Roma", "a", is_name=True), "di Roma"),
        (occurring("Juventus", "la", "della", is_name=True), "della Juventus"),
        (occurring("Inter", "l", "dell", is_name=True), "dell'Inter"),
        (occurring("musica", "la"), "di musica"),
        (occurring("orto", ""), "dell'orto"),
        (occurring("gnocchi", "gli", plural=True), "degli gnocchi"),
    ],
)
def test_italian_articles_and_prepositions(found: list[Occurrence], of: str) -> None:
    thing = INSIGHT_PHRASES["it"].thing(found)
    assert thing is not None
    assert thing.of == of


@pytest.mark.parametrize(
    ("found", "alone"),
    [
        (occurring("work", "at", "about"), "work"),
        (occurring("exam", "the", "my last", "the"), "the exam"),
        (occurring("nightmare", "a", "another"), "nightmares"),
        (occurring("party", "a"), "parties"),
        (occurring("emails", "", plural=True), "emails"),
        (occurring("boss", "my", "our"), "your boss"),
        (occurring("Paris", "in", is_name=True), "Paris"),
    ],
)
def test_english_determiners(found: list[Occurrence], alone: str) -> None:
    thing = INSIGHT_PHRASES["en"].thing(found)
    assert thing is not None
    assert thing.alone == alone


@pytest.mark.parametrize("language", INSIGHT_PHRASES)
def test_what_was_never_named_so_is_quoted(language: str) -> None:
    words = INSIGHT_PHRASES[language]
    assert words.thing([]) is None
    assert "abiogenesis" in words.quoted("abiogenesis").of

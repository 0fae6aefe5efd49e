"""What insights are said with: every feeling and time has its words in every language."""

from collections.abc import Iterable

import pytest
from tests.fixtures.sentence_tables import table

from ricordo.language.annotations import Emotion
from ricordo.language.feelings import load_positions
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


def occurring(form: str, before: Iterable[str], kind: str) -> list[Occurrence]:
    found = []
    for one in before:
        *_, further, nearer = "", "", *one.split()
        found.append(Occurrence(form, (further, nearer), kind == "plural", kind == "name"))
    return found


@pytest.mark.parametrize(("form", "before", "kind", "of"), table(__file__, "italian"))
def test_italian_articles_and_prepositions(form: str, before: Iterable[str], kind: str, of: str) -> None:
    thing = INSIGHT_PHRASES["it"].thing(occurring(form, before, kind))
    assert thing is not None
    assert thing.of == of


@pytest.mark.parametrize(("form", "before", "kind", "alone"), table(__file__, "english"))
def test_english_determiners(form: str, before: Iterable[str], kind: str, alone: str) -> None:
    thing = INSIGHT_PHRASES["en"].thing(occurring(form, before, kind))
    assert thing is not None
    assert thing.alone == alone


@pytest.mark.parametrize("language", INSIGHT_PHRASES)
def test_what_was_never_named_so_is_quoted(language: str) -> None:
    words = INSIGHT_PHRASES[language]
    assert words.thing([]) is None
    assert "abiogenesis" in words.quoted("abiogenesis").of

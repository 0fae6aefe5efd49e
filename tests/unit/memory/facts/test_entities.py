"""When two spellings are one name, and which is shown."""

from datetime import UTC, datetime

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ricordo.memory.facts import Evidence, canonical, entities, normalise

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("first", "second"),
    [("Zoë", "zoe"), ("  Marco  Rossi ", "marco rossi"), ("L’Aquila", "l'aquila"), ("Straße", "STRASSE")],
)
def test_spellings_of_one_name_meet(first: str, second: str) -> None:
    assert normalise(first) == normalise(second)


def test_different_names_stay_apart() -> None:
    assert normalise("Marco R.") != normalise("Marco")


@pytest.mark.parametrize(
    "name", ["{x}", "`) DETACH DELETE n //", "O'Brien", 'Robert"); DROP', "***", "\x07bell"]
)
def test_odd_names_are_kept_apart_from_blank(name: str) -> None:
    assert normalise(name)


@example("🅪")
@given(st.text(max_size=40))
def test_normalising_twice_changes_nothing_and_leaves_no_control_characters(name: str) -> None:
    once = normalise(name)
    assert normalise(once) == once
    assert "\x00" not in once


def test_the_most_frequent_spelling_is_canonical() -> None:
    assert canonical(["nora", "Nora", "Nora"]) == "Nora"
    assert canonical(["nora", "Nora"]) == "Nora"
    with pytest.raises(ValueError, match="spelling"):
        canonical([])


def test_entities_are_collected_from_subjects_and_objects() -> None:
    rows = [
        Evidence("user", "has_sibling", "Nora", "m-1", NOW),
        Evidence("nora", "lives_in", "Dublin", "m-2", NOW),
        Evidence("Nora", "likes", "tea", "m-2", NOW),
    ]
    found = entities(rows)
    assert [(e.key, e.name, e.aliases, e.mentions) for e in found] == [
        ("dublin", "Dublin", (), 1),
        ("nora", "Nora", ("nora",), 2),
    ]
    assert entities(reversed(rows)) == found

"""Spellings, misspellings and undecided pairs of names."""

from datetime import UTC, datetime

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.fixtures.reference_fold import entities
from tests.fixtures.sentence_tables import table

from ricordo.language.facts.entity_names import most_frequent, normalise
from ricordo.language.facts.evidence import Evidence
from ricordo.memory.facts.clusters import EntityMention
from ricordo.memory.facts.entity_decisions import EntityDecision
from ricordo.memory.facts.entity_resolution import EntityResolver
from ricordo.memory.facts.name_matching import NameDirectory, is_misspelling, undecided_pairs

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("first", "second"),
    [("Zoë", "zoe"), ("  Marco  Rossi ", "marco rossi"), ("L’Aquila", "l'aquila"), ("Straße", "STRASSE")],
)
def test_spellings_of_one_name_meet(first: str, second: str) -> None:
    assert normalise(first) == normalise(second)


@example("🅪")
@given(st.text(max_size=40))
def test_normalising_twice_changes_nothing_and_leaves_no_control_characters(name: str) -> None:
    once = normalise(name)
    assert normalise(once) == once
    assert "\x00" not in once


def test_the_most_frequent_spelling_is_canonical() -> None:
    assert most_frequent({"nora": 1, "Nora": 2}) == "Nora"
    assert most_frequent({"nora": 1, "Nora": 1}) == "Nora"
    with pytest.raises(ValueError, match="spelling"):
        most_frequent({})


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


BROTHER, COLLEAGUE, UNNAMED = "has_sibling/m/brother", "knows//colleague", "?has_sibling/m/brother"


def addressing(*names: str, decisions: tuple[EntityDecision, ...] = ()) -> NameDirectory:
    return NameDirectory(EntityResolver((EntityMention(*name.split("|")) for name in names), decisions))


@pytest.mark.parametrize(("one", "other", "is_slip"), table(__file__, "slips"))
def test_names_that_a_slip_makes_of_each_other(one: str, other: str, *, is_slip: bool) -> None:
    assert (is_misspelling(one, other), is_misspelling(other, one)) == (is_slip, is_slip)


def test_people_are_known_by_each_name_that_means_one_of_them() -> None:
    known = addressing("Marco Rossi", "marco R.", f"Zeno|{BROTHER}", "brother|?has_sibling/m/brother")
    for name in ("MARCO ROSSI", " marco r.", "Zeno", "zeno (brother)", "Brother"):
        assert known.knows(name)
    for name in ("Marco", "Zeno (colleague)", "my brother", "", "user"):
        assert not known.knows(name)


def test_a_name_of_two_means_neither_until_one_bears_it_alone() -> None:
    two = (f"Marco|{BROTHER}", f"Marco|{COLLEAGUE}")
    assert not addressing(*two).knows("Marco")
    assert addressing(*two).meant("marco") == ("Marco (brother)", "Marco (colleague)")
    assert addressing(*two, "Marco").knows("Marco")


def test_who_were_decided_to_be_one_go_by_both_names() -> None:
    known = addressing("Nicola", "Zeno", decisions=(EntityDecision("nicola", "zeno", same=True),))
    assert known.knows("Nicola")
    assert known.knows("zeno")


@pytest.mark.parametrize(("name", "meant"), table(__file__, "the_likeliest_are_named"))
def test_the_likeliest_are_named(name: str, meant: tuple[str, ...]) -> None:
    people = ("Marco Rossi", "Cristina", "Nicola", f"brother|{UNNAMED}", "Wu")
    assert addressing(*people).meant(name) == meant


def brought_up(*names: str, decisions: list[EntityDecision] | None = None) -> list[tuple[str, str]]:
    """Return what is open once all of `names` are there, the last of which is new."""
    mentions = [EntityMention(*name.split("|")) for name in names]
    return undecided_pairs(EntityResolver(mentions, decisions or []), mentions[-1:])


@pytest.mark.parametrize(("one", "other", "may_be_one"), table(__file__, "pairs"))
def test_names_that_may_be_one_are_brought_up(one: str, other: str, *, may_be_one: bool) -> None:
    assert brought_up("Zeno", one, other) == [tuple(sorted((one.lower(), other.lower())))] * may_be_one


def test_whoever_shares_a_name_with_two_may_be_either() -> None:
    assert brought_up(f"Marco|{BROTHER}", f"Marco|{COLLEAGUE}", "Marco") == [
        ("marco", "marco (brother"),
        ("marco", "marco (colleague"),
    ]


@pytest.mark.parametrize("same", [True, False, None])
def test_what_is_decided_is_not_brought_up_again(*, same: bool | None) -> None:
    decisions = [EntityDecision("nico", "nicola", same=same)]
    assert brought_up("Nicola", "Nico", decisions=decisions) == []
    assert brought_up("Nico", "Nicola", "Nico Rossi", decisions=decisions) == [], "by another name either"


def test_one_message_brings_up_five_pairs_at_most() -> None:
    assert len(brought_up(*(f"Nicola{letter}" for letter in "abcdefghij"), "Nicola")) == 5

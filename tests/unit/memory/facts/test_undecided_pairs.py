"""What rules leave open is brought up once, and nothing else."""

import pytest

from ricordo.memory.facts import EntityDecision, EntityMention, EntityResolver, undecided_pairs
from ricordo.memory.facts.name_matching import NameIndex, name_vectors

BROTHER, COLLEAGUE = "has_sibling/m/brother", "knows//colleague"


def brought_up(*names: str, decisions: list[EntityDecision] | None = None) -> list[tuple[str, str]]:
    """Return what is open once all of `names` are there, the last of which is new."""
    mentions = [EntityMention(*name.split("|")) for name in names]
    return undecided_pairs(EntityResolver(mentions, decisions or []), mentions[-1:])


@pytest.mark.parametrize(
    ("one", "other"), [("Nicola", "Nico"), ("Cristina", "Christina"), ("Giulia", "Gulia"), ("Sara", "Sarah")]
)
def test_names_that_may_be_one_are_brought_up(one: str, other: str) -> None:
    assert brought_up("Zeno", one, other) == [tuple(sorted((one.lower(), other.lower())))]


@pytest.mark.parametrize(
    ("one", "other"), [("Marco", "Mario"), ("Anna", "Paolo"), ("Luca", "Lucia"), ("Al", "Alba")]
)
def test_names_that_are_others_are_not(one: str, other: str) -> None:
    assert brought_up(one, other) == []


def test_what_rules_have_merged_or_ties_exclude_is_not_open() -> None:
    assert brought_up("Marco Rossi", "Marco R.") == []
    assert brought_up(f"Nicola|{BROTHER}", f"Nico|{COLLEAGUE}") == []


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


def test_a_label_does_not_make_a_name_another() -> None:
    found = brought_up(f"Cristina|{BROTHER}", f"Cristina|{COLLEAGUE}", "Christina")
    assert found == [("christina", "cristina (brother"), ("christina", "cristina (colleague")]


def test_one_message_brings_up_five_pairs_at_most() -> None:
    assert len(brought_up(*(f"Nicola{letter}" for letter in "abcdefghij"), "Nicola")) == 5


def test_vectors_are_of_unit_norm_and_blank_ones_zero() -> None:
    vectors = name_vectors(["nico", "", "🦊"])
    assert [round(float(one @ one), 5) for one in vectors] == [1, 0, 1]
    assert NameIndex([]).near("") == []
    assert NameIndex(["", "🦊", "nico"]).near("🦊") == []

"""Who may be meant by a name that nobody goes by."""

import pytest

from ricordo.memory.facts import EntityDecision, EntityMention, EntityResolver, NameDirectory
from ricordo.memory.facts.name_matching import is_misspelling

BROTHER, COLLEAGUE, UNNAMED = "has_sibling/m/brother", "knows//colleague", "?has_sibling/m/brother"


def addressing(*names: str, decisions: tuple[EntityDecision, ...] = ()) -> NameDirectory:
    return NameDirectory(EntityResolver((EntityMention(*name.split("|")) for name in names), decisions))


@pytest.mark.parametrize(
    ("one", "other"),
    [("nicola", "nicloa"), ("nicola", "nicol"), ("sara", "sarah"), ("christina", "cristna"), ("ale", "lae")],
)
def test_names_that_a_slip_makes_of_each_other(one: str, other: str) -> None:
    assert is_misspelling(one, other)
    assert is_misspelling(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("nicola", "nicola"),
        ("anna", "enzo"),
        ("sara", "sahra b"),
        ("nicola", "nic"),
        ("ada", "aad b"),
        ("", "al"),
    ],
)
def test_names_that_no_slip_makes_of_each_other(one: str, other: str) -> None:
    assert not is_misspelling(one, other)
    assert not is_misspelling(other, one)


def test_people_are_known_by_each_name_that_means_one_of_them() -> None:
    known = addressing(
        "Marco Rossi", "marco R.", f"Zeno|{BROTHER}", "brother|?has_sibling/m/brother", "Ada|~"
    )
    for name in ("MARCO ROSSI", " marco r.", "Zeno", "zeno (brother)", "Brother"):
        assert known.knows(name)
    for name in ("Marco", "Zeno (colleague)", "my brother", "Ada", "", "user"):
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


def test_of_whom_nobody_says_that_the_user_knows_them_the_user_may_say_so() -> None:
    known = addressing("Oluwaseun", "Seun|~", "Messi|~")
    assert known.unknown(["Seun", "Oluwaseun"]) == []
    assert known.unknown(["Seun", "Messi"]) == ["Seun", "Messi"], "who are both nobody the user knows"
    assert known.unknown(["Oluwaseun", "Zoe"]) == ["Zoe"]


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("Marco", ("Marco Rossi",)),
        ("Cristinna", ("Cristina",)),
        ("Nico", ("Nicola",)),
        ("my brother", ("brother",)),
        ("Xanthippe", ()),
        ("🦊", ()),
    ],
)
def test_the_likeliest_are_named(name: str, meant: tuple[str, ...]) -> None:
    people = ("Marco Rossi", "Cristina", "Nicola", f"brother|{UNNAMED}", "Wu")
    assert addressing(*people).meant(name) == meant


def test_three_are_named_at_most_and_each_once() -> None:
    assert addressing(*(f"Nicola{one}" for one in "abcdef")).meant("Nicola") == (
        "Nicolaa",
        "Nicolab",
        "Nicolac",
    )

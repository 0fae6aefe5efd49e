"""The vocabulary is closed and consistent."""

from ricordo.memory.facts import FUNCTIONAL, PREDICATES


def test_functional_predicates() -> None:
    assert {"lives_in", "works_at", "age", "name", "partner", "birthday", "born_in"} == FUNCTIONAL


def test_opposites_are_mutual() -> None:
    for predicate in PREDICATES.values():
        if predicate.opposite is not None:
            assert PREDICATES[predicate.opposite].opposite == predicate.name


def test_all_predicates_are_there() -> None:
    assert len(PREDICATES) == 28

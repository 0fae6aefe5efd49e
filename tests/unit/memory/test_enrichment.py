"""What is derived of a message by rules: type, kind, topics, people, title, importance."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fixtures.sentence_tables import sentences
from tests.support.factories import feeling, reading

from ricordo.language.annotations import NEUTRAL, MemoryKind, MemoryType, Role
from ricordo.language.document import Document
from ricordo.memory.enrichment import enrich
from ricordo.memory.importance import importance, meaningfulness, rating_of_ten

TABLE = Path(__file__).with_name("enrichment.toml")


@pytest.mark.parametrize(("language", "expected"), sentences(TABLE, "types"))
def test_types(language: str, expected: dict[str, str]) -> None:
    found = {
        text: enrich(Document(text, language), reading=reading(text, **feeling(text, language))).type
        for text in expected
    }
    assert found == {text: MemoryType(kind) for text, kind in expected.items()}


@pytest.mark.parametrize(("language", "expected"), sentences(TABLE, "kinds"))
def test_kinds(language: str, expected: dict[str, str]) -> None:
    found = {text: enrich(Document(text, language)).kind for text in expected}
    assert found == {text: MemoryKind(kind) for text, kind in expected.items()}


def test_topics_are_told_without_articles_each_once() -> None:
    said = "La gita al mare, e poi la gita in montagna"
    read = reading(said, topics=["La gita", "al mare", "montagna"])
    assert enrich(Document(said, "it"), reading=read).topics == ("gita", "mare", "montagna")


def test_participants_are_speaker_present_and_mentioned_each_once() -> None:
    said = "Ciao anna, ho visto Marco"
    read = reading(said, people=["anna", "Marco"])
    present = ["Anna", "luca", "Marco Neri"]
    found = enrich(Document(said, "it"), reading=read, speaker="Luca", participants=present)
    assert found.participants == ("Luca", "Anna", "Marco Neri")


def test_a_title_is_short() -> None:
    assert (
        enrich(Document("Ieri ho adottato un cane. Si chiama Max!", "it")).title == "Ieri ho adottato un cane"
    )
    assert len(enrich(Document("parola " * 100, "it")).title) <= 80
    assert enrich(Document(" \n ", "it")).title == ""


@pytest.mark.parametrize("role", [Role.TOOL, Role.SYSTEM])
def test_machines_feel_nothing(role: Role) -> None:
    assert enrich(Document("I hate this!", "en"), role=role).emotion == NEUTRAL


@pytest.mark.parametrize("blank", ["  ", "\t", "\N{NO-BREAK SPACE}", " \N{NO-BREAK SPACE} "])
@pytest.mark.parametrize(
    ("said", "language"),
    [
        ("Mi sono sposato ieri con Anna", "it"),
        ("È morto mio padre", "it"),
        ("My mother died yesterday", "en"),
        ("We looked at the wedding dress with Paul", "en"),
        ("I was fired today", "en"),
    ],
)
def test_blanks_of_any_width_are_blanks(said: str, language: str, blank: str) -> None:
    assert enrich(Document(said.replace(" ", blank), language)) == enrich(Document(said, language))


READ = st.floats(0, 3)


@given(READ, READ)
def test_importance_rises_with_what_was_read(one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert 0 < importance(low) <= importance(high) <= 1


def test_one_importance_has_three_scales() -> None:
    assert (rating_of_ten(0), rating_of_ten(1)) == (1, 10)
    assert (meaningfulness(0), meaningfulness(1)) == (1, 5)

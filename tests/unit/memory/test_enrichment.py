"""What is derived of a message by rules: type, kind, topics, people, title."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fixtures.sentence_tables import sentences
from tests.support.factories import feeling, reading

from ricordo.language.annotations import NEUTRAL, MemoryKind, MemoryType, Role
from ricordo.language.document import Document
from ricordo.memory.enrichment import enrich

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


@given(
    st.text(max_size=400), st.sampled_from(["it", "en", "de", ""]), st.lists(st.text(max_size=12), max_size=3)
)
def test_any_text_can_be_enriched(said: str, language: str, present: list[str]) -> None:
    found = enrich(Document(said, language), participants=present)
    assert len(found.topics) <= 5
    assert len(found.title) <= 80
    assert 0 <= found.importance.value <= 1
    assert found == enrich(Document(said, language), participants=present)


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

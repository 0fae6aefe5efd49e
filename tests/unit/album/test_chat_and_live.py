"""What the chat suggests and how sure it says it is; which lines an event makes."""

from datetime import UTC, datetime
from uuid import uuid4

import pytest

from ricordo.messages.entities import EntityCard
from ricordo.messages.enumerations import EntityKind
from ricordo.messages.views import FactView
from ricordo_services.album.pages.chat import how_sure, questions_about
from ricordo_services.album.pages.live import items_of
from ricordo_services.album.texts import texts

NOW = datetime(2026, 5, 3, tzinfo=UTC)


def entity(kind: EntityKind | None, *ties: str, lives: bool = False) -> EntityCard:
    home = FactView(
        id=uuid4(),
        subject="Nora",
        predicate="lives_in",
        object="Cork",
        confidence=1,
        first_seen=NOW,
        last_reinforced=NOW,
    )
    return EntityCard(name="Nora", kind=kind, ties=ties, mentions=1, facts=(home,) if lives else ())


@pytest.mark.parametrize(
    ("card", "questions"),
    [
        (entity(EntityKind.PERSON, "has_sibling", lives=True), ["Where does Nora live?"]),
        (entity(EntityKind.ANIMAL, "has_pet"), ["Who is Nora?"]),
        (entity(EntityKind.PERSON), []),  # hardly known
        (entity(EntityKind.PLACE, "lives_in"), []),
        (entity(None, "knows"), []),
    ],
)
def test_a_question_is_suggested_of_whom_something_is_known(card: EntityCard, questions: list[str]) -> None:
    assert questions_about(card, texts("en")) == questions


def test_confidence_is_said_in_words() -> None:
    assert [how_sure(confidence) for confidence in (1.0, 0.5, 0.2)] == ["sure", "rather", "unsure"]


def test_each_item_of_an_event_is_a_line_but_for_what_a_recall_changed() -> None:
    changed = {"at": "t", "items": [{"fields": ["pinned"]}, {"fields": ["access_count", "importance"]}]}
    assert items_of("changed", changed) == [{"at": "t", "fields": ["pinned"]}]
    assert items_of("forgotten", {"at": "t", "scope": "message"}) == [{"at": "t", "scope": "message"}]


def test_both_languages_have_the_same_words() -> None:
    def names(table: object, before: str = "") -> set[str]:
        if not isinstance(table, dict):
            return {before}
        return {name for key, value in table.items() for name in names(value, f"{before}.{key}")}

    tables = [
        {name: texts(language)._words[name] for name in ("chat", "live", "sleep", "users")}
        for language in ("en", "it")
    ]
    assert names(tables[0]) == names(tables[1])

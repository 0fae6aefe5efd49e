from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from ricordo.language.query_analysis import analyse
from ricordo.language.query_analysis.asking import asks_for_a_time, nameless, nothing_but_time, speaking


@pytest.mark.parametrize(
    "query",
    [
        "When did Maria move?",
        "How long have I known Ada?",
        "Since when does he paint?",
        "What year was the trip?",
        "Quando ho visto Marta?",
        "Da quanto tempo suono il piano?",
        "In che anno ci siamo conosciuti?",
        "e quando torna?",
    ],
)
def test_a_question_for_a_time_is_known(query: str) -> None:
    assert asks_for_a_time(query)


@pytest.mark.parametrize(
    "query", ["What did I say when I left?", "Cosa dico quando parto?", "Che animale ho?", "whenever", ""]
)
def test_another_question_is_none(query: str) -> None:
    assert not asks_for_a_time(query)


def test_who_speaks_is_not_searched_for_by_name() -> None:
    assert nameless("What did Anna's sister paint", ["Anna"]) == "What did sister paint"
    assert nameless("cosa ha detto anna di Annalisa", ["Anna"]) == "cosa ha detto di Annalisa"
    assert nameless("Anna", ["Anna"]) == "Anna"
    assert nameless("a.b and axb", ["a.b"]) == "and axb"


def test_a_speaker_is_known_by_a_part_of_the_name() -> None:
    speakers = ["Anna Rossi", "Jean-Luc", " "]
    assert speaking(["anna", "Paolo", "Jean"], speakers) == {"anna": frozenset({"anna rossi"})}
    assert speaking([], speakers) == {}


@pytest.mark.parametrize(
    ("query", "bare"),
    [
        ("What did we do last week?", True),
        ("Cosa abbiamo fatto ieri?", True),
        ("Cosa è successo la settimana scorsa?", True),
        ("What did we cook last week?", False),
        ("Cosa ho fatto ieri con Marta?", False),
        ("What did Ada say last week?", False),
        ("How are you?", False),
    ],
)
def test_a_question_may_say_nothing_but_its_time(query: str, *, bare: bool) -> None:
    now = datetime(2026, 3, 12, 12, tzinfo=UTC)
    assert nothing_but_time(analyse(query, now=now, zone=ZoneInfo("Europe/Rome"))) is bare

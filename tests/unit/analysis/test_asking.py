import pytest

from ricordo.domain.analysis.asking import asks_when, nameless, speaking


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
    assert asks_when(query)


@pytest.mark.parametrize(
    "query", ["What did I say when I left?", "Cosa dico quando parto?", "Che animale ho?", "whenever", ""]
)
def test_another_question_is_none(query: str) -> None:
    assert not asks_when(query)


def test_who_speaks_is_not_searched_for_by_name() -> None:
    assert nameless("What did Anna's sister paint", ["Anna"]) == "What did sister paint"
    assert nameless("cosa ha detto anna di Annalisa", ["Anna"]) == "cosa ha detto di Annalisa"
    assert nameless("Anna", ["Anna"]) == "Anna"
    assert nameless("a.b and axb", ["a.b"]) == "and axb"


def test_a_speaker_is_known_by_a_part_of_the_name() -> None:
    speakers = ["Anna Rossi", "Jean-Luc", " "]
    assert speaking(["anna", "Paolo", "Jean"], speakers) == {"anna": frozenset({"anna rossi"})}
    assert speaking([], speakers) == {}

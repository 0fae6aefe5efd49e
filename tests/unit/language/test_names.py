"""People that texts name, told apart from places, days and words."""

from pathlib import Path

import pytest
from tests.fixtures.sentence_tables import sentences

from ricordo.language.document import Document
from ricordo.language.person_names import mentioned_names

TABLE = Path(__file__).with_name("names.toml")


@pytest.mark.parametrize(("language", "expected"), sentences(TABLE))
def test_people_are_told_apart_from_places_days_and_words(
    language: str, expected: dict[str, list[str]]
) -> None:
    assert {
        text: list(mentioned_names(Document(text, language), ["Davide Neri"])) for text in expected
    } == expected


def test_a_first_name_of_two_people_stays_as_it_is() -> None:
    assert mentioned_names(Document("Ho visto Davide", "it"), ["Davide Neri", "Davide Verdi"]) == ("Davide",)
    assert mentioned_names(Document("Ho visto Davide Verdi", "it"), ["Davide Neri", "Davide Verdi"]) == (
        "Davide Verdi",
    )


def test_a_name_has_four_words_at_the_most() -> None:
    assert all(len(name.split()) <= 4 for name in mentioned_names(Document("Marco Bianchi " * 200, "it")))

"""A text that states nothing, made to take long, is read in a time that grows with its length only."""

from datetime import UTC, datetime

import pytest
from tests.fixtures.growth import LINEAR, growth

from ricordo.memory.facts import extract

LONGEST = 8_192


@pytest.mark.parametrize("language", ["it", "en"])
@pytest.mark.parametrize(
    "part",
    [
        *("-", " -", ": ", "& ", "and ", "e ", "a@", "who, ", "e se ", "<recalled>", "'"),
        *(
            "my ",
            "her ",
            "(12) ",
            "since ",
            "remember ",
            "if so, and i ",
            "non so: ",
            "dell'",
            "c'",
            "Anna: ",
        ),
    ],
)
@pytest.mark.parametrize("end", ["", "?"])
def test_a_message_of_joints_alone_takes_no_longer_than_its_length(
    part: str, language: str, end: str
) -> None:
    def read(text: str) -> None:
        assert extract(text + end, language=language, speaker="", role="user") == ()

    assert growth(read, part, LONGEST) < LINEAR


@pytest.mark.parametrize(
    ("part", "language"),
    [
        ("I live in Rome since 2010 ", "en"),
        ("I visited Rome in 2019 and Paris in 2020 and ", "en"),
        ("Vivo a Roma dal 2010, ", "it"),
        ("da tre anni ", "it"),
    ],
)
def test_a_message_of_times_alone_takes_no_longer_than_its_length(part: str, language: str) -> None:
    def read(text: str) -> None:
        extract(text, language=language, at=datetime(2026, 2, 15, tzinfo=UTC))

    assert growth(read, part, LONGEST) < LINEAR

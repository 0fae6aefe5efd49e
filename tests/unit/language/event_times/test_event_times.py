"""When what messages tell happened: said on Thursday, 14 May 2026, in Rome.

The development set was looked at while the rules were written; the others were written before any result on
them was seen. Faults that they showed were mended by class, so that by now they have been seen, too.
"""

import csv
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple
from zoneinfo import ZoneInfo

import pytest
from tests.fixtures.sentence_tables import sentences, table

from ricordo.language.annotations import EventTime
from ricordo.language.document import Document
from ricordo.language.event_times.extraction import MOST, event_times
from ricordo.language.reading import UNREAD

HERE = Path(__file__).parent
ROME = ZoneInfo("Europe/Rome")
SAID = datetime(2026, 5, 14, 10, 30, tzinfo=ROME)
NOVEMBER = datetime(2026, 11, 10, 10, 30, tzinfo=ROME)


class Message(NamedTuple):
    language: str
    days: str
    text: str


def read(name: str) -> list[Message]:
    with (HERE / name).open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [Message(row["language"], row["days"], row["text"]) for row in rows]


DEVELOPMENT = read("times_development.tsv")
HELD_OUT = read("times_held_out.tsv")
FURTHER = read("times_further.tsv")
NAMED = read("times_named.tsv")
PRESENT = read("times_present.tsv")


def days(found: EventTime) -> str:
    first = found.start.astimezone(ROME).date()
    last = (found.end.astimezone(ROME) - timedelta(microseconds=1)).date()
    return f"{first}" if first == last else f"{first}..{last}"


def told(text: str, language: str) -> str:
    """Return the first time that a text tells."""
    return next((days(one) for one in event_times(Document(text, language), SAID, ROME)), "none")


@pytest.mark.parametrize("text", ["²³ maggio siamo partiti", "partiti il ²5 maggio", "partiti il ١٢ maggio"])
def test_a_date_in_other_digits_is_none_rather_than_half_of_one(text: str) -> None:
    assert told(text, "it") == "none"


@pytest.mark.parametrize(
    ("messages", "least"), [(DEVELOPMENT, 0.97), (HELD_OUT, 0.97), (FURTHER, 0.97), (PRESENT, 0.95)]
)
def test_times_are_told_seldom_wrongly(messages: Sequence[Message], least: float) -> None:
    found = [(one, told(one.text, one.language)) for one in messages]
    claimed = [(one, days) for one, days in found if days != "none"]
    expected = [(one, days) for one, days in found if one.days != "none"]
    precision = sum(one.days != "none" for one, _ in claimed) / len(claimed)
    recall = sum(days != "none" for _, days in expected) / len(expected)
    exact = sum(one.days == days for one, days in expected) / len(expected)
    assert precision >= 0.98
    assert recall >= least
    assert exact >= least


@pytest.mark.parametrize("language", ["it", "en"])
def test_names_and_titles_are_no_times(language: str) -> None:
    messages = [one for one in NAMED if one.language == language]
    found = [(one, told(one.text, language)) for one in messages]
    assert [one.text for one, days in found if one.days == "none" != days] == []
    expected = [(one, days) for one, days in found if one.days != "none"]
    assert sum(one.days == days for one, days in expected) >= 0.8 * len(expected)


@pytest.mark.parametrize(("language", "expected"), sentences(HERE / "first_time.toml"))
def test_first_time_is_the_one_of_what_is_told(language: str, expected: dict[str, str]) -> None:
    assert {text: told(text, language) for text in expected} == expected


def november(text: str, language: str) -> list[str]:
    """Return the times of a message of 10 November: a day, or day and hour if it is less than a day."""
    found = []
    for one in event_times(Document(text, language), NOVEMBER, ROME):
        start, end = one.start.astimezone(ROME), one.end.astimezone(ROME)
        if (end - start).total_seconds() < 20 * 3600:
            found.append(f"{start:%Y-%m-%d %H:%M}")
        else:
            length = (end.date() - start.date()).days
            found.append(f"{start:%Y-%m-%d}" + (f"+{length}" if length > 1 else ""))
    return found


@pytest.mark.parametrize(("language", "expected"), sentences(HERE / "direction.toml"))
def test_which_way_times_lie(language: str, expected: dict[str, list[str]]) -> None:
    assert {text: november(text, language) for text in expected} == expected


@pytest.mark.parametrize(("language", "expected"), sentences(HERE / "hours.toml"))
def test_hours(language: str, expected: dict[str, list[str]]) -> None:
    found = {text: [one.removeprefix("2026-") for one in november(text, language)] for text in expected}
    assert found == expected


@pytest.mark.parametrize(("language", "expected"), sentences(HERE / "spans.toml"))
def test_from_one_hour_to_another_both_are_of_one_day(language: str, expected: dict[str, str]) -> None:
    spans = {text: event_times(Document(text, language), NOVEMBER, ROME) for text in expected}
    assert {
        text: f"{one.start.astimezone(ROME):%m-%d %H:%M}-{one.end.astimezone(ROME):%H:%M}"
        for text, (one,) in spans.items()
    } == expected


def test_a_date_is_not_made_of_what_follows_it() -> None:
    assert november("Swam in the lake on Sunday, 9 degrees", "en") == ["2026-11-08"]
    assert november("Their baby is due in February, first one", "en") == ["2027-02-01+28"]


def test_of_very_many_times_the_first_are_kept() -> None:
    said = ", ".join(f"on {day} December at 9 lesson {day}" for day in range(1, 29))
    found = november(said, "en")
    assert len(found) == MOST
    assert found[:2] == ["2026-12-01 09:00", "2026-12-02 09:00"]


def test_days_begin_in_the_speakers_zone() -> None:
    late = datetime(2026, 5, 14, 22, 30, tzinfo=UTC)
    here = event_times(Document("Yesterday I fell", "en"), late, ROME)
    there = event_times(Document("Yesterday I fell", "en"), late, ZoneInfo("America/New_York"))
    assert here == (EventTime(datetime(2026, 5, 13, 22, tzinfo=UTC), datetime(2026, 5, 14, 22, tzinfo=UTC)),)
    assert there == (EventTime(datetime(2026, 5, 13, 4, tzinfo=UTC), datetime(2026, 5, 14, 4, tzinfo=UTC)),)


def test_a_moment_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="zone"):
        event_times(Document("yesterday", "en"), datetime(2026, 5, 14), ROME)  # noqa: DTZ001 - what is refused


@pytest.mark.parametrize("hostile", ["il 3 maggio ieri " * 2000, "in May on Monday " * 2000, "1 " * 16_000])
def test_a_long_text_made_of_nothing_but_times_is_read(hostile: str) -> None:
    for language in ("it", "en"):
        found = event_times(Document(hostile, language), SAID, ROME)
        assert all(one.start < one.end for one in found)


@pytest.mark.parametrize(("text", "language", "part"), table(__file__, "read_times"))
def test_what_was_read_of_a_time_says_which_way_it_lies(text: str, language: str, part: str) -> None:
    start = text.index(part)
    past, coming = (
        event_times(
            Document(text, language), SAID, ROME, replace(UNREAD, times=((start, start + len(part), way),))
        )
        for way in ("past", "future")
    )
    assert past[0].start < SAID < coming[0].start

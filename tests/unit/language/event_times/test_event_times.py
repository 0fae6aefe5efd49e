"""When what messages tell happened: said on Thursday, 14 May 2026, in Rome.

The development set was looked at while the rules were written; the others were written before any result on
them was seen. Faults that they showed were mended by class, so that by now they have been seen, too.
"""

import csv
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ricordo.language.annotations import EventTime
from ricordo.language.event_times.extraction import MOST, event_times

HERE = Path(__file__).parent
ROME = ZoneInfo("Europe/Rome")
SAID = datetime(2026, 5, 14, 10, 30, tzinfo=ROME)


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


def all_told(text: str, language: str) -> list[str]:
    return [days(one) for one in event_times(text, SAID, ROME, language)]


def told(text: str, language: str) -> str:
    """Return the first time that a text tells."""
    return next(iter(all_told(text, language)), "none")


@pytest.mark.parametrize("blank", ["  ", "\t", "\N{NO-BREAK SPACE}"])
def test_blanks_of_any_width_are_blanks(blank: str) -> None:
    for one in (*DEVELOPMENT, *NAMED):
        event_times(one.text.replace(" ", blank), SAID, ROME, one.language)
    assert told(blank.join(("We met on", "Friday with my sister")), "en") == "2026-05-08"
    assert told(blank.join(("Siamo partiti il", "3", "maggio")), "it") == "2026-05-03"


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


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        # The first of several.
        ("Next year we move, but yesterday we signed", "en", "2027-01-01..2027-12-31"),
        ("Nel 2019 mi sono laureata, ieri ho ritirato la pergamena", "it", "2019-01-01..2019-12-31"),
        ("Yesterday I ran, on Sunday I swam", "en", "2026-05-13"),
        # A question hung onto a statement.
        ("Ieri ho visto Marta, ci credi?", "it", "2026-05-13"),
        ("Did I tell you I saw Marta yesterday?", "en", "2026-05-13"),
        ("Ieri Marta, dove era?", "it", "none"),
        # The last of a range belongs to it.
        ("I was in Rome from Monday to Wednesday", "en", "2026-05-11..2026-05-13"),
        # A state is dated by its beginning only while it is young.
        ("I've been ill since Monday", "en", "2026-05-11..2026-05-14"),
        ("I have lived here since 2015", "en", "none"),
        # A date that "is" lies ahead, one on which something was does not.
        ("The concert is on 3 June", "en", "2026-06-03"),
        ("Il concerto è il 3 giugno", "it", "2026-06-03"),
        ("Si è sposata il 3 aprile", "it", "2026-04-03"),
        # Births that are news, and births that are facts.
        ("Sofia è nata ieri", "it", "2026-05-13"),
        ("Our daughter was born on 2 May", "en", "2026-05-02"),
        ("Our daughter was born on 2 May 2001", "en", "none"),
        ("Yesterday was my birthday", "en", "2026-05-13"),
        # Counted from elsewhere, the present at large, code and quotation.
        ("Due settimane dopo siamo partiti", "it", "none"),
        ("I giovani d'oggi non leggono", "it", "none"),
        ("```\nyesterday\n``` fails for me", "en", "none"),
        ("> see you on Friday\nok", "en", "none"),
        ("The meeting is at 5 pm", "en", "none"),
        ("Gestern war ich im Kino", "de", "none"),
    ],
)
def test_which_time_is_the_one_of_what_is_told(text: str, language: str, expected: str) -> None:
    assert told(text, language) == expected


def test_days_begin_in_the_speakers_zone() -> None:
    late = datetime(2026, 5, 14, 22, 30, tzinfo=UTC)
    here = event_times("Yesterday I fell", late, ROME, "en")
    there = event_times("Yesterday I fell", late, ZoneInfo("America/New_York"), "en")
    assert here == (EventTime(datetime(2026, 5, 13, 22, tzinfo=UTC), datetime(2026, 5, 14, 22, tzinfo=UTC)),)
    assert there == (EventTime(datetime(2026, 5, 13, 4, tzinfo=UTC), datetime(2026, 5, 14, 4, tzinfo=UTC)),)


def test_a_moment_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="zone"):
        event_times("yesterday", datetime(2026, 5, 14), ROME, "en")  # noqa: DTZ001 - what is refused


WORDS = st.sampled_from(
    "ieri yesterday last next lunedì Friday il 3 maggio May in 2019 ago fa due two weeks se if ? . ,".split()
)


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        # Nothing that belongs to a day is planned for it, and a clause that is past is past.
        ("Ho i biglietti per sabato", "it", "2026-05-16"),
        ("Ho le foto della festa di sabato", "it", "2026-05-09"),
        ("Martedì ho perso le chiavi e ora ho il mal di testa", "it", "2026-05-12"),
        ("I have a wedding on Saturday, my cousin's was a mess", "en", "2026-05-16"),
        # What is in a film, a book or a dream is no deed; to have seen it is one.
        ("Ieri ho visto un film in cui lui muore nel 1990", "it", "2026-05-13"),
        ("Ho visto un bel film ieri sera", "it", "2026-05-13"),
        ("Nel film lei muore a maggio", "it", "none"),
        ("`Ieri ho visto un film`", "it", "none"),
    ],
)
def test_the_present_tense_tells_of_plans_and_deeds_are_told_of_works(
    text: str, language: str, expected: str
) -> None:
    assert told(text, language) == expected


@given(
    st.one_of(st.text(max_size=200), st.lists(WORDS, max_size=30).map(" ".join)),
    st.sampled_from(["it", "en"]),
)
def test_times_end_after_they_begin_and_are_few_and_different(text: str, language: str) -> None:
    found = event_times(text, SAID, ROME, language)
    assert all(one.start < one.end for one in found)
    assert len(found) == len(set(found)) <= MOST


@pytest.mark.parametrize("hostile", ["il 3 maggio ieri " * 2000, "in May on Monday " * 2000, "1 " * 16_000])
def test_a_long_text_made_of_nothing_but_times_is_read(hostile: str) -> None:
    for language in ("it", "en"):
        found = event_times(hostile, SAID, ROME, language)
        assert all(one.start < one.end for one in found)

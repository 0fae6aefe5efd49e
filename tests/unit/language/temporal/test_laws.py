"""What holds for every text and every moment."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ricordo.language.temporal import Language, Preference, find
from ricordo.language.temporal.gregorian import add_months, days_in_year, easter, holiday
from ricordo.language.temporal.lexicon import LEXICONS, Kind

ZONES = st.sampled_from(
    [ZoneInfo(name) for name in ("UTC", "Europe/Rome", "America/New_York", "Pacific/Apia")]
)
MOMENTS = st.datetimes(timezones=st.just(UTC))
LANGUAGES = st.sampled_from(sorted(LEXICONS))
WORDS = st.sampled_from(
    sorted({" ".join(phrase) for lexicon in LEXICONS.values() for phrase in lexicon.phrases})
    + [str(number) for number in (0, 1, 2, 3, 12, 28, 29, 30, 31, 32, 99, 2016, 2024, 9999, 20161016)]
    + ["l'", "21st", "1°", "ventuno", "duemiladiciotto", "nineteen", "eighty", "casa", "house", "二月", "?"]
)
JOINED = st.lists(st.tuples(WORDS, st.sampled_from([" ", "", ", ", "/", "-", "\n"])), max_size=12).map(
    lambda pairs: "".join(word + sign for word, sign in pairs)
)


@given(
    text=st.text() | JOINED,
    now=MOMENTS,
    zone=ZONES,
    language=LANGUAGES,
    prefer=st.sampled_from(["past", "future"]),
)
def test_any_text_yields_spans_in_order_that_last(
    text: str, now: datetime, zone: ZoneInfo, language: Language, prefer: Preference
) -> None:
    last = 0
    for span in find(text, now, zone, language, prefer=prefer):
        assert span.start.tzinfo is UTC
        assert span.start < span.end <= span.through
        assert last <= span.span[0] < span.span[1] <= len(text)
        assert text[slice(*span.span)] == span.reference
        last = span.span[1]


@given(now=MOMENTS.filter(lambda moment: 10 < moment.year < 9990), zone=ZONES, language=LANGUAGES)
def test_yesterday_ends_where_today_begins(now: datetime, zone: ZoneInfo, language: Language) -> None:
    text = {"it": "ieri e oggi", "en": "yesterday and today"}[language]
    yesterday, today = find(text, now, zone, language)
    assert yesterday.end == today.start <= now < today.end


@given(
    now=MOMENTS.filter(lambda moment: 100 < moment.year < 9900),
    zone=ZONES,
    text=st.sampled_from(
        ["a maggio", "lunedì", "il 29 febbraio", "a Pasqua", "il 31", "nel fine settimana", "in estate"]
    ),
)
def test_the_preferred_reading_begins_before_or_ends_after_now(
    now: datetime, zone: ZoneInfo, text: str
) -> None:
    (past,) = find(text, now, zone, "it", prefer="past")
    (future,) = find(text, now, zone, "it", prefer="future")
    assert past.start <= now < future.end


@pytest.mark.parametrize(
    "piece", ["ieri ", "1 ", "1/", "3 days after ", "may ", "l'", "\ud800", "the first ", "due "]
)
def test_a_hostile_text_ends(piece: str) -> None:
    text = (piece * 32_768)[:32_768]
    for language in ("it", "en"):
        assert len(find(text, datetime(2026, 2, 4, tzinfo=UTC), ZoneInfo("UTC"), language)) < 200


@given(year=st.integers(1583, 9000))
def test_easter_is_a_spring_sunday(year: int) -> None:
    assert easter(year).weekday() == 6
    assert date(year, 3, 22) <= easter(year) <= date(year, 4, 25)


@given(day=st.dates(date(100, 1, 1), date(9000, 1, 1)), months=st.integers(-1000, 1000))
def test_months_are_added_and_taken_back_within_the_month(day: date, months: int) -> None:
    back = add_months(add_months(day, months), -months)
    assert (back.year, back.month) == (day.year, day.month)
    assert back.day <= day.day


def test_every_holiday_of_the_lexicons_has_a_date() -> None:
    named = {
        str(term.values[Kind.HOLIDAY])
        for lexicon in LEXICONS.values()
        for term in lexicon.phrases.values()
        if Kind.HOLIDAY in term.values
    }
    for name in named:
        first, after = holiday(name, 2026)
        assert first.year == 2026
        assert timedelta(0) < after - first <= timedelta(days=30)


@pytest.mark.parametrize(
    ("year", "month", "day", "date_"),
    [(2024, 9, 1, "2024-03-11"), (2019, 10, 1, "2019-06-04"), (1999, 1, 1, "1999-04-17")],
)
def test_the_islamic_calendar_is_within_a_day_of_what_was_observed(
    year: int, month: int, day: int, date_: str
) -> None:
    (tabular,) = days_in_year(year, month, day)
    assert abs(tabular - date.fromisoformat(date_)) <= timedelta(days=1)

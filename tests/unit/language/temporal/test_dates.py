"""What holds for every text and moment, for every date however it is written, and for every distance."""

from calendar import isleap
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.fixtures.sentence_tables import table

from ricordo.language.temporal.gregorian import add_months, days_in_year, easter, holiday
from ricordo.language.temporal.lexicon import LEXICONS, Kind
from ricordo.language.temporal.moments import Direction, Language, TimeSpan
from ricordo.language.temporal.time_extraction import find, resolve

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
    text: str, now: datetime, zone: ZoneInfo, language: Language, prefer: Direction
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
    (past,) = find(text, now, zone, "it")
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


SOME_ZONES = st.sampled_from(
    [ZoneInfo(name) for name in ("UTC", "Europe/Rome", "America/New_York", "Asia/Tokyo")]
)
NOW = datetime(2026, 2, 4, 15, 30, tzinfo=UTC)
OUR_MOMENTS = st.datetimes(datetime(1990, 1, 1), datetime(2060, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001
DATES = st.dates(date(1930, 1, 1), date(2090, 12, 31))
MONTHS: dict[Language, list[str]] = {
    "en": "January February March April May June July August September October November December".split(),
    "it": (
        "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre"
    ).split(),
}
WEEKDAYS: dict[Language, list[str]] = {
    "en": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split(),
    "it": "lunedì martedì mercoledì giovedì venerdì sabato domenica".split(),
}
WRITTEN = table(__file__, "written")


def ordinal(day: int) -> str:
    ending = "th" if 10 <= day <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    return f"{day}{ending}"


def write(way: tuple[Language, str], year: int, month: int, day: int, weekday: int = 0) -> str:
    language, pattern = way
    name = MONTHS[language][month - 1]
    return pattern.format(
        y=year, m=month, d=day, M=name, A=name[:3], th=ordinal(day), W=WEEKDAYS[language][weekday]
    )


def english(day: date) -> str:
    return write(("en", "{M} {d}, {y}"), day.year, day.month, day.day)


def days(span: TimeSpan | None, zone: ZoneInfo) -> tuple[date, date]:
    assert span is not None
    start, end = (instant.astimezone(zone).date() for instant in (span.start, span.end))
    # Compared as instants: in some years the clocks of a zone skip midnight.
    midnights = (datetime.combine(day, time(), zone).astimezone(UTC) for day in (start, end))
    assert (span.start, span.end) == tuple(midnights)
    return start, end


@given(day=DATES, way=st.sampled_from(WRITTEN), zone=SOME_ZONES)
def test_a_date_is_that_day_however_it_is_written(
    day: date, way: tuple[Language, str], zone: ZoneInfo
) -> None:
    text = write(way, day.year, day.month, day.day, day.weekday())
    assert days(resolve(text, NOW, zone, way[0]), zone) == (day, day + timedelta(days=1))


@given(
    year=st.integers(1930, 2090),
    impossible=st.sampled_from([(2, 29), (2, 30), (2, 31), (4, 31), (6, 31), (9, 31), (11, 31)]),
    way=st.sampled_from(WRITTEN),
)
def test_a_day_that_there_is_not_is_no_other_day(
    year: int, impossible: tuple[int, int], way: tuple[Language, str]
) -> None:
    assume(impossible != (2, 29) or not isleap(year))
    assert find(write(way, year, *impossible), NOW, ZoneInfo("UTC"), way[0]) == []


@given(day=DATES, length=st.integers(1, 60), zone=SOME_ZONES)
def test_a_range_goes_from_its_first_day_to_its_last(day: date, length: int, zone: ZoneInfo) -> None:
    last = day + timedelta(days=length)
    first_said, last_said = (f"{one.day} {MONTHS['it'][one.month - 1]} {one.year}" for one in (day, last))
    span = resolve(f"dal {first_said} al {last_said}", NOW, zone, "it")
    assert days(span, zone) == (day, last)
    assert span is not None
    assert span.through.astimezone(zone).date() == last + timedelta(days=1)
    assert days(resolve(f"{english(day)} to {english(last)}", NOW, zone, "en"), zone) == (day, last)


@given(now=OUR_MOMENTS, count=st.integers(1, 400), zone=SOME_ZONES)
def test_distances_are_counted_from_today(now: datetime, count: int, zone: ZoneInfo) -> None:
    today = now.astimezone(zone).date()
    told: tuple[tuple[str, Language, int], ...] = (
        (f"{count} days ago", "en", -count),
        (f"{count} weeks ago", "en", -7 * count),
        (f"in {count} days", "en", count),
        (f"{count} giorni fa", "it", -count),
        (f"fra {count} settimane", "it", 7 * count),
        (f"{count} days before yesterday", "en", -count - 1),
    )
    for text, language, days_away in told:
        expected = today + timedelta(days=days_away)
        assert days(resolve(text, now, zone, language), zone)[0] == expected


@given(now=OUR_MOMENTS, weekday=st.integers(0, 6), zone=SOME_ZONES)
def test_weekdays_are_counted_back_and_ahead(now: datetime, weekday: int, zone: ZoneInfo) -> None:
    today = now.astimezone(zone).date()

    def day(text: str, language: Language) -> date:
        return days(resolve(text, now, zone, language), zone)[0]

    name, italian = WEEKDAYS["en"][weekday], WEEKDAYS["it"][weekday]
    last = day(f"last {name}", "en")
    assert last.weekday() == weekday
    assert 1 <= (today - last).days <= 7
    assert day(name, "en") == day(italian, "it") == last
    assert day(f"{name} before last", "en") == last - timedelta(weeks=1)
    assert day(f"two {name}s ago", "en") == last - timedelta(weeks=1)
    of_week = day(f"{name} of last week", "en")
    assert of_week.isocalendar()[:2] == (today - timedelta(weeks=1)).isocalendar()[:2]
    assert day(f"{italian} di due settimane fa", "it") == of_week - timedelta(weeks=1)


@given(year=st.integers(1950, 2090), number=st.integers(1, 53), zone=SOME_ZONES)
def test_weeks_are_numbered_as_in_iso_8601(year: int, number: int, zone: ZoneInfo) -> None:
    assume(number <= date(year, 12, 28).isocalendar().week)
    monday = date.fromisocalendar(year, number, 1)
    week = (monday, monday + timedelta(weeks=1))
    assert days(resolve(f"week {number} of {year}", NOW, zone, "en"), zone) == week


@given(
    year=st.integers(1950, 2090),
    month=st.integers(1, 12),
    n=st.sampled_from([1, 2, 3, 4, -1]),
    zone=SOME_ZONES,
)
def test_parts_of_a_month_lie_in_it(year: int, month: int, n: int, zone: ZoneInfo) -> None:
    name = MONTHS["it"][month - 1]
    which = {1: "primo", 2: "secondo", 3: "terzo", 4: "quarto", -1: "ultimo"}[n]
    whole = days(resolve(f"a {name} {year}", NOW, zone, "it"), zone)
    for part in ("lunedì", "venerdì", "giorno"):
        first, after = days(resolve(f"{which} {part} di {name} {year}", NOW, zone, "it"), zone)
        assert whole[0] <= first < after <= whole[1]
    early, mid, late = (
        days(resolve(f"{edge} {name} {year}", NOW, zone, "it"), zone) for edge in ("inizio", "metà", "fine")
    )
    assert whole[0] == early[0] < mid[0] < late[0] < late[1] == whole[1]

"""What holds for every date, however it is written, and for every distance."""

from calendar import isleap
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from hypothesis import assume, given
from hypothesis import strategies as st
from tests.fixtures.sentence_tables import table

from ricordo.language.temporal import Language, TimeSpan, find, resolve

ZONES = st.sampled_from([ZoneInfo(name) for name in ("UTC", "Europe/Rome", "America/New_York", "Asia/Tokyo")])
NOW = datetime(2026, 2, 4, 15, 30, tzinfo=UTC)
MOMENTS = st.datetimes(datetime(1990, 1, 1), datetime(2060, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001
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


@given(day=DATES, way=st.sampled_from(WRITTEN), zone=ZONES)
def test_a_date_is_that_day_however_it_is_written(
    day: date, way: tuple[Language, str], zone: ZoneInfo
) -> None:
    text = write(way, day.year, day.month, day.day, day.weekday())
    assert days(resolve(text, NOW, zone, way[0]), zone) == (day, day + timedelta(days=1))


@given(
    year=st.integers(1930, 2090),
    impossible=st.sampled_from([(2, 30), (2, 31), (4, 31), (6, 31), (9, 31), (11, 31)]),
    way=st.sampled_from(WRITTEN),
)
def test_a_day_that_there_is_not_is_no_other_day(
    year: int, impossible: tuple[int, int], way: tuple[Language, str]
) -> None:
    assert find(write(way, year, *impossible), NOW, ZoneInfo("UTC"), way[0]) == []


@given(year=st.integers(1930, 2090).filter(lambda year: not isleap(year)), way=st.sampled_from(WRITTEN))
def test_leap_days_are_there_in_leap_years_only(year: int, way: tuple[Language, str]) -> None:
    assert find(write(way, year, 2, 29), NOW, ZoneInfo("UTC"), way[0]) == []


@given(day=DATES, length=st.integers(1, 60), zone=ZONES)
def test_a_range_goes_from_its_first_day_to_its_last(day: date, length: int, zone: ZoneInfo) -> None:
    last = day + timedelta(days=length)
    first_said, last_said = (f"{one.day} {MONTHS['it'][one.month - 1]} {one.year}" for one in (day, last))
    span = resolve(f"dal {first_said} al {last_said}", NOW, zone, "it")
    assert days(span, zone) == (day, last)
    assert span is not None
    assert span.through.astimezone(zone).date() == last + timedelta(days=1)
    assert days(resolve(f"{english(day)} to {english(last)}", NOW, zone, "en"), zone) == (day, last)


@given(now=MOMENTS, count=st.integers(1, 400), zone=ZONES)
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


@given(now=MOMENTS, weekday=st.integers(0, 6), zone=ZONES)
def test_weekdays_are_counted_back_and_ahead(now: datetime, weekday: int, zone: ZoneInfo) -> None:
    today = now.astimezone(zone).date()

    def day(text: str, language: Language) -> date:
        return days(resolve(text, now, zone, language, prefer="past"), zone)[0]

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


@given(year=st.integers(1950, 2090), number=st.integers(1, 53), zone=ZONES)
def test_weeks_are_numbered_as_in_iso_8601(year: int, number: int, zone: ZoneInfo) -> None:
    assume(number <= date(year, 12, 28).isocalendar().week)
    monday = date.fromisocalendar(year, number, 1)
    week = (monday, monday + timedelta(weeks=1))
    assert days(resolve(f"week {number} of {year}", NOW, zone, "en"), zone) == week


@given(
    year=st.integers(1950, 2090), month=st.integers(1, 12), n=st.sampled_from([1, 2, 3, 4, -1]), zone=ZONES
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

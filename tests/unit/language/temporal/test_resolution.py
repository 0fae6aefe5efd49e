"""Times in words, against a fixed moment: Wednesday, 4 February 2026, half past three in Rome."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from ricordo.language.temporal import EARLIEST, LATEST, Language, TimeSpan, find, resolve

ROME = ZoneInfo("Europe/Rome")
NOW = datetime(2026, 2, 4, 15, 30, tzinfo=ROME)


def local(span: TimeSpan | None) -> tuple[str, str]:
    assert span is not None
    start, end = (instant.astimezone(ROME).replace(tzinfo=None) for instant in (span.start, span.end))
    return start.isoformat(timespec="minutes"), end.isoformat(timespec="minutes")


def days(start: str, end: str) -> tuple[str, str]:
    return f"{start}T00:00", f"{end}T00:00"


@pytest.mark.parametrize(
    ("text", "language", "start", "end"),
    [
        ("Cosa abbiamo fatto ieri?", "it", "2026-02-03", "2026-02-04"),
        ("What did we do yesterday?", "en", "2026-02-03", "2026-02-04"),
        ("oggi", "it", "2026-02-04", "2026-02-05"),
        ("today", "en", "2026-02-04", "2026-02-05"),
        ("l'altro ieri", "it", "2026-02-02", "2026-02-03"),
        ("avantieri", "it", "2026-02-02", "2026-02-03"),
        ("the day before yesterday", "en", "2026-02-02", "2026-02-03"),
        ("dopodomani", "it", "2026-02-06", "2026-02-07"),
        ("la settimana scorsa", "it", "2026-01-26", "2026-02-02"),
        ("la scorsa settimana", "it", "2026-01-26", "2026-02-02"),
        ("last week", "en", "2026-01-26", "2026-02-02"),
        ("questa settimana", "it", "2026-02-02", "2026-02-09"),
        ("next week", "en", "2026-02-09", "2026-02-16"),
        ("la settimana dopo la prossima", "it", "2026-02-16", "2026-02-23"),
        ("il mese scorso", "it", "2026-01-01", "2026-02-01"),
        ("last year", "en", "2025-01-01", "2026-01-01"),
        ("tre giorni fa", "it", "2026-02-01", "2026-02-02"),
        ("two weeks ago", "en", "2026-01-21", "2026-01-22"),
        ("1 mese e 21 giorni fa", "it", "2025-12-14", "2025-12-15"),
        ("fra tre giorni", "it", "2026-02-07", "2026-02-08"),
        ("in 10 days", "en", "2026-02-14", "2026-02-15"),
        ("3 days after Christmas", "en", "2025-12-28", "2025-12-29"),
        ("lunedì", "it", "2026-02-02", "2026-02-03"),
        ("mercoledì", "it", "2026-01-28", "2026-01-29"),
        ("last Friday", "en", "2026-01-30", "2026-01-31"),
        ("this Friday", "en", "2026-02-06", "2026-02-07"),
        ("il venerdì della settimana scorsa", "it", "2026-01-30", "2026-01-31"),
        ("nel fine settimana", "it", "2026-01-31", "2026-02-02"),
        ("a maggio", "it", "2025-05-01", "2025-06-01"),
        ("last May", "en", "2025-05-01", "2025-06-01"),
        ("nel febbraio", "it", "2026-02-01", "2026-03-01"),
        ("June of 1999", "en", "1999-06-01", "1999-07-01"),
        ("l'estate del 2023", "it", "2023-06-01", "2023-09-01"),
        ("the summer of 2023", "en", "2023-06-01", "2023-09-01"),
        ("l'estate scorsa", "it", "2025-06-01", "2025-09-01"),
        ("in 2022", "en", "2022-01-01", "2023-01-01"),
        ("nel duemiladiciotto", "it", "2018-01-01", "2019-01-01"),
        ("negli anni '80", "it", "1980-01-01", "1990-01-01"),
        ("the nineties", "en", "1990-01-01", "2000-01-01"),
        ("a Natale", "it", "2025-12-25", "2025-12-26"),
        ("Pasqua 2019", "it", "2019-04-21", "2019-04-22"),
        ("last Thanksgiving", "en", "2025-11-27", "2025-11-28"),
        ("il 3 maggio", "it", "2025-05-03", "2025-05-04"),
        ("il 15", "it", "2026-01-15", "2026-01-16"),
        ("on the 21st", "en", "2026-01-21", "2026-01-22"),
        ("giovedì 22", "it", "2026-01-22", "2026-01-23"),
        ("September the twenty-first nineteen seventy eight", "en", "1978-09-21", "1978-09-22"),
        ("sono nato il 12/05/1990", "it", "1990-05-12", "1990-05-13"),
        ("born on 12/05/1990", "en", "1990-12-05", "1990-12-06"),
        ("25/12/2023", "en", "2023-12-25", "2023-12-26"),
        ("2023-12-25T10:00:00Z", "en", "2023-12-25", "2023-12-26"),
        ("29/2", "it", "2024-02-29", "2024-03-01"),
        ("the first Friday of July 2025", "en", "2025-07-04", "2025-07-05"),
        ("la terza settimana del 2027", "it", "2027-01-18", "2027-01-25"),
        ("il terzo trimestre dell'anno scorso", "it", "2025-07-01", "2025-10-01"),
        ("la settimana del 10 aprile", "it", "2025-04-07", "2025-04-14"),
        ("alla fine di marzo", "it", "2025-03-16", "2025-04-01"),
        ("early last week", "en", "2026-01-26", "2026-01-29"),
        ("dal 2010 al 2018", "it", "2010-01-01", "2018-01-01"),
        ("from November 2024 to February 2025", "en", "2024-11-01", "2025-02-01"),
        ("Nov-Feb 2017", "en", "2016-11-01", "2017-02-01"),
    ],
)
def test_words_name_whole_days(text: str, language: Language, start: str, end: str) -> None:
    assert local(resolve(text, NOW, ROME, language)) == days(start, end)


@pytest.mark.parametrize(
    ("text", "language", "start", "end"),
    [
        ("negli ultimi 7 giorni", "it", "2026-01-28T15:30", "2026-02-04T15:30"),
        ("in the last week", "en", "2026-01-28T15:30", "2026-02-04T15:30"),
        ("nell'ultima settimana", "it", "2026-01-28T15:30", "2026-02-04T15:30"),
        ("stamattina", "it", "2026-02-04T06:00", "2026-02-04T12:00"),
        ("ieri sera", "it", "2026-02-03T18:00", "2026-02-03T23:00"),
        ("stanotte ho sognato", "it", "2026-02-03T23:00", "2026-02-04T06:00"),
        ("last night", "en", "2026-02-03T18:00", "2026-02-04T06:00"),
        ("nel pomeriggio di ieri", "it", "2026-02-03T12:00", "2026-02-03T18:00"),
        ("ieri sera alle 8", "it", "2026-02-03T20:00", "2026-02-03T21:00"),
        ("ieri dalle 17 alle 19", "it", "2026-02-03T17:00", "2026-02-03T19:00"),
        ("yesterday from 5 to 7pm", "en", "2026-02-03T17:00", "2026-02-03T19:00"),
        ("an hour ago", "en", "2026-02-04T14:30", "2026-02-04T15:30"),
        ("mezz'ora fa", "it", "2026-02-04T15:00", "2026-02-04T15:01"),
        ("at 9pm", "en", "2026-02-03T21:00", "2026-02-03T22:00"),
        ("da lunedì", "it", "2026-02-02T00:00", "2026-02-04T15:30"),
    ],
)
def test_words_name_hours(text: str, language: Language, start: str, end: str) -> None:
    assert local(resolve(text, NOW, ROME, language)) == (start, end)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("31 febbraio", "it"),
        ("il 30/2", "it"),
        ("February 30", "en"),
        ("the fifth Sunday of February 2026", "en"),
        ("ho due cani", "it"),
        ("il 15% di sconto", "it"),
        ("la prima volta che sei andato", "it"),
        ("fa freddo", "it"),
        ("secondo me è la terza persona", "it"),
        ("ogni lunedì vado a nuotare", "it"),
        ("every Monday", "en"),
        ("mi piace la primavera", "it"),
        ("il capodanno cinese", "it"),
        ("I may go", "en"),
        ("these views may differ, and may change", "en"),
        ("the sun is shining", "en"),
        ("the second one", "en"),
        ("the school year", "en"),
        ("room 2012 was cold", "en"),
        ("2000 euros", "en"),
        ("call me at 555-1234", "en"),
        ("v1.2.3 weighs 1.5 kg", "en"),
        ("id=3am3ioYc and 82-2100", "en"),
        ("the year 0", "en"),
        ("10000-01-01", "en"),
        ("200000 years ago", "en"),
        ("999999999999999999999999 days ago", "en"),
        ("", "it"),
        ("?!… --", "en"),
        ("二月 вчера", "en"),
    ],
)
def test_no_time_is_found_where_none_is_named(text: str, language: Language) -> None:
    assert find(text, NOW, ROME, language) == []


def test_the_future_is_preferred_on_request() -> None:
    future = {
        text: local(resolve(text, NOW, ROME, "it", prefer="future"))
        for text in ("a maggio", "venerdì", "il 3")
    }
    assert future == {
        "a maggio": days("2026-05-01", "2026-06-01"),
        "venerdì": days("2026-02-06", "2026-02-07"),
        "il 3": days("2026-03-03", "2026-03-04"),
    }


def test_a_range_tells_where_its_last_day_ends() -> None:
    span = resolve("tra il 3 e il 5 marzo", NOW, ROME, "it")
    assert span is not None
    assert local(span) == days("2025-03-03", "2025-03-05")
    assert span.through.astimezone(ROME).date().isoformat() == "2025-03-06"


def test_open_spans_reach_as_far_as_instants_do() -> None:
    before = resolve("prima del 2010", NOW, ROME, "it")
    after = resolve("dopo domani", NOW, ROME, "it")
    until = resolve("after the year 2030", NOW, ROME, "en")
    assert before is not None
    assert before.start == EARLIEST
    assert local(after) == days("2026-02-06", "2026-02-07")
    assert until is not None
    assert until.end == LATEST
    for zone in ("Pacific/Kiritimati", "Etc/GMT+12"):
        assert before.start.astimezone(ZoneInfo(zone)) < until.end.astimezone(ZoneInfo(zone))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("ieri", "relative"),
        ("il 3 maggio 2024", "exact"),
        ("maggio 2024", "range"),
        ("tra il 3 e il 5 marzo", "range"),
    ],
)
def test_the_type_tells_how_the_time_is_told(text: str, kind: str) -> None:
    span = resolve(text, NOW, ROME, "it")
    assert span is not None
    assert span.type == kind


def test_words_for_a_neighbourhood_are_told_apart() -> None:
    approximate = {
        text: span.approximate
        for text in ("due settimane fa", "tre giorni fa", "ieri", "a fine gennaio")
        if (span := resolve(text, NOW, ROME, "it"))
    }
    assert approximate == {
        "due settimane fa": True,
        "tre giorni fa": False,
        "ieri": False,
        "a fine gennaio": True,
    }


def test_several_times_are_found_in_order_with_their_places() -> None:
    text = "Ieri ero a Roma, la settimana scorsa a Milano e il 3 maggio 2024 in Francia."
    found = find(text, NOW, ROME, "it")
    assert [span.reference for span in found] == ["Ieri", "la settimana scorsa", "il 3 maggio 2024"]
    assert all(text[span.span[0] : span.span[1]] == span.reference for span in found)


def test_days_are_those_of_the_zone() -> None:
    instant = datetime(2026, 2, 4, 23, 30, tzinfo=UTC)
    rome, new_york = (
        resolve("today", instant, ZoneInfo(z), "en") for z in ("Europe/Rome", "America/New_York")
    )
    assert rome is not None
    assert new_york is not None
    assert rome.start == datetime(2026, 2, 4, 23, 0, tzinfo=UTC)
    assert new_york.start == datetime(2026, 2, 4, 5, 0, tzinfo=UTC)


@pytest.mark.parametrize(("day", "hours"), [("2026-03-30", 23), ("2026-10-26", 25), ("2026-07-01", 24)])
def test_yesterday_has_as_many_hours_as_it_had(day: str, hours: int) -> None:
    yesterday = resolve("ieri", datetime.fromisoformat(f"{day}T10:00").replace(tzinfo=ROME), ROME, "it")
    assert yesterday is not None
    assert yesterday.end - yesterday.start == timedelta(hours=hours)


def test_hours_pass_across_the_end_of_summer_time() -> None:
    span = resolve("3 hours ago", datetime(2026, 10, 25, 4, 30, tzinfo=ROME), ROME, "en")
    assert span is not None
    assert span.start == datetime(2026, 10, 25, 0, 30, tzinfo=UTC)


def test_a_naive_moment_is_refused() -> None:
    naive = datetime(2026, 2, 4)  # noqa: DTZ001 - the point of the test
    with pytest.raises(ValueError, match="time zone"):
        resolve("ieri", naive, ROME, "it")


@pytest.mark.parametrize(
    ("text", "language", "start"),
    [
        ("Please cancel Sunday", "en", "2026-02-08"),
        ("Book a table for Friday", "en", "2026-02-06"),
        ("I booked a table for Friday", "en", "2026-02-06"),
        ("Remind me on Monday to call Anna", "en", "2026-02-09"),
        ("We'll see Nora on Saturday", "en", "2026-02-07"),
        ("On Saturday we're visiting Nora", "en", "2026-02-07"),
        ("I'm flying to Oslo in May", "en", "2026-05-01"),
        ("I have a dentist appointment on Tuesday", "en", "2026-02-10"),
        ("Annulla la cena di domenica", "it", "2026-02-08"),
        ("Prenota un tavolo per venerdì", "it", "2026-02-06"),
        ("Ricordami lunedì di chiamare Anna", "it", "2026-02-09"),
        ("Sabato andremo da Nora", "it", "2026-02-07"),
        ("Ci vediamo venerdì!", "it", "2026-02-06"),
        ("A maggio mi trasferirò a Lecce", "it", "2026-05-01"),
        ("Devo vedere Anna lunedì", "it", "2026-02-09"),
        # What is told of the past, and what says nothing of it, lies behind.
        ("On Sunday we visited Nora", "en", "2026-02-01"),
        ("I have to tell you what happened on Friday", "en", "2026-01-30"),
        ("Sunday was wonderful. I will write more.", "en", "2026-02-01"),
        ("Domenica siamo andati al mare, però pioveva", "it", "2026-02-01"),
        ("Non posso credere a quello che è successo venerdì", "it", "2026-01-30"),
        ("A maggio abbiamo visitato Lecce", "it", "2025-05-01"),
        ("Concerto di venerdì", "it", "2026-01-30"),
    ],
)
def test_what_is_told_lies_where_its_words_say(text: str, language: Language, start: str) -> None:
    assert local(resolve(text, NOW, ROME, language))[0] == f"{start}T00:00"


@pytest.mark.parametrize(
    ("text", "language", "start"),
    [
        ("Did I cancel Sunday?", "en", "2026-02-01"),
        ("Cosa devo sapere di venerdì?", "it", "2026-01-30"),
    ],
)
def test_a_question_prefers_the_past(text: str, language: Language, start: str) -> None:
    assert local(resolve(text, NOW, ROME, language, prefer="past"))[0] == f"{start}T00:00"

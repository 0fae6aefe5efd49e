"""Which way times lie, and several of them in one message: said on Tuesday, 10 November 2026, in Rome."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from ricordo.language.event_times.extraction import MOST, event_times

ROME = ZoneInfo("Europe/Rome")
SAID = datetime(2026, 11, 10, 10, 30, tzinfo=ROME)


def told(text: str, language: str, said: datetime = SAID) -> list[str]:
    """Return the times that a text tells: the day, or from when, if it is less than a day."""
    found = []
    for one in event_times(text, said, ROME, language):
        start, end = one.start.astimezone(ROME), one.end.astimezone(ROME)
        if (end - start).total_seconds() < 20 * 3600:
            found.append(f"{start:%Y-%m-%d %H:%M}")
        else:
            days = (end.date() - start.date()).days
            found.append(f"{start:%Y-%m-%d}" + (f"+{days}" if days > 1 else ""))
    return found


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("The plumber comes Friday 4 December at 10", "en", "2026-12-04 10:00"),
        ("Friday 4 December, rehearsal in the church hall", "en", "2026-12-04"),
        ("On Friday 4 December we went to the sea", "en", "2020-12-04"),
        ("Venerdì 4 dicembre recita di Giulia", "it", "2026-12-04"),
        ("Venerdì 4 dicembre siamo andati al mare", "it", "2020-12-04"),
        ("Il matrimonio di Luca è sabato 12 giugno", "it", "2027-06-12"),
        ("Monday 2 November was a mess", "en", "2026-11-02"),
        # A slip of the weekday does not send an appointment years away.
        ("I have my check-up on Friday 5 December", "en", "2026-12-05"),
    ],
)
def test_a_weekday_beside_a_date_picks_the_year(text: str, language: str, expected: str) -> None:
    assert told(text, language) == [expected]


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("Ho preso i biglietti per il 5 gennaio", "it", "2027-01-05"),
        ("Presi i biglietti! il 5 gennaio si va a Siviglia", "it", "2027-01-05"),
        ("Mi sono iscritta alla mezza maratona del 14 marzo", "it", "2027-03-14"),
        ("Ho comprato i biglietti il 3 novembre", "it", "2026-11-03"),
        ("Got tickets for the musical on 5 January", "en", "2027-01-05"),
        ("We booked the cottage for 12 June", "en", "2027-06-12"),
        ("I bought the tickets on Saturday", "en", "2026-11-07"),
    ],
)
def test_what_was_booked_lies_ahead(text: str, language: str, expected: str) -> None:
    assert told(text, language) == [expected]


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("Giovedì ho la visita dal cardiologo", "it", "2026-11-12"),
        ("Giovedì ho avuto la visita dal cardiologo", "it", "2026-11-05"),
        ("My aunt's coming on Saturday", "en", "2026-11-14"),
        ("My aunt came on Saturday", "en", "2026-11-07"),
        ("Sabato alle 18 aperitivo con Nadia", "it", "2026-11-14 18:00"),
        ("Ci siamo visti sabato alle 18", "it", "2026-11-07 18:00"),
        ("Saturday at 3, choir practice", "en", "2026-11-14 15:00"),
        ("On Saturday at 3, we lost the match", "en", "2026-11-07 15:00"),
        ("Sat 5 Dec 2pm, ice rink with the twins", "en", "2026-12-05 14:00"),
        ("12 December, at the clinic", "en", "2026-12-12"),
        ("12 settembre, festa di paese", "it", "2026-09-12"),
        ("My passport is due for renewal on 2 February", "en", "2027-02-02"),
        ("Dal 1 dicembre lavoro a Pavia", "it", "2026-12-01"),
        ("Devo pagare la tassa entro il 30 novembre", "it", "2026-11-30"),
        ("Can you remind me to post the forms by 13 December", "en", "2026-12-13"),
        ("Ho la tosse da sabato", "it", "2026-11-07+3"),
    ],
)
def test_appointments_lie_ahead_and_deeds_back(text: str, language: str, expected: str) -> None:
    found = told(text, language)
    assert [one.partition("+")[0] for one in found] == [expected.partition("+")[0]]


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        (
            "Mercoledì 18 alle 9:30 dentista, sabato 21 alle 20:30 concerto; venerdì 27 ne ho due",
            "it",
            ["2026-11-18 09:30", "2026-11-21 20:30", "2026-11-27"],
        ),
        (
            "Venerdì 27 novembre alle 8:15 viene l'idraulico, alle 15:30 colloquio a scuola",
            "it",
            ["2026-11-27 08:15", "2026-11-27 15:30"],
        ),
        (
            "Domani alle 9 chiamo la banca, alle 16 prendo i bambini",
            "it",
            ["2026-11-11 09:00", "2026-11-11 16:00"],
        ),
        (
            "Tues 17 November is full. Optician 9:15, then 2:40 the man about the roof",
            "en",
            ["2026-11-17 09:15", "2026-11-17 14:40"],
        ),
        (
            "A dicembre: il 3 saggio, il 12 recita, il 20 pizzata",
            "it",
            ["2026-12-03", "2026-12-12", "2026-12-20"],
        ),
        ("Next week: Monday physio, Thursday parents' evening", "en", ["2026-11-16", "2026-11-19"]),
        ("Giovedì prossimo, il 19, dentista alle 8:40", "it", ["2026-11-19 08:40"]),
        ("Parto venerdì e torno lunedì", "it", ["2026-11-13", "2026-11-16"]),
        ("Yesterday I signed, next month we move", "en", ["2026-11-09", "2026-12-01+31"]),
        ("Visita fissata per martedì 17 ore 8.30", "it", ["2026-11-17 08:30"]),
    ],
)
def test_several_times_are_kept_in_the_order_of_the_text(
    text: str, language: str, expected: list[str]
) -> None:
    assert told(text, language) == expected


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("Giovedì 12 novembre, non martedì 17!", "it", ["2026-11-12"]),
        ("It's Thursday 19 November, not Tuesday 17", "en", ["2026-11-19"]),
        ("Non sabato ma domenica alle 11", "it", ["2026-11-15 11:00"]),
        ("The exam has been moved from Monday 16 November to Thursday 19 November", "en", ["2026-11-19"]),
        ("La riunione è stata spostata da lunedì 16 a giovedì 19", "it", ["2026-11-19"]),
        # Of which month was said before.
        ("Sorry, it's the 24th, not the 21st", "en", []),
        ("Scusa, il 24 non il 21", "it", []),
    ],
)
def test_of_a_correction_what_is_affirmed_counts(text: str, language: str, expected: list[str]) -> None:
    assert told(text, language) == expected


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Il martedì alle 18 ho coro", "it"),
        ("Every Tuesday at 6 I have choir", "en"),
        ("We haven't spoken in two weeks", "en"),
        ("See you at 8", "en"),
        ("Dentist at 10", "en"),
    ],
)
def test_habits_and_hours_without_a_day_are_no_times(text: str, language: str) -> None:
    assert told(text, language) == []


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        # A noun that ends as a participle does tells no deed.
        ("Ho appuntamento dall'avvocato il 9 dicembre alle 11", "it", "2026-12-09 11:00"),
        ("Abbiamo consulto col chirurgo il 2 febbraio", "it", "2027-02-02"),
        ("Ho intervento alla spalla il 20 gennaio", "it", "2027-01-20"),
        ("Sabato ho turno in reparto", "it", "2026-11-14"),
        ("Ho visita il 18 dicembre", "it", "2026-12-18"),
        ("Ho accompagnato papà dall'avvocato il 9 settembre", "it", "2026-09-09"),
        ("Ho spento il riscaldamento sabato", "it", "2026-11-07"),
        ("L'ho rivista il 12 ottobre", "it", "2026-10-12"),
        # What is past of an appointment.
        ("Avevo un appuntamento il 12 ottobre", "it", "2026-10-12"),
        ("I had a physio appointment on 12 October", "en", "2026-10-12"),
        # A clause has its own tense.
        ("Ho sentito la banca e ho appuntamento giovedì alle 11", "it", "2026-11-12 11:00"),
        ("I rang the bank and I have a meeting on Thursday at 11", "en", "2026-11-12 11:00"),
    ],
)
def test_what_somebody_has_lies_ahead_and_what_they_have_done_back(
    text: str, language: str, expected: str
) -> None:
    assert told(text, language) == [expected]


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("The hygienist moved me to the 26th at noon", "en", "2026-11-26 12:00"),
        ("They've brought my scan forward to 12 November", "en", "2026-11-12"),
        ("They rescheduled our viewing to Monday at 9:15", "en", "2026-11-16 09:15"),
        ("The gig got postponed until 12 March", "en", "2027-03-12"),
        ("The class was moved from Monday to Thursday", "en", "2026-11-12"),
        ("L'oculista mi ha spostato al 26 a mezzogiorno", "it", "2026-11-26 12:00"),
        ("La consegna slitta all'11 dicembre", "it", "2026-12-11"),
        ("Hanno rinviato l'udienza al 3 febbraio", "it", "2027-02-03"),
        ("La prova è stata rimandata a lunedì alle 21", "it", "2026-11-16 21:00"),
        # Of two dates of a year the one that was but weeks ago is meant.
        ("The wedding was moved to 17 October and it was lovely", "en", "2026-10-17"),
        ("We moved to a bigger flat on 3 October", "en", "2026-10-03"),
        ("Ci siamo spostati a Parma lunedì", "it", "2026-11-09"),
    ],
)
def test_what_was_moved_lies_where_it_was_moved_to(text: str, language: str, expected: str) -> None:
    assert told(text, language) == [expected]


def test_a_date_is_not_made_of_what_follows_it() -> None:
    assert told("Swam in the lake on Sunday, 9 degrees", "en") == ["2026-11-08"]
    assert told("Their baby is due in February, first one", "en") == ["2027-02-01+28"]


def test_of_very_many_times_the_first_are_kept() -> None:
    said = ", ".join(f"on {day} December at 9 lesson {day}" for day in range(1, 29))
    found = told(said, "en")
    assert len(found) == MOST
    assert found[:2] == ["2026-12-01 09:00", "2026-12-02 09:00"]

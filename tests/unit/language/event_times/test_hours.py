"""Which hour of which day a message tells: said on Tuesday, 10 November 2026, at half past ten in Rome."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from ricordo.language.event_times.extraction import event_times

ROME = ZoneInfo("Europe/Rome")
SAID = datetime(2026, 11, 10, 10, 30, tzinfo=ROME)


def told(text: str, language: str) -> list[str]:
    """Return when what a text tells begins; of a whole day, the day."""
    starts = [one.start.astimezone(ROME) for one in event_times(text, SAID, ROME, language)]
    return [f"{start:%m-%d %H:%M}".removesuffix(" 00:00") for start in starts]


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("Stasera alle 9 guardiamo il derby", "it", "11-10 21:00"),
        ("Stasera guardiamo il derby alle 9 meno un quarto", "it", "11-10 20:45"),
        ("Stasera dalle 8 alle 10 ho le prove", "it", "11-10 20:00"),
        ("Domattina alle 7 parto per Trieste", "it", "11-11 07:00"),
        ("Domani pomeriggio passo da voi alle 4", "it", "11-11 16:00"),
        ("Ieri sera siamo usciti alle 9", "it", "11-09 21:00"),
        ("Ieri notte alle 2 è suonato l'allarme", "it", "11-10 02:00"),
        ("Stanotte alle 3 mi sono svegliata", "it", "11-10 03:00"),
        ("Tonight at 8 we're watching the final", "en", "11-10 20:00"),
        ("I'm meeting Ravi at 7 tonight", "en", "11-10 19:00"),
        ("Tonight I'm going to the theatre at 9", "en", "11-10 21:00"),
        ("Tomorrow night at 9 we play the semi-final", "en", "11-11 21:00"),
        ("Last night we got home at 11", "en", "11-09 23:00"),
        ("Last night I woke up at 3", "en", "11-10 03:00"),
        ("I'll be back this night at 7", "en", "11-10 19:00"),
    ],
)
def test_an_hour_is_one_of_the_part_of_the_day_told_beside_it(
    text: str, language: str, expected: str
) -> None:
    assert told(text, language) == [expected]


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("Lunedì sono andata dal medico alle 9", "it", ["11-09 09:00"]),
        ("Domenica siamo partiti alle 7 e siamo arrivati alle 12", "it", ["11-08 07:00", "11-08 12:00"]),
        ("Ieri mattina ho dato l'esame alle 11 e mezza", "it", ["11-09 11:30"]),
        ("On Monday I met Sarah at 10 and then had a call at 1", "en", ["11-09 10:00", "11-09 13:00"]),
        ("Yesterday I picked the twins up at 4:30", "en", ["11-09 16:30"]),
        # Of what else is told the hour is not one of that day.
        ("Ieri ho saputo che il concerto comincia alle 21", "it", ["11-09"]),
        ("Ieri ho visto Giulia, ci vediamo di nuovo alle 18", "it", ["11-09"]),
        ("Yesterday I heard that the gig starts at 9", "en", ["11-09"]),
    ],
)
def test_an_hour_behind_a_deed_is_one_of_its_day(text: str, language: str, expected: list[str]) -> None:
    assert told(text, language) == expected


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("Domani vado dal dentista alle nove", "it", ["11-11 09:00"]),
        ("Lunedì prossimo ho il colloquio a mezzogiorno", "it", ["11-16 12:00"]),
        ("Domani ci vediamo all'una davanti al bar", "it", ["11-11 13:00"]),
        ("Domani porto un regalo alle due bambine di Anna", "it", ["11-11"]),
        ("Tomorrow I'm seeing the physio at half past nine", "en", ["11-11 09:30"]),
        ("I'm fetching Grandma from the station tomorrow at noon", "en", ["11-11 12:00"]),
        ("Tomorrow we look at three flats", "en", ["11-11"]),
    ],
)
def test_hours_are_read_in_words(text: str, language: str, expected: list[str]) -> None:
    assert told(text, language) == expected


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("Dinner with Rachel next Friday at half past seven", "en", ["11-20 19:30"]),
        ("On Saturday we had supper at 8", "en", ["11-07 20:00"]),
        ("Saturday at 8, dinner at my sister's", "en", ["11-14 20:00"]),
        ("Dentist on Saturday at 9, dinner at 8", "en", ["11-14 09:00", "11-14 20:00"]),
        ("Breakfast with Tom tomorrow at 8", "en", ["11-11 08:00"]),
        ("Cena da Marta sabato alle 8 e mezza", "it", ["11-14 20:30"]),
        ("Ci vediamo sabato alle 8 per cena", "it", ["11-14 20:00"]),
        ("Domani alle 9 chiamo il ristorante per la cena", "it", ["11-11 09:00"]),
        ("Colazione con Luca domani alle 8", "it", ["11-11 08:00"]),
        # So is what follows it.
        ("Supper on Saturday at 7 and the play at 9", "en", ["11-14 19:00", "11-14 21:00"]),
        (
            "Supper on Saturday at 7pm, cards at 9, a walk at 11",
            "en",
            ["11-14 19:00", "11-14 21:00", "11-14 23:00"],
        ),
        ("Supper on Saturday at 8, then the disco at 1", "en", ["11-14 20:00", "11-15 01:00"]),
        ("Supper on Saturday at 7 but first the dentist at 9", "en", ["11-14 19:00", "11-14 09:00"]),
        ("Sabato cena alle 8 e briscola alle 10", "it", ["11-14 20:00", "11-14 22:00"]),
        ("Sabato cena alle 8, prima però nuoto alle 9", "it", ["11-14 20:00", "11-14 09:00"]),
    ],
)
def test_dinner_is_after_noon(text: str, language: str, expected: list[str]) -> None:
    assert told(text, language) == expected


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("Oggi alle 3 vado dal barbiere", "it", "11-10 15:00"),
        ("Ieri alle 3 ho incontrato Livia", "it", "11-09 15:00"),
        ("Yesterday at 3 I ran into Livia", "en", "11-09 15:00"),
        ("Ieri la bimba si è svegliata alle 3", "it", "11-09 03:00"),
        ("Lunedì alle 3 è suonata la sveglia", "it", "11-09 03:00"),
        ("Domani alle 3 di notte parte la nave", "it", "11-11 03:00"),
        ("Lunedì mi sono svegliato alle 3", "it", "11-09 03:00"),
        ("On Monday the baby woke up at 3", "en", "11-09 03:00"),
        ("On Monday I woke up late and saw Livia at 3", "en", "11-09 15:00"),
    ],
)
def test_a_small_hour_is_one_after_noon_unless_of_night_or_waking(
    text: str, language: str, expected: str
) -> None:
    assert told(text, language) == [expected]


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("Rehearsal on Friday between 2 and 4", "en", "11-13 14:00-17:00"),
        ("Friday between 9 and 11 I have a rehearsal", "en", "11-13 09:00-12:00"),
        ("Friday from 10 to 3 we rehearse", "en", "11-13 10:00-16:00"),
        ("The heating runs on Friday between 3 and 5 in the morning", "en", "11-13 03:00-06:00"),
        ("Prove venerdì tra le 2 e le 4", "it", "11-13 14:00-17:00"),
        ("Prove venerdì dalle 10 alle 3", "it", "11-13 10:00-16:00"),
    ],
)
def test_from_one_hour_to_another_both_are_of_one_day(text: str, language: str, expected: str) -> None:
    (one,) = event_times(text, SAID, ROME, language)
    assert f"{one.start.astimezone(ROME):%m-%d %H:%M}-{one.end.astimezone(ROME):%H:%M}" == expected

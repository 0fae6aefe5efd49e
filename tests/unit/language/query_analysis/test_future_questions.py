"""Questions about what is to come, asked on Thursday, 5 November 2026, in Rome."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from ricordo.language.query_analysis import analyse
from ricordo.language.temporal import LATEST

ROME = ZoneInfo("Europe/Rome")
NOW = datetime(2026, 11, 5, 9, tzinfo=ROME)


@pytest.mark.parametrize(
    ("question", "language", "first"),
    [
        ("Che impegni ho a dicembre?", "it", "2026-12-01"),
        ("Cosa mi aspetta la settimana prossima?", "it", "2026-11-09"),
        ("Cosa succede a gennaio?", "it", "2027-01-01"),
        ("Che faccio sabato?", "it", "2026-11-07"),
        ("Cosa abbiamo domenica?", "it", "2026-11-08"),
        ("Ho qualcosa giovedì prossimo?", "it", "2026-11-12"),
        ("What's happening in January?", "en", "2027-01-01"),
        ("what's coming up next month?", "en", "2026-12-01"),
        ("What do I have on Friday?", "en", "2026-11-06"),
        ("What have I got on next Wednesday?", "en", "2026-11-11"),
        ("Anything on Saturday?", "en", "2026-11-07"),
        ("What are we doing for Christmas?", "en", "2026-12-25"),
    ],
)
def test_what_is_to_come_is_asked_of_the_time_ahead(question: str, language: str, first: str) -> None:
    time = analyse(question, now=NOW, zone=ROME, language=language).time
    assert time is not None
    assert time.ahead
    assert f"{time.start.astimezone(ROME):%Y-%m-%d}" == first


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Quali sono i prossimi appuntamenti?", "it"),
        ("Che impegni ho?", "it"),
        ("What's coming up?", "en"),
        ("upcoming events", "en"),
        ("What's next?", "en"),
    ],
)
def test_without_a_time_it_is_all_that_is_to_come(question: str, language: str) -> None:
    time = analyse(question, now=NOW, zone=ROME, language=language).time
    assert time is not None
    assert (time.ahead, time.strict, time.start, time.end) == (True, False, NOW, LATEST)


@pytest.mark.parametrize(
    ("question", "language", "first"),
    [
        ("A che ora ho il parrucchiere martedì?", "it", "2026-11-10"),
        ("Chi viene a cena sabato?", "it", "2026-11-07"),
        ("When does Ada's train leave on Sunday?", "en", "2026-11-08"),
        ("What time is my eye appointment on Monday?", "en", "2026-11-09"),
        ("Who brings the cake on Saturday 12 December?", "en", "2026-12-12"),
    ],
)
def test_a_question_about_one_thing_lists_nothing(question: str, language: str, first: str) -> None:
    time = analyse(question, now=NOW, zone=ROME, language=language).time
    assert time is not None
    assert not time.ahead
    assert f"{time.start.astimezone(ROME):%Y-%m-%d}" == first


@pytest.mark.parametrize(
    ("question", "language", "first"),
    [
        ("Cosa ho fatto sabato?", "it", "2026-10-31"),
        ("Cosa avevo in programma a ottobre?", "it", "2026-10-01"),
        ("Cosa è successo a dicembre?", "it", "2025-12-01"),
        ("What happened in December?", "en", "2025-12-01"),
        ("What did we do on Saturday?", "en", "2026-10-31"),
        ("What have I eaten on Friday?", "en", "2026-10-30"),
        ("What do I usually do on Saturday?", "en", "2026-10-31"),
    ],
)
def test_what_was_and_what_is_usual_is_no_question_about_the_future(
    question: str, language: str, first: str
) -> None:
    time = analyse(question, now=NOW, zone=ROME, language=language).time
    assert time is not None
    assert not time.ahead
    assert f"{time.start.astimezone(ROME):%Y-%m-%d}" == first

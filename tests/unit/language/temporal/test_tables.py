"""Hundreds of ways to say a time, and of sentences that say none, in tables beside this file.

All is said on Wednesday, 4 February 2026, at half past three in Rome, about the past. A table's times are
local and half-open; "-" stands where one is open or ends with the moment of saying, "none" where there is no
such time.
"""

from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from ricordo.language.temporal import EARLIEST, LATEST, Language, find, resolve

HERE = Path(__file__).parent
ROME = ZoneInfo("Europe/Rome")
NOW = datetime(2026, 2, 4, 15, 30, tzinfo=ROME)
TABLES: tuple[tuple[Language, str], ...] = (("en", "english"), ("it", "italian"))


def local(instant: datetime) -> str:
    if instant in {EARLIEST, LATEST, NOW}:
        return "-"
    written = instant.astimezone(ROME).replace(tzinfo=None).isoformat(timespec="minutes")
    return written.removesuffix("T00:00")


def read(said: str, language: Language) -> tuple[str, str]:
    span = resolve(said, NOW, ROME, language, prefer="past")
    return ("none", "none") if span is None else (local(span.start), local(span.end))


@pytest.mark.parametrize(("language", "name"), TABLES)
def test_what_is_said_is_when_it_was(language: Language, name: str) -> None:
    lines = (HERE / f"{name}.tsv").read_text(encoding="utf-8").splitlines()[1:]
    rows = (line.replace("\t2026-02-04T15:30", "\t-").split("\t") for line in lines)
    expected = {said: (start, end) for said, start, end in rows}
    assert len(expected) > 800
    assert {said: read(said, language) for said in expected} == expected


@pytest.mark.parametrize(("language", "name"), TABLES)
def test_ordinary_talk_names_no_time(language: Language, name: str) -> None:
    sentences = (HERE / f"{name}_timeless.txt").read_text(encoding="utf-8").splitlines()
    named = {
        sentence: [span.reference for span in found]
        for sentence in sentences
        for prefer in ("past", "told")
        if (found := find(sentence, NOW, ROME, language, prefer=prefer))
    }
    assert len(sentences) > 400
    assert named == {}


@pytest.mark.parametrize(
    ("text", "language", "references"),
    [
        ("il 3 e il 5 marzo", "it", ["il 3", "il 5 marzo"]),
        ("on the 3rd, 5th and 7th of May", "en", ["the 3rd", "5th", "7th of May"]),
        ("I was in Rome on Monday. Nov. 3 was better, wasn't it?", "en", ["on Monday", "Nov. 3"]),
        ("It was in Jan. The dog barked.", "en", ["Jan"]),
        ("from 1.000 to 2.000 metres, 25. Nov 2009", "en", ["25. Nov 2009"]),
        ("sales_report-2002-10-09.xlsx", "en", ["2002-10-09"]),
        ("the 17-story house of Seung Jun-song at Wal-Mart", "en", []),
        ("a 12-hour trip on Sunday the 12-hour way", "en", []),
    ],
)
def test_the_words_that_name_a_time_are_told(text: str, language: Language, references: list[str]) -> None:
    assert [span.reference for span in find(text, NOW, ROME, language)] == references


def test_days_of_a_list_share_their_month() -> None:
    found = find("il 3, il 4 e il 5 marzo 2024", NOW, ROME, "it")
    assert [local(span.start) for span in found] == ["2024-03-03", "2024-03-04", "2024-03-05"]

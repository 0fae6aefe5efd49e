"""Times in words, against a fixed moment: Wednesday, 4 February 2026, half past three in Rome.

Hundreds of ways to say a time, and of sentences that say none, are in tables beside this file. Times in them
are local and half-open; "-" stands where a time is open or ends with the moment of saying, "none" where there
is none.
"""

from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from tests.fixtures.sentence_tables import table

from ricordo.language.temporal.moments import EARLIEST, LATEST, Language, TimeSpan
from ricordo.language.temporal.time_extraction import find, resolve

HERE = Path(__file__).parent
ROME = ZoneInfo("Europe/Rome")
NOW = datetime(2026, 2, 4, 15, 30, tzinfo=ROME)
TABLES: tuple[tuple[Language, str], ...] = (("en", "english"), ("it", "italian"))


def written(instant: datetime) -> str:
    if instant in {EARLIEST, LATEST, NOW}:
        return "-"
    local = instant.astimezone(ROME).replace(tzinfo=None).isoformat(timespec="minutes")
    return local.removesuffix("T00:00")


def read(said: str, language: Language) -> tuple[str, str]:
    span = resolve(said, NOW, ROME, language)
    return ("none", "none") if span is None else (written(span.start), written(span.end))


def local(span: TimeSpan | None) -> tuple[str, str]:
    assert span is not None
    start, end = (instant.astimezone(ROME).replace(tzinfo=None) for instant in (span.start, span.end))
    return start.isoformat(timespec="minutes"), end.isoformat(timespec="minutes")


def days(start: str, end: str) -> tuple[str, str]:
    return f"{start}T00:00", f"{end}T00:00"


@pytest.mark.parametrize(("language", "name"), TABLES)
def test_words_name_times(language: Language, name: str) -> None:
    lines = (HERE / f"{name}.tsv").read_text(encoding="utf-8").splitlines()[1:]
    rows = (line.replace("\t2026-02-04T15:30", "\t-").split("\t") for line in lines)
    expected = {said: (start, end) for said, start, end in rows}
    assert len(expected) > 800
    assert {said: read(said, language) for said in expected} == expected


@pytest.mark.parametrize(("language", "name"), TABLES)
def test_ordinary_talk_names_no_time(language: Language, name: str) -> None:
    talk = (HERE / f"{name}_timeless.txt").read_text(encoding="utf-8").splitlines()
    named = {
        sentence: [span.reference for span in found]
        for sentence in talk
        if (found := find(sentence, NOW, ROME, language))
    }
    assert len(talk) > 400
    assert named == {}


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


@pytest.mark.parametrize(("text", "kind"), table(__file__, "the_type_tells_how_the_time_is_told"))
def test_the_type_tells_how_the_time_is_told(text: str, kind: str) -> None:
    span = resolve(text, NOW, ROME, "it")
    assert span is not None
    assert span.type == kind


@pytest.mark.parametrize(("day", "hours"), [("2026-03-30", 23), ("2026-10-26", 25), ("2026-07-01", 24)])
def test_yesterday_has_as_many_hours_as_it_had(day: str, hours: int) -> None:
    yesterday = resolve("ieri", datetime.fromisoformat(f"{day}T10:00").replace(tzinfo=ROME), ROME, "it")
    assert yesterday is not None
    assert yesterday.end - yesterday.start == timedelta(hours=hours)


def test_a_naive_moment_is_refused() -> None:
    naive = datetime(2026, 2, 4)  # noqa: DTZ001 - the point of the test
    with pytest.raises(ValueError, match="time zone"):
        resolve("ieri", naive, ROME, "it")


@pytest.mark.parametrize(
    ("text", "language", "references"), table(__file__, "the_words_that_name_a_time_are_told")
)
def test_the_words_that_name_a_time_are_told(text: str, language: Language, references: list[str]) -> None:
    assert [span.reference for span in find(text, NOW, ROME, language)] == list(references)


def test_days_of_a_list_share_their_month() -> None:
    found = find("il 3, il 4 e il 5 marzo 2024", NOW, ROME, "it")
    assert [written(span.start) for span in found] == ["2024-03-03", "2024-03-04", "2024-03-05"]

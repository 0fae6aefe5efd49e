"""Statements take from the text since when and until when they hold."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ricordo.language.document import Document
from ricordo.memory.facts import Statement, extract, normalise

SENTENCES: list[dict[str, Any]] = [
    json.loads(line)
    for line in Path(__file__).with_name("timed_sentences.jsonl").read_text("utf-8").splitlines()
]
ROME = ZoneInfo("Europe/Rome")
AT = datetime(2026, 2, 15, 12, tzinfo=UTC)


def stated(content: str, language: str, *, at: datetime = AT, zone: ZoneInfo = ROME) -> tuple[Statement, ...]:
    return extract(Document(content, language), at=at, timezone=zone)


Told = tuple[str, str, str, str, datetime | None, datetime | None]


def wanted(sentence: dict[str, Any]) -> set[Told]:
    def instant(text: str | None) -> datetime | None:
        return None if text is None else datetime.fromisoformat(text)

    return {
        (
            normalise(one["subject"]),
            one["predicate"],
            normalise(one["object"]),
            one["polarity"],
            instant(one["valid_from"]),
            instant(one["valid_to"]),
        )
        for one in sentence["facts"]
    }


def found(sentence: dict[str, Any]) -> set[Told]:
    return {
        (
            normalise(one.subject),
            one.predicate,
            normalise(one.object),
            one.polarity,
            one.valid_from,
            one.valid_to,
        )
        for one in stated(
            sentence["content"],
            sentence["language"],
            at=datetime.fromisoformat(sentence["now"]),
            zone=ZoneInfo(sentence["timezone"]),
        )
    }


def times(told: set[Told]) -> set[Told]:
    return {one for one in told if one[-2:] != (None, None)}


@pytest.mark.parametrize("language", ["en", "it"])
def test_times_are_read_as_they_are_told_and_no_others(language: str) -> None:
    of_it = [sentence for sentence in SENTENCES if sentence["language"] == language]
    timeless = [sentence for sentence in of_it if not times(wanted(sentence))]
    assert len(of_it) >= 80
    assert len(timeless) >= len(of_it) / 3
    exact = sum(found(sentence) == wanted(sentence) for sentence in of_it)
    assert exact >= 0.97 * len(of_it)
    assert [sentence["content"] for sentence in timeless if times(found(sentence))] == []
    wrong = [one for sentence in of_it for one in times(found(sentence)) - wanted(sentence)]
    assert wrong == []


def test_a_year_begins_at_midnight_where_the_user_is() -> None:
    for zone in (ROME, ZoneInfo("America/New_York"), ZoneInfo("UTC")):
        (lives,) = stated("I moved to Lisbon in March 2024.", "en", zone=zone)
        assert lives.valid_from == datetime(2024, 3, 1, tzinfo=zone)
        assert lives.valid_from is not None
        assert lives.valid_from.utcoffset() is not None
        assert lives.valid_to is None


def test_without_the_moment_of_saying_no_time_is_read_and_without_a_zone_it_is_utc() -> None:
    (lives,) = extract(Document("Vivo a Bari dal 2019.", "it"))
    assert (lives.valid_from, lives.valid_to) == (None, None)
    (lives,) = extract(Document("Vivo a Bari dal 2019.", "it"), at=AT)
    assert lives.valid_from == datetime(2019, 1, 1, tzinfo=UTC)


def test_a_time_belongs_to_its_own_clause() -> None:
    content = "I live in Rome since 2010, and my brother Luca works at Google."
    times = {one.object: one.valid_from for one in stated(content, "en")}
    assert times == {"Rome": datetime(2010, 1, 1, tzinfo=ROME), "Luca": None, "Google": None}
    content = "Ho 17 anni e studio al liceo Galvani, domani ho la versione di greco."
    assert [one.predicate for one in stated(content, "it")] == ["age", "studies_at"]


WORDS = (
    "I moved lived live have to in Rome Fiat since until from 2010 to 2015 last year for three years ago , ."
    " and mi sono trasferita vivo ho vissuto a Roma Coop dal fino al nel 2021 tra da domani scorso anno anni"
    " fa il mese"
)


@given(st.lists(st.sampled_from(WORDS.split()), max_size=14).map(" ".join), st.sampled_from(["en", "it"]))
def test_whatever_is_written_its_times_are_behind_it_and_in_order(content: str, language: str) -> None:
    untimed = {(one.subject, one.predicate, one.object) for one in extract(Document(content, language))}
    for one in stated(content, language):
        assert (one.subject, one.predicate, one.object) in untimed
        assert one.valid_from is None or one.valid_from <= AT
        assert one.valid_to is None or (one.valid_to <= AT and one.polarity == "past")
        if one.valid_from is not None and one.valid_to is not None:
            assert one.valid_from < one.valid_to


@pytest.mark.parametrize(
    "year", [1, 9999], ids=["the first year of the calendar", "the last year of the calendar"]
)
def test_the_calendar_has_ends(year: int) -> None:
    at = datetime(year, 6, 1, tzinfo=UTC)
    for content in ("I have lived in Rome for three years.", "I lived in Rome until last year."):
        (lives,) = stated(content, "en", at=at)
        assert lives.object == "Rome"

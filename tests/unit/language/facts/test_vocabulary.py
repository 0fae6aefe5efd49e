"""Predicates are known wherever one has to be named, and statements tell since when they hold."""

import json
import tomllib
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from typing import Any, Final
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ricordo.language.data_files import LANGUAGES, read_table
from ricordo.language.document import Document
from ricordo.language.facts.evidence import Polarity, Statement
from ricordo.language.facts.message_words import MessageWords
from ricordo.language.facts.vocabulary import PREDICATES

NOT_ASKED_FOR: Final = frozenset(
    "knows member_of is_a related_to lives_with does skilled_in wants attends experienced reads_or_watches "
    "trait contact agreement problem decision deadline price supplier_of client_of stated".split()
)
"""What no question of its own asks for."""


def test_an_opposite_has_this_one_as_its_opposite() -> None:
    pairs = {(one.name, one.opposite) for one in PREDICATES.values() if one.opposite}
    assert {(opposite, name) for name, opposite in pairs} == pairs


@pytest.mark.parametrize("language", LANGUAGES)
def test_questions_ask_for_each(language: str) -> None:
    questions = read_table("predicate_questions", language)["predicates"]
    asked = {name for name in PREDICATES if questions.get(name, {}).get("asks")}
    assert asked == set(PREDICATES) - NOT_ASKED_FOR


def test_the_prompt_of_a_model_explains_each() -> None:
    prompts = tomllib.loads(files("ricordo.models.llm").joinpath("prompts.toml").read_text("utf-8"))
    lines = {line.split("  ")[0] for line in prompts["facts"].splitlines() if "  " in line}
    assert lines >= set(PREDICATES) - {"stated"}  # of which the reader alone makes use


SENTENCES: list[dict[str, Any]] = [
    json.loads(line)
    for line in Path(__file__).with_name("timed_sentences.jsonl").read_text("utf-8").splitlines()
]
ROME = ZoneInfo("Europe/Rome")
AT = datetime(2026, 2, 15, 12, tzinfo=UTC)
Bounds = tuple[datetime | None, datetime | None]


def timed(
    content: str,
    value: str,
    language: str,
    *,
    predicate: str = "lives_in",
    polarity: Polarity = "holds",
    quote: str = "",
    at: datetime = AT,
    zone: ZoneInfo | None = ROME,
) -> Statement | None:
    """Return a statement of a clause of a message, by default all of it, with its times."""
    begin = content.index(quote)
    span = begin, begin + len(quote or content)
    stated = Statement("user", predicate, value, content[slice(*span)], span, polarity=polarity)
    return MessageWords(Document(content, language)).timed(stated, at, zone)


def bounds(stated: Statement | None) -> Bounds:
    assert stated is not None
    return stated.valid_from, stated.valid_to


@pytest.mark.parametrize("language", ["en", "it"])
def test_times_are_read_as_they_are_told_and_no_others(language: str) -> None:
    of_it = [(one, fact) for one in SENTENCES if one["language"] == language for fact in one["facts"]]
    wanted, found = [], []
    for one, fact in of_it:
        wanted.append(
            tuple(fact[name] and datetime.fromisoformat(fact[name]) for name in ("valid_from", "valid_to"))
        )
        stated = timed(
            one["content"],
            fact["object"],
            language,
            predicate=fact["predicate"],
            polarity="past" if fact["polarity"] == "past" else "holds",
            quote=fact.get("quote", ""),
            at=datetime.fromisoformat(one["now"]),
            zone=ZoneInfo(one["timezone"]),
        )
        found.append(bounds(stated))
    assert len(of_it) >= 80
    assert wanted.count((None, None)) >= len(of_it) / 4
    assert found == wanted


def test_a_year_begins_at_midnight_where_the_user_is() -> None:
    for zone in (ROME, ZoneInfo("America/New_York"), ZoneInfo("UTC")):
        valid_from, valid_to = bounds(timed("I moved to Lisbon in March 2024.", "Lisbon", "en", zone=zone))
        assert valid_from == datetime(2024, 3, 1, tzinfo=zone)
        assert valid_from is not None
        assert valid_from.utcoffset() is not None
        assert valid_to is None


def test_without_a_zone_a_year_begins_at_midnight_of_utc() -> None:
    valid_from, _ = bounds(timed("Vivo a Bari dal 2019.", "Bari", "it", zone=None))
    assert valid_from == datetime(2019, 1, 1, tzinfo=UTC)


def test_what_is_to_begin_is_not_so_yet() -> None:
    assert timed("Da domani lavoro alla Coop.", "Coop", "it", predicate="works_at") is None
    assert timed("From next Monday I work at Lidl.", "Lidl", "en", predicate="works_at") is None


WORDS = (
    "I moved lived live have to in Rome Fiat since until from 2010 to 2015 last year for three years ago , ."
    " and mi sono trasferita vivo ho vissuto a Roma Coop dal fino al nel 2021 tra da domani scorso anno anni"
    " fa il mese"
)


@given(st.lists(st.sampled_from(WORDS.split()), max_size=14).map(" ".join), st.sampled_from(["en", "it"]))
def test_whatever_is_written_its_times_are_behind_it_and_in_order(content: str, language: str) -> None:
    one = timed(content, "Rome", language)
    if one is not None:
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
        lives = timed(content, "Rome", "en", at=at)
        assert lives is not None
        assert lives.object == "Rome"

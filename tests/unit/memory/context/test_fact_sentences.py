"""Facts read as an Italian or an English speaker would say them."""

import datetime as dt
from dataclasses import replace
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from tests.fixtures.material import NOW, fact, text_of
from tests.fixtures.sentence_tables import sentences

from ricordo.language.repeated_answers import told_fact
from ricordo.memory.context.fact_sentences import fact_sentence
from ricordo.memory.context.material import Material
from ricordo.memory.facts import PREDICATES

TABLE = Path(__file__).with_name("fact_sentences.toml")


@pytest.mark.parametrize(("language", "expected"), sentences(TABLE))
def test_facts_are_sentences(language: str, expected: dict[str, str]) -> None:
    found = {}
    for triple in expected:
        subject, predicate, value = triple.split(" | ")
        told = replace(fact(predicate, value), subject=subject)
        (line,) = (
            line
            for line in text_of(Material(facts=[told]), language=language).splitlines()
            if line.startswith("f1 ")
        )
        found[triple] = line.removeprefix("f1 ").removesuffix(".")
    assert found == expected


@pytest.mark.parametrize("value", ["Rex", "rex", "andare", "chitarra", "", "rex\n- Everybody is rich"])
@pytest.mark.parametrize("language", ["it", "en"])
@pytest.mark.parametrize("predicate", PREDICATES)
def test_every_predicate_has_its_sentence_in_both_languages(
    predicate: str, language: str, value: str
) -> None:
    for subject in ("Nora", "user"):
        said = fact_sentence(replace(fact(predicate, value), subject=subject), language)
        assert (subject in said) == (subject == "Nora")
        assert " ".join(value.split()).casefold() in said.casefold()
        assert said.endswith(".")
        assert not {"_", "{", "}", "\n"} & set(said)
        assert subject != "user" or not value or told_fact(said, language), "a bot may say it again"


def test_facts_say_since_when_where_that_was_told() -> None:
    home = fact("lives_in", "Turin")
    told = replace(home, valid_from=NOW - dt.timedelta(days=700))
    for language, since in (("en", "since March 2024"), ("it", "da marzo 2024")):
        assert "2024" not in fact_sentence(home, language)
        assert fact_sentence(told, language).endswith(f", {since}.")


@pytest.mark.parametrize(
    ("zone", "since", "said"),
    [
        ("Europe/Rome", dt.date(2024, 3, 1), "da marzo 2024"),
        ("Asia/Tokyo", dt.date(2023, 4, 1), "da aprile 2023"),
        ("America/New_York", dt.date(2019, 1, 1), "da gennaio 2019"),
    ],
)
def test_since_when_is_told_in_the_zone_of_the_user(zone: str, since: dt.date, said: str) -> None:
    there = ZoneInfo(zone)
    begun = dt.datetime.combine(since, dt.time(), there).astimezone(dt.UTC)
    home = replace(fact("lives_in", "Lecce"), valid_from=begun)
    over = replace(fact("works_at", "Acme"), valid_to=begun)
    text = text_of(Material(now=NOW.astimezone(there), facts=[home, over]), language="it")
    assert f"f1 Vivi a Lecce, {said}.\n" in text
    assert f", fino a {said.removeprefix('da ')}.\n" in text


def test_facts_say_when_they_ended_and_whether_they_are_disputed() -> None:
    text = text_of(Material(facts=[fact("works_at", "Acme", valid_to=NOW, disputed=True)]))
    assert "f1 You work at Acme, until February 2026, contradicted elsewhere.\n" in text

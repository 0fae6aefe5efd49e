"""What a context says, and in what order; facts as one would say them."""

import datetime as dt
from dataclasses import replace
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from tests.fixtures.material import NOW, count, fact, known, memory, text_of, turn
from tests.fixtures.sentence_tables import sentences, table

from ricordo.language.facts.vocabulary import PREDICATES
from ricordo.memory.context.assembly import assemble
from ricordo.memory.context.fact_sentences import fact_sentence
from ricordo.memory.context.material import Material
from ricordo.memory.enrichment import told_fact
from ricordo.memory.model import Memory

THURSDAY = dt.datetime(2026, 11, 5, 9, tzinfo=ZoneInfo("Europe/Rome"))


def on(day: str, number: int, content: str) -> Memory:
    """Return a memory of a day, as `2026-01-31T10`."""
    said = dt.datetime.fromisoformat(f"{day}:00+00:00")
    return replace(memory(number, content), created_at=said, date=said.date())


def test_everything_in_its_place() -> None:
    text = text_of(
        Material(
            now=THURSDAY,
            memories=[on("2026-02-01T10", 1, "We adopted a dog called Max.")],
            profile=[known(1, "name", "Davide")],
            facts=[known(2, "lives_in", "Torino")],
            recent=[turn("m-8", "Hello"), turn("m-9", "Hi, Davide!", role="assistant", speaker="")],
            notes={"mood": "sunny", "steps": [1, 2]},
            entities=["Max"],
            archived_matches=2,
        )
    )
    assert tuple(text.splitlines()) == table(__file__, "english")


def test_in_italian() -> None:
    text = text_of(
        Material(
            now=THURSDAY,
            memories=[on("2026-02-01T10", 1, "ciao"), on("2025-02-01T10", 2, "ciao ciao")],
            facts=[known(1, "lives_in", "Torino")],
            recent=[turn("m-8", "Eccomi")],
            notes={"umore": "sereno"},
        ),
        language="it",
    )
    assert tuple(text.splitlines()) == table(__file__, "italian")


@pytest.mark.parametrize("language", ["it", "en"])
@pytest.mark.parametrize("year", [2025, 2026])
def test_every_heading_of_a_day_is_known_for_one(language: str, year: int) -> None:
    days = [dt.date(year, month, 27 - month) for month in range(1, 13)]
    told = [on(f"{day}T10", n, "We saw the sea.") for n, day in enumerate(days, 1)]
    told = [replace(one, content=f"{one.content} {n}") for n, one in enumerate(told)]
    context = text_of(Material(now=THURSDAY, memories=told), language=language)
    inside = context.split("<recalled>\n")[1].split("</recalled>")[0]
    for heading in (line for line in inside.splitlines() if not line.startswith("m")):
        assert f"\n  \\{heading}" in text_of(Material(memories=[memory(1, f"So,\n{heading}")]))


def test_a_profile_takes_a_small_part_of_the_budget() -> None:
    profile = [known(n, "likes", f"thing number {n}") for n in range(1, 100)]
    context = assemble(Material(profile=profile), token_budget=400, count=count, language="en")
    told = [line for line in context.text.splitlines() if line.startswith("f")]
    assert len(told) == len(context.marks)
    assert 0.10 * 400 < sum(map(count, told)) <= 0.15 * 400


@pytest.mark.parametrize(
    ("language", "said"),
    [("it", "non ho abbastanza informazioni su «il mare»"), ("en", "do not have enough about")],
)
def test_an_empty_memory_says_so(language: str, said: str) -> None:
    assert said in text_of(Material(about="il mare"), language=language)


def test_a_broken_memory_never_looks_like_an_empty_one() -> None:
    assert "does not answer just now (rows, vectors)" in text_of(Material(degraded={"vectors", "rows"}))
    assert "does not answer" not in text_of(Material())


@pytest.mark.parametrize(
    ("material", "signs"),
    [
        (Material(), ("Nothing in memory.", "nothing", "∅")),
        (Material(degraded={"rows"}), ("Memory is in part away.", "away", "?")),
        (Material(memories=[memory(1, "A B")]), ("No room.", "omitted", "…")),
    ],
)
def test_the_smallest_budget_still_says_what_there_is(material: Material, signs: tuple[str, ...]) -> None:
    said = [assemble(material, token_budget=n, count=len, language="en").text for n in range(1, 100)]
    assert said[0] == signs[-1]
    assert all(said)
    for sign in signs:
        assert any(sign in text for text in said)


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
    ("zone", "since", "said", "until"),
    [
        ("Europe/Rome", dt.date(2024, 3, 1), "da marzo 2024", "fino a marzo 2024"),
        ("Asia/Tokyo", dt.date(2023, 4, 1), "da aprile 2023", "fino ad aprile 2023"),
        ("America/New_York", dt.date(2019, 1, 1), "da gennaio 2019", "fino a gennaio 2019"),
    ],
)
def test_since_when_is_told_in_the_zone_of_the_user(zone: str, since: dt.date, said: str, until: str) -> None:
    there = ZoneInfo(zone)
    begun = dt.datetime.combine(since, dt.time(), there).astimezone(dt.UTC)
    home = replace(fact("lives_in", "Lecce"), valid_from=begun)
    over = replace(fact("works_at", "Acme"), valid_to=begun)
    text = text_of(Material(now=NOW.astimezone(there), facts=[home, over]), language="it")
    assert f"f1 Vivi a Lecce, {said}.\n" in text
    assert f", {until}.\n" in text


def test_facts_say_when_they_ended_and_whether_they_are_disputed() -> None:
    text = text_of(Material(facts=[fact("works_at", "Acme", valid_to=NOW, disputed=True)]))
    assert "f1 You work at Acme, until February 2026, contradicted elsewhere.\n" in text

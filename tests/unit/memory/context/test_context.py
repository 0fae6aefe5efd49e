"""What a context says, and in what order."""

import datetime as dt
from dataclasses import replace
from zoneinfo import ZoneInfo

import pytest
from tests.fixtures.material import count, known, memory, text_of, turn
from tests.fixtures.sentence_tables import table

from ricordo.memory.context.assembly import assemble
from ricordo.memory.context.material import Material
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

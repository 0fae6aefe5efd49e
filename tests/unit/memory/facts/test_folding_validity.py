"""Facts as folded from statements that tell since when and until when they hold, however these come."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fixtures.reference_formulas import facts_as_of

from ricordo.language.facts.evidence import Evidence, Polarity
from ricordo.language.facts.vocabulary import SINGLE_VALUED
from ricordo.memory.facts.fact_model import Fact
from ricordo.memory.facts.folding import fold

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def year(number: int, month: int = 1) -> datetime:
    return datetime(number, month, 1, tzinfo=UTC)


def said(
    value: str,
    day: int,
    *,
    since: datetime | None = None,
    until: datetime | None = None,
    polarity: Polarity = "holds",
    predicate: str = "lives_in",
) -> Evidence:
    at = NOW + timedelta(days=day)
    return Evidence(
        "user", predicate, value, f"m-{day}", at, polarity=polarity, valid_from=since, valid_to=until
    )


def past(value: str, day: int, *, since: datetime | None = None, until: datetime | None = None) -> Evidence:
    return said(value, day, since=since, until=until, polarity="past")


def folded(*rows: Evidence) -> tuple[Fact, ...]:
    return fold(rows, tenant="acme", user_id="u-1")


Times = tuple[datetime | None, datetime | None]


def history(*rows: Evidence) -> dict[str, list[Times]]:
    found: dict[str, list[Times]] = {}
    for fact in folded(*rows):
        if fact.valid_from != fact.valid_to:
            found.setdefault(fact.object, []).append((fact.valid_from, fact.valid_to))
    return {value: sorted(periods, key=str) for value, periods in found.items()}


def test_a_past_stretch_leaves_what_holds_now() -> None:
    rows = (said("Milan", 0), past("Rome", 1, since=year(2010), until=year(2016)))
    assert history(*rows) == {"Milan": [(NOW, None)], "Rome": [(year(2010), year(2016))]}
    assert [fact.object for fact in facts_as_of(folded(*rows), year(2012))] == ["Rome"]
    assert facts_as_of(folded(*rows), year(2020)) == ()


def test_a_past_stretch_of_what_holds_again_is_one_of_its_own() -> None:
    rows = (said("Rome", 0, since=year(2020)), past("Rome", 1, since=year(2010), until=year(2016)))
    assert history(*rows) == {"Rome": [(year(2010), year(2016)), (year(2020), None)]}
    assert history(said("Rome", 0), rows[1])["Rome"] == [(year(2010), year(2016)), (NOW, None)]


def test_the_newest_saying_is_current_although_it_began_before_the_other_was_said() -> None:
    facts = folded(said("Milan", 0), said("Turin", 1, since=year(2021)))
    (turin,) = [fact for fact in facts if fact.current]
    assert (turin.object, turin.valid_from) == ("Turin", year(2021))
    for instant in (year(2022), NOW, NOW + timedelta(days=9)):
        assert [fact.object for fact in facts_as_of(facts, instant)] == ["Turin"]


@pytest.mark.parametrize("since", [None, year(2010)])
def test_an_end_is_told_of_what_was_said_to_hold(since: datetime | None) -> None:
    rows = (
        said("Nokia", 0, predicate="works_at"),
        said("Nokia", 90, until=year(2026, 4), predicate="works_at"),
    )
    end = rows[1].valid_to
    facts = folded(
        rows[0],
        Evidence(
            "user", "works_at", "Nokia", "m-90", rows[1].at, polarity="past", valid_from=since, valid_to=end
        ),
    )
    assert [(fact.valid_from, fact.valid_to) for fact in facts] == [(since or NOW, end)]


def test_the_beginning_of_what_is_over_does_not_begin_it_again() -> None:
    rows = (past("Fiat", 0, until=year(2020)), said("Fiat", 1, since=year(2015)))
    assert history(*rows) == history(*reversed(rows)) == {"Fiat": [(year(2015), year(2020))]}


def test_times_told_of_a_past_value_replace_those_that_were_guessed() -> None:
    rows = (said("Rome", 0), said("Milan", 400), past("Rome", 500, since=year(2010), until=year(2027)))
    assert history(*rows) == {
        "Rome": [(year(2010), year(2027))],
        "Milan": [(NOW + timedelta(days=400), None)],
    }


@dataclass(frozen=True)
class Stay:
    """Where somebody lived from when to when, None for until now, and how it is told."""

    city: str
    begin: datetime
    end: datetime | None
    told: tuple[Evidence, ...]


@st.composite
def lives(draw: st.DrawFn) -> list[Stay]:
    """Draw a life: consistent, and told in any order, each stay in one of the ways in which people do."""
    years = sorted(draw(st.sets(st.integers(1980, 2024), min_size=1, max_size=6)))
    days = draw(st.permutations(range(len(years))))
    stays: list[Stay] = []
    for nth, (first, day) in enumerate(zip(years, days, strict=True)):
        city, begin = f"City {nth}", year(first)
        end = year(years[nth + 1]) if nth + 1 < len(years) else None
        # "Until 2015" goes on to the end of that year, in which the next stay may begin.
        until = end if end is None or draw(st.booleans()) else end.replace(year=end.year + 1)
        both = past(city, day, since=begin, until=until)
        ways = [both] if end is not None else []
        if end is None or draw(st.booleans()):
            ways = [said(city, day, since=begin)]
        stays.append(Stay(city, begin, end, tuple(ways)))
    return stays


@given(lives(), st.randoms(use_true_random=False))
def test_a_life_told_in_any_order_is_its_history(stays: Sequence[Stay], chance: Random) -> None:
    rows = [row for stay in stays for row in stay.told]
    chance.shuffle(rows)
    facts = folded(*rows)
    assert {fact.object: (fact.valid_from, fact.valid_to) for fact in facts} == {
        stay.city: (stay.begin, stay.end) for stay in stays
    }
    periods = sorted((fact.valid_from, fact.valid_to) for fact in facts if fact.valid_from and fact.valid_to)
    assert all(end <= begin for (_, end), (begin, _) in pairwise(periods))
    for stay in stays:
        assert [fact.object for fact in facts_as_of(facts, stay.begin)] == [stay.city]
        if stay.end is not None:
            assert stay.city not in [fact.object for fact in facts_as_of(facts, stay.end)]


TIMES = st.none() | st.integers(2000, 2030).map(year)
ROWS = st.builds(
    said,
    st.sampled_from(("Rome", "Milan", "Turin")),
    st.integers(0, 30),
    since=TIMES,
    until=TIMES,
    polarity=st.sampled_from(("holds", "holds", "past")),
    predicate=st.sampled_from(("lives_in", "lives_in", "knows")),
)


@given(st.lists(ROWS, max_size=12))
def test_at_any_instant_at_most_one_value_of_what_has_one(rows: Sequence[Evidence]) -> None:
    facts = folded(*rows)
    for number in range(1999, 2032):
        held = [
            fact.predicate if fact.predicate in SINGLE_VALUED else (fact.predicate, fact.object)
            for fact in facts_as_of(facts, year(number, 6))
        ]
        assert len(held) == len(set(held))

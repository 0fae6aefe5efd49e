"""Memories as values, and how they fade."""

import datetime as dt
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fixtures.decay_cases import NOW, DecayCase, aged_memory, decay_cases

from ricordo.language.annotations import MemoryKind
from ricordo.memory.decay import decay_factor
from ricordo.memory.model import Memory, derived_id, local_moment, time_of_day
from ricordo.messages.ids import memory_id

INSTANT = dt.datetime(2026, 2, 1, 23, 30, tzinfo=dt.UTC)


def test_the_users_own_day_follows_from_the_zone() -> None:
    memory = Memory(
        id=memory_id("acme", "m-1"),
        tenant="acme",
        user_id="u",
        content="ciao",
        created_at=INSTANT,
        timezone="Europe/Rome",
    )
    assert memory.date == dt.date(2026, 2, 2)
    assert (memory.time_of_day, memory.day_of_week) == ("night", "monday")


def test_a_naive_instant_is_refused() -> None:
    naive = INSTANT.replace(tzinfo=None)
    with pytest.raises(ValueError, match="offset"):
        Memory(id=memory_id("a", "b"), tenant="a", user_id="u", content="x", created_at=naive)


@pytest.mark.parametrize("zone", ["Mars/Olympus", "Europe", "", "../etc/passwd"])
def test_an_unknown_zone_is_refused(zone: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - the message is zoneinfo's for a malformed key
        local_moment(INSTANT, zone)


@pytest.mark.parametrize(
    ("hours", "name"),
    [((0, 5, 23), "night"), ((6, 11), "morning"), ((12, 17), "afternoon"), ((18, 22), "evening")],
)
def test_parts_of_the_day(hours: tuple[int, ...], name: str) -> None:
    assert {time_of_day(hour) for hour in hours} == {name}


def test_a_derived_id_ignores_the_order_of_its_sources() -> None:
    one, two = memory_id("a", "1"), memory_id("a", "2")
    same = derived_id("a", MemoryKind.SUMMARY, [two, one, two])
    assert derived_id("a", MemoryKind.SUMMARY, [one, two]) == same
    assert derived_id("a", MemoryKind.SYNTHESIS, [one, two]) != same
    assert derived_id("a", MemoryKind.SUMMARY, [one, two], about="who?") != same


UNIT = st.floats(0, 1)
DAYS = st.floats(0, 4000)


@pytest.mark.parametrize("case", decay_cases(), ids=lambda case: case.what)
def test_by_hand(case: DecayCase) -> None:
    factor = decay_factor(case.memory, NOW, floors=case.floors)
    assert factor == pytest.approx(case.factor, rel=1e-3, abs=1e-30)


@given(days=DAYS, more=DAYS, importance=UNIT, arousal=UNIT, floors=st.booleans())
def test_time_never_raises_it_and_what_protects_never_lowers_it(
    days: float, more: float, importance: float, arousal: float, *, floors: bool
) -> None:
    def at(hence: float, importance: float, arousal: float, *, floors: bool) -> float:
        memory = aged_memory({"days": days, "importance": importance, "arousal": arousal})
        return decay_factor(memory, NOW + timedelta(days=hence), floors=floors)

    factor = at(0, importance, arousal, floors=floors)
    assert 0 <= factor <= 1
    assert at(more, importance, arousal, floors=floors) <= factor
    assert at(0, 1.0, arousal, floors=floors) >= factor
    assert at(0, importance, 1.0, floors=floors) >= factor
    assert at(0, importance, arousal, floors=True) >= factor

import datetime as dt

import pytest

from ricordo.language.annotations import MemoryKind
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

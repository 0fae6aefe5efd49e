import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ricordo.memory.decay import decay, floor, idle_days, protection, retention

NOW = dt.datetime(2026, 2, 1, tzinfo=dt.UTC)
unit = st.floats(0, 1)
idle = st.integers(0, 5_000)


@pytest.mark.parametrize(
    ("days", "arousal", "importance", "left"),
    [
        (0, 0, 0, 1.0),
        (7, 0, 0, 1.0),
        (8, 0, 0, 0.95),
        (13, 0, 0, 0.95),
        (14, 0, 0, 0.9025),
        (70, 0.5, 0.5, 0.95**10 + 0.15 + 0.1),
        (14, 1, 1, 1.0),
        (700, 0, 0, 0.95**100),
    ],
)
def test_the_curve_by_hand(days: int, arousal: float, importance: float, left: float) -> None:
    assert retention(days, arousal, importance) == pytest.approx(left)


@given(idle, idle, unit, unit)
def test_more_idle_days_never_strengthen(days: int, more: int, arousal: float, importance: float) -> None:
    assert retention(days + more, arousal, importance) <= retention(days, arousal, importance)


@given(days=idle, arousal=unit, importance=unit, accesses=st.integers(0, 5), floors=st.booleans())
def test_the_factor_is_a_share_above_its_floor(
    *, days: int, arousal: float, importance: float, accesses: int, floors: bool
) -> None:
    result = decay(days=days, arousal=arousal, importance=importance, access_count=accesses, floors=floors)
    if days <= 7:
        assert result is None
        return
    assert result is not None
    assert 0 <= result.factor <= 1
    if floors:
        assert result.factor >= floor(importance)
    if result.archived:
        assert accesses < 2
        assert importance < 0.5


@given(days=idle, more=idle, arousal=unit, importance=unit, factor=unit, floors=st.booleans())
def test_time_never_raises_a_factor(
    *, days: int, more: int, arousal: float, importance: float, factor: float, floors: bool
) -> None:
    first = decay(
        days=days + more, arousal=arousal, importance=importance, access_count=9, factor=factor, floors=floors
    )
    if first is None:
        return
    least = max(protection(arousal, importance), floor(importance) if floors else 0)
    assert least <= first.factor <= max(factor, least)
    again = decay(
        days=days, arousal=arousal, importance=importance, access_count=9, factor=first.factor, floors=floors
    )
    assert again is None or again.factor == first.factor


@pytest.mark.parametrize(("meaningfulness", "left"), [(1, 0.2), (5, 0.9)])
def test_the_floors_of_the_fourth_seed(meaningfulness: int, left: float) -> None:
    importance = (meaningfulness - 1) / 4
    assert floor(importance) == pytest.approx(left)
    later = decay(days=900, arousal=0, importance=importance, access_count=9)
    assert later is not None
    assert later.factor == pytest.approx(left)


@pytest.mark.parametrize(
    ("accesses", "importance", "arousal", "archived"),
    [
        (0, 0.4, 0.0, True),
        (1, 0.4, 0.0, True),
        (2, 0.4, 0.0, False),
        (0, 0.5, 0.0, False),
        (0, 0.4, 0.9, False),
    ],
)
def test_what_goes_to_the_archive(
    *, accesses: int, importance: float, arousal: float, archived: bool
) -> None:
    result = decay(days=400, arousal=arousal, importance=importance, access_count=accesses)
    assert result is not None
    assert result.archived is archived


def test_the_protected_stay() -> None:
    assert decay(days=900, arousal=0, importance=0, access_count=0, protected=True) is None


def test_idle_since_the_later_of_access_and_storage() -> None:
    day = dt.timedelta(days=1)
    assert idle_days(None, NOW - 9 * day, NOW) == 9
    assert idle_days(NOW - 2 * day, NOW - 9 * day, NOW) == 2
    assert idle_days(NOW - 400 * day, NOW - 9 * day, NOW) == 9
    assert idle_days(None, NOW - 8 * day + dt.timedelta(seconds=1), NOW) == 7
    assert idle_days(None, NOW + day, NOW) == 0

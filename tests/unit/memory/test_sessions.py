"""Sessions follow from what was said and when, whatever the order of arrival."""

from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from tests.support.factories import at, memory

from ricordo.memory.summaries import SILENCE, SessionTurn, split_sessions

SAID = memory("m-1")


def _turns(*minutes: float) -> list[SessionTurn]:
    return [SessionTurn(replace(SAID, created_at=at(minute))) for minute in minutes]


def _instants(*minutes: float) -> list[datetime]:
    return [at(minute) for minute in minutes]


def _cut(*minutes: float, ends: tuple[float, ...] = (), most: int = 5_000) -> list[list[datetime]]:
    found = split_sessions(_turns(*minutes), map(at, ends), most=most)
    return [[one.created_at for one in session] for session in found]


def test_a_pause_of_half_an_hour_is_within_a_session() -> None:
    assert _cut(0, 30, 60) == [_instants(0, 30, 60)]
    assert _cut(0, 31, 32) == [_instants(0), _instants(31, 32)]


def test_what_was_said_until_the_end_belongs_to_the_session_that_ended() -> None:
    assert _cut(0, 1, 2, ends=(1,)) == [_instants(0, 1), _instants(2)]
    assert _cut(0, 1, 2, ends=(1.5, 1.2, 9)) == [_instants(0, 1), _instants(2)]


def test_an_endless_session_is_cut() -> None:
    assert _cut(0, 1, 2, 3, 4, most=2) == [_instants(0, 1), _instants(2, 3), _instants(4)]


@given(
    minutes=st.lists(st.integers(0, 500), max_size=40),
    ends=st.lists(st.integers(0, 500), max_size=4),
)
def test_every_turn_is_in_one_session(minutes: list[int], ends: list[int]) -> None:
    turns = _turns(*sorted(minutes))
    found = split_sessions(turns, map(at, ends))
    assert [turn for one in found for turn in one] == turns
    assert all(found)
    for one in found:
        instants = [turn.created_at for turn in one]
        pauses = [later - earlier for earlier, later in pairwise(instants)]
        assert max(pauses, default=timedelta()) <= SILENCE
        assert not any(instants[0] <= at(end) < instants[-1] for end in ends)

"""Sessions: what a user says in one go. They follow from what was said and when, not from how it arrived."""

import datetime as dt
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final, Protocol, TypeVar

SILENCE: Final = dt.timedelta(minutes=30)
"""How long nobody says anything before a session is over."""
MOST_TURNS: Final = 5_000
"""A session that goes on for longer is cut: every so many turns another one begins."""


class Timed(Protocol):
    """Anything that was said at some time."""

    @property
    def created_at(self) -> dt.datetime:
        """When it was said, aware."""
        ...


T = TypeVar("T", bound=Timed)


def is_session_break(
    earlier: dt.datetime, later: dt.datetime, ends: Sequence[dt.datetime], silence: dt.timedelta = SILENCE
) -> bool:
    """Say whether two turns, one after the other, are of two sessions.

    Args:
        earlier: when the former was said.
        later: when the latter was, not before it.
        ends: when sessions were said to have ended, sorted. What was said until then is over.
        silence: the longest pause within a session.
    """
    if later - earlier > silence:
        return True
    place = bisect_left(ends, earlier)
    return place < len(ends) and ends[place] < later


def split_sessions(
    turns: Sequence[T],
    ends: Iterable[dt.datetime],
    silence: dt.timedelta = SILENCE,
    most: int = MOST_TURNS,
) -> list[list[T]]:
    """Cut the turns of a user in a conversation into sessions.

    Args:
        turns: in the order in which they were said, from the beginning of a session on.
        ends: as in `is_session_break`, in any order.
        silence: as in `is_session_break`.
        most: turns of a session, >= 1.
    """
    if not turns:
        return []
    bounds, found = sorted(ends), [[turns[0]]]
    for earlier, later in pairwise(turns):
        if len(found[-1]) >= most or is_session_break(earlier.created_at, later.created_at, bounds, silence):
            found.append([])
        found[-1].append(later)
    return found

"""Sessions: runs of turns without a long silence, as a function of what was said and when."""

import datetime as dt
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final, Protocol, TypeVar

SILENCE: Final = dt.timedelta(minutes=30)
"""The silence that ends a session."""
MOST_TURNS: Final = 5_000
"""Turns of a session, at most; a longer one is split."""


class Timed(Protocol):
    """Anything with an instant."""

    @property
    def created_at(self) -> dt.datetime:
        """When it was said, aware."""
        ...


T = TypeVar("T", bound=Timed)


def is_session_break(
    earlier: dt.datetime, later: dt.datetime, ends: Sequence[dt.datetime], silence: dt.timedelta = SILENCE
) -> bool:
    """Whether two successive turns are of two sessions.

    Args:
        ends: when sessions were explicitly ended, sorted.
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
    """Split the turns of a user in a conversation into sessions.

    Args:
        turns: in order, from the beginning of a session on.
        ends: as in `is_session_break`, in any order.
    """
    if not turns:
        return []
    bounds, found = sorted(ends), [[turns[0]]]
    for earlier, later in pairwise(turns):
        if len(found[-1]) >= most or is_session_break(earlier.created_at, later.created_at, bounds, silence):
            found.append([])
        found[-1].append(later)
    return found

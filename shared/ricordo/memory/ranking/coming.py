"""The order of what is to come: first what happens in the time asked for, as it happens."""

import datetime as dt
import math
from collections.abc import Mapping, Sequence
from typing import Final
from uuid import UUID

from ricordo.language.annotations import EventTime
from ricordo.memory.ranking import Ranked
from ricordo.memory.ranking.signals import Span

_A_DAY: Final = dt.timedelta(hours=25)


def still_to_come(asked: Span, now: dt.datetime) -> Span | None:
    """Return what of the time asked for lies ahead; of a day all of it, None where all of it is over."""
    if asked.end <= now:
        return None
    if asked.end - asked.start <= _A_DAY or asked.start >= now:
        return asked
    return Span(now, asked.end)


def in_order_of_events(
    ranked: Sequence[Ranked], event_times: Mapping[UUID, Sequence[EventTime]], asked: Span
) -> list[Ranked]:
    """Put first what happens within `asked`, the earliest first; the others follow as they were ranked.

    What happens at one moment keeps its order. Scores descend as they do elsewhere: that of what comes first
    is raised above all that come after it, and none is lowered.

    Args:
        ranked: best first.
        event_times: of each memory that has any.
        asked: the time asked for; what overlaps it happens within it.
    """
    begins = {one.id: _first_within(event_times.get(one.id, ()), asked) for one in ranked}
    coming = [(begin, place) for place, one in enumerate(ranked) if (begin := begins[one.id]) is not None]
    order = [one for one in ranked if begins[one.id] is None]
    for _, place in sorted(coming, reverse=True):
        above = math.nextafter(order[0].score, math.inf) if order else -math.inf
        order.insert(0, ranked[place]._replace(score=max(ranked[place].score, above)))
    return order


def _first_within(times: Sequence[EventTime], asked: Span) -> dt.datetime | None:
    return min((one.start for one in times if one.start < asked.end and one.end > asked.start), default=None)

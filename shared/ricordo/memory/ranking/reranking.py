"""Reorders ranked memories: corrections first, future events by date, several rankings merged."""

import datetime as dt
import math
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Final
from uuid import UUID

from ricordo.language.annotations import EventTime
from ricordo.memory.ranking import Ranked
from ricordo.memory.ranking.fusion import reciprocal_rank
from ricordo.memory.ranking.signals import Interval, Signals


def order_corrections(
    ranked: Sequence[Ranked], corrected_by: Mapping[UUID, Sequence[UUID]], limit: int | None = None
) -> list[Ranked]:
    """Return a ranking in which each correction precedes what it corrects.

    A correction that ranks lower, or was not found, is moved right before what it corrects and gets its
    score. Scores stay in descending order.

    Args:
        corrected_by: corrections of a memory, direct and transitive, latest first.
    """
    if not corrected_by:
        return list(ranked[:limit])
    by_id = {one.id: one for one in ranked}
    ordered: dict[UUID, Ranked] = {}
    pending: set[UUID] = set()

    def place(one: Ranked) -> None:
        if one.id in ordered or one.id in pending:
            return
        pending.add(one.id)
        for each in corrected_by.get(one.id, ()):
            own = by_id.get(each) or Ranked(each, one.score, Signals())
            place(own._replace(score=max(own.score, one.score)))
        ordered[one.id] = one

    for one in ranked:
        place(one)
    return list(ordered.values())[:limit]


_A_DAY: Final = dt.timedelta(hours=25)


def remaining_span(asked: Interval, now: dt.datetime) -> Interval | None:
    """Return what of a span is to come; all of a day that is not over, None of what is over."""
    if asked.end <= now:
        return None
    if asked.end - asked.start <= _A_DAY or asked.start >= now:
        return asked
    return Interval(now, asked.end)


def order_by_event_time(
    ranked: Sequence[Ranked], event_times: Mapping[UUID, Sequence[EventTime]], asked: Interval
) -> list[Ranked]:
    """Put what happens within `asked` first, earliest first; the others keep their order.

    Scores are raised where needed to stay in descending order.
    """
    begins = {one.id: _first_within(event_times.get(one.id, ()), asked) for one in ranked}
    coming = [(begin, place) for place, one in enumerate(ranked) if (begin := begins[one.id]) is not None]
    order = [one for one in ranked if begins[one.id] is None]
    for _, place in sorted(coming, reverse=True):
        above = math.nextafter(order[0].score, math.inf) if order else -math.inf
        order.insert(0, ranked[place]._replace(score=max(ranked[place].score, above)))
    return order


def _first_within(times: Sequence[EventTime], asked: Interval) -> dt.datetime | None:
    return min((one.start for one in times if one.start < asked.end and one.end > asked.start), default=None)


def merge_rankings(rankings: Sequence[Sequence[Ranked]], limit: int) -> list[Ranked]:
    """Merge rankings of different embedding models by reciprocal rank.

    Scores are raised where needed to stay in descending order. A memory in two rankings keeps the score and
    signals of the first.

    Args:
        rankings: each best first; ties go to the earlier ranking.
    """
    by_id = {one.id: one for ranking in reversed(rankings) for one in ranking}
    order = list(reciprocal_rank([[one.id for one in ranking] for ranking in rankings]))[:limit]
    raised = list(accumulate((by_id[one].score for one in reversed(order)), max))[::-1]
    return [by_id[one]._replace(score=score) for one, score in zip(order, raised, strict=True)]

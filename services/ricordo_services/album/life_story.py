"""Divides a life into chapters, and finds the days that are worth remembering."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import pairwise
from statistics import median
from typing import Final, Literal

from ricordo.messages.listings import PeriodView
from ricordo.messages.views import FactView

_USER: Final = "user"
_TURNS: Final = ("lives_in", "partner", "works_at")
"""Predicates whose facts name a chapter, the one that names it best first."""
_SILENCES: Final = 3  # as often as the median gap
_SHORTEST_SILENCE: Final = timedelta(days=21)
_NAMES: Final = 2


@dataclass(frozen=True, slots=True)
class Chapter:
    """A time of a life between two long silences; instants are aware.

    Attributes:
        began: the user's facts of homes, partners and work that began in it, or in the silence before.
        ended: those that ended in it, or in the silence before.
    """

    start: datetime
    end: datetime
    memories: int
    began: tuple[FactView, ...] = ()
    ended: tuple[FactView, ...] = ()

    @property
    def name(self) -> str:
        """What began in it, such as "Trieste · Marta"; what ended, if nothing began; else nothing."""
        return " · ".join(dict.fromkeys(fact.object for fact in (self.began or self.ended)[:_NAMES]))


def chapters(periods: Sequence[PeriodView], facts: Sequence[FactView]) -> tuple[Chapter, ...]:
    """Divide a life where nothing was said for a long time.

    A silence is long if from the start of a period to that of the next one in which something was said there
    are three times the median of all such gaps, and at least 21 days.

    Args:
        periods: in the order of time; those without memories count for nothing.
    """
    told = [period for period in periods if period.memories]
    if not told:
        return ()
    gaps = [later.start - earlier.start for earlier, later in pairwise(told)]
    usual = timedelta(seconds=median(gap.total_seconds() for gap in gaps)) if gaps else timedelta()
    longest = max(_SILENCES * usual, _SHORTEST_SILENCE)
    parts = [[told[0]]]
    for gap, period in zip(gaps, told[1:], strict=True):
        if gap >= longest:
            parts.append([])
        parts[-1].append(period)
    turns = [fact for fact in facts if fact.subject == _USER and fact.predicate in _TURNS]
    turns.sort(key=lambda fact: (_TURNS.index(fact.predicate), -fact.confidence))
    found, before = [], datetime.min.replace(tzinfo=told[0].start.tzinfo)
    for part in parts:
        start, end = part[0].start, part[-1].end
        began = tuple(fact for fact in turns if before <= (fact.valid_from or fact.first_seen) < end)
        ended = tuple(fact for fact in turns if fact.valid_to and before <= fact.valid_to < end)
        found.append(Chapter(start, end, sum(period.memories for period in part), began, ended))
        before = end
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Milestone:
    """A day that is worth remembering.

    Attributes:
        number: the years since the first memory, or the memories.
    """

    kind: Literal["anniversary", "memories"]
    day: date
    number: int


def milestones(first: date, counts: Sequence[tuple[date, int]], today: date) -> tuple[Milestone, ...]:
    """Return the anniversaries of the first memory until today, and the days of the 100th, 1,000th...

    Args:
        counts: the memories of each day, oldest first.
        today: in the user's zone.
    """
    found = [
        Milestone("anniversary", day, year - first.year)
        for year in range(first.year + 1, today.year + 1)
        if (day := _in_year(first, year)) <= today
    ]
    total, wanted = 0, 100
    for day, memories in counts:
        total += memories
        while total >= wanted:
            found.append(Milestone("memories", day, wanted))
            wanted *= 10
    return tuple(sorted(found, key=lambda one: (one.day, one.kind)))


def _in_year(day: date, year: int) -> date:
    """Return the same day of another year; the 28th for the 29th of February where there is none."""
    try:
        return day.replace(year=year)
    except ValueError:
        return day.replace(year=year, day=28)

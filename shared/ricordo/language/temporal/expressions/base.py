"""What every expression of time knows: its window at a moment, and what kind of words it is."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import Literal

from ricordo.language.temporal.moments import Moment, NoSuchTime, Window

Relation = Literal["last", "past", "this", "next", "coming"]
OFFSETS: dict[Relation, int] = {"last": -1, "past": -1, "this": 0, "next": 1, "coming": 1}


@dataclass(frozen=True, slots=True)
class Expression(ABC):
    """A time in words."""

    @abstractmethod
    def window(self, moment: Moment) -> Window:
        """Return what the words mean at `moment`.

        Raises:
            NoSuchTime: They mean no time at all.
            ValueError, OverflowError: They mean a time outside of the calendar.
        """

    def of_year(self, year: int) -> "Expression | None":  # noqa: ARG002 - most have no year of their own
        """Return the same thing in `year`, None when it is nothing that comes once a year."""
        return None

    @property
    def deictic(self) -> bool:
        """Whether the meaning hangs on the moment by the words themselves ("yesterday", not "in May")."""
        return False

    @property
    def partial(self) -> bool:
        """Whether something is left out that the context has to give ("12 May": of which year?)."""
        return False

    @property
    def approximate(self) -> bool:
        """Whether the words point at a neighbourhood of the window."""
        return False


def years_around(moment: Moment, reach: int = 8) -> Iterator[int]:
    """Yield years from the present one on, in the preferred direction; 8 reach over any gap of leap years."""
    step = -1 if moment.past else 1
    year = moment.today.year
    # One year on the other side first: a week or a winter that is going on may belong to a neighbouring year.
    yield from range(year - step, year + step * (reach + 1), step)


def first_of(windows: Iterable[Window], fits: Callable[[Window], bool]) -> Window:
    """Return the first window that fits.

    Raises:
        NoSuchTime: None does.
    """
    for window in windows:
        if fits(window):
            return window
    raise NoSuchTime("no such time near the moment")


def recurring(make: Callable[[int], Window], moment: Moment, relation: Relation | None = None) -> Window:
    """Choose the year of something that comes once a year.

    Without a relation the present one counts, whichever way is preferred: "in May", said in May, is this May.

    Args:
        make: The window in a year; raises `ValueError` where the year has none (29 February).
        moment: When the words are said.
        relation: How the words place it, if they do.
    """
    if relation == "this":
        return make(moment.today.year)
    towards = "past" if relation in {"last", "past"} or (relation is None and moment.past) else "future"
    leaning = moment.leaning(moment.now, "past" if towards == "past" else "future")
    begun = moment.at(moment.today)
    if towards == "past":
        fits = (lambda w: w.end <= begun) if relation else (lambda w: w.start <= moment.now)
    else:
        fits = (lambda w: w.start > moment.now) if relation else (lambda w: w.end > begun)
    return first_of(_existing(make, years_around(leaning)), fits)


def _existing(make: Callable[[int], Window], years: Iterable[int]) -> Iterator[Window]:
    for year in years:
        try:
            yield make(year)
        except ValueError:
            continue


def calendar_day(year: int, month: int, day: int) -> date:
    """Return the date.

    Raises:
        NoSuchTime: The month has no such day.
    """
    try:
        return date(year, month, day)
    except ValueError as error:
        raise NoSuchTime(str(error)) from error

"""The base classes of expressions of time."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from datetime import date
from typing import Literal, Self

from ricordo.language.temporal.moments import Moment, Window

Relation = Literal["last", "past", "this", "next", "coming"]
OFFSETS: dict[Relation, int] = {"last": -1, "past": -1, "this": 0, "next": 1, "coming": 1}


@dataclass(frozen=True, slots=True)
class Expression(ABC):
    """A time in words."""

    @abstractmethod
    def window(self, moment: Moment) -> Window:
        """Return what the words mean at `moment`.

        Raises:
            ValueError, OverflowError: They mean no time, or one outside of the calendar.
        """

    def of_year(self, year: int) -> "Expression | None":  # noqa: ARG002 - most have no year of their own
        """Return the same thing in `year`, None when it is nothing that comes once a year."""
        return None

    @property
    def deictic(self) -> bool:
        """Whether the words themselves refer to the moment ("yesterday", not "in May"), or a part does."""
        values = [getattr(self, field.name) for field in fields(self)]
        parts = [value for value in values if isinstance(value, Expression)]
        return not parts or any(part.deictic for part in parts)

    @property
    def partial(self) -> bool:
        """Whether something is left out that the context has to give ("12 May": of which year?)."""
        return False

    @property
    def approximate(self) -> bool:
        """Whether the words point at a neighbourhood of the window."""
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Yearly(Expression):
    """A time that comes once a year, in a year or placed by a relation: "May", "last May", "Easter 2019".

    `skipped` counts those nearer than the one that a relation places: 1 of "the summer before last".
    """

    year: int | None = None
    relation: Relation | None = None
    skipped: int = 0

    @abstractmethod
    def dates(self, year: int) -> tuple[date, date]:
        """Return the first day in a year, and the day after the last one.

        Raises:
            ValueError: The year has no such time (29 February).
        """

    def of_year(self, year: int) -> Self | None:
        """Return the same thing in `year`."""
        return replace(self, year=year, relation=None)

    def window(self, moment: Moment) -> Window:
        """Return the dates in the year.

        Without a relation the present one counts, whichever way is preferred: "in May", said in May, is this
        May.
        """
        if self.year is not None or self.relation == "this":
            return moment.days(*self.dates(moment.today.year if self.year is None else self.year))
        past = self.relation in {"last", "past"} or (self.relation is None and moment.past)
        today = moment.at(moment.today)
        for year in years_around(moment, past=past):
            try:
                window = moment.days(*self.dates(year))
            except ValueError:
                continue
            if past:
                fits = window.end <= today if self.relation else window.start <= moment.now
            else:
                fits = window.start > moment.now if self.relation else window.end > today
            if fits:
                further = self.skipped * (-1 if past else 1)
                return moment.days(*self.dates(year + further)) if further else window
        raise ValueError("no such time near the moment")

    @property
    def deictic(self) -> bool:
        """Whether a relation places it."""
        return self.relation is not None

    @property
    def partial(self) -> bool:
        """Whether the year is left out."""
        return self.year is None and self.relation is None


@dataclass(frozen=True, slots=True)
class Part(Expression):
    """A part of a period, which leaves out what the period leaves out."""

    whole: Expression

    def of_year(self, year: int) -> Self | None:
        """Return the part of the period in `year`."""
        whole = self.whole.of_year(year)
        return replace(self, whole=whole) if whole is not None else None

    @property
    def partial(self) -> bool:
        """Whether the period leaves something out."""
        return self.whole.partial


def years_around(moment: Moment, *, past: bool, reach: int = 8) -> Iterator[int]:
    """Yield years from the present one on, back or ahead; 8 reach over any gap of leap years."""
    step = -1 if past else 1
    year = moment.today.year
    # One year on the other side first: a week or a winter that is going on may belong to a neighbouring year.
    yield from range(year - step, year + step * (reach + 1), step)

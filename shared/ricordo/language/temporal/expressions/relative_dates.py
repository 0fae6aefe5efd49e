"""Lengths of time, and times by their distance from the moment of speaking or from another time."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final, Literal

from ricordo.language.temporal.expressions.base import Expression, Relation
from ricordo.language.temporal.gregorian import (
    DAY,
    add_months,
    add_working_days,
    monday_of,
    weekday_from,
    weekday_until,
)
from ricordo.language.temporal.moments import Moment, Window

Unit = Literal[
    "second", "minute", "hour", "day", "workday", "week", "weekend", "fortnight", "month", "quarter", "half",
    "year", "decade", "century",
]  # fmt: skip

MONTHS: Mapping[Unit, int] = {"month": 1, "quarter": 3, "half": 6, "year": 12, "decade": 120, "century": 1200}
DAYS: Mapping[Unit, int] = {"day": 1, "week": 7, "weekend": 7, "fortnight": 14}
SECONDS: Mapping[Unit, int] = {"second": 1, "minute": 60, "hour": 3600}
# Half of a unit, in whole ones of a smaller unit.
HALVES: Mapping[Unit, tuple[int, Unit]] = {
    "minute": (30, "second"),
    "hour": (30, "minute"),
    "day": (12, "hour"),
    "week": (3, "day"),
    "fortnight": (1, "week"),
    "month": (15, "day"),
    "year": (6, "month"),
    "decade": (5, "year"),
    "century": (50, "year"),
}
_ALIGNED: frozenset[Unit] = frozenset({"quarter", "half", "decade", "century", "weekend"})


@dataclass(frozen=True, slots=True)
class Amount:
    """A length of time in words: "1 month and 21 days"."""

    parts: tuple[tuple[int, Unit], ...]

    @property
    def fine(self) -> bool:
        """Whether it counts hours or less."""
        return any(unit in SECONDS for _, unit in self.parts)

    @property
    def coarse(self) -> bool:
        """Whether it counts something longer than days."""
        return any(unit not in SECONDS and unit not in {"day", "workday"} for _, unit in self.parts)

    def only(self, *units: Unit) -> bool:
        """Whether it counts nothing but `units`."""
        return all(unit in units for _, unit in self.parts)

    def from_day(self, day: date, sign: int) -> date:
        """Return the day that lies this far after (or before, with `sign` −1) `day`; hours do not count."""
        months = sum(count * MONTHS.get(unit, 0) for count, unit in self.parts)
        days = sum(count * DAYS.get(unit, 0) for count, unit in self.parts)
        working = sum(count for count, unit in self.parts if unit == "workday")
        return add_working_days(add_months(day, sign * months) + sign * days * DAY, sign * working)

    def from_instant(self, instant: datetime, moment: Moment, sign: int) -> datetime:
        """Return the instant this far away: days and more on the wall clock, hours and less as they pass."""
        local = instant.astimezone(moment.zone)
        day = self.from_day(local.date(), sign)
        moved = datetime.combine(day, local.timetz()).astimezone(instant.tzinfo)
        return moved + timedelta(
            seconds=sign * sum(count * SECONDS.get(unit, 0) for count, unit in self.parts)
        )


@dataclass(frozen=True, slots=True)
class Period(Expression):
    """A unit of the calendar, counted from this one: "yesterday" is day −1, "the year after next" 2."""

    unit: Unit
    offset: int

    def window(self, moment: Moment) -> Window:
        """Return the whole unit; an hour or less from the moment on."""
        if self.unit in SECONDS:
            length = timedelta(seconds=SECONDS[self.unit])
            start = moment.now + self.offset * length
            return Window(start, start + length)
        if self.unit in MONTHS:
            months = MONTHS[self.unit]
            first = add_months(_begin_of_months(moment.today, months), self.offset * months)
            return moment.days(first, add_months(first, months))
        if self.unit == "workday":
            return moment.day(add_working_days(moment.today, self.offset))
        days = DAYS[self.unit] * DAY
        first = (moment.today if self.unit == "day" else monday_of(moment.today)) + self.offset * days
        return moment.days(first + 5 * DAY if self.unit == "weekend" else first, first + days)


NOW: Final = Period("minute", 0)
TODAY: Final = Period("day", 0)


def _begin_of_months(day: date, months: int) -> date:
    if months <= 12:
        return date(day.year, (day.month - 1) // months * months + 1, 1)
    years = months // 12
    return date(day.year // years * years, 1, 1)


@dataclass(frozen=True, slots=True)
class Weekday(Expression):
    """A weekday (Monday is 0): "Friday", "last Friday", the first one from the beginning of `within` on.

    "Next" is the one of next week, "coming" the nearest ahead, "last" the nearest behind, "this" the one of
    this week.
    """

    weekday: int
    relation: Relation | None = None
    within: Expression | None = None

    def window(self, moment: Moment) -> Window:
        """Return the day."""
        if self.within is not None:
            return moment.day(weekday_from(moment.date_of(self.within.window(moment).start), self.weekday))
        today = moment.today
        if self.relation in {"this", "next"}:
            return moment.day(monday_of(today) + (7 * (self.relation == "next") + self.weekday) * DAY)
        if self.relation in {"last", "past"} or (self.relation is None and moment.past):
            return moment.day(weekday_until(today - DAY, self.weekday))
        return moment.day(weekday_from(today + DAY, self.weekday))

    @property
    def partial(self) -> bool:
        """Whether nothing places it."""
        return self.relation is None and self.within is None


@dataclass(frozen=True, slots=True)
class Weekend(Expression):
    """A weekend without more words: the last one that has begun, or the next one that is not over."""

    def window(self, moment: Moment) -> Window:
        """Return the Saturday and the Sunday."""
        current = Period("weekend", 0).window(moment)
        return Period("weekend", -1).window(moment) if moment.past and current.start > moment.now else current


@dataclass(frozen=True, slots=True)
class Rolling(Expression):
    """A length of time that ends, or begins, now: "the last 7 days", "the next two weeks", "within 5 days".

    What is counted in quarters, decades, weekends or working days is counted in whole ones; the next days
    begin tomorrow.
    """

    amount: Amount
    sign: int
    from_now: bool = False

    def window(self, moment: Moment) -> Window:
        """Return the time before or after the moment."""
        (count, unit), *rest = self.amount.parts
        if unit in _ALIGNED and not rest:
            first, last = (-count, -1) if self.sign < 0 else (1, count)
            return Window(Period(unit, first).window(moment).start, Period(unit, last).window(moment).end)
        if unit == "workday":
            end = self.amount.from_day(moment.today, self.sign)
            if self.sign < 0:
                return moment.days(end, moment.today)
            return moment.days(add_working_days(moment.today, 1), end + DAY)
        if self.sign < 0:
            return Window(self.amount.from_instant(moment.now, moment, -1), moment.now)
        if self.from_now or self.amount.fine:
            return Window(moment.now, self.amount.from_instant(moment.now, moment, 1))
        tomorrow = moment.today + DAY
        return moment.days(tomorrow, self.amount.from_day(tomorrow, 1))


@dataclass(frozen=True, slots=True)
class Away(Expression):
    """A time at a distance from the moment or another time: "two weeks ago", "3 days after Easter"."""

    amount: Amount
    sign: int
    anchor: Expression | None = None

    def window(self, moment: Moment) -> Window:
        """Return the day; the minute or the hour where such are counted."""
        instant = moment.now if self.anchor is None else self.anchor.window(moment).start
        if not self.amount.fine:
            return moment.day(self.amount.from_day(moment.date_of(instant), self.sign))
        start = self.amount.from_instant(instant, moment, self.sign)
        return Window(start, start + timedelta(seconds=SECONDS.get(self.amount.parts[-1][1], 60)))

    @property
    def approximate(self) -> bool:
        """Whether it counts other units than days."""
        return self.amount.coarse or self.amount.fine

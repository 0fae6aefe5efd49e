"""Lengths of time as they are said, and how far they lead from a day or an instant."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Literal

from ricordo.language.temporal.gregorian import add_months, add_working_days
from ricordo.language.temporal.moments import Moment

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


@dataclass(frozen=True, slots=True)
class Amount:
    """A length of time as it is said: "1 month and 21 days"."""

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
        return add_working_days(add_months(day, sign * months) + timedelta(days=sign * days), sign * working)

    def from_instant(self, instant: datetime, moment: Moment, sign: int) -> datetime:
        """Return the instant this far away: days and more on the wall clock, hours and less as they pass."""
        local = instant.astimezone(moment.zone)
        day = self.from_day(local.date(), sign)
        moved = datetime.combine(day, local.timetz()).astimezone(instant.tzinfo)
        seconds = sum(count * SECONDS.get(unit, 0) for count, unit in self.parts)
        return moved + timedelta(seconds=sign * seconds)

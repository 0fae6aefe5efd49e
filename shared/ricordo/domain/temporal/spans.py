"""What reading time out of a text yields: spans of instants, and an instant as its user lives it."""

from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Literal
from zoneinfo import ZoneInfo

SpanType = Literal["exact", "range", "relative"]
Preference = Literal["past", "future"]
Language = Literal["it", "en"]
TimeOfDay = Literal["morning", "afternoon", "evening", "night"]
DayOfWeek = Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

# Bounds of spans that are open at one side. A few days inside of what `datetime` can hold, so that they
# convert to every zone.
EARLIEST = datetime(1, 1, 3, tzinfo=UTC)
LATEST = datetime(9999, 12, 29, tzinfo=UTC)

_DAYS: tuple[DayOfWeek, ...] = (
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
)


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """A time that a text names, resolved.

    Attributes:
        type: `relative` to the moment of speaking ("yesterday", "last week"), else `exact` for a day or
            less, `range` for more.
        reference: The words that name it, as they stand in the text.
        start: First instant, aware, in UTC. `EARLIEST` where the span is open ("before 2010").
        end: First instant after the span, aware, in UTC; always later than `start`. `LATEST` where open.
        span: Offsets of the reference in the text, in characters, half-open.
        through: End of the last period that a range names ("from 3 to 5 May" ends with the 5th when that
            day is meant to be in it); equal to `end` for all that is not such a range.
        approximate: The words point at a neighbourhood ("two months ago"), of which the span is the centre.
    """

    type: SpanType
    reference: str
    start: datetime
    end: datetime
    span: tuple[int, int]
    through: datetime = field(default=LATEST)
    approximate: bool = False


@dataclass(frozen=True, slots=True)
class LocalTime:
    """An instant in its user's zone, in the terms by which people look for it."""

    date: date
    time_of_day: TimeOfDay
    day_of_week: DayOfWeek


def local_fields(instant: datetime, zone: ZoneInfo) -> LocalTime:
    """Describe `instant` as it was lived in `zone`.

    Morning is 6 to 12, afternoon 12 to 18, evening 18 to 23, night the rest; an hour after midnight is the
    night of its calendar day.

    Raises:
        ValueError: `instant` is naive.
    """
    if instant.tzinfo is None:
        raise ValueError("an instant needs a time zone")
    local = instant.astimezone(zone)
    return LocalTime(local.date(), _time_of_day(local.hour), _DAYS[local.weekday()])


def _time_of_day(hour: int) -> TimeOfDay:
    if 6 <= hour < 12:
        return "morning"
    if 12 <= hour < 18:
        return "afternoon"
    return "evening" if 18 <= hour < 23 else "night"

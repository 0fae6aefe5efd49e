"""Windows of time, the moment from which a text is read, and the spans that reading yields."""

from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Literal
from zoneinfo import ZoneInfo

SpanType = Literal["exact", "range", "relative"]
Direction = Literal["past", "future"]
"""Which way a time lies that could lie either way."""
Language = str
"""The ISO 639-1 code of a language that has a folder of data."""

# Bounds of spans that are open at one side. A few days inside of what `datetime` can hold, so that they
# convert to every zone.
EARLIEST = datetime(1, 1, 3, tzinfo=UTC)
LATEST = datetime(9999, 12, 29, tzinfo=UTC)


def find_zone(name: str) -> tzinfo:
    """Return the zone of an IANA name, or of an offset such as "+08:00".

    Raises:
        ZoneInfoNotFoundError, OSError: no zone has this name.
    """
    if name[:1] not in {"+", "-"}:
        return ZoneInfo(name)
    return datetime.strptime(name, "%z").tzinfo or UTC


def offset_name(instant: datetime) -> str | None:
    """Return the offset that an instant was written with, as `find_zone` reads it; None for that of UTC."""
    return instant.isoformat()[-6:] if instant.utcoffset() else None


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """A time that a text names, resolved.

    Attributes:
        type: `relative` to the moment of speaking ("yesterday", "last week"), else `exact` for a day or
            less, `range` for more.
        start: First instant, aware, in UTC. `EARLIEST` where the span is open ("before 2010").
        end: First instant after the span, aware, in UTC; always later than `start`. `LATEST` where open.
        through: End of the last period that is named, when that is meant to be in it ("from 3 to 5 May" ends
            with the 5th, "until Friday" with the Friday); equal to `end` for all that names no such end.
        approximate: The words point at a neighbourhood ("two months ago"), of which the span is the centre.
    """

    type: SpanType
    reference: str
    start: datetime
    end: datetime
    span: tuple[int, int]
    through: datetime = field(default=LATEST)
    approximate: bool = False

    @property
    def bounded(self) -> bool:
        """Whether it has both a beginning and an end of its own."""
        return self.start > EARLIEST and self.end < LATEST


@dataclass(frozen=True, slots=True)
class Window:
    """A half-open interval of instants in UTC; `through` as in `TimeSpan`."""

    start: datetime
    end: datetime
    through: datetime | None = None


@dataclass(frozen=True, slots=True)
class Moment:
    """When and where words are spoken, and which way they lean when both ways are possible.

    Attributes:
        now: The present, aware, in UTC.
        zone: The speaker's zone: days begin at its midnights.
        prefer: Whether "in May" is the last one or the next one.
        sure: Whether the other way is out of the question, however much nearer it is: a past tense rules.
    """

    now: datetime
    zone: tzinfo
    prefer: Direction
    sure: bool = False

    @property
    def today(self) -> date:
        """The speaker's calendar day."""
        return self.date_of(self.now)

    @property
    def past(self) -> bool:
        """Whether the past reading is preferred."""
        return self.prefer == "past"

    def date_of(self, instant: datetime) -> date:
        """Return the calendar day of `instant` in the speaker's zone."""
        return instant.astimezone(self.zone).date()

    def at(self, day: date, minutes: int = 0) -> datetime:
        """Return the instant `minutes` of wall-clock time after the midnight that begins `day`."""
        days, minute = divmod(minutes, 24 * 60)
        wall = time(minute // 60, minute % 60)
        return datetime.combine(day + timedelta(days=days), wall, self.zone).astimezone(UTC)

    def days(self, first: date, after: date) -> Window:
        """Return the window from the beginning of `first` to the beginning of `after`."""
        return Window(self.at(first), self.at(after))

    def day(self, day: date) -> Window:
        """Return the window of one calendar day."""
        return self.days(day, day + timedelta(days=1))

    def leaning(self, instant: datetime, prefer: Direction) -> "Moment":
        """Return the moment at `instant` that prefers what is before or after it."""
        return replace(self, now=instant, prefer=prefer)

    def up_to_now(self, start: datetime) -> datetime:
        """Return where a window that began at `start` and is open ends: now, unless it lies ahead."""
        return self.now if self.past and start < self.now else LATEST

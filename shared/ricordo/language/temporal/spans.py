"""What reading time out of a text yields: spans of instants."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal

SpanType = Literal["exact", "range", "relative"]
Direction = Literal["past", "future"]
Preference = Literal["past", "future", "told"]
"""Which way a time lies that could lie either way; `told`: as the words beside it tell, else the past."""
Language = str
"""The ISO 639-1 code of a language that has a folder of data."""

# Bounds of spans that are open at one side. A few days inside of what `datetime` can hold, so that they
# convert to every zone.
EARLIEST = datetime(1, 1, 3, tzinfo=UTC)
LATEST = datetime(9999, 12, 29, tzinfo=UTC)


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

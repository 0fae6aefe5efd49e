"""Reads the lines of an exported chat of WhatsApp: dates of several locales, and their order in a file."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from ricordo_services.importers.past_message import DateOrder

_INVISIBLE: Final = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
_MARKS: Final = "\u200e\u200f\u202a\u202b\u202c\ufeff"
# Android: 05/01/24, 15:04 - Nora: text
# iOS: [05/01/24, 15:04:05] Nora: text; formerly 05/01/24, 15:04:05: Nora: text
_HEADER: Final = re.compile(
    rf"[{_MARKS}]*(?P<open>\[)?(?P<date>\d{{1,4}}(?P<sign>[./-])\d{{1,2}}(?P=sign)\d{{1,4}}),?\s+"
    r"(?:[^\W\d]{1,4}\s+)?(?P<hour>\d{1,2})[:.](?P<minute>\d\d)(?:[:.](?P<second>\d\d))?(?:\s?(?P<half>[AaPp])\.?\s?[Mm]\.?)?"
    r"(?(open)\]|(?:\s+[-–]|(?(second):|(?!))))\s(?P<rest>.*)",
)


@dataclass(frozen=True, slots=True)
class Header:
    """The beginning of a message, or of a system line.

    Attributes:
        date: three numbers as they stand.
        time: hour, minute, second.
        rest: speaker and text.
    """

    date: tuple[int, int, int]
    sign: str
    time: tuple[int, int, int]
    rest: str

    def moment(self, order: DateOrder) -> datetime:
        """Return the local time.

        Raises:
            ValueError: no calendar has this day.
        """
        year, month, day = _ordered(self.date, order)
        return datetime(year, month, day, *self.time)  # noqa: DTZ001 - the zone is that of the phone


def read_header(line: str) -> Header | None:
    """Return the beginning of a message, or None for a line that continues one."""
    found = _HEADER.fullmatch(line)
    if found is None:
        return None
    first, second, third = map(int, found["date"].split(found["sign"]))
    hour = int(found["hour"])
    if half := found["half"]:
        hour = hour % 12 + (12 if half in "Pp" else 0)
    return Header(
        (first, second, third),
        found["sign"],
        (hour, int(found["minute"]), int(found["second"] or 0)),
        found["rest"],
    )


def is_cut_header(line: str, head: str) -> bool:
    """Return whether a line is the beginning, longer than the date, of what another message begins with."""
    shape, whole = (re.sub(r"\d+", "0", visible(each)) for each in (line, head))
    return re.search(r"\d[\s,]", line) is not None and shape != whole and whole.startswith(shape)


def visible(text: str) -> str:
    """Return `text` without the marks of writing direction that WhatsApp inserts."""
    return _INVISIBLE.sub("", text)


def is_own_text(text: str) -> bool:
    """Return whether WhatsApp on iOS marks a text as its own, and not a person's."""
    return text.startswith("\u200e")


def date_order(headers: Iterable[Header]) -> DateOrder | None:
    """Find the order of day, month and year by all dates of a file; None where several fit equally.

    The year stands first if it has four digits there. Else that order is chosen in which fewer dates are
    impossible (there is no 13th month), then the one in which time goes back less often. Dates with full
    stops begin with the day.
    """
    impossible, backwards = {"dmy": 0, "mdy": 0}, {"dmy": 0, "mdy": 0}
    previous: tuple[int, int, int] | None = None
    has_stops = is_told = False
    for header in headers:
        first, second, _ = date = header.date
        if first > 99:
            return "ymd"
        impossible["dmy"] += second > 12
        impossible["mdy"] += first > 12
        has_stops |= header.sign == "."
        is_told |= first != second
        if previous is not None:
            backwards["dmy"] += _ordered(date, "dmy") < _ordered(previous, "dmy")
            backwards["mdy"] += _ordered(date, "mdy") < _ordered(previous, "mdy")
        previous = date
    dmy, mdy = ((impossible[order], backwards[order]) for order in ("dmy", "mdy"))
    if dmy == mdy:
        return "dmy" if has_stops or not is_told else None
    return "dmy" if dmy < mdy else "mdy"


def _ordered(date: tuple[int, int, int], order: DateOrder) -> tuple[int, int, int]:
    """Return year, month and day."""
    first, second, third = date
    if order == "ymd":
        return first, second, third
    day, month = (first, second) if order == "dmy" else (second, first)
    return (third if third > 99 else 2000 + third), month, day

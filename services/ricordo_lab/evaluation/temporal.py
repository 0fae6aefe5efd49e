"""Scores the reading of times on a file of the date and time specifications of Recognizers-Text.

The file is a JSON list of cases: `Input`, `Context.ReferenceDateTime` (local), `Results`, of which those of
the types `date` and `daterange` are scored, and `file`, where the case was first. Of two readings of a time
the past one counts.
"""

import argparse
import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final, Literal
from zoneinfo import ZoneInfo

from ricordo.language.temporal import EARLIEST, LATEST, Language, TimeSpan, find, resolve
from ricordo_lab.console import UnreadableData
from ricordo_lab.evaluation.results import Figures, Miss

Kind = Literal["date", "daterange"]
Bounds = tuple[datetime | None, datetime | None]
"""A half-open stretch of local time, naive; None where it is open."""

KINDS: Final[tuple[Kind, ...]] = ("date", "daterange")
OTHER_CONVENTIONS: Final = frozenset(
    {
        "DateTimeModelExperimentalMode.json",
        "DateTimeModelSplitDateAndTime.json",
        "DateTimeModelTasksMode.json",
    }
)
"""Files whose cases mean the same words in another way: a range holds its end, a day leaves out its hour."""
# Results of these types name no point or stretch of the calendar.
_TIMELESS: Final = frozenset({"set", "duration", "timezone"})
_NEVER: Final = 1  # the year of a day that there is not: 30 February
_ZONE: Final = ZoneInfo("UTC")
_Result = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Tally:
    """How many of the expected times were read exactly: both bounds, to the second."""

    cases: int = 0
    exact: int = 0

    @property
    def share(self) -> float:
        """The exact part of all, in [0, 1]; 0 without any."""
        return self.exact / self.cases if self.cases else 0.0


@dataclass(frozen=True, slots=True)
class MisreadTime:
    """A case that was read otherwise than expected.

    Attributes:
        text: what was said.
        now: the local moment of saying it.
        kind: of the expected time; None where no time was expected.
        expected: its bounds; None where no time was expected, or one that there is not (30 February).
        found: the bounds that were read; None when no time was.
        reference: the words that were read as a time, empty without any.
    """

    text: str
    now: datetime
    kind: Kind | None
    expected: Bounds | None
    found: Bounds | None
    reference: str


@dataclass(frozen=True, slots=True)
class TemporalScore:
    """What came of a file.

    Attributes:
        dates: of the expected days.
        ranges: of the expected ranges.
        timeless: cases in which nothing, or nothing but repetitions and durations, is expected.
        misses: the expected times that were not read exactly.
        false_positives: the timeless cases in which a time was read.
        unscored: results that give no bounds to compare with.
    """

    dates: Tally
    ranges: Tally
    timeless: int
    misses: tuple[MisreadTime, ...]
    false_positives: tuple[MisreadTime, ...]
    unscored: int


@dataclass(frozen=True, slots=True)
class _Expected:
    kind: Kind
    bounds: Bounds | None
    place: tuple[int, int]


def run(asked: argparse.Namespace) -> Iterator[Figures | Miss]:
    """Yield how many times were read exactly, and the cases that were misread."""
    left_out = () if asked.every_file else OTHER_CONVENTIONS
    score = score_temporal(asked.data, asked.language, leave_out=left_out)
    yield Figures(
        dates=score.dates.cases,
        dates_exact=round(score.dates.share, 4),
        ranges=score.ranges.cases,
        ranges_exact=round(score.ranges.share, 4),
        timeless=score.timeless,
        timeless_with_a_time=len(score.false_positives),
    )
    for miss in (*score.misses, *score.false_positives) if asked.misses else ():
        yield Miss(text=miss.text, now=miss.now, expected=miss.expected, read=miss.found)


def score_temporal(path: Path, language: Language, *, leave_out: Collection[str] = ()) -> TemporalScore:
    """Score the reading of times on a file of cases.

    Where a case has one result, the time that its text is about has to be that one; where it has several,
    each has to be among the times found, at its place.

    Args:
        path: of a file as the module says.
        language: of its texts.
        leave_out: cases whose `file` is one of these do not count, such as `OTHER_CONVENTIONS`.

    Raises:
        OSError: The file cannot be read.
        UnreadableData: It has another shape.
    """
    tallies: dict[Kind, list[bool]] = {kind: [] for kind in KINDS}
    misses: list[MisreadTime] = []
    wrong: list[MisreadTime] = []
    timeless = unscored = 0
    for case in _cases(path, leave_out):
        for one, span in case.read(language):
            exact = _same(span, one.bounds, case.now)
            tallies[one.kind].append(exact)
            misses += [] if exact else [_miss(case, span, one)]
        unscored += case.unscored
        if case.timeless:
            timeless += 1
            read = case.about(language)
            wrong += [] if read is None else [_miss(case, read, None)]
    dates, ranges = (Tally(len(tallies[kind]), sum(tallies[kind])) for kind in KINDS)
    return TemporalScore(dates, ranges, timeless, tuple(misses), tuple(wrong), unscored)


@dataclass(frozen=True, slots=True)
class _Case:
    text: str
    now: datetime
    types: tuple[str, ...]
    expected: tuple[_Expected, ...]

    @property
    def timeless(self) -> bool:
        """Whether nothing that it expects lies at a time."""
        return all(kind in _TIMELESS for kind in self.types)

    @property
    def unscored(self) -> int:
        """How many results of the scored types give no bounds."""
        return sum(kind in KINDS for kind in self.types) - len(self.expected)

    def about(self, language: Language) -> TimeSpan | None:
        """Return the time that the text is about, as it is read."""
        return resolve(self.text, self.now.replace(tzinfo=UTC), _ZONE, language, prefer="past")

    def read(self, language: Language) -> Iterator[tuple[_Expected, TimeSpan | None]]:
        """Yield what is expected with what is read in its place."""
        if len(self.types) == 1:
            yield from ((one, self.about(language)) for one in self.expected)
        elif self.expected:
            found = find(self.text, self.now.replace(tzinfo=UTC), _ZONE, language, prefer="past")
            for one in self.expected:
                span = max(found, key=lambda span: _overlap(span.span, one.place), default=None)
                yield one, span if span is not None and _overlap(span.span, one.place) > 0 else None


def _cases(path: Path, leave_out: Collection[str]) -> Iterator[_Case]:
    try:
        cases = json.loads(path.read_text(encoding="utf-8-sig"))
    except ValueError as error:
        raise UnreadableData(f"{path.name} is no JSON: {error}") from error
    if not isinstance(cases, list):
        raise UnreadableData(f"{path.name} is no list of cases")
    for number, case in enumerate(cases):
        try:
            if case.get("file") not in leave_out:
                yield _case(case)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise UnreadableData(f"case {number} of {path.name} cannot be read: {error!r}") from error


def _case(case: Mapping[str, Any]) -> _Case:
    text, results = str(case["Input"]), case["Results"]
    return _Case(
        text=text,
        now=_local(case["Context"]["ReferenceDateTime"]),
        types=tuple(_type(one) for one in results),
        expected=tuple(one for result in results for one in _expected(result, text)),
    )


def _overlap(first: tuple[int, int], second: tuple[int, int]) -> int:
    return min(first[1], second[1]) - max(first[0], second[0])


def _type(result: _Result) -> str:
    return str(result.get("TypeName") or result["Type"]).removeprefix("datetimeV2.")


def _expected(result: _Result, text: str) -> Iterator[_Expected]:
    """Yield what `result` expects; nothing when it is of another kind or has no bounds."""
    kind = next((kind for kind in KINDS if kind == _type(result)), None)
    bounds = _stated(result) if kind is not None else None
    if kind is None or bounds is None:
        return
    start = int(result["Start"]) if "Start" in result else max(0, text.find(str(result["Text"])))
    never = bounds[0] is not None and bounds[0].year == _NEVER
    yield _Expected(kind, None if never else bounds, (start, start + len(str(result["Text"]))))


def _stated(result: _Result) -> Bounds | None:
    """Return the bounds of the past reading, which the list of `values` has first."""
    value = result.get("Value") or result.get("Resolution") or {}
    values = value.get("values")
    reading: _Result = (values[0] if values else value.get("PastResolution")) or {}
    day = reading.get("date", reading.get("value"))
    if day == "not resolved":
        return None
    if day is not None:
        first = _local(day)
        return first, first + timedelta(days=1)
    start, end = (reading.get(name, reading.get(f"{name}Date")) for name in ("start", "end"))
    if start is None and end is None:
        return None
    return _local(start) if start else None, _local(end) if end else None


def _local(written: str) -> datetime:
    return datetime.fromisoformat(written).replace(tzinfo=None)


def _bounds(span: TimeSpan) -> Bounds:
    start, end = (instant.replace(tzinfo=None) for instant in (span.start, span.end))
    return None if span.start == EARLIEST else start, None if span.end == LATEST else end


def _same(span: TimeSpan | None, expected: Bounds | None, now: datetime) -> bool:
    """Compare bounds. What is open ahead may end now: in a memory nothing lies further on."""
    if span is None or expected is None:
        return span is None and expected is None
    start, end = _bounds(span)
    return (start, None if expected[1] is None and end == now else end) == expected


def _miss(case: _Case, span: TimeSpan | None, expected: _Expected | None) -> MisreadTime:
    return MisreadTime(
        text=case.text,
        now=case.now,
        kind=expected.kind if expected is not None else None,
        expected=expected.bounds if expected is not None else None,
        found=_bounds(span) if span is not None else None,
        reference=span.reference if span is not None else "",
    )

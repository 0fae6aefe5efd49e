"""Scores the reading of times on a file of the date and time specifications of Recognizers-Text.

The file is a JSON list of cases: `Input`, `Context.ReferenceDateTime` (local), `Results`, of which those of
the types `date` and `daterange` are scored, and `file`, where the case was first. Of two readings of a time
the past one counts.
"""

import argparse
import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final
from zoneinfo import ZoneInfo

from ricordo.language.temporal.moments import EARLIEST, LATEST, Language, TimeSpan
from ricordo.language.temporal.time_extraction import find, resolve
from ricordo_lab.console import UnreadableData
from ricordo_lab.evaluation.results import Miss, NamedFigures

Bounds = tuple[datetime | None, datetime | None]
"""A half-open stretch of local time, naive; None where it is open."""

KINDS: Final = ("date", "daterange")
OTHER_CONVENTIONS: Final = frozenset(
    f"DateTimeModel{name}.json" for name in ("ExperimentalMode", "SplitDateAndTime", "TasksMode")
)
"""Files whose cases mean the same words in another way: a range holds its end, a day leaves out its hour."""
# Results of these types name no point or stretch of the calendar.
_TIMELESS: Final = frozenset({"set", "duration", "timezone"})
_NEVER: Final = 1  # the year of a day that does not exist, such as 30 February
_ZONE: Final = ZoneInfo("UTC")
_Result = Mapping[str, Any]


@dataclass(slots=True)
class TemporalScore:
    """The result of a file.

    Attributes:
        cases: by kind, the number of expected times.
        exact: by kind, how many were read exactly: both bounds, to the second.
        timeless: cases in which nothing, or nothing but repetitions and durations, is expected.
        misses: the expected times that were not read exactly.
        false_positives: the timeless cases in which a time was read.
    """

    cases: dict[str, int] = field(default_factory=lambda: dict.fromkeys(KINDS, 0))
    exact: dict[str, int] = field(default_factory=lambda: dict.fromkeys(KINDS, 0))
    timeless: int = 0
    misses: list[Miss] = field(default_factory=list)
    false_positives: list[Miss] = field(default_factory=list)

    def share(self, kind: str) -> float:
        """Return the exact part of the times of a kind, in [0, 1]; 0 without any."""
        return self.exact[kind] / self.cases[kind] if self.cases[kind] else 0.0


@dataclass(frozen=True, slots=True)
class _Expected:
    """A time that a case expects; its bounds are None where the day does not exist."""

    kind: str
    bounds: Bounds | None
    span: tuple[int, int]


def run(asked: argparse.Namespace) -> Iterator[NamedFigures | Miss]:
    """Yield how many times were read exactly, and the cases that were misread."""
    left_out = () if asked.every_file else OTHER_CONVENTIONS
    score = score_temporal(asked.data, asked.language, leave_out=left_out)
    yield NamedFigures(
        dates=score.cases["date"],
        dates_exact=round(score.share("date"), 4),
        ranges=score.cases["daterange"],
        ranges_exact=round(score.share("daterange"), 4),
        timeless=score.timeless,
        timeless_with_a_time=len(score.false_positives),
    )
    yield from (*score.misses, *score.false_positives) if asked.misses else ()


def score_temporal(path: Path, language: Language, *, leave_out: Collection[str] = ()) -> TemporalScore:
    """Score the reading of times on a file of cases.

    Where a case has one result, the time that its text is about has to be that one; where it has several,
    each has to be among the times found, at its place.

    Raises:
        OSError: The file cannot be read.
        UnreadableData: It has another shape.
    """
    try:
        cases = json.loads(path.read_text(encoding="utf-8-sig"))
    except ValueError as error:
        raise UnreadableData(f"{path.name} is no JSON: {error}") from error
    if not isinstance(cases, list):
        raise UnreadableData(f"{path.name} is no list of cases")
    score = TemporalScore()
    for number, case in enumerate(cases):
        try:
            if case.get("file") not in leave_out:
                _score_case(score, case, language)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise UnreadableData(f"case {number} of {path.name} cannot be read: {error!r}") from error
    return score


def _score_case(score: TemporalScore, case: Mapping[str, Any], language: Language) -> None:
    text, results = str(case["Input"]), case["Results"]
    now = _local(case["Context"]["ReferenceDateTime"])
    instant = now.replace(tzinfo=UTC)
    about = resolve(text, instant, _ZONE, language, prefer="past")
    found = find(text, instant, _ZONE, language, prefer="past") if len(results) > 1 else ()
    for result in results:
        one = _expected(result, text)
        if one is None:
            continue
        span = about
        if len(results) > 1:
            nearest = max(found, key=lambda span: _overlap(span.span, one.span), default=None)
            span = nearest if nearest is not None and _overlap(nearest.span, one.span) > 0 else None
        exact = _equals(span, one.bounds, now)
        score.cases[one.kind] += 1
        score.exact[one.kind] += exact
        if not exact:
            score.misses.append(_miss(text, now, one.bounds, span))
    if all(_type(result) in _TIMELESS for result in results):
        score.timeless += 1
        if about is not None:
            score.false_positives.append(_miss(text, now, None, about))


def _overlap(first: tuple[int, int], second: tuple[int, int]) -> int:
    return min(first[1], second[1]) - max(first[0], second[0])


def _type(result: _Result) -> str:
    return str(result.get("TypeName") or result["Type"]).removeprefix("datetimeV2.")


def _expected(result: _Result, text: str) -> _Expected | None:
    """Return what `result` expects; None when it is of another kind or has no bounds."""
    kind = _type(result)
    bounds = _bounds_of(result) if kind in KINDS else None
    if bounds is None:
        return None
    start = int(result["Start"]) if "Start" in result else max(0, text.find(str(result["Text"])))
    never = bounds[0] is not None and bounds[0].year == _NEVER
    return _Expected(kind, None if never else bounds, (start, start + len(str(result["Text"]))))


def _bounds_of(result: _Result) -> Bounds | None:
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


def _equals(span: TimeSpan | None, expected: Bounds | None, now: datetime) -> bool:
    """Compare bounds. An end that is open may be the present: in a memory nothing lies further on."""
    if span is None or expected is None:
        return span is None and expected is None
    start, end = _bounds(span)
    return (start, None if expected[1] is None and end == now else end) == expected


def _miss(text: str, now: datetime, expected: Bounds | None, span: TimeSpan | None) -> Miss:
    return Miss(text=text, now=now, expected=expected, read=None if span is None else _bounds(span))

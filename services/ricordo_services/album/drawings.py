"""Computes what the album draws: coordinates within the view box of an SVG, which `drawings.html` writes.

All functions are pure, and the same values give the same drawing.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import groupby
from math import log1p
from typing import Final, Generic, TypeVar

from ricordo.messages.listings import BriefMemoryView, PeriodView
from ricordo_services.album.layout import smooth_path

T = TypeVar("T")
WIDTH: Final = 1000.0
MOODS: Final = 5

_FEELINGS_HEIGHT: Final = 260.0
_JOURNEY_HEIGHT: Final = 180.0
_LEFT: Final = 36.0
_BETWEEN_TICKS: Final = 64.0
_LEAST_HEIGHT: Final = 0.5  # the valence that is drawn at full height where none is stronger


def mood_step(valence: float | None) -> int:
    """Return the step of a valence from -1 to 1, from 1 (low) to 5 (high); 0 for None."""
    return 0 if valence is None else min(MOODS, 1 + int((valence + 1) / 2 * MOODS))


@dataclass(frozen=True, slots=True)
class Mark(Generic[T]):
    """What a circle stands for, and where it is; its mood is from 1 to 5, or 0 where nobody knows it."""

    of: T
    x: float
    y: float
    radius: float
    mood: int


@dataclass(frozen=True, slots=True)
class Tick:
    """A time that is written below a drawing."""

    at: datetime | date
    x: float


@dataclass(frozen=True, slots=True)
class JourneyDrawing:
    """A life as a row of marks, wider than a page where it is long."""

    width: float
    height: float
    line: float  # y of the line
    marks: tuple[Mark[PeriodView], ...]
    moments: tuple[Mark[BriefMemoryView], ...]
    ticks: tuple[Tick, ...]


def draw_journey(periods: Sequence[PeriodView]) -> JourneyDrawing:
    """Draw periods in the order of time; a mark grows with the logarithm of how much was said."""
    line = _JOURNEY_HEIGHT - 52
    width = max(WIDTH, 2 * _LEFT + 30 * len(periods))
    if not periods:
        return JourneyDrawing(width, _JOURNEY_HEIGHT, line, (), (), ())
    start, end = periods[0].start, periods[-1].end
    scale = (width - 2 * _LEFT) / max((end - start).total_seconds(), 1.0)

    def x_of(at: datetime) -> float:
        return _LEFT + (at - start).total_seconds() * scale

    largest = max(1, *(period.memories for period in periods))
    room = min(20.0, 0.48 * (width - 2 * _LEFT) / len(periods))
    marks = tuple(
        Mark(
            period,
            x_of(period.start + (period.end - period.start) / 2),
            line,
            2.0 if not period.memories else max(4.0, room * log1p(period.memories) / log1p(largest)),
            mood_step(period.valence) if period.memories else 0,
        )
        for period in periods
    )
    ticks = _spread([Tick(mark.of.start, mark.x) for mark in marks])
    return JourneyDrawing(width, _JOURNEY_HEIGHT, line, marks, _moments(periods, x_of, line - 44), ticks)


def _spread(ticks: Sequence[Tick]) -> tuple[Tick, ...]:
    """Return ticks with room between them for their names, the first among them."""
    found: list[Tick] = []
    for tick in ticks:
        if not found or tick.x - found[-1].x >= _BETWEEN_TICKS:
            found.append(tick)
    return tuple(found)


def _moments(
    periods: Sequence[PeriodView], x_of: Callable[[datetime], float], height: float
) -> tuple[Mark[BriefMemoryView], ...]:
    """Return the strongest moments, the less strong of those that would meet on two levels left out."""
    found = sorted(
        (each for period in periods for each in period.strongest[:1]), key=lambda one: -one.importance
    )
    placed: list[Mark[BriefMemoryView]] = []
    for moment in found:
        radius = 9 + 7 * moment.importance
        for y in (height, height - 42):
            mark = Mark(moment, x_of(moment.created_at), y, radius, mood_step(moment.valence))
            if all(other.y != y or abs(other.x - mark.x) > other.radius + radius + 4 for other in placed):
                placed.append(mark)
                break
    return tuple(sorted(placed, key=lambda mark: mark.x))


@dataclass(frozen=True, slots=True)
class MonthFeeling:
    """The mean feeling of a month."""

    month: date  # its first day
    valence: float | None  # from -1 to 1
    arousal: float | None = None  # from 0 to 1
    memories: int = 0


@dataclass(frozen=True, slots=True)
class FeelingsDrawing:
    """Feelings over months; lines and areas break where nothing is known."""

    width: float
    height: float
    middle: float  # y of a valence of 0
    lines: tuple[str, ...]
    areas: tuple[str, ...]
    arousal: tuple[str, ...]
    marks: tuple[Mark[MonthFeeling], ...]
    ticks: tuple[Tick, ...]
    rows: tuple[MonthFeeling, ...]  # the same as a table, oldest first


def draw_feelings(feelings: Sequence[MonthFeeling]) -> FeelingsDrawing:
    """Draw the mean valence of months around the middle, and the arousal from 0 to 1.

    The valence of the strongest month, or 0.5 if it is less, is as far from the middle as there is room.
    """
    rows = tuple(sorted(feelings, key=lambda one: one.month))
    number = {
        row.month: (row.month.year - rows[0].month.year) * 12 + row.month.month - rows[0].month.month
        for row in rows
    }
    top, bottom = 16.0, _FEELINGS_HEIGHT - 36
    most = max([abs(row.valence) for row in rows if row.valence is not None], default=0.0)
    height = (bottom - top) / 2 / max(most, _LEAST_HEIGHT)
    middle, scale = (top + bottom) / 2, (WIDTH - 2 * _LEFT) / max([*number.values(), 1])

    def x_of(row: MonthFeeling) -> float:
        return _LEFT + number[row.month] * scale

    marks = tuple(
        Mark(row, x_of(row), middle - row.valence * height, 5.0, mood_step(row.valence))
        for row in rows
        if row.valence is not None
    )
    valence = _runs([(number[mark.of.month], (mark.x, mark.y)) for mark in marks])
    arousal = _runs(
        [
            (number[row.month], (x_of(row), bottom - row.arousal * (bottom - top)))
            for row in rows
            if row.arousal is not None
        ]
    )
    return FeelingsDrawing(
        WIDTH,
        _FEELINGS_HEIGHT,
        middle,
        tuple(map(smooth_path, valence)),
        tuple(_area(run, middle) for run in valence if len(run) > 1),
        tuple(smooth_path(run) for run in arousal if len(run) > 1),
        marks,
        _spread([Tick(row.month, x_of(row)) for row in rows]),
        rows,
    )


Points = list[tuple[float, float]]


def _runs(points: Sequence[tuple[int, tuple[float, float]]]) -> list[Points]:
    """Return the points in runs whose numbers follow each other."""
    by_run = groupby(enumerate(points), key=lambda one: one[1][0] - one[0])
    return [[point for _, (_, point) in run] for _, run in by_run]


def _area(points: Points, base: float) -> str:
    return f"{smooth_path(points)}L{points[-1][0]:.1f} {base:.1f}L{points[0][0]:.1f} {base:.1f}Z"


@dataclass(frozen=True, slots=True)
class Sparkline:
    """A series as a line of the size of a word; `x` and `y` are of its last value."""

    width: float
    height: float
    lines: tuple[str, ...]
    areas: tuple[str, ...]
    x: float
    y: float


def draw_sparkline(values: Sequence[float | None], width: float = 120.0, height: float = 28.0) -> Sparkline:
    """Draw a series from its least to its largest value; it breaks at None."""
    given = [value for value in values if value is not None]
    low, high = min(given, default=0.0), max(given, default=0.0)
    step, bottom, tall = (width - 6) / max(len(values) - 1, 1), height - 3, height - 6
    points = [
        (
            number,
            (3 + number * step, bottom - (value - low) / (high - low) * tall if high > low else height / 2),
        )
        for number, value in enumerate(values)
        if value is not None
    ]
    runs = _runs(points)
    x, y = points[-1][1] if points else (0.0, 0.0)
    lines = tuple(map(smooth_path, runs))
    areas = tuple(_area(run, bottom) for run in runs if len(run) > 1)
    return Sparkline(width, height, lines, areas, x, y)

"""What all benchmarks share: options, lines of results, percentiles, repeated runs and a stopwatch."""

import math
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from types import TracebackType
from typing import Self

from ricordo.settings import Settings

Line = Mapping[str, object]
"""One result, ready for JSON; `bench` names the benchmark."""
Figures = Mapping[str, float]
"""Measured values by name."""
Report = Callable[[Line], None]
"""Takes a line as soon as it is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What a benchmark is asked to do; None where each benchmark has a default of its own.

    Attributes:
        texts: a file with a text a line, in place of made-up ones.
        messages: how many are published at once.
        memories: how many one user has, for each size at which recall is measured.
        questions: how many are asked at each size.
        runs: how often a measurement is repeated; its median counts.
        rate: messages that arrive each second while recall is measured.
        seconds: for which texts arrive at a rate.
        users: who send the messages of ingest in turn.
        profile: whether ingest tells the workers' processor time by stage.
        settings: those of the system; the environment of its processes has them too.
    """

    texts: Path | None = None
    messages: int | None = None
    memories: tuple[int, ...] = (1000, 10_000)
    questions: int = 200
    runs: int = 3
    rate: int = 50
    seconds: float | None = None
    users: int = 1
    profile: bool = False
    settings: Settings = field(default_factory=Settings)


Benchmark = Callable[[Options, Report], Awaitable[None]]
"""Measures, and reports lines, of which the last is the result. Its docstring's first sentence is its help
text; it raises MeasurementFailed where something does not run as it must."""


class Stopwatch:
    """Adds up what its `with` blocks take.

    Attributes:
        seconds: of wall-clock time.
        cpu: seconds of processor time of all threads of this process.
    """

    def __init__(self) -> None:
        self.seconds = 0.0
        self.cpu = 0.0
        self._began = (0.0, 0.0)

    def __enter__(self) -> Self:
        self._began = (time.perf_counter(), time.process_time())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.seconds += time.perf_counter() - self._began[0]
        self.cpu += time.process_time() - self._began[1]


async def repeated(
    bench: str, runs: int, report: Report, measure: Callable[[int], Awaitable[Figures]]
) -> Figures:
    """Run a measurement several times, report each run, and return the median of each figure."""
    found: list[Figures] = []
    for run in range(1, runs + 1):
        found.append(await measure(run))
        report({"bench": bench, "run": run, **{name: rounded(value) for name, value in found[-1].items()}})
    return {name: middle([run[name] for run in found]) for name in found[0]}


def middle(values: Sequence[float]) -> float:
    """Return the median of at least one value, rounded."""
    return rounded(median(values))


def percentile(values: Iterable[float], share: float) -> float:
    """Return the nearest-rank percentile: the least value that `share` of `values` do not exceed.

    Args:
        values: at least one.
        share: in (0, 1], such as 0.95.
    """
    ranked = sorted(values)
    return ranked[max(0, math.ceil(share * len(ranked)) - 1)]


def latencies(values: Sequence[float]) -> Figures:
    """Return the rounded 50th and 95th percentile of at least one latency in milliseconds."""
    return {f"p{share}_ms": rounded(percentile(values, share / 100)) for share in (50, 95)}


def rounded(value: float, digits: int = 3) -> float:
    """Return `value` with so many significant digits."""
    if value == 0 or not math.isfinite(value):
        return value
    kept = digits - 1 - math.floor(math.log10(abs(value)))
    return round(value, max(0, kept))

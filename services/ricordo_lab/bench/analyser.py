"""Measures the analysis of questions, on one core."""

import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from typing import Final
from zoneinfo import ZoneInfo

from ricordo.language.query_analysis.query_parser import analyse
from ricordo_lab.bench.measurement import Figures, Options, Report, latencies, percentile, repeated
from ricordo_lab.bench.spoken_texts import questions, read_texts, texts

_NOW: Final = datetime(2026, 2, 4, 15, 30, tzinfo=UTC)
_ZONE: Final = ZoneInfo("Europe/Rome")
_NAMES: Final = tuple(f"Person{n} Of The Past" for n in range(200))  # as many as a recall knows
_LONGEST: Final = 32_768  # characters of a query
_WARM_UP: Final = 50


async def analyser(options: Options, report: Report) -> None:
    """Measure how long the analysis of a question takes, of a message, and of the longest query."""
    queries = list(islice(questions(seed=1), options.questions))
    if options.texts is not None:
        queries = list(read_texts(options, 0))
    contents = list(islice(texts(seed=1), options.questions))
    work = partial(analyse, now=_NOW, zone=_ZONE, known_names=_NAMES)
    _latencies([*queries[:_WARM_UP], *contents[:_WARM_UP]], work)
    long = " ".join(contents)
    longest = (long * (1 + _LONGEST // len(long)))[:_LONGEST]

    async def measure(_: int) -> Figures:
        return {
            **latencies(_latencies(queries, work)),
            "p95_ms_of_messages": percentile(_latencies(contents, work), 0.95),
            "ms_of_the_longest": _latencies([longest], work)[0],
        }

    found = await repeated("analyse", options.runs, report, measure)
    counts = {"runs": options.runs, "questions": len(queries), "known_names": len(_NAMES)}
    report({"bench": "analyse", **counts, **found})


def _latencies(items: Sequence[str], work: Callable[[str], object]) -> list[float]:
    """Return the milliseconds of processor time that `work` takes for each item."""
    took = []
    for item in items:
        began = time.thread_time()
        work(item)
        took.append(1000 * (time.thread_time() - began))
    return took

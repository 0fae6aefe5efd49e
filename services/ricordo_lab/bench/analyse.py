"""How long it takes to understand a question without a language model, in one process and nothing else."""

import time
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import islice
from typing import Final
from zoneinfo import ZoneInfo

from ricordo.language.query_analysis import analyse
from ricordo_lab.bench.conversation import questions, texts
from ricordo_lab.bench.embedding import read_texts
from ricordo_lab.bench.figures import middle, percentile, rounded
from ricordo_lab.bench.options import Options, Say

_NOW: Final = datetime(2026, 2, 4, 15, 30, tzinfo=UTC)
_ZONE: Final = ZoneInfo("Europe/Rome")
_KNOWN: Final = tuple(f"Person{n} Of The Past" for n in range(200))  # as many names as a recall knows
_WARM_UP: Final = 50
_LONGEST: Final = 32_768  # characters of a query


async def analyser(options: Options, say: Say) -> None:
    """Measure how long understanding takes, of questions and of messages that a bot asks with."""
    asked = list(islice(questions(seed=1), options.questions))
    if options.texts is not None:
        asked = list(read_texts(options, 0))
    told = list(islice(texts(seed=1), options.questions))
    _timed(asked[:_WARM_UP] + told[:_WARM_UP])
    runs = []
    for run in range(1, options.runs + 1):
        wall, cpu = _timed(asked)
        told_wall, _ = _timed(told)
        runs.append(
            {
                "p50_ms": percentile(wall, 0.5),
                "p95_ms": percentile(wall, 0.95),
                "p50_cpu_ms": percentile(cpu, 0.5),
                "p95_cpu_ms": percentile(cpu, 0.95),
                "p95_ms_of_messages": percentile(told_wall, 0.95),
            }
        )
        say({"bench": "analyse", "run": run, **{name: rounded(value) for name, value in runs[-1].items()}})
    longest = " ".join(told * (1 + _LONGEST // len(" ".join(told))))[:_LONGEST]
    say(
        {
            "bench": "analyse",
            "runs": options.runs,
            "questions": len(asked),
            "known_names": len(_KNOWN),
            **{name: middle([one[name] for one in runs]) for name in runs[0]},
            "ms_of_the_longest": middle([_timed([longest])[0][0] for _ in range(options.runs)]),
        }
    )


def _timed(asked: Sequence[str]) -> tuple[list[float], list[float]]:
    """Return how long each takes on the wall and on the processor, one after the other, in milliseconds."""
    wall, cpu = [], []
    for query in asked:
        began, spent = time.perf_counter(), time.thread_time()
        analyse(query, now=_NOW, zone=_ZONE, known_names=_KNOWN)
        cpu.append(1000 * (time.thread_time() - spent))
        wall.append(1000 * (time.perf_counter() - began))
    return wall, cpu

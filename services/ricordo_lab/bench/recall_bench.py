"""Measures the latency of `query.recall` over NATS, by how many memories the user has."""

import time
from collections.abc import Mapping, Sequence
from itertools import islice

from ricordo.client import MemoryClient
from ricordo_lab.bench.generated_texts import messages, questions, texts
from ricordo_lab.bench.measurement import Options, Report, latencies, middle, rounded
from ricordo_lab.bench.publication import remember
from ricordo_lab.bench.system import System, scratch, up
from ricordo_lab.console import MeasurementFailed

_USER = "user-1"
_WARM_UP = 20


async def recall(options: Options, report: Report) -> None:
    """Measure the latency of recall over NATS, by how many memories the user has."""
    found: list[Mapping[str, object]] = []
    with scratch() as folder:
        async with up(folder) as system:
            said = 0
            spoken = texts(seed=0)
            for size in sorted(options.memories):
                more = list(islice(spoken, size - said))
                if more:
                    await remember(system.nats, messages(more, _USER, f"s{size}"))
                said = size
                found.append(await _ask(system, options, size))
                report({"bench": "recall", **found[-1]})
    columns = {name: [one[name] for one in found] for name in ("memories", "p50_ms", "p95_ms")}
    growth = float(str(found[-1]["p95_ms"])) / float(str(found[0]["p95_ms"]))
    report({"bench": "recall", **columns, "p95_last_to_first": rounded(growth)})


async def _ask(system: System, options: Options, size: int) -> Mapping[str, object]:
    asked = list(islice(questions(seed=size), _WARM_UP + options.questions))
    async with MemoryClient.connect(system.nats) as client:
        await _timed(client, asked[:_WARM_UP])
        took, parts = await _timed(client, asked[_WARM_UP:])
    return {
        "memories": size,
        "questions": len(took),
        **latencies(took),
        "within": {name: middle(values) for name, values in parts.items()},
        "memory_mb": round(sum(system.memory_mb().values())),
    }


async def _timed(client: MemoryClient, asked: Sequence[str]) -> tuple[list[float], dict[str, list[float]]]:
    """Ask one after the other.

    Returns:
        The milliseconds of each as the bot sees them, and those of each part as `timings_ms` has them.

    Raises:
        MeasurementFailed: an answer is degraded.
    """
    took: list[float] = []
    parts: dict[str, list[float]] = {}
    for question in asked:
        began = time.perf_counter()
        reply = await client.recall(_USER, question)
        took.append(1000 * (time.perf_counter() - began))
        if reply.degraded:
            raise MeasurementFailed(f"an answer lacks {', '.join(reply.degraded)}")
        for name, milliseconds in reply.timings_ms.items():
            parts.setdefault(name, []).append(milliseconds)
    return took, parts

"""Measures recall over NATS, and the rate of ingest, by how many memories the user has."""

import time
from collections.abc import Mapping, Sequence
from itertools import cycle, islice

from ricordo.client import MemoryClient
from ricordo_lab.bench.generated_texts import messages, questions, read_texts
from ricordo_lab.bench.measurement import Options, Report, latencies, middle, rounded
from ricordo_lab.bench.publication import remember
from ricordo_lab.bench.system import System, scratch, up
from ricordo_lab.console import MeasurementFailed

_USER = "user-1"
_WARM_UP = 20
_TIMED = 1000  # the last messages before each size, whose rate is measured


async def recall(options: Options, report: Report) -> None:
    """Measure the latency of recall over NATS, and messages per second, by how many memories the user has."""
    found: list[Mapping[str, object]] = []
    with scratch() as folder:
        async with up(folder) as system:
            sizes = sorted(options.memories)
            spoken = iter(list(islice(cycle(read_texts(options, sizes[-1], seed=0)), sizes[-1])))
            await remember(
                system.nats, messages(read_texts(options, _WARM_UP, seed=1)[:_WARM_UP], "warm-up", "w")
            )
            said = 0
            for size in sizes:
                timed = min(_TIMED, size - said)
                before, last = list(islice(spoken, size - said - timed)), list(islice(spoken, timed))
                if before:
                    await remember(system.nats, messages(before, _USER, f"b{size}"))
                took = await remember(system.nats, messages(last, _USER, f"t{size}"))
                said = size
                rate = {"messages_per_s": rounded(timed / took.remembered_s)} if timed else {}
                found.append({**await _ask(system, options, size), **rate})
                report({"bench": "recall", **found[-1]})
    names = ("memories", "p50_ms", "p95_ms", "messages_per_s")
    columns = {name: [one.get(name) for one in found] for name in names}
    ratios = {
        f"{name}_last_to_first": rounded(float(str(found[-1][name])) / float(str(found[0][name])))
        for name in names[2:]
        if name in found[0] and name in found[-1]
    }
    report({"bench": "recall", **columns, **ratios})


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

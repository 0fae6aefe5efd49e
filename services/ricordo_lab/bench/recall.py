"""How long a question takes, over NATS through the whole running system, by how much its user has said."""

import time
from collections.abc import Mapping, Sequence
from itertools import islice

from ricordo.client import MemoryClient
from ricordo_lab.bench.conversation import messages, questions, texts
from ricordo_lab.bench.figures import middle, percentile, rounded
from ricordo_lab.bench.options import BenchFailed, Options, Say
from ricordo_lab.bench.publication import remember
from ricordo_lab.bench.system import System, scratch, up

_USER = "user-1"
_WARM_UP = 20


async def recall(options: Options, say: Say) -> None:
    """Measure how long a question takes over NATS, by how much its user has said."""
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
                say({"bench": "recall", **found[-1]})
    first, last = found[0], found[-1]
    growth = float(str(last["p95_ms"])) / float(str(first["p95_ms"]))
    say(
        {
            "bench": "recall",
            "sizes": [one["memories"] for one in found],
            "p50_ms": [one["p50_ms"] for one in found],
            "p95_ms": [one["p95_ms"] for one in found],
            "p95_last_to_first": rounded(growth),
        }
    )


async def _ask(system: System, options: Options, size: int) -> Mapping[str, object]:
    asked = list(islice(questions(seed=size), _WARM_UP + options.questions))
    async with MemoryClient.connect(system.nats) as client:
        await _timed(client, asked[:_WARM_UP])
        took, parts = await _timed(client, asked[_WARM_UP:])
    return {
        "memories": size,
        "questions": len(took),
        "p50_ms": rounded(percentile(took, 0.50)),
        "p95_ms": rounded(percentile(took, 0.95)),
        "within": {name: middle(values) for name, values in parts.items()},
        "memory_mb": round(system.memory_mb()),
    }


async def _timed(client: MemoryClient, asked: Sequence[str]) -> tuple[list[float], dict[str, list[float]]]:
    """Ask one after the other.

    Returns:
        The milliseconds of each as the bot sees them, and those of each part as the system tells them.

    Raises:
        BenchFailed: an answer is incomplete, so that its time means nothing.
    """
    took: list[float] = []
    parts: dict[str, list[float]] = {}
    for question in asked:
        began = time.perf_counter()
        reply = await client.recall(_USER, question)
        took.append(1000 * (time.perf_counter() - began))
        if reply.degraded:
            raise BenchFailed(f"an answer lacks {', '.join(reply.degraded)}")
        for name, milliseconds in reply.timings_ms.items():
            parts.setdefault(name, []).append(milliseconds)
    return took, parts

"""Measures recall over NATS, and the rate of ingest, by how many memories the user has."""

import asyncio
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import cycle, islice, product

from ricordo.client import MemoryClient
from ricordo.messages.enumerations import MessageState
from ricordo.runtime.tasks import cancel_and_wait
from ricordo_lab.bench.arrivals import at_fixed_rate
from ricordo_lab.bench.measurement import Options, Report, latencies, middle, rounded
from ricordo_lab.bench.publication import remember
from ricordo_lab.bench.spoken_texts import messages, questions, read_texts
from ricordo_lab.bench.system import System, scratch, up
from ricordo_lab.console import MeasurementFailed

_USER = "user-1"
_WARM_UP = 20
_LEAD_S = 1.0
"""For which messages arrive before the first question."""
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


async def load(options: Options, report: Report) -> None:
    """Measure the latency of recall alone and while messages arrive, with one process and with three.

    Both systems run at the same time, and are measured in turn: another load of the machine meets both.
    """
    took: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    count, rate = options.memories[0], options.rate
    async with AsyncExitStack() as exits:
        systems: dict[str, System] = {}
        for processes in ("1", "3"):
            folder = exits.enter_context(scratch())
            systems[processes] = await exits.enter_async_context(up(folder, "--processes", processes))
        for system in systems.values():
            await remember(system.nats, messages(read_texts(options, count, seed=0)[:count], _USER, "b"))
        share = max(1, options.questions // options.runs)
        for run, (processes, system) in product(range(options.runs + 1), systems.items()):
            asked = list(islice(questions(seed=run), 2 * share))
            async with MemoryClient.connect(system.nats) as client:
                alone, _ = await _timed(client, asked[:share], degraded=True)
                async with _arriving(client, options, run):
                    loaded, _ = await _timed(client, asked[share:], degraded=True)
                await client.publish_many(messages(asked[:1], "user-2", f"last-{run}"))
                # What arrived before it is remembered by then, mostly.
                while (await client.status(f"last-{run}-0")).state is not MessageState.REMEMBERED:  # noqa: ASYNC110
                    await asyncio.sleep(1.0)
            if run:  # the first warms up
                took[processes, "alone"] += alone
                took[processes, f"at {rate} messages/s"] += loaded
        memory = {processes: round(sum(system.memory_mb().values())) for processes, system in systems.items()}
    for (processes, when), each in took.items():
        line = {"processes": processes, "recalls": when, **latencies(each)}
        report({"bench": "load", **line, "memory_mb": memory[processes]})


@asynccontextmanager
async def _arriving(client: MemoryClient, options: Options, run: int) -> AsyncIterator[None]:
    """Publish messages of another user at a rate during the block."""
    spoken = cycle(read_texts(options, _TIMED, seed=run))

    async def publish() -> None:
        began = time.perf_counter()
        for number, (text, instant) in enumerate(zip(spoken, at_fixed_rate(options.rate), strict=False)):
            await asyncio.sleep(max(0.0, began + instant - time.perf_counter()))
            await client.publish_many(messages([text], "user-2", f"load-{run}-{number}"))

    publishing = asyncio.create_task(publish())
    try:
        await asyncio.sleep(_LEAD_S)
        yield
    finally:
        await cancel_and_wait(publishing)


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


async def _timed(
    client: MemoryClient, asked: Sequence[str], *, degraded: bool = False
) -> tuple[list[float], dict[str, list[float]]]:
    """Ask one after the other.

    Args:
        degraded: whether an answer may lack something.

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
        if reply.degraded and not degraded:
            raise MeasurementFailed(f"an answer lacks {', '.join(reply.degraded)}")
        for name, milliseconds in reply.timings_ms.items():
            parts.setdefault(name, []).append(milliseconds)
    return took, parts

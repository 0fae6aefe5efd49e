"""Measures messages per second from publishing to remembered, and compares them with the model alone."""

from collections.abc import Sequence
from itertools import cycle, islice
from typing import Final

from ricordo.messages.events import MessageReceived
from ricordo.models.encoder import Encoder
from ricordo.settings import EmbeddingSettings
from ricordo_lab.bench.embedding_bench import encode_all, ready_models
from ricordo_lab.bench.generated_texts import messages, read_texts
from ricordo_lab.bench.measurement import Figures, Options, Report, Stopwatch, repeated, rounded
from ricordo_lab.bench.publication import remember
from ricordo_lab.bench.system import System, scratch, up

_MESSAGES: Final = 2000
_WARM_UP: Final = 200
_TICK_MS: Final = 10  # the resolution of processor times of other processes
_ALONE: Final = 640  # texts that the model alone encodes, before and after: some seconds of work


async def ingest(options: Options, report: Report) -> None:
    """Measure messages per second through the whole pipeline, and their ratio to the model alone."""
    count = options.messages or _MESSAGES
    async with ready_models(options.settings.embedding) as models:
        with scratch() as folder:
            async with up(folder) as system:
                warm_up = read_texts(options, min(_WARM_UP, count), seed=0)[:_WARM_UP]
                await remember(system.nats, messages(warm_up, "warm-up", "w"))

                async def measure(run: int) -> Figures:
                    texts = list(islice(cycle(read_texts(options, count, seed=run)), count))
                    said = messages(texts, f"user-{run}", f"r{run}")
                    return await pipeline_rate(system, models.batch, options.settings.embedding, said)

                found = await repeated("ingest", options.runs, report, measure)
                memory = sum(system.memory_mb().values())
    report(
        {
            "bench": "ingest",
            "runs": options.runs,
            "messages": count,
            **found,
            "memory_mb": round(memory),
        }
    )


async def pipeline_rate(
    system: System, encoder: Encoder, settings: EmbeddingSettings, said: Sequence[MessageReceived]
) -> Figures:
    """Publish messages at once, and run the model alone before and after, under the same load."""
    alone, some = Stopwatch(), [one.content for one in said[:_ALONE]]
    with alone:
        await encode_all(encoder, some, settings)
    cpu_before = system.cpu_s()
    took = await remember(system.nats, said)
    cpu_after = system.cpu_s()
    with alone:
        await encode_all(encoder, some, settings)
    events, texts = len(said) / took.remembered_s, 2 * len(some) / alone.seconds
    alone_ms = 1000 * alone.cpu / (2 * len(some))
    cpu_ms = {part: 1000 * (cpu_after[part] - cpu_before[part]) / len(said) for part in cpu_before}
    figures = {
        "events_per_second": events,
        "texts_per_second_alone": texts,
        "ratio": events / texts,
        "published_per_second": len(said) / took.published_s,
        "cpu_ratio": alone_ms / max(sum(cpu_ms.values()), _TICK_MS / len(said)),
        "cpu_ms_alone": alone_ms,
        **{f"cpu_ms_{part}": milliseconds for part, milliseconds in cpu_ms.items()},
    }
    return {name: rounded(value) for name, value in figures.items()}

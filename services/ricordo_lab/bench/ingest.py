"""Measures messages per second from publishing to remembered, and compares them with the model alone."""

from collections import Counter
from collections.abc import Sequence
from contextlib import AsyncExitStack
from itertools import cycle, islice, zip_longest
from typing import Final

from ricordo.messages.events import MessageReceived
from ricordo.models.encoder import Encoder
from ricordo.settings import EmbeddingSettings
from ricordo_lab.bench.embedding_bench import encode_all, ready_models
from ricordo_lab.bench.measurement import Figures, Options, Report, Stopwatch, repeated, rounded
from ricordo_lab.bench.publication import remember
from ricordo_lab.bench.spoken_texts import messages, read_texts
from ricordo_lab.bench.stage_profile import profiled
from ricordo_lab.bench.system import WORKERS, System, scratch, up
from ricordo_lab.console import MeasurementFailed

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
                    said = _in_turn(texts, options.users, f"r{run}")
                    return await pipeline_rate(
                        system, models.batch, options.settings.embedding, said, profile=options.profile
                    )

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


def _in_turn(texts: Sequence[str], users: int, prefix: str) -> Sequence[MessageReceived]:
    """Return a message per text, of each user in turn, each in a conversation of its own."""
    of_users = (messages(texts[user::users], f"{prefix}-{user}", f"{prefix}-{user}") for user in range(users))
    return [one for turn in zip_longest(*of_users) for one in turn if one is not None]


async def pipeline_rate(
    system: System,
    encoder: Encoder,
    settings: EmbeddingSettings,
    said: Sequence[MessageReceived],
    *,
    profile: bool = False,
) -> Figures:
    """Publish messages at once, and run the model alone before and after, under the same load.

    Args:
        profile: also tell the workers' processor time per message by stage; the stages add up to it.
    """
    alone, some = Stopwatch(), [one.content for one in said[:_ALONE]]
    with alone:
        await encode_all(encoder, some, settings)
    cpu_before = system.cpu_s()
    async with AsyncExitStack() as exits:
        profiles = [await exits.enter_async_context(profiled(pid)) for pid in system.pids if profile]
        took = await remember(system.nats, said)
    samples = sum(profiles, Counter[str]())
    if profile and not samples:
        raise MeasurementFailed("py-spy has no samples of the workers")
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
        **{
            f"cpu_ms_{WORKERS}_{stage.replace(' ', '_')}": cpu_ms[WORKERS] * count / samples.total()
            for stage, count in samples.most_common()
        },
    }
    return {name: rounded(value) for name, value in figures.items()}

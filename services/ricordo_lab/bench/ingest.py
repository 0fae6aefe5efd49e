"""From publishing to remembered, beside what the embedding model alone does with the same texts."""

from collections.abc import Mapping, Sequence
from itertools import cycle, islice

from ricordo.messages.events import MessageReceived
from ricordo.models.encoder import Encoder
from ricordo.settings import EmbeddingSettings
from ricordo_lab.bench.conversation import messages
from ricordo_lab.bench.embedding import encode_all, read_texts
from ricordo_lab.bench.figures import middle, rounded
from ricordo_lab.bench.options import Options, Say
from ricordo_lab.bench.publication import encoded, remember
from ricordo_lab.bench.ready import ready_models
from ricordo_lab.bench.stopwatch import Stopwatch
from ricordo_lab.bench.system import System, scratch, up

_MESSAGES = 2000
_WARM_UP = 200
_TICK_MS = 10  # the least processor time that systems tell
_ALONE = 640  # texts that the model alone is given, before and after: some seconds of work


async def ingest(options: Options, say: Say) -> None:
    """Measure events per second through the whole pipeline, and their ratio to the model alone."""
    count = options.messages or _MESSAGES
    async with ready_models(options.settings.embedding) as models:
        with scratch() as folder:
            async with up(folder, options.split) as system:
                warm_up = read_texts(options, min(_WARM_UP, count), seed=0)[:_WARM_UP]
                await remember(system.nats, messages(warm_up, "warm-up", "w"))
                runs = [
                    await _run(options, run, system, models.batch, say) for run in range(1, options.runs + 1)
                ]
                memory = system.memory_mb()
    say(
        {
            "bench": "ingest",
            "runs": len(runs),
            "messages": count,
            "processes": max(1, len(options.split)),
            "split": list(options.split),
            **{name: middle([run[name] for run in runs]) for name in runs[0]},
            "memory_mb": round(memory),
        }
    )


async def _run(options: Options, run: int, system: System, encoder: Encoder, say: Say) -> Mapping[str, float]:
    """Publish what a new user says."""
    count = options.messages or _MESSAGES
    spoken = _repeated(read_texts(options, count, seed=run), count)
    said = messages(spoken, f"user-{run}", f"r{run}")
    found = await remembered_beside(system, encoder, options.settings.embedding, said)
    say({"bench": "ingest", "run": run, **found})
    return found


async def remembered_beside(
    system: System, encoder: Encoder, settings: EmbeddingSettings, said: Sequence[MessageReceived]
) -> Mapping[str, float]:
    """Publish messages at once, with the model alone before and after: both share the machine's mood.

    Args:
        system: remembers them.
        encoder: the model alone.
        settings: in what measure it is asked.
        said: the messages.

    Returns:
        The figures by their names.
    """
    alone, some = Stopwatch(), [one.content for one in said[:_ALONE]]
    with alone:
        await encode_all(encoder, some, settings)
    passes = await encoded(system.nats)
    before = system.cpu_s()
    took = await remember(system.nats, said)
    after = system.cpu_s()
    passes = await encoded(system.nats) - passes
    with alone:
        await encode_all(encoder, some, settings)
    events, texts = len(said) / took.remembered_s, 2 * len(some) / alone.seconds
    alone_ms = 1000 * alone.cpu / (2 * len(some))
    spent_ms = {part: 1000 * (after[part] - before[part]) / len(said) for part in before}
    return {
        "events_per_second": rounded(events),
        "texts_per_second_alone": rounded(texts),
        "ratio": rounded(events / texts),
        "encoded_per_message": rounded(passes / len(said)),
        "published_per_second": rounded(len(said) / took.published_s),
        "cpu_ratio": rounded(alone_ms / max(sum(spent_ms.values()), _TICK_MS / len(said))),
        "cpu_ms_alone": rounded(alone_ms),
        **{f"cpu_ms_{part}": rounded(milliseconds) for part, milliseconds in spent_ms.items()},
    }


def _repeated(spoken: Sequence[str], length: int) -> Sequence[str]:
    return list(islice(cycle(spoken), length))

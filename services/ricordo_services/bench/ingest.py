"""From publishing to remembered, beside what the embedding model alone does with the same texts."""

from collections.abc import Mapping

from ricordo.ports.models import Encoder
from ricordo_services.bench.conversation import messages
from ricordo_services.bench.embedding import encode_all, read_texts
from ricordo_services.bench.figures import middle, rounded
from ricordo_services.bench.options import Options, Say
from ricordo_services.bench.publication import remember
from ricordo_services.bench.stopwatch import Stopwatch
from ricordo_services.bench.system import System, scratch, up
from ricordo_services.models import open_models

_WARM_UP = 200
_ALONE = 640  # texts that the model alone is given, before and after: some seconds of work


async def ingest(options: Options, say: Say) -> None:
    """Measure events per second through the whole pipeline, and their ratio to the model alone."""
    async with open_models(options.settings.embedding) as models:
        with scratch() as folder:
            async with up(folder) as system:
                await remember(system.nats, messages(read_texts(options, _WARM_UP), "warm-up", "w"))
                runs = [
                    await _run(options, run, system, models.batch, say) for run in range(1, options.runs + 1)
                ]
                memory = system.memory_mb()
    say(
        {
            "bench": "ingest",
            "runs": len(runs),
            "messages": options.messages,
            **{name: middle([run[name] for run in runs]) for name in runs[0]},
            "memory_mb": round(memory),
        }
    )


async def _run(options: Options, run: int, system: System, encoder: Encoder, say: Say) -> Mapping[str, float]:
    """Publish what a new user says, with the model alone before and after: both share the machine's mood."""
    spoken = read_texts(options, options.messages, seed=run)
    spoken = (list(spoken) * (options.messages // len(spoken) + 1))[: options.messages]
    said = messages(spoken, f"user-{run}", f"r{run}")
    alone = Stopwatch()
    with alone:
        await encode_all(encoder, spoken[:_ALONE], options.settings.embedding)
    before = system.cpu_s()
    took = await remember(system.nats, said)
    spent = system.cpu_s()
    with alone:
        await encode_all(encoder, spoken[:_ALONE], options.settings.embedding)
    events = len(said) / took.remembered_s
    texts = 2 * len(spoken[:_ALONE]) / alone.seconds
    found = {
        "events_per_second": rounded(events),
        "texts_per_second_alone": rounded(texts),
        "ratio": rounded(events / texts),
        "published_per_second": rounded(len(said) / took.published_s),
        "cpu_ms_alone": rounded(1000 * alone.cpu / (2 * len(spoken[:_ALONE]))),
        **{
            f"cpu_ms_{name}": rounded(1000 * (seconds - before.get(name, 0.0)) / len(said))
            for name, seconds in spent.items()
        },
    }
    say({"bench": "ingest", "run": run, **found})
    return found

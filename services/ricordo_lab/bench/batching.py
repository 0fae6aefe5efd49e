"""The embedding batcher itself: what it adds to the model, how much it takes, what it gains."""

from collections.abc import Mapping
from typing import Final

from ricordo.settings import EmbeddingSettings
from ricordo_lab.bench.acceptance import OFFERED, acceptance
from ricordo_lab.bench.comparison import REQUEST_S, comparison
from ricordo_lab.bench.figures import middle
from ricordo_lab.bench.options import Options, Say
from ricordo_lab.bench.overhead import LOAD, limit, overhead
from ricordo_lab.bench.ready import ready_models
from ricordo_lab.bench.stand_in import MODEL, stand_in
from ricordo_services.app.embedding_models import Models

_SECONDS: Final = 5.0
_RUNS_OF_A_SERVER: Final = 1  # where the machine's speed does not matter


async def queue(options: Options, say: Say) -> None:
    """Measure the embedding batcher: overhead at half load, acceptance of 1,000 texts a second, gain."""
    settings, seconds = options.settings.embedding, options.seconds or _SECONDS
    async with ready_models(settings) as models:
        here = await _overhead(models, settings, options.runs, seconds, say)
        wide = await acceptance(models, settings, seconds=seconds, queue=round(OFFERED * seconds))
        say({"bench": "queue", "part": "acceptance", **wide})
        narrow = await acceptance(models, settings, seconds=seconds, queue=settings.queue)
        say({"bench": "queue", "part": "acceptance", **narrow})
    gains = []
    async with stand_in(REQUEST_S) as url:
        served = settings.model_copy(
            update={"provider": "ollama", "model": MODEL, "fallback": None, "ollama_url": url}
        )
        async with ready_models(served) as models:
            remote = await _overhead(models, served, _RUNS_OF_A_SERVER, seconds, say)
            allowed = {False: settings.in_flight / REQUEST_S, True: settings.requests_per_s}
            for limited, per_second in allowed.items():
                requests = max(2, round(seconds * per_second))
                gains.append(await comparison(models, served, limited=limited, requests=requests))
                say({"bench": "queue", "part": "comparison", **gains[-1]})
    say(
        {
            "bench": "queue",
            "batch": settings.batch,
            "flush_after_ms": settings.flush_after_ms,
            "in_flight": settings.in_flight,
            "overhead_p50_ms": here["overhead_p50_ms"],
            "overhead_p95_ms": here["overhead_p95_ms"],
            "overhead_p95_ms_with_bucket": remote["overhead_p95_ms"],
            "accepted_per_second": wide["accepted_per_second"],
            "loop_late_max_ms": wide["loop_late_max_ms"],
            "ratio_to_one_by_one": gains[0]["ratio_to_one_by_one"],
            "ratio_to_one_by_one_with_bucket": gains[1]["ratio_to_one_by_one"],
        }
    )


async def _overhead(
    models: Models, settings: EmbeddingSettings, runs: int, seconds: float, say: Say
) -> Mapping[str, float]:
    """Return the figures of the runs, the median of each."""
    found = [await overhead(models, settings, seconds=seconds, run=run) for run in range(1, runs + 1)]
    whole = {name: middle([one[name] for one in found]) for name in found[0]}
    where = {"model": models.name, "requests_per_second": limit(settings), "load": LOAD}
    say({"bench": "queue", "part": "overhead", "runs": runs, **where, **whole})
    return whole

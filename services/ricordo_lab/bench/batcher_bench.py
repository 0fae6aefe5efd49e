"""Measures the embedding batcher alone: the time it adds to the model, and how many texts it accepts."""

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Final

from ricordo.clock import SystemClock
from ricordo.runtime.process import freeze_gc
from ricordo.settings import EmbeddingSettings
from ricordo_lab.bench.arrivals import (
    FixedRateEncoder,
    TimedEncoder,
    at_fixed_rate,
    poisson,
    send,
)
from ricordo_lab.bench.embedding_bench import encode_all, ready_models
from ricordo_lab.bench.measurement import Figures, Options, Report, Stopwatch, latencies, repeated, rounded
from ricordo_lab.bench.spoken_texts import texts
from ricordo_services.app.embedding_models import Models, embedding_batcher

_SECONDS: Final = 5.0
_LOAD: Final = 0.5  # texts that arrive, as a share of those that the model encodes
_FULL: Final = 16  # batches by which the model's speed is found
_OFFERED: Final = 1000  # texts a second, for acceptance
_ENCODED: Final = 400  # by the stand-in of the model, a second


async def queue(options: Options, report: Report) -> None:
    """Measure the embedding batcher: overhead at half load, acceptance of 1,000 texts a second."""
    settings, seconds = options.settings.embedding, options.seconds or _SECONDS
    async with ready_models(settings) as models:
        added = await repeated(
            "queue", options.runs, report, lambda run: overhead(models, settings, seconds=seconds, run=run)
        )
        wide = await acceptance(models, settings, seconds=seconds, queue=round(_OFFERED * seconds))
        narrow = await acceptance(models, settings, seconds=seconds, queue=settings.queue)
        name = models.name
    for part in (wide, narrow):
        report({"bench": "queue", "part": "acceptance", **part})
    report(
        {
            "bench": "queue",
            "model": name,
            "batch": settings.batch,
            "flush_after_ms": settings.flush_after_ms,
            "in_flight": settings.in_flight,
            **added,
            "accepted_per_second": wide["accepted_per_second"],
        }
    )


async def overhead(models: Models, settings: EmbeddingSettings, *, seconds: float, run: int) -> Figures:
    """Submit texts as a Poisson process, at half of the rate that the model reaches with full batches.

    Returns:
        The figures; the overhead of a text is the time from submission to answer minus that of its request.
    """
    timed = TimedEncoder(models.batch)
    full = list(islice(texts(run), _FULL * settings.batch))
    await encode_all(models.batch, full[: settings.batch], settings)
    rate = await _rate(models, settings, full)
    spoken = list(islice(texts(1000 + run), max(2, round(seconds * _LOAD * rate))))
    took: dict[str, float] = {}
    async with embedding_batcher(
        settings, replace(models, batch=timed), SystemClock(), fallback=False
    ) as batcher:

        async def submit(text: str) -> None:
            began = time.perf_counter()
            await batcher.encode([text])
            took[text] = 1000 * (time.perf_counter() - began)

        await asyncio.gather(*await send(spoken, poisson(_LOAD * rate, run), submit))
    added = [took[text] - 1000 * timed.seconds[text] for text in spoken]
    return {
        "texts": len(spoken),
        "texts_per_second_of_the_model": rate,
        "texts_per_second_submitted": _LOAD * rate,
        "texts_per_request": len(spoken) / timed.requests,
        **{f"latency_{name}": value for name, value in latencies([*took.values()]).items()},
        **{f"overhead_{name}": value for name, value in latencies(added).items()},
    }


async def acceptance(
    models: Models, settings: EmbeddingSettings, *, seconds: float, queue: int
) -> Mapping[str, object]:
    """Submit 1,000 texts a second, each by a caller of its own, while 400 a second are encoded.

    A text is accepted once it is queued, in a request, or encoded; until there is room its caller waits.
    """
    count = max(1, round(seconds * _OFFERED))
    spoken, encoder = list(islice(texts(0), count)), FixedRateEncoder(_ENCODED)
    own = settings.model_copy(update={"provider": "onnx", "queue": queue})
    answered = 0
    async with embedding_batcher(
        own, replace(models, batch=encoder), SystemClock(), fallback=False
    ) as batcher:

        async def submit(text: str) -> None:
            nonlocal answered
            await batcher.encode([text])
            answered += 1

        began = time.perf_counter()
        with freeze_gc():  # as in a process of workers
            tasks = await send(spoken, at_fixed_rate(_OFFERED), submit)
            took = time.perf_counter() - began
        queued, encoded = batcher.waiting, encoder.done
        accepted = queued + encoder.inside + encoded
        await asyncio.gather(*tasks)
    return {
        "queue": queue,
        "submitted": count,
        "submitted_per_second": rounded(count / took),
        "encoded_per_second": rounded(encoded / took),
        "accepted_per_second": rounded(accepted / took),
        "queued_at_the_end": queued,
        "callers_waiting_at_the_end": count - accepted,
        "answered": answered,
    }


async def _rate(models: Models, settings: EmbeddingSettings, full: Sequence[str]) -> float:
    """Return how many texts a second the model encodes, or the rate limit of a server allows."""
    watch = Stopwatch()
    with watch:
        await encode_all(models.batch, full, settings)
    rate = len(full) / watch.seconds
    return rate if settings.provider == "onnx" else min(rate, float(settings.requests_per_s * settings.batch))

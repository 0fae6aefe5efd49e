"""What the embedding batcher adds to the time of the model, while the model is half busy."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from ricordo.models.batcher import EmbeddingBatcher
from ricordo.settings import EmbeddingSettings
from ricordo.system_clock import SystemClock
from ricordo_lab.bench.arrivals import arrive, by_chance, different
from ricordo_lab.bench.embedding import encode_all
from ricordo_lab.bench.encoders import Watched
from ricordo_lab.bench.figures import percentile, rounded
from ricordo_lab.bench.stopwatch import Stopwatch
from ricordo_services.app.embedding_models import Models, embedding_batcher

LOAD: Final = 0.5
"""Texts that are handed in, by those that the model does."""
_FULL: Final = 16  # batches by which the model's speed is found, before and after


async def overhead(
    models: Models, settings: EmbeddingSettings, *, seconds: float, run: int
) -> Mapping[str, float]:
    """Hand in texts by chance, at half of the rate that the model keeps up with full batches.

    Args:
        models: asked by the batcher.
        settings: of the batcher.
        seconds: for which texts arrive.
        run: seeds texts and instants.

    Returns:
        The figures; the overhead of a text is the time from hand-in to answer without that of its request.
    """
    watched = Watched(models.batch)
    full = different(run, _FULL * settings.batch)
    await encode_all(models.batch, full[: settings.batch], settings)
    rate = await _rate(models, settings, full)
    per_second = LOAD * rate
    spoken = different(1000 + run, max(2, round(seconds * per_second)))
    async with embedding_batcher(
        settings, replace(models, batch=watched), SystemClock(), fallback=False
    ) as batcher:
        latencies = await _latencies(batcher, spoken, by_chance(per_second, run))
    added = [1000 * (latencies[text] - watched.seconds[text]) for text in spoken]
    return {
        "texts": len(spoken),
        "texts_per_second_of_the_model": rounded(rate),
        "texts_per_second_handed_in": rounded(per_second),
        "texts_per_request": rounded(len(spoken) / watched.requests),
        "latency_p50_ms": rounded(1000 * percentile(latencies.values(), 0.50)),
        "latency_p95_ms": rounded(1000 * percentile(latencies.values(), 0.95)),
        "overhead_p50_ms": rounded(percentile(added, 0.50)),
        "overhead_p95_ms": rounded(percentile(added, 0.95)),
    }


def limit(settings: EmbeddingSettings) -> int | None:
    """Return how many requests a second the bucket allows; None where there is none."""
    return None if settings.provider == "onnx" else settings.requests_per_s


async def _rate(models: Models, settings: EmbeddingSettings, full: Sequence[str]) -> float:
    """Return how many texts a second get through: what the model does, and the bucket allows."""
    watch = Stopwatch()
    with watch:
        await encode_all(models.batch, full, settings)
    rate, allowed = len(full) / watch.seconds, limit(settings)
    return rate if allowed is None else min(rate, float(allowed * settings.batch))


async def _latencies(
    batcher: EmbeddingBatcher, spoken: Sequence[str], instants: Iterator[float]
) -> Mapping[str, float]:
    found: dict[str, float] = {}

    async def hand_in(text: str) -> None:
        began = time.perf_counter()
        await batcher.encode([text])
        found[text] = time.perf_counter() - began

    for task in await arrive(spoken, instants, hand_in):
        await task
    return found

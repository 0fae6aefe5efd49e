"""A request for many texts against a request for each, on a model server where a request takes 100 ms."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from ricordo.settings import EmbeddingSettings
from ricordo.system_clock import SystemClock
from ricordo_lab.bench.arrivals import different
from ricordo_lab.bench.encoders import Watched
from ricordo_lab.bench.figures import rounded
from ricordo_lab.bench.stopwatch import Stopwatch
from ricordo_services.app.embedding_models import Models, embedding_batcher

REQUEST_S: Final = 0.1
"""Seconds of a request."""
_TURNS: Final = 2  # of each way
_NO_LIMIT: Final = 1_000_000  # requests a second: the bucket never empties


async def comparison(
    models: Models, settings: EmbeddingSettings, *, limited: bool, requests: int
) -> Mapping[str, object]:
    """Send as many requests each way, in turn, through the same batcher with the same limits.

    Args:
        models: those of the server.
        settings: of the batcher; only the size of a batch differs between the two.
        limited: whether the bucket counts.
        requests: that each of the two sends, in two turns.
    """
    both = settings if limited else settings.model_copy(update={"requests_per_s": _NO_LIMIT})
    one_by_one = both.model_copy(update={"batch": 1})
    watches, texts, sent = (Stopwatch(), Stopwatch()), [0, 0], [0, 0]
    for turn in range(_TURNS):
        for way, own in enumerate((both, one_by_one)):
            spoken = different(turn, max(1, requests // _TURNS) * own.batch)
            watched = Watched(models.batch)
            with watches[way]:
                await _encoded(own, replace(models, batch=watched), spoken)
            texts[way] += len(spoken)
            sent[way] += watched.requests
    batched, single = (count / watch.seconds for count, watch in zip(texts, watches, strict=True))
    return {
        "request_ms": 1000 * REQUEST_S,
        "in_flight": settings.in_flight,
        "requests_per_second": settings.requests_per_s if limited else None,
        "requests": sent,
        "texts_per_request": rounded(texts[0] / sent[0]),
        "texts_per_second": rounded(batched),
        "texts_per_second_one_by_one": rounded(single),
        "ratio_to_one_by_one": rounded(batched / single),
    }


async def _encoded(settings: EmbeddingSettings, models: Models, spoken: Sequence[str]) -> None:
    """Hand in all at once, each by a caller of its own."""
    async with embedding_batcher(settings, models, SystemClock(), fallback=False) as batcher:
        await asyncio.gather(*(batcher.encode([text]) for text in spoken))

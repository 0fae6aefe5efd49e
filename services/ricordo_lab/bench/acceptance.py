"""How many texts a second the embedding batcher takes while the model does fewer."""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from ricordo.models.batcher import EmbeddingBatcher
from ricordo.runtime.garbage import what_stands_stays
from ricordo.settings import EmbeddingSettings
from ricordo.system_clock import SystemClock
from ricordo_lab.bench.arrivals import arrive, different, loop_watched, steadily
from ricordo_lab.bench.encoders import Steady
from ricordo_lab.bench.figures import percentile, rounded
from ricordo_services.app.embedding_models import Models, embedding_batcher

OFFERED: Final = 1000
"""Texts that are handed in a second."""
_DONE: Final = 400  # by the stand-in of the model, a second
_SAMPLES: Final = 10  # of the queue, while texts are handed in


async def acceptance(
    models: Models, settings: EmbeddingSettings, *, seconds: float, queue: int
) -> Mapping[str, object]:
    """Hand in 1,000 texts a second, each by a caller of its own, while 400 a second are encoded.

    A text is accepted once it waits in the queue, or is in a request, or encoded; until there is room for it,
    its caller waits, as a worker does, whose messages wait in their stream.

    Args:
        models: whose batcher is made, with a stand-in of a steady speed for the model, and no bucket.
        settings: of the batcher.
        seconds: for which texts are handed in.
        queue: texts that the queue has room for.
    """
    count = max(_SAMPLES, round(seconds * OFFERED))
    spoken, steady = different(0, count), Steady(_DONE)
    own = settings.model_copy(update={"provider": "onnx", "queue": queue})
    answered = 0

    async with embedding_batcher(
        own, replace(models, batch=steady), SystemClock(), fallback=False
    ) as batcher:

        async def hand_in(text: str) -> None:
            nonlocal answered
            await batcher.encode([text])
            answered += 1

        samples: list[_Sample] = []
        began = time.perf_counter()
        with what_stands_stays():  # as in a process of workers
            async with loop_watched() as lateness:
                sampling = asyncio.create_task(_sample(batcher, steady, samples, seconds / _SAMPLES))
                tasks = await arrive(spoken, steadily(OFFERED), hand_in)
                took = time.perf_counter() - began
                sampling.cancel()
        last = _Sample(batcher, steady)
        await asyncio.gather(*tasks)
    return {
        "queue": queue,
        "handed_in": count,
        "handed_in_per_second": rounded(count / took),
        "encoded_per_second": rounded(last.encoded / took),
        "accepted_per_second": rounded(last.accepted / took),
        "queued_at_the_end": last.queued,
        "callers_waiting_at_the_end": count - last.accepted,
        "answered": answered,
        "loop_late_p99_ms": rounded(1000 * percentile(lateness.seconds, 0.99)),
        "loop_late_max_ms": rounded(1000 * max(lateness.seconds)),
        "queued": [sample.queued for sample in [*samples, last]][:_SAMPLES],
        "sample_s": rounded(seconds / _SAMPLES),
    }


class _Sample:
    """How far texts are, at one moment."""

    def __init__(self, batcher: EmbeddingBatcher, steady: Steady) -> None:
        self.queued = batcher.waiting
        self.encoded = steady.done
        self.accepted = batcher.waiting + steady.inside + steady.done


async def _sample(batcher: EmbeddingBatcher, steady: Steady, samples: list[_Sample], every: float) -> None:
    while True:
        await asyncio.sleep(every)
        samples.append(_Sample(batcher, steady))

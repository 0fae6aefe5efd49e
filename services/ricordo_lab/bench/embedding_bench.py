"""Measures the embedding model alone, called as the pipeline calls it."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Final

import numpy as np

from ricordo.models.encoder import Encoder, ModelUnavailable, Vectors
from ricordo.settings import EmbeddingSettings
from ricordo_lab.bench.measurement import Figures, Options, Report, Stopwatch, middle, repeated
from ricordo_lab.bench.spoken_texts import read_texts
from ricordo_lab.console import MeasurementFailed, progress
from ricordo_services.app.embedding_models import Models, open_models, precision_in_process, wait_until_ready

_MADE_UP: Final = 1000
_WARM_UP: Final = 64
_LEAST_S: Final = 2.0  # of a run; few texts are encoded several times
_BATCHES: Final = 8  # encoded before some texts are encoded one by one
_EVERY: Final = 4  # of these texts is encoded by itself too


async def embedding(options: Options, report: Report) -> None:
    """Measure texts per second of the embedding model, in batches and one by one."""
    texts = read_texts(options, _MADE_UP)
    settings = options.settings.embedding
    async with ready_models(settings) as models:
        await encode_all(models.batch, texts[:_WARM_UP], settings)
        found = await repeated(
            "embedding", options.runs, report, lambda _: _run(models.batch, texts, settings)
        )
        report(
            {
                "bench": "embedding",
                "runs": options.runs,
                "texts": len(texts),
                "tokens_per_text": middle([models.tokens.count(text) for text in texts]),
                "batch": settings.batch,
                "in_flight": settings.in_flight,
                **found,
                "model": models.name,
                "precision": precision_in_process(settings),
            }
        )


async def _run(encoder: Encoder, texts: Sequence[str], settings: EmbeddingSettings) -> Figures:
    """Encode in batches and one by one in turn, so that the load of the machine affects both alike."""
    batched, single, texts_batched, texts_single = Stopwatch(), Stopwatch(), 0, 0
    while batched.seconds < _LEAST_S:
        for some in _batches(texts, _BATCHES * settings.batch):
            with batched:
                await encode_all(encoder, some, settings)
            texts_batched += len(some)
            with single:
                for text in some[::_EVERY]:
                    await encoder.encode([text])
                    texts_single += 1
    rate, rate_single = texts_batched / batched.seconds, texts_single / single.seconds
    return {
        "cpu_ms_per_text": 1000 * batched.cpu / texts_batched,
        "texts_per_second_one_by_one": rate_single,
        "ratio_to_one_by_one": rate / rate_single,
        "texts_per_second": rate,
    }


@asynccontextmanager
async def ready_models(settings: EmbeddingSettings) -> AsyncIterator[Models]:
    """Open the embedding models; where a server pulls one, wait until it has it, which may take minutes.

    Raises:
        MeasurementFailed: the model does not answer.
        CheckpointMissing: the embedding model is not installed.
        OSError: see `open_models`.
    """
    async with AsyncExitStack() as exits:
        try:
            models = await wait_until_ready(
                settings,
                lambda: exits.enter_async_context(open_models(settings)),
                lambda line: progress(f"ricordo: {line}"),
            )
        except ModelUnavailable as error:
            raise MeasurementFailed(
                f"{error}; nothing was measured: run it again when the model answers"
            ) from None
        yield models


async def encode_all(encoder: Encoder, texts: Sequence[str], settings: EmbeddingSettings) -> Vectors:
    """Encode in requests of the size, and so many at a time, as the embedding batcher sends them.

    Returns:
        float32 [n, d], in the order of `texts`.
    """
    slots = asyncio.Semaphore(settings.in_flight)

    async def request(batch: Sequence[str]) -> Vectors:
        async with slots:
            return await encoder.encode(batch)

    async with asyncio.TaskGroup() as requests:
        tasks = [requests.create_task(request(batch)) for batch in _batches(texts, settings.batch)]
    return np.concatenate([task.result() for task in tasks])


def _batches(texts: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    for start in range(0, len(texts), size):
        yield texts[start : start + size]

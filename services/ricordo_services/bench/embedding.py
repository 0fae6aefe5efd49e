"""The embedding model alone, asked as the pipeline asks it."""

import asyncio
import time
from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np

from ricordo.ports.models import Encoder, Vectors
from ricordo.settings import EmbeddingSettings
from ricordo_services.bench.conversation import texts
from ricordo_services.bench.figures import middle, rounded
from ricordo_services.bench.options import BenchFailed, Options, Say
from ricordo_services.models import open_models

_SEED = 1
_MADE_UP = 1000
_WARM_UP = 64
_LEAST_S = 2.0  # of a run: a few texts are encoded again and again


async def embedding(options: Options, say: Say) -> None:
    """Measure how many texts a second the model encodes."""
    spoken = read_texts(options, _MADE_UP)
    settings = options.settings.embedding
    async with open_models(settings) as models:
        await encode_all(models.batch, spoken[:_WARM_UP], settings)
        rates = []
        cpu_ms = []
        for run in range(1, options.runs + 1):
            encoded, began, spent = 0, time.perf_counter(), time.process_time()
            while time.perf_counter() - began < _LEAST_S:
                await encode_all(models.batch, spoken, settings)
                encoded += len(spoken)
            rates.append(encoded / (time.perf_counter() - began))
            cpu_ms.append(1000 * (time.process_time() - spent) / encoded)
            say({"bench": "embedding", "run": run, "texts_per_second": rounded(rates[-1])})
        tokens = [models.tokens.count(text) for text in spoken]
        say(
            {
                "bench": "embedding",
                "runs": options.runs,
                "texts": len(spoken),
                "tokens_per_text": middle(tokens),
                "batch": settings.batch,
                "in_flight": settings.in_flight,
                "cpu_ms_per_text": middle(cpu_ms),
                "texts_per_second": middle(rates),
                "model": models.name,
                "precision": models.precision,
            }
        )


def read_texts(options: Options, made_up: int, seed: int = _SEED) -> Sequence[str]:
    """Return the texts of the file, or else so many made-up ones.

    Raises:
        BenchFailed: the file cannot be read or holds no text.
    """
    if options.texts is None:
        return list(islice(texts(seed), made_up))
    try:
        lines = options.texts.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BenchFailed(f"{options.texts} cannot be read: {error}") from None
    found = [line.strip() for line in lines if line.strip()]
    if not found:
        raise BenchFailed(f"{options.texts} holds no text")
    return found


async def encode_all(encoder: Encoder, spoken: Sequence[str], settings: EmbeddingSettings) -> Vectors:
    """Encode in requests of the size, and so many at a time, as the embedding batcher sends them.

    Returns:
        float32 [n, d], in the order of `spoken`.
    """
    lanes = asyncio.Semaphore(settings.in_flight)

    async def request(batch: Sequence[str]) -> Vectors:
        async with lanes:
            return await encoder.encode(batch)

    async with asyncio.TaskGroup() as requests:
        tasks = [requests.create_task(request(batch)) for batch in _batches(spoken, settings.batch)]
    return np.concatenate([task.result() for task in tasks])


def _batches(spoken: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    for start in range(0, len(spoken), size):
        yield spoken[start : start + size]

"""The embedding model alone, asked as the pipeline asks it."""

import asyncio
from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np

from ricordo.models.encoder import Encoder, Vectors
from ricordo.settings import EmbeddingSettings
from ricordo_lab.bench.conversation import texts
from ricordo_lab.bench.figures import middle, rounded
from ricordo_lab.bench.options import BenchFailed, Options, Say
from ricordo_lab.bench.ready import ready_models
from ricordo_lab.bench.stopwatch import Stopwatch

_SEED = 1
_MADE_UP = 1000
_WARM_UP = 64
_LEAST_S = 2.0  # of a run: a few texts are encoded again and again
_BATCHES = 8  # of each turn; then it is the turn of texts one by one
_EVERY = 4  # of the texts of a turn is encoded by itself too


async def embedding(options: Options, say: Say) -> None:
    """Measure how many texts a second the model encodes: as the pipeline asks it, and one by one."""
    spoken = read_texts(options, _MADE_UP)
    settings = options.settings.embedding
    async with ready_models(settings) as models:
        await encode_all(models.batch, spoken[:_WARM_UP], settings)
        runs = []
        for run in range(1, options.runs + 1):
            runs.append(await _in_turn(models.batch, spoken, settings))
            say({"bench": "embedding", "run": run, **runs[-1]})
        say(
            {
                "bench": "embedding",
                "runs": options.runs,
                "texts": len(spoken),
                "tokens_per_text": middle([models.tokens.count(text) for text in spoken]),
                "batch": settings.batch,
                "in_flight": settings.in_flight,
                **{name: middle([one[name] for one in runs]) for name in runs[0]},
                "model": models.name,
                "precision": models.precision,
            }
        )


async def _in_turn(encoder: Encoder, spoken: Sequence[str], settings: EmbeddingSettings) -> dict[str, float]:
    """Encode in batches and one by one, in turn: both share the machine's mood."""
    batched, single, texts_batched, texts_single = Stopwatch(), Stopwatch(), 0, 0
    while batched.seconds < _LEAST_S:
        for some in _batches(spoken, _BATCHES * settings.batch):
            with batched:
                await encode_all(encoder, some, settings)
            texts_batched += len(some)
            with single:
                for text in some[::_EVERY]:
                    await encoder.encode([text])
                    texts_single += 1
    rate, rate_single = texts_batched / batched.seconds, texts_single / single.seconds
    return {
        "cpu_ms_per_text": rounded(1000 * batched.cpu / texts_batched),
        "texts_per_second_one_by_one": rounded(rate_single),
        "ratio_to_one_by_one": rounded(rate / rate_single),
        "texts_per_second": rounded(rate),
    }


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

"""The sentence encoder in this process: one set of weights, with separate threads for batches and queries."""

import asyncio
import os
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeVar

import numpy as np
import structlog
from cachetools import FIFOCache

from ricordo.machine import usable_cores
from ricordo.models.encoder import Encoder, ModelUnavailable, Vectors
from ricordo.models.onnx.e5_checkpoint import MAX_TOKENS, E5Tokens, Side, installed_e5
from ricordo.models.onnx.network import DIMENSIONS, Network, Precision, load_network, native_precision

_log = structlog.stdlib.get_logger(__name__)

_T = TypeVar("_T")

_BACKGROUND_NICENESS = 10
# Beyond 16 short texts a run gains nothing; 1,024 padded tokens are a tenth of a second or two on one core.
MOST_TEXTS = 16
FEWEST_TEXTS = 4
MOST_TOKENS = 1024
_MOST_KEPT: Final = 16_384
"""Tokens whose states are kept, 25 MB: of texts that have a vector, which are soon read, and dropped then."""


def _lower_priority() -> None:
    if sys.platform == "linux":
        thread = threading.get_native_id()
        niceness = max(_BACKGROUND_NICENESS, os.getpriority(os.PRIO_PROCESS, thread))
        # A sandbox may forbid the call; the threads then keep the normal priority.
        with suppress(PermissionError):
            os.setpriority(os.PRIO_PROCESS, thread, niceness)


def plan_runs(lengths: Sequence[int], lanes: int) -> list[list[int]]:
    """Group texts of similar length, longest first, so that little is computed for padding.

    Args:
        lengths: tokens of each text, at least 1.
        lanes: number of concurrent runs; few texts are split finer, so that each has work.

    Returns:
        Indices into `lengths`, each once; a run has at most `MOST_TEXTS`, and at most `MOST_TOKENS` with
        padding unless it is a single text.
    """
    fair_share = -(-len(lengths) // (2 * lanes))
    most_texts = min(MOST_TEXTS, max(FEWEST_TEXTS, fair_share))
    runs: list[list[int]] = []
    for index in sorted(range(len(lengths)), key=lambda i: -lengths[i]):
        if runs and len(runs[-1]) < most_texts:
            width = lengths[runs[-1][0]]
            if width * (len(runs[-1]) + 1) <= MOST_TOKENS:
                runs[-1].append(index)
                continue
        runs.append([index])
    return runs


class OnnxEncoder:
    """An encoder with threads of its own; `truncated` is the number of truncated texts so far.

    Args:
        side: whether the texts are questions or what may answer them.

    Attributes:
        keeps_states: whether `states` will be asked for what was encoded.
    """

    dimensions = DIMENSIONS

    def __init__(
        self, tokens: E5Tokens, network: Network, side: Side, threads: ThreadPoolExecutor, lanes: int
    ) -> None:
        self.model = network.model
        self.precision = network.precision
        self._tokens = tokens
        self._network = network
        self._side = side
        self._threads = threads
        self._lanes = lanes
        self._kept = FIFOCache[str, Vectors](_MOST_KEPT, getsizeof=len)
        self._keeping = threading.Lock()
        self.keeps_states = False
        self.truncated = 0

    async def encode(self, texts: Sequence[str]) -> Vectors:
        """Encode texts of any length; the first 256 tokens count, some 1,000 characters.

        Cancelling drops the parts that have not begun.

        Returns:
            float32 [n, 384], unit norm, in the order of `texts`.

        Raises:
            ModelUnavailable: the model is closed, or a run failed.
        """
        if len(texts) <= 1:  # a question waits for one turn of the thread, not for two
            vectors, cut = await self.submit(lambda: self._encode_one(texts))
            self._note(cut, len(texts))
            return vectors
        read = await self.submit(lambda: [self._tokens.cut(text, self._side.prefix) for text in texts])
        self._note(sum(cut for _, cut in read), len(texts))
        ids = [item for item, _ in read]
        plan = plan_runs([len(item) for item in ids], self._lanes)
        runs = [
            self.submit(partial(self._vectors, [texts[i] for i in run], [ids[i] for i in run]))
            for run in plan
        ]
        vectors = np.empty((len(texts), DIMENSIONS), dtype=np.float32)
        for run, part in zip(plan, await _all_or_none(runs), strict=True):
            vectors[run] = part
        return vectors

    def _encode_one(self, texts: Sequence[str]) -> tuple[Vectors, int]:
        if not texts:
            return np.empty((0, DIMENSIONS), dtype=np.float32), 0
        ids, cut = self._tokens.cut(texts[0], self._side.prefix)
        return self._vectors(texts, [ids]), int(cut)

    def _note(self, cut: int, texts: int) -> None:
        if cut:
            self.truncated += cut
            _log.debug(
                "texts were truncated", model=self.model, truncated=cut, texts=texts, tokens=MAX_TOKENS
            )

    def submit(self, call: Callable[[], _T]) -> Awaitable[_T]:
        """Queue `call`; cancelling the result drops it unless it has begun."""
        try:
            return asyncio.wrap_future(self._threads.submit(call))
        except RuntimeError as error:
            raise ModelUnavailable(f"{self.model} is closed") from error

    def _vectors(self, texts: Sequence[str], ids: Sequence[Sequence[int]]) -> Vectors:
        vectors, states = self._network.run(ids)
        if self.keeps_states:
            with self._keeping:
                self._kept.update(zip(texts, states, strict=True))
        return self._side.shifted(vectors)

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Return the characters of `text` that each of its tokens stands for; (-1, -1) for none."""
        return self._tokens.spans(text, self._side.prefix)[1]

    def states(self, text: str) -> Vectors:
        """Return the states of a text after the layers that a reader shares, [t, 384]; on the calling thread.

        Those of a text that has just been encoded are there; they are not kept any longer then.
        """
        with self._keeping:
            kept = self._kept.pop(text, None)
        if kept is not None:
            return kept
        ids, _ = self._tokens.cut(text, self._side.prefix)
        return self._network.run([ids])[1][0]


@dataclass(frozen=True, slots=True)
class OnnxModel:
    """The loaded model.

    Attributes:
        batch: encodes many texts; uses all cores at a low priority.
        query: encodes a question that a caller waits for; never queued behind a batch.
        statement: the same for a text that is compared with a question or with other texts.
    """

    batch: OnnxEncoder
    query: Encoder
    statement: Encoder


async def load_tokens() -> E5Tokens:
    """Return the tokenizer, which needs no weights and is loaded once in a process.

    Raises:
        CheckpointMissing: the package with the model is not installed.
        OSError: the cache folder cannot be written.
    """
    return await asyncio.to_thread(installed_e5().tokens)


@asynccontextmanager
async def open_onnx(cores: int | None = None, precision: Precision | None = None) -> AsyncIterator[OnnxModel]:
    """Open the model, building its file the first time; it is loaded in the background, and runs wait for it.

    Args:
        cores: threads for batches; all usable cores by default.
        precision: the fastest on this processor by default.

    Raises:
        CheckpointMissing: the package with the weights is not installed.
        OSError: the cache folder cannot be written.
    """
    source, precision = installed_e5(), precision or native_precision()
    tokens = await load_tokens()
    network = await asyncio.to_thread(load_network, source, precision)
    lanes = cores or usable_cores()
    batch_threads = ThreadPoolExecutor(lanes, "encoder-batch", _lower_priority)
    query_threads = ThreadPoolExecutor(1, "encoder-query")
    batch_threads.submit(network.load)  # a run raises its error again
    try:
        yield OnnxModel(
            batch=OnnxEncoder(tokens, network, source.text, batch_threads, lanes),
            query=OnnxEncoder(tokens, network, source.question, query_threads, 1),
            statement=OnnxEncoder(tokens, network, source.text, query_threads, 1),
        )
    finally:
        for threads in (batch_threads, query_threads):
            await asyncio.to_thread(threads.shutdown, wait=True, cancel_futures=True)


async def _all_or_none(runs: Sequence[Awaitable[Vectors]]) -> list[Vectors]:
    """Wait for all runs; if one fails or the wait is cancelled, drop those that have not begun."""
    futures = [asyncio.ensure_future(run) for run in runs]
    try:
        return await asyncio.gather(*futures)
    finally:
        for future in futures:
            future.cancel()

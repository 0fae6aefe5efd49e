"""The embedding batcher: texts of many callers, encoded together.

A model server answers one request of 32 texts much sooner than 32 requests of one. So texts wait a moment for
company, few requests are in flight, and those not faster than the server allows. When the server is away, the
texts wait here (and further messages in their stream, see `EmbeddingBatcher.wait_open`) until it is back, or
until a fallback model takes over. A text is answered once, however often its request failed.
"""

import asyncio
import math
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol, Self

import numpy as np

from ricordo.ports.clock import Clock
from ricordo.ports.models import Encoder, ModelUnavailable, Vectors
from ricordo.runtime.resilience.breaker import Admission, CircuitBreaker
from ricordo.runtime.resilience.bucket import Unlimited
from ricordo.runtime.texts import PendingText, TextQueue


class Bucket(Protocol):
    """What limits the rate of requests."""

    async def take(self) -> None:
        """Wait until one more request may be made."""
        ...


@dataclass(frozen=True, slots=True)
class BatchLimits:
    """How texts are gathered and sent.

    Attributes:
        batch: texts in a request at the most.
        flush_after: seconds that the first text of a batch waits for others.
        in_flight: requests at a time.
        queue: texts waiting or in flight at the most; handing in more waits.
        attempts: requests that a text may see fail while the breaker is closed, before its caller is told. A
            request that failed comes back in halves: 6 is enough to find 1 text among 32.
        fallback_after: seconds of outage after which the fallback serves.
    """

    batch: int = 32
    flush_after: float = 0.05
    in_flight: int = 2
    queue: int = 1024
    attempts: int = 6
    fallback_after: float = 60.0


@dataclass(frozen=True, slots=True)
class Encoded:
    """Vectors, and the model that made them.

    Attributes:
        model: its name.
        vectors: float32 [n, d], unit norm, in the order of the texts.
    """

    model: str
    vectors: Vectors


class EmbeddingBatcher:
    """Encodes texts for many callers at once; a context manager, which ends its work on exit.

    Args:
        encoder: the model.
        clock: measures the wait for company, the rate and the outage.
        breaker: decides when the model may be asked; by default 3 failures open it for 15 s.
        bucket: limits the rate of requests to the model; none by default.
        fallback: the model that serves in a long outage; without one, texts wait until the model is back.
        limits: how texts are gathered and sent.
    """

    def __init__(
        self,
        encoder: Encoder,
        clock: Clock,
        *,
        breaker: CircuitBreaker | None = None,
        bucket: Bucket | None = None,
        fallback: Encoder | None = None,
        limits: BatchLimits | None = None,
    ) -> None:
        self.breaker = breaker or CircuitBreaker(clock, counted=ModelUnavailable)
        self._encoder = encoder
        self._clock = clock
        self._bucket = bucket or Unlimited()
        self._fallback = fallback
        self._limits = limits or BatchLimits()
        self._queue = TextQueue(
            clock, self._limits.queue, batch=self._limits.batch, flush_after=self._limits.flush_after
        )
        self._lanes = asyncio.Semaphore(self._limits.in_flight)
        self._requests: set[asyncio.Task[None]] = set()
        self._sender: asyncio.Task[None] | None = None
        self.encoded = 0
        """Texts that a model has encoded so far."""

    async def __aenter__(self) -> Self:
        self._queue.open()
        self._sender = asyncio.create_task(self._send_all(), name="embedding batcher")
        self._sender.add_done_callback(self._end)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        tasks = [task for task in (self._sender, *self._requests) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    @property
    def waiting(self) -> int:
        """Texts that are not in a request at this moment."""
        return len(self._queue)

    @property
    def in_flight(self) -> int:
        """Requests at this moment."""
        return len(self._requests)

    @property
    def down_for(self) -> float:
        """For how many seconds the model has not answered; 0 while it does."""
        return self.breaker.down_for

    async def wait_open(self) -> None:
        """Wait until texts that were handed in now would be worked on.

        That is while the breaker is closed; when its probe may go, which needs a text; and while the fallback
        serves. A worker waits for this before it fetches.
        """
        while not await self.breaker.wait_admitting(self._until_fallback()):
            if self._fallback_serves():
                return

    async def encode(self, texts: Sequence[str]) -> Encoded:
        """Encode `texts`, together with those of others.

        All vectors of one answer are of one model: where an outage set in amid the call, the fallback encodes
        again what the model had answered. Cancelling gives up the texts of this call and no others.

        Returns:
            The vectors, in the order of `texts`.

        Raises:
            ModelUnavailable: the batcher is closed, or a text's requests failed too often while others did
                not.
        """
        if not texts:
            return Encoded(self._encoder.model, np.empty((0, self._encoder.dimensions), dtype=np.float32))
        mine: list[PendingText] = []
        try:
            for content in texts:
                mine.append(await self._queue.hand_in(content))  # noqa: PERF401 - all that is in must be known
            answers = await asyncio.gather(*(text.future for text in mine))
        finally:
            for text in mine:
                text.future.cancel()
        return await self._of_one_model(texts, answers)

    async def _send_all(self) -> None:
        while True:
            await self._queue.wait_for_batch()
            await self._lanes.acquire()
            admission = await self._admission()
            is_probe = admission is not None and admission.is_probe
            batch = self._queue.take(prefer_fresh=is_probe)
            request = asyncio.create_task(self._request(batch, admission))
            self._requests.add(request)
            request.add_done_callback(self._requests.discard)

    async def _admission(self) -> Admission | None:
        """Wait for leave to ask the model; None when the fallback is to be asked instead."""
        while True:
            if await self.breaker.wait_admitting(self._until_fallback()):
                await self._bucket.take()
                if (admission := self.breaker.admit()) is not None:
                    return admission
            elif self._fallback_serves():
                return None

    def _until_fallback(self) -> float:
        if self._fallback is None:
            return math.inf
        return self._limits.fallback_after - self.breaker.down_for

    def _fallback_serves(self) -> bool:
        return self._until_fallback() <= 0

    async def _request(self, batch: Sequence[PendingText], admission: Admission | None) -> None:
        """Send one request and hand out what came back. It ends well whatever the model does."""
        try:
            if batch:
                await self._answer(batch, admission)
            elif admission is not None:  # the texts were given up while they waited for leave
                admission.withdrawn()
        except ModelUnavailable as error:
            self._try_again(batch, error, suspicious=admission is None or not admission.is_probe)
        except Exception as error:  # noqa: BLE001 - a defect of the encoder is its callers' to hear of
            for text in batch:
                text.fail(error)
        finally:
            self._lanes.release()

    async def _answer(self, batch: Sequence[PendingText], admission: Admission | None) -> None:
        encoder = self._encoder if admission is not None else self._fallback or self._encoder
        with admission or nullcontext():
            vectors = await _ask(encoder, [text.content for text in batch])
        self.encoded += len(batch)
        for text, vector in zip(batch, vectors, strict=True):
            text.answer(encoder.model, vector)

    def _try_again(self, batch: Sequence[PendingText], error: ModelUnavailable, *, suspicious: bool) -> None:
        """Put the texts back, behind the others.

        A failed probe says that the model is away. Any other failure may be due to one of the texts: they
        come back in smaller requests, until that one is alone and the others have their answers.
        """
        for text in batch if suspicious else ():
            text.failures += 1
            text.company = max(1, len(batch) // 2)
            if text.failures >= self._limits.attempts:
                text.fail(error)
        self._queue.put_back(batch)

    async def _of_one_model(self, texts: Sequence[str], answers: Sequence[tuple[str, Vectors]]) -> Encoded:
        models = {model for model, _ in answers}
        if len(models) == 1 or self._fallback is None:
            return Encoded(models.pop(), np.stack([vector for _, vector in answers]))
        vectors = await _ask(self._fallback, texts)
        self.encoded += len(texts)
        return Encoded(self._fallback.model, vectors)

    def _end(self, sender: asyncio.Task[None]) -> None:
        self._queue.close(None if sender.cancelled() else sender.exception())


async def _ask(encoder: Encoder, texts: Sequence[str]) -> Vectors:
    vectors = await encoder.encode(texts)
    expected = (len(texts), encoder.dimensions)
    if vectors.shape != expected:
        raise ModelUnavailable(f"{encoder.model} answered vectors of shape {vectors.shape}, not {expected}")
    return vectors

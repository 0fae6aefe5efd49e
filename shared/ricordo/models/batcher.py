"""The embedding batcher: encodes the texts of many callers in shared requests.

A model server answers one request of 32 texts much sooner than 32 requests of one. Texts wait briefly to form
batches, and the number and rate of requests are limited. During an outage texts wait here, and further
messages in their stream (`EmbeddingBatcher.wait_open`), until the model is back or a fallback takes over. A
text is answered once, however often its request failed. A text that the model cannot encode is cut, and fails
alone if its beginning cannot be encoded either.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Self

from aiolimiter import AsyncLimiter

from ricordo.clock import Clock
from ricordo.models.batch_queue import Encoded, PendingText, TextQueue
from ricordo.models.encoder import Encoder, ModelSlow, ModelUnavailable, NoVector
from ricordo.models.guarded_encoder import GuardedEncoder
from ricordo.resilience import Admission, CircuitBreaker
from ricordo.runtime.gates import Gate
from ricordo.runtime.measures import queue_wait
from ricordo.runtime.tasks import cancel_and_wait

_SHORT_CHARS: Final = 512
"""A text of this length fits any model's window: it is refused for another reason than its length."""


@dataclass(frozen=True, slots=True)
class BatchLimits:
    """How texts are batched and sent.

    Attributes:
        batch: maximum number of texts per request.
        flush_after: seconds that the first text of a batch waits for others.
        in_flight: maximum number of concurrent requests.
        queue: maximum number of unanswered texts; further submissions wait.
        attempts: failed requests of a text alone, while the model answers others, after which the first half
            of it is sent, and then the first half of that; the caller of a short text gets the error, and
            every caller after a timeout. The texts of a failed batch are sent again in halves, or one by one
            after a timeout.
        failures_to_open: failures in a row that open the circuit breaker of a model.
        open_for: seconds until an open one lets a probe through.
        fallback_after: seconds of outage after which the fallback is used.
    """

    batch: int = 32
    flush_after: float = 0.05
    in_flight: int = 2
    queue: int = 1024
    attempts: int = 3
    failures_to_open: int = 3
    open_for: float = 15.0
    fallback_after: float = 60.0


class EmbeddingBatcher(Gate):
    """Encodes texts for many concurrent callers; a context manager that stops on exit.

    Args:
        limiter: of the model's requests; none by default.
        fallback: model for a long outage; without one, texts wait until the model is back.
    """

    def __init__(
        self,
        encoder: Encoder,
        clock: Clock,
        *,
        limiter: AsyncLimiter | None = None,
        fallback: Encoder | None = None,
        limits: BatchLimits | None = None,
    ) -> None:
        limits = limits or BatchLimits()

        def breaker() -> CircuitBreaker:
            return CircuitBreaker(clock, limits.failures_to_open, limits.open_for, counted=ModelUnavailable)

        self._primary = GuardedEncoder(encoder, breaker(), limiter, clock)
        self._fallback = None if fallback is None else GuardedEncoder(fallback, breaker(), None, clock)
        self.models = [self._primary] if self._fallback is None else [self._primary, self._fallback]
        """The model and its fallback, if any."""
        self.breaker = self._primary.breaker
        self._clock = clock
        self._limits = limits
        self._queue = TextQueue(clock, limits.queue, batch=limits.batch, flush_after=limits.flush_after)
        self._slots = asyncio.Semaphore(limits.in_flight)
        self._requests: set[asyncio.Task[None]] = set()
        self._sender: asyncio.Task[None] | None = None
        self._probers: list[asyncio.Task[None]] = []
        self.refused = 0
        """Texts without a vector so far."""
        self.queue_wait = queue_wait()
        """Seconds from the submission of a text to its request; a retried text counts again."""

    async def __aenter__(self) -> Self:
        self._queue.is_open = True
        self._sender = asyncio.create_task(self._send_all(), name="embedding batcher")
        self._sender.add_done_callback(self._end)
        self._probers = [
            asyncio.create_task(model.probe(self._slots, self._queue.reset_batch_limit))
            for model in self.models
        ]
        return self

    async def __aexit__(self, *_: object) -> None:
        await cancel_and_wait(*filter(None, (self._sender, *self._probers, *self._requests)))

    @property
    def encoded(self) -> int:
        """Number of encoded texts so far."""
        return sum(model.measures.encoded for model in self.models)

    @property
    def waiting(self) -> int:
        """Number of queued texts."""
        return len(self._queue)

    @property
    def in_flight(self) -> int:
        """Number of requests in progress."""
        return len(self._requests)

    @property
    def down_for(self) -> float:
        """Seconds since the model went down; 0 while it is up."""
        return self.breaker.down_for

    @property
    def reason(self) -> str:
        """Why the model is down and what replaces it, as a sentence; empty while it is up."""
        reason = self._primary.reason
        if reason and self._fallback_is_due and self._fallback is not None:
            return f"{reason}; {self._fallback.reason or f'{self._fallback.name} is used meanwhile'}"
        return reason

    @property
    def silence(self) -> str:
        """A sentence while a request takes long and the model is not known to be down; else empty."""
        return self._primary.silence

    @property
    def is_known_open(self) -> bool:
        """Whether texts would be encoded now."""
        return self._serving() is not None

    async def wait_open(self) -> None:
        """Wait until texts would be encoded, by the model or the fallback. Workers wait before they fetch."""
        while self._serving() is None:
            waits = [asyncio.create_task(self.breaker.wait_closed())]
            if self._fallback is not None:
                waits.append(asyncio.create_task(self._wait_for(self._fallback)))
            try:
                await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            finally:
                await cancel_and_wait(*waits)

    async def encode(self, texts: Sequence[str]) -> Sequence[Encoded | NoVector]:
        """Encode `texts`, batched with those of other callers.

        If an outage begins during the call, some may be encoded by the fallback. Cancelling drops the texts
        of this call only.

        Returns:
            For each text, in order, its vector (of its beginning, if the model refused the whole), or why the
            model has none.

        Raises:
            ModelUnavailable: the batcher is closed.
            Exception: an unexpected error of the encoder.
        """
        pending: list[PendingText] = []
        try:
            for content in texts:
                pending.append(await self._queue.submit(content))  # noqa: PERF401 - on an error the submitted ones are cancelled
            answers = await asyncio.gather(*(text.future for text in pending), return_exceptions=True)
        finally:
            for text in pending:
                text.future.cancel()
        return [_checked(answer) for answer in answers]

    async def _send_all(self) -> None:
        while True:
            await self._queue.wait_for_batch()
            await self.wait_open()
            await self._slots.acquire()
            model = self._serving()
            admission = None if model is None else await model.admission()
            if model is None or admission is None:  # it went down meanwhile
                self._slots.release()
                continue
            request = asyncio.create_task(self._request(model, admission, self._queue.take()))
            self._requests.add(request)
            request.add_done_callback(self._requests.discard)

    def _serving(self) -> GuardedEncoder | None:
        """Return the model that may be called now, if any."""
        if self._primary.is_up:
            return self._primary
        fallback = self._fallback
        return fallback if fallback is not None and self._fallback_is_due and fallback.is_up else None

    @property
    def _fallback_is_due(self) -> bool:
        return self.breaker.down_for >= self._limits.fallback_after

    async def _wait_for(self, fallback: GuardedEncoder) -> None:
        if (remaining := self._limits.fallback_after - self.breaker.down_for) > 0:
            await self._clock.sleep(remaining)
        await fallback.breaker.wait_closed()

    async def _request(
        self, model: GuardedEncoder, admission: Admission, batch: Sequence[PendingText]
    ) -> None:
        """Send one request and distribute its result; it never raises."""
        try:
            if not batch:  # no caller waits any more
                admission.withdrawn()
                return
            now = self._clock.monotonic()
            for text in batch:
                self.queue_wait.observe(now - text.since)
            vectors = await model.encode([text.content for text in batch], admission)
            for text, vector in zip(batch, vectors, strict=True):
                text.answer(Encoded(model.name, vector))
        except NoVector as error:
            self._try_alone(batch, error)
        except ModelSlow:
            self._try_smaller(batch, 1)
        except ModelUnavailable:
            self._try_smaller(batch, max(1, len(batch) // 2))
        except Exception as error:  # noqa: BLE001 - the callers get an unexpected error
            for text in batch:
                text.fail(error)
        finally:
            self._slots.release()

    def _try_smaller(self, batch: Sequence[PendingText], max_batch: int) -> None:
        """Queue the texts again, behind the others, for smaller batches.

        The model may be down, or one text may be at fault: the batches shrink until that text is alone and
        the others are answered. After a timeout they are alone at once, as each further timeout costs the
        callers' time.
        """
        for text in batch:
            text.max_batch = max_batch
        self._queue.put_back(batch)

    def _try_alone(self, batch: Sequence[PendingText], error: NoVector) -> None:
        """Queue a failed single text again, as the error may be transient; then its first half; or fail it.

        A timeout fails it at once: another attempt would cost the same time again.
        """
        for text in batch:
            text.failures += 1
            text.max_batch = 1
            if error.slow or (text.failures >= self._limits.attempts and len(text.content) <= _SHORT_CHARS):
                self.refused += 1
                text.fail(error)
            elif text.failures >= self._limits.attempts:
                text.content = text.content[: len(text.content) // 2]
        self._queue.put_back(batch)

    def _end(self, sender: asyncio.Task[None]) -> None:
        self._queue.close(None if sender.cancelled() else sender.exception())


def _checked(answer: Encoded | BaseException) -> Encoded | NoVector:
    if isinstance(answer, BaseException) and not isinstance(answer, NoVector):
        raise answer
    return answer

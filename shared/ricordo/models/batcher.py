"""The embedding batcher: texts of many callers, encoded together.

A model server answers one request of 32 texts much sooner than 32 requests of one. So texts wait a moment for
company, few requests are in flight, and those not faster than the server allows. When the server is away, the
texts wait here (and further messages in their stream, see `EmbeddingBatcher.wait_open`) until it is back, or
until a fallback model takes over. A text is answered once, however often its request failed. One for which
the model has no vector fails alone: others have theirs.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from ricordo.clock import Clock
from ricordo.models.batch_queue import Encoded, PendingText, TextQueue
from ricordo.models.encoder import Encoder, ModelSlow, ModelUnavailable, NoVector
from ricordo.models.guarded_encoder import GuardedEncoder
from ricordo.resilience.breaker import Admission, CircuitBreaker
from ricordo.resilience.rate_limiter import RateLimiter, Unlimited
from ricordo.runtime.gates import Gate
from ricordo.runtime.measures import queue_wait


@dataclass(frozen=True, slots=True)
class BatchLimits:
    """How texts are gathered and sent.

    Attributes:
        batch: texts in a request at the most.
        flush_after: seconds that the first text of a batch waits for others.
        in_flight: requests at a time.
        queue: texts waiting or in flight at the most; handing in more waits.
        attempts: requests of a text alone that may fail while the model answers others, before its caller is
            told; one, where the model did not answer in time. A request of several that failed comes back in
            halves, or one by one where it took too long.
        fallback_after: seconds of outage after which the fallback serves.
    """

    batch: int = 32
    flush_after: float = 0.05
    in_flight: int = 2
    queue: int = 1024
    attempts: int = 3
    fallback_after: float = 60.0


class EmbeddingBatcher(Gate):
    """Encodes texts for many callers at once; a context manager, which ends its work on exit.

    Args:
        encoder: the model.
        clock: measures the wait for company and the outage.
        breaker: decides when the model may be asked; by default 3 failures open it for 15 s.
        bucket: limits the rate of requests to the model; none by default.
        fallback: the model that serves in a long outage; without one, texts wait until the model is back.
        fallback_breaker: decides when the fallback may be asked; the same by default.
        limits: how texts are gathered and sent.
    """

    def __init__(
        self,
        encoder: Encoder,
        clock: Clock,
        *,
        breaker: CircuitBreaker | None = None,
        bucket: RateLimiter | None = None,
        fallback: Encoder | None = None,
        fallback_breaker: CircuitBreaker | None = None,
        limits: BatchLimits | None = None,
    ) -> None:
        self.breaker = breaker or CircuitBreaker(clock, counted=ModelUnavailable)
        self._primary = GuardedEncoder(encoder, self.breaker, bucket or Unlimited(), clock)
        self._fallback = None
        if fallback is not None:
            spare_breaker = fallback_breaker or CircuitBreaker(clock, counted=ModelUnavailable)
            self._fallback = GuardedEncoder(fallback, spare_breaker, Unlimited(), clock)
        self._clock = clock
        self._limits = limits or BatchLimits()
        self._queue = TextQueue(
            clock, self._limits.queue, batch=self._limits.batch, flush_after=self._limits.flush_after
        )
        self._lanes = asyncio.Semaphore(self._limits.in_flight)
        self._requests: set[asyncio.Task[None]] = set()
        self._sender: asyncio.Task[None] | None = None
        self._probers: list[asyncio.Task[None]] = []
        self.queue_wait = queue_wait()
        """Seconds from the submission of a text to its request; a retried text counts again."""

    async def __aenter__(self) -> Self:
        self._queue.open()
        self._sender = asyncio.create_task(self._send_all(), name="embedding batcher")
        self._sender.add_done_callback(self._end)
        self._probers = [
            asyncio.create_task(model.probe(self._lanes, self._queue.reset_batch_limit))
            for model in self.models
        ]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        tasks = [task for task in (self._sender, *self._probers, *self._requests) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    @property
    def models(self) -> Sequence[GuardedEncoder]:
        """The model, and its fallback where there is one."""
        return [self._primary] if self._fallback is None else [self._primary, self._fallback]

    @property
    def encoded(self) -> int:
        """Texts that the models have encoded so far."""
        return sum(model.measures.encoded for model in self.models)

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

    @property
    def reason(self) -> str:
        """Why the model is not asked, and who is in its place, as a sentence; empty while it answers."""
        away = self._primary.reason
        if away and self._fallback_is_due and self._fallback is not None:
            return f"{away}; {self._fallback.reason or f'{self._fallback.name} encodes meanwhile'}"
        return away

    @property
    def silence(self) -> str:
        """That the model takes long, as a sentence, while nobody knows yet whether it answers; else empty."""
        return self._primary.silence

    async def wait_open(self) -> None:
        """Wait until texts that were handed in now would be worked on.

        That is while the model answers, and while the fallback serves. A worker waits for this before it
        fetches.
        """
        while self._serving() is None:
            waits = [asyncio.create_task(self.breaker.wait_closed())]
            if self._fallback is not None:
                waits.append(asyncio.create_task(self._wait_for(self._fallback)))
            try:
                await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for wait in waits:
                    wait.cancel()

    async def encode(self, texts: Sequence[str]) -> Sequence[Encoded | NoVector]:
        """Encode `texts`, together with those of others.

        Where an outage sets in amid the call, some are answered by the model and some by the fallback.
        Cancelling gives up the texts of this call and no others.

        Returns:
            For each text, in order, its vector, or why the model has none for it.

        Raises:
            ModelUnavailable: the batcher is closed.
            Exception: whatever an encoder with a defect raises.
        """
        mine: list[PendingText] = []
        try:
            for content in texts:
                mine.append(await self._queue.submit(content))  # noqa: PERF401 - all that is in must be known
            answers = await asyncio.gather(*(text.future for text in mine), return_exceptions=True)
        finally:
            for text in mine:
                text.future.cancel()
        return [_told(answer) for answer in answers]

    async def _send_all(self) -> None:
        while True:
            await self._queue.wait_for_batch()
            await self.wait_open()
            await self._lanes.acquire()
            model = self._serving()
            admission = None if model is None else await model.admission()
            if model is None or admission is None:  # it went away while its turn was waited for
                self._lanes.release()
                continue
            request = asyncio.create_task(self._request(model, admission, self._queue.take()))
            self._requests.add(request)
            request.add_done_callback(self._requests.discard)

    def _serving(self) -> GuardedEncoder | None:
        """Return the model that may be asked now, if there is one."""
        if self._primary.answers:
            return self._primary
        spare = self._fallback
        return spare if spare is not None and self._fallback_is_due and spare.answers else None

    @property
    def _fallback_is_due(self) -> bool:
        return self.breaker.down_for >= self._limits.fallback_after

    async def _wait_for(self, fallback: GuardedEncoder) -> None:
        if (rest := self._limits.fallback_after - self.breaker.down_for) > 0:
            await self._clock.sleep(rest)
        await fallback.breaker.wait_closed()

    async def _request(
        self, model: GuardedEncoder, admission: Admission, batch: Sequence[PendingText]
    ) -> None:
        """Send one request and hand out what came back. It ends well whatever the model does."""
        try:
            if batch:
                await self._answer(model, admission, batch)
            else:  # the texts were given up while they waited for leave
                admission.withdrawn()
        except NoVector as error:
            self._try_alone(batch, error)
        except ModelSlow:
            self._try_smaller(batch, 1)
        except ModelUnavailable:
            self._try_smaller(batch, max(1, len(batch) // 2))
        except Exception as error:  # noqa: BLE001 - a defect of the encoder is its callers' to hear of
            for text in batch:
                text.fail(error)
        finally:
            self._lanes.release()

    async def _answer(
        self, model: GuardedEncoder, admission: Admission, batch: Sequence[PendingText]
    ) -> None:
        now = self._clock.monotonic()
        for text in batch:
            self.queue_wait.observe(now - text.since)
        vectors = await model.encode([text.content for text in batch], admission)
        for text, vector in zip(batch, vectors, strict=True):
            text.answer(Encoded(model.name, vector))

    def _try_smaller(self, batch: Sequence[PendingText], max_batch: int) -> None:
        """Put the texts back, behind the others.

        The model may be away, or one of the texts at fault: they come back in smaller requests, until that
        one is alone and the others have their answers. Where each try costs a timeout, they are alone at
        once: the callers' time is limited too.
        """
        for text in batch:
            text.max_batch = max_batch
        self._queue.put_back(batch)

    def _try_alone(self, batch: Sequence[PendingText], error: NoVector) -> None:
        """Put a text back that is at fault, as it may be an error that passes; or tell its caller.

        One that the model was too slow for is told at once: another try would cost the same time again.
        """
        for text in batch:
            text.failures += 1
            text.max_batch = 1
            if error.slow or text.failures >= self._limits.attempts:
                text.fail(error)
        self._queue.put_back(batch)

    def _end(self, sender: asyncio.Task[None]) -> None:
        self._queue.close(None if sender.cancelled() else sender.exception())


def _told(answer: Encoded | BaseException) -> Encoded | NoVector:
    if isinstance(answer, BaseException) and not isinstance(answer, NoVector):
        raise answer
    return answer

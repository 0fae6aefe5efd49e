"""An encoder behind a circuit breaker that finds out whether the model or a text causes a failure.

A failure does not tell: a server without memory and one that fails on a single text both answer an error, or
invalid vectors. In doubt a fixed text is encoded as a probe: after a text failed alone, and while the breaker
is open. A server that handles one request at a time queues the probe behind a large batch; an answer to that
batch, or to any request since the probe began, proves as much.
"""

import asyncio
import math
from collections.abc import Callable, Sequence
from typing import Final

from aiolimiter import AsyncLimiter

from ricordo.clock import Clock
from ricordo.models.encoder import Encoder, ModelSlow, ModelUnavailable, NoVector, Vectors
from ricordo.resilience import Admission, BreakerState, CircuitBreaker
from ricordo.runtime.measures import ModelMeasures

_PROBE_TEXT: Final = "Is the model there?"
_SILENT_S: Final = 5.0  # after which a request is reported as slow
_SOON_S: Final = 5.0  # in which a model that is up answers a short text


class GuardedEncoder:
    """Calls a model while its circuit breaker is closed."""

    def __init__(
        self, encoder: Encoder, breaker: CircuitBreaker, limiter: AsyncLimiter | None, clock: Clock
    ) -> None:
        self.name = encoder.model
        self._encoder = encoder
        self.breaker = breaker
        self.measures = ModelMeasures()
        self._limiter = limiter
        self._clock = clock
        self._error = ""
        self._answers = 0  # number of answered requests
        self._begins: list[float] = []  # begin times of requests in progress

    @property
    def is_up(self) -> bool:
        """Whether the circuit breaker is closed."""
        return self.breaker.state is BreakerState.CLOSED

    @property
    def reason(self) -> str:
        """The last error while the model is down; empty while it is up."""
        return "" if self.is_up else self._error

    @property
    def silence(self) -> str:
        """A sentence if a request has had no answer for a while, though it may still get one; else empty."""
        longest = self._clock.monotonic() - min(self._begins, default=math.inf)
        return f"{self.name} has not answered a request for {longest:.0f} s" if longest >= _SILENT_S else ""

    async def admission(self) -> Admission | None:
        """Wait for the rate limit; None if the model is down."""
        if self.is_up and self._limiter is not None:
            await self._limiter.acquire()
        return self.breaker.admit() if self.is_up else None

    async def encode(self, texts: Sequence[str], admission: Admission) -> Vectors:
        """Encode `texts`, and report the result to the breaker.

        Raises:
            NoVector: the model cannot encode the single text, but another one.
            ModelUnavailable: it did not answer with valid vectors; of several texts, one may be at fault.
            ModelSlow: it did not answer in time.
        """
        with admission:
            before = self._answers
            try:
                return await self.request(texts)
            except ModelUnavailable as error:
                if len(texts) > 1 or not await self._others_work(before):
                    self._error = str(error)
                    raise
                failure = error
        reason = f"{self.name} cannot encode this text, but others ({failure})"
        raise NoVector(reason, self.name, slow=isinstance(failure, ModelSlow))

    async def request(self, texts: Sequence[str], *, probe: bool = False) -> Vectors:
        """Encode `texts` regardless of the breaker, and record the request.

        Raises:
            ModelUnavailable: as `Encoder.encode`, or for vectors of another shape than expected.
        """
        began, answered = self._clock.monotonic(), False
        self._begins.append(began)
        try:
            vectors = await self._encoder.encode(texts)
            expected = (len(texts), self._encoder.dimensions)
            if vectors.shape != expected:
                raise ModelUnavailable(
                    f"{self.name} answered vectors of shape {vectors.shape}, not {expected}"
                )
            answered = True
            self._answers += 1
        finally:
            self._begins.remove(began)
            seconds = self._clock.monotonic() - began
            self.measures.record(len(texts), seconds, probe=probe, answered=answered)
        return vectors

    async def probe(self, slots: asyncio.Semaphore, on_failure: Callable[[], None]) -> None:
        """Probe the model whenever the breaker is half-open, until cancelled.

        Args:
            on_failure: called after a failed probe: the model is down, and no text at fault.
        """
        while True:
            await self.breaker.wait_probing()
            async with slots:
                if self._limiter is not None:
                    await self._limiter.acquire()
                if self.breaker.state is BreakerState.HALF_OPEN and (admission := self.breaker.admit()):
                    try:
                        with admission:
                            await self._encode_probe()
                    except ModelUnavailable:
                        on_failure()

    async def _others_work(self, before: int) -> bool:
        """Return whether the model encodes another text than the one that failed.

        Args:
            before: number of answered requests when that text was sent.
        """
        if self._answers == before and (admission := await self.admission()) is not None:
            admission.withdrawn()  # the one admission of both requests is settled once
            await self._try_soon()
        return self._answers > before

    async def _try_soon(self) -> None:
        """Probe with a short text, for at most `_SOON_S` seconds."""
        tasks = asyncio.create_task(self._encode_probe()), asyncio.create_task(self._clock.sleep(_SOON_S))
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _encode_probe(self) -> None:
        try:
            await self.request((_PROBE_TEXT,), probe=True)
        except Exception as error:  # the probe's text is never at fault
            self._error = (
                str(error) if isinstance(error, ModelUnavailable) else f"{self.name} failed: {error!r}"
            )
            raise ModelUnavailable(self._error) from error

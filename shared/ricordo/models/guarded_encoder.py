"""A model behind its circuit breaker, which finds out whether the model or a text is at fault.

Who is to blame for a failure cannot be told from the failure: a server that is out of memory and one that
chokes on a single text both answer an error, or numbers that are no vector. So a text of our own, which is at
no fault, is asked for in doubt: after a text that failed alone, and while the breaker is open, whether or not
texts wait. Where a server does one request at a time, ours waits behind one of many texts; but an answer to
that one, or to any other since the text was asked for, proves as much.
"""

import asyncio
import math
from collections.abc import Callable, Sequence
from typing import Final

from ricordo.clock import Clock
from ricordo.models.encoder import Encoder, ModelSlow, ModelUnavailable, NoVector, Vectors
from ricordo.resilience.breaker import Admission, BreakerState, CircuitBreaker
from ricordo.resilience.rate_limiter import RateLimiter
from ricordo.runtime.measures import ModelMeasures, RequestKind, RequestOutcome

_TRIAL: Final = "Is the model there?"
_SILENT_S: Final = 5.0  # from which on it is said that a request lasts
_SOON_S: Final = 5.0  # in which a model that has just been at work answers a short text


class GuardedEncoder:
    """Asks a model for vectors, as long as it answers.

    Args:
        encoder: the model.
        breaker: decides when it may be asked.
        bucket: limits the rate of requests.
        clock: measures them.
    """

    def __init__(self, encoder: Encoder, breaker: CircuitBreaker, bucket: RateLimiter, clock: Clock) -> None:
        self.encoder = encoder
        self.breaker = breaker
        self.measures = ModelMeasures()
        self._bucket = bucket
        self._clock = clock
        self._error = ""
        self._answers = 0  # requests that were answered
        self._asked: list[float] = []  # when those began that are not

    @property
    def name(self) -> str:
        """The model's name."""
        return self.encoder.model

    @property
    def answers(self) -> bool:
        """Whether it may be asked now."""
        return self.breaker.state is BreakerState.CLOSED

    @property
    def reason(self) -> str:
        """What the last failure was, as long as the model is away; empty while it answers."""
        return "" if self.answers else self._error

    @property
    def silence(self) -> str:
        """That a request has had no answer for some while, though it may still have one; else empty."""
        longest = self._clock.monotonic() - min(self._asked, default=math.inf)
        return f"{self.name} has not answered a request for {longest:.0f} s" if longest >= _SILENT_S else ""

    async def admission(self) -> Admission | None:
        """Wait for leave by the rate; None where the model may not be asked (any more)."""
        if self.answers:
            await self._bucket.acquire()
        return self.breaker.admit() if self.answers else None

    async def encode(self, texts: Sequence[str], admission: Admission) -> Vectors:
        """Encode `texts`, and report to the breaker how that ended.

        Raises:
            NoVector: the model has none for the only text, while it has one for another.
            ModelUnavailable: it did not answer, or not with vectors; of several texts, one may be at fault.
            ModelSlow: it did not answer in time.
        """
        with admission:
            before = self._answers
            try:
                return await self.ask(texts)
            except ModelUnavailable as error:
                if len(texts) > 1 or not await self._others_work(before):
                    self._error = str(error)
                    raise
                refused = error
        reason = f"{self.name} has no vector for this text, but has for others ({refused})"
        raise NoVector(reason, slow=isinstance(refused, ModelSlow))

    async def ask(self, texts: Sequence[str], kind: RequestKind = RequestKind.REGULAR) -> Vectors:
        """Encode `texts`, whatever the breaker says; measure how that went.

        Raises:
            ModelUnavailable: see `Encoder.encode`; what has another shape than it should is no answer either.
        """
        begun, outcome = self._clock.monotonic(), RequestOutcome.FAILED
        self._asked.append(begun)
        try:
            vectors = await _encoded(self.encoder, texts)
            outcome = RequestOutcome.OK
            self._answers += 1
        finally:
            self._asked.remove(begun)
            self.measures.record(kind, outcome, len(texts), self._clock.monotonic() - begun)
        return vectors

    async def probe(self, lanes: asyncio.Semaphore, away: Callable[[], None]) -> None:
        """Try whether the model is back, whenever it is time to; until cancelled.

        Args:
            lanes: of the requests; a trial takes one.
            away: called when a trial failed: that was no text's fault.
        """
        while True:
            await self.breaker.wait_probing()
            async with lanes:
                await self._bucket.acquire()
                if self.breaker.state is BreakerState.HALF_OPEN and (leave := self.breaker.admit()):
                    await self._try(leave, away)

    async def _try(self, admission: Admission, away: Callable[[], None]) -> None:
        try:
            works = await self._works()
        except asyncio.CancelledError:
            admission.withdrawn()
            raise
        if works:
            admission.succeeded()
        else:
            admission.failed()
            away()

    async def _others_work(self, before: int) -> bool:
        """Whether the model answers other texts than the one that failed.

        Args:
            before: requests that had been answered when the text was asked for.
        """
        if self._answers == before and (leave := await self.admission()) is not None:
            leave.withdrawn()  # the one admission of both requests is settled once
            await self._try_soon()
        return self._answers > before

    async def _try_soon(self) -> None:
        """Have a short text answered, or leave it at that where it takes too long."""
        tasks = asyncio.create_task(self._works()), asyncio.create_task(self._clock.sleep(_SOON_S))
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _works(self) -> bool:
        try:
            await self.ask((_TRIAL,), RequestKind.PROBE)
        except Exception as error:  # noqa: BLE001 - whatever it is, this text is not at fault
            known = isinstance(error, ModelUnavailable)
            self._error = str(error) if known else f"{self.name} failed: {error!r}"
            return False
        return True


async def _encoded(encoder: Encoder, texts: Sequence[str]) -> Vectors:
    vectors = await encoder.encode(texts)
    expected = (len(texts), encoder.dimensions)
    if vectors.shape != expected:
        raise ModelUnavailable(f"{encoder.model} answered vectors of shape {vectors.shape}, not {expected}")
    return vectors

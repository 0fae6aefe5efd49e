"""Limits the use of a model: rate, circuit breaker and time budget."""

import asyncio
import math
from collections.abc import Awaitable, Callable
from dataclasses import InitVar, dataclass, field
from typing import TypeVar

import structlog
from aiolimiter import AsyncLimiter

from ricordo.clock import Clock
from ricordo.models.encoder import ModelUnavailable
from ricordo.resilience import BreakerState, CircuitBreaker

_log = structlog.stdlib.get_logger(__name__)

T = TypeVar("T")


@dataclass(slots=True, eq=False)
class Throttle:
    """Runs requests to a model within its limits.

    Attributes:
        use: what the model is for, such as "messages are enriched by hermes3:8b", for the log.
        breaker: counts failures, invalid answers included, and spares the wait while the model is down.
        limiter: limits the rate of requests; None for no limit.
        budget: seconds of one use; infinite for background work.
        patience: seconds that a request waits for an open breaker.
    """

    clock: Clock
    use: str = ""
    breaker: InitVar[CircuitBreaker | None] = None
    limiter: AsyncLimiter | None = None
    budget: float = math.inf
    patience: float = 0.0
    _breaker: CircuitBreaker = field(init=False)
    _reason: str = field(default="", init=False)

    def __post_init__(self, breaker: CircuitBreaker | None) -> None:
        self._breaker = breaker or CircuitBreaker(self.clock, counted=ModelUnavailable)

    @property
    def reason(self) -> str:
        """The last error while the model is down; empty while it is up."""
        return "" if self._breaker.state is BreakerState.CLOSED else self._reason

    def deadline(self) -> float:
        """Return the end of a budget that begins now, in the clock's monotonic seconds."""
        return self.clock.monotonic() + self.budget

    async def run(self, request: Callable[[], Awaitable[T]], deadline: float) -> T:
        """Return the answer to one request.

        Raises:
            ModelUnavailable: the model is down, its time is over, or the request raises it.
        """
        if not await self._breaker.wait_admitting(self.patience):
            raise ModelUnavailable(self._reason)
        if self.limiter is not None:
            await self._until(deadline, self.limiter.acquire())
        if self.clock.monotonic() >= deadline:
            raise ModelUnavailable("no time is left for this request")
        if (admission := self._breaker.admit()) is None:
            raise ModelUnavailable("another request is trying whether the model is back")
        try:
            with admission:
                answer = await self._until(deadline, request())
        except ModelUnavailable as error:
            self._reason = str(error)
            if self._breaker.state is BreakerState.OPEN:
                _log.warning("model is away", use=self.use, reason=str(error))
            raise
        if admission.is_probe:
            _log.info("model is back", use=self.use)
        return answer

    async def _until(self, deadline: float, answer: Awaitable[T]) -> T:
        left = deadline - self.clock.monotonic()
        try:
            async with asyncio.timeout(None if math.isinf(left) else left):
                return await answer
        except TimeoutError:
            raise ModelUnavailable("the time limit of this batch has passed") from None

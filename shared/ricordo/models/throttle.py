"""Limits the use of a language model: rate, circuit breaker and time budget."""

import asyncio
import math
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Final, TypeAlias, TypeVar

import structlog
from aiolimiter import AsyncLimiter

from ricordo.clock import Clock
from ricordo.models.encoder import InvalidReply, ModelUnavailable
from ricordo.resilience import BreakerState, CircuitBreaker

_MAX_BYTES: Final = 9_000  # of text per request of several items: some 3,000 tokens

_log = structlog.stdlib.get_logger(__name__)

T = TypeVar("T")
A = TypeVar("A")
Ask: TypeAlias = Callable[[Sequence[A]], Awaitable[Sequence[T | None]]]


class Throttle:
    """Sends items to a model in batches; an item without an answer in time gets None.

    Items without an answer in a batch that was answered, or whose answer was invalid, are sent once more,
    alone.

    Args:
        breaker: counts failures, invalid answers included, and spares the wait while the model is down.
        limiter: limits the rate of requests; None for no limit.
        budget: seconds per `each`; infinite for background work.
        patience: seconds that a request waits for an open breaker.
    """

    def __init__(
        self,
        breaker: CircuitBreaker,
        limiter: AsyncLimiter | None,
        clock: Clock,
        *,
        budget: float = math.inf,
        patience: float = 0.0,
        gone: str,
        back: str,
    ) -> None:
        self._breaker = breaker
        self._limiter = limiter
        self._clock = clock
        self._budget = budget
        self._patience = patience
        self._gone = gone
        self._back = back
        self._reason = ""

    @property
    def reason(self) -> str:
        """The last error while the model is down; empty while it is up."""
        return "" if self._breaker.state is BreakerState.CLOSED else self._reason

    def deadline(self) -> float:
        """Return the end of a budget that begins now, in the clock's monotonic seconds."""
        return self._clock.monotonic() + self._budget

    async def each(self, batches: Iterator[Sequence[A]], ask: Ask[A, T], deadline: float) -> list[T | None]:
        """Return the answers to the items of `batches`, in order."""
        answers: list[T | None] = []
        for items_of_batch in batches:
            found = await self._once(items_of_batch, ask, deadline)
            if found is None:  # the model is away or its time is over
                answers += [None] * len(items_of_batch)
                continue
            for item, answer in zip(items_of_batch, found, strict=True):
                again = answer is None and len(items_of_batch) > 1
                answers.append(await self._alone(item, ask, deadline) if again else answer)
        return answers

    async def single(self, ask: Callable[[], Awaitable[T | None]]) -> T | None:
        """Return the answer to one request, within the whole budget."""

        async def request(_: Sequence[None]) -> Sequence[T | None]:
            return [await ask()]

        (answer,) = await self.each(iter([[None]]), request, self.deadline())
        return answer

    async def _alone(self, item: A, ask: Ask[A, T], deadline: float) -> T | None:
        found = await self._once([item], ask, deadline)
        return None if found is None else found[0]

    async def _once(self, items: Sequence[A], ask: Ask[A, T], deadline: float) -> Sequence[T | None] | None:
        """Send one request; None without an answer, a None per item after an invalid one."""
        if not await self._breaker.wait_admitting(self._patience):
            return None
        if not await self._taken(deadline):
            return None
        left = deadline - self._clock.monotonic()
        admission = self._breaker.admit() if left > 0 else None
        if admission is None:
            return None
        try:
            with admission:
                answer = await _within(left, ask(items))
        except ModelUnavailable as error:
            self._reason = str(error)
            if self._breaker.state is BreakerState.OPEN:
                _log.warning(self._gone, reason=str(error))
            return [None] * len(items) if isinstance(error, InvalidReply) else None
        if admission.is_probe:
            _log.info(self._back)
        return answer

    async def _taken(self, deadline: float) -> bool:
        """Wait for the rate limit, up to the deadline."""
        left = deadline - self._clock.monotonic()
        if left <= 0:
            return False
        if self._limiter is None:
            return True
        with suppress(ModelUnavailable):
            await _within(left, self._limiter.acquire())
            return True
        return False


def batched(items: Iterable[A], shown: Callable[[A], str], batch: int) -> Iterator[Sequence[A]]:
    """Yield batches of items in order, each as large as one request may be."""
    items_of_batch: list[A] = []
    size = 0
    for item in items:
        own = len(shown(item).encode("utf-8", "replace"))
        if items_of_batch and (len(items_of_batch) == batch or size + own > _MAX_BYTES):
            yield items_of_batch
            items_of_batch, size = [], 0
        items_of_batch.append(item)
        size += own
    if items_of_batch:
        yield items_of_batch


async def _within(seconds: float, answer: Awaitable[T]) -> T:
    try:
        async with asyncio.timeout(None if math.isinf(seconds) else seconds):
            return await answer
    except TimeoutError:
        raise ModelUnavailable("the time limit of this batch has passed") from None

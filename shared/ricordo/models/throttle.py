"""The throttle before a language model: how often it is asked, behind a breaker, and for how long."""

import asyncio
import math
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from typing import Final, TypeAlias, TypeVar

import structlog

from ricordo.clock import Clock
from ricordo.memory.llm_description import LlmMessage
from ricordo.models.encoder import InvalidReply, ModelUnavailable
from ricordo.resilience import BreakerState, CircuitBreaker, RateLimiter

_MOST_BYTES: Final = 9_000  # of what is shown in one request, unless it is one item: some 3,000 tokens

_log = structlog.stdlib.get_logger(__name__)

T = TypeVar("T")
A = TypeVar("A")
Ask: TypeAlias = Callable[[Sequence[A]], Awaitable[Sequence[T | None]]]


class Throttle:
    """Asks a model about items, several in a request; whom it does not answer in time gets None.

    Items that a request got no answer for, while others did or the answer was nonsense, are asked for again,
    once, one by one.

    Args:
        breaker: counts failures, nonsense included, and spares everybody the wait while the model is away.
        bucket: limits the rate of requests; None for a model that may be asked as often as it can answer.
        clock: measures the budget.
        budget: seconds that one `each` may wait for the model; infinite for work that nobody waits for.
        patience: seconds that a request waits for a breaker that is open.
        gone: said in the log when it is asked no more for a while.
        back: said in the log when it answers again.
    """

    def __init__(
        self,
        breaker: CircuitBreaker,
        bucket: RateLimiter | None,
        clock: Clock,
        *,
        budget: float = math.inf,
        patience: float = 0.0,
        gone: str,
        back: str,
    ) -> None:
        self._breaker = breaker
        self._bucket = bucket
        self._clock = clock
        self._budget = budget
        self._patience = patience
        self._gone = gone
        self._back = back
        self._reason = ""

    @property
    def reason(self) -> str:
        """What the last request met, while the model is away; empty while it answers."""
        return "" if self._breaker.state is BreakerState.CLOSED else self._reason

    def deadline(self) -> float:
        """Return until when, in the clock's monotonic seconds, one may wait who begins now."""
        return self._clock.monotonic() + self._budget

    async def each(self, portions: Iterator[Sequence[A]], ask: Ask[A, T], deadline: float) -> list[T | None]:
        """Return the answers to the items of `portions`, in their order."""
        answers: list[T | None] = []
        for portion in portions:
            found = await self._once(portion, ask, deadline)
            if found is None:  # the model is away or its time is over
                answers += [None] * len(portion)
                continue
            for item, answer in zip(portion, found, strict=True):
                again = answer is None and len(portion) > 1
                answers.append(await self._alone(item, ask, deadline) if again else answer)
        return answers

    async def single(self, ask: Callable[[], Awaitable[T | None]]) -> T | None:
        """Return the answer to one request, which has the whole budget."""

        async def asked(_: Sequence[None]) -> Sequence[T | None]:
            return [await ask()]

        (answer,) = await self.each(iter([[None]]), asked, self.deadline())
        return answer

    async def _alone(self, item: A, ask: Ask[A, T], deadline: float) -> T | None:
        found = await self._once([item], ask, deadline)
        return None if found is None else found[0]

    async def _once(self, items: Sequence[A], ask: Ask[A, T], deadline: float) -> Sequence[T | None] | None:
        """Ask once; None when it is not asked or does not answer, nothing for each when it talks nonsense."""
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
        """Wait for a request to be allowed, as long as there would be time for it."""
        left = deadline - self._clock.monotonic()
        if left <= 0:
            return False
        if self._bucket is None:
            return True
        try:
            await _within(left, self._bucket.acquire())
        except ModelUnavailable:
            return False
        return True


def portions(
    items: Iterable[A],
    shown: Callable[[A], str],
    batch: int,
    alone: Callable[[A], bool] = lambda _: False,
) -> Iterator[Sequence[A]]:
    """Yield items in their order, as many at once as one request takes.

    Args:
        items: what a model is asked about.
        shown: gives what it is shown of an item.
        batch: items in a request at the most.
        alone: whether an item has a request to itself.
    """
    portion: list[A] = []
    size = 0
    for item in items:
        own, by_itself = len(shown(item).encode("utf-8", "replace")), alone(item)
        if portion and (by_itself or len(portion) == batch or size + own > _MOST_BYTES):
            yield portion
            portion, size = [], 0
        portion.append(item)
        size += own
        if by_itself:
            yield portion
            portion, size = [], 0
    if portion:
        yield portion


def portions_of_messages(
    items: Iterable[A], said: Callable[[A], LlmMessage], batch: int
) -> Iterator[Sequence[A]]:
    """Yield items about messages; see `portions`.

    A message that speaks to its reader is alone, so that it cannot speak for its neighbours.
    """
    return portions(items, lambda one: said(one).shown, batch, lambda one: said(one).gives_orders)


async def _within(seconds: float, answer: Awaitable[T]) -> T:
    try:
        async with asyncio.timeout(None if math.isinf(seconds) else seconds):
            return await answer
    except TimeoutError:
        raise ModelUnavailable("the time for this batch of messages is over") from None

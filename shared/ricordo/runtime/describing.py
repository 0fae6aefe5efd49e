"""Asking a language model about messages in good measure: batched, by tokens, behind a breaker, in time."""

import asyncio
import math
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Final, TypeAlias, TypeVar

import structlog

from ricordo.domain.describing import Reading, Said, importance_of_rating
from ricordo.ports.clock import Clock
from ricordo.ports.describing import MessageReader, Nonsense
from ricordo.ports.models import ModelUnavailable
from ricordo.runtime.resilience import BreakerState, CircuitBreaker, TokenBucket

_MOST_BYTES: Final = 9_000  # of the texts in one request: some 3,000 tokens

_log = structlog.stdlib.get_logger(__name__)

T = TypeVar("T")
Ask: TypeAlias = Callable[[Sequence[Said]], Awaitable[Sequence[T | None]]]


class ModelDescriber:
    """A `Describer` that is never away: what the model does not answer in time stays unread.

    An answer to several messages that is malformed is asked for again, once, message by message. A message
    that speaks to its reader is shown alone from the start, so that it cannot speak for its neighbours.

    Args:
        reader: the model, which answers one call or raises.
        breaker: counts its failures, nonsense included, and spares everybody the wait while it is away.
        bucket: a token for each request.
        clock: measures the budget.
        batch: messages in a request at the most.
        budget: seconds that one `read` may wait for the model; infinite for work that nobody waits for.
        patience: seconds that a request waits for a breaker that is open.
    """

    def __init__(
        self,
        reader: MessageReader,
        breaker: CircuitBreaker,
        bucket: TokenBucket,
        clock: Clock,
        *,
        batch: int = 8,
        budget: float = math.inf,
        patience: float = 0.0,
    ) -> None:
        self._reader = reader
        self._breaker = breaker
        self._bucket = bucket
        self._clock = clock
        self._batch = batch
        self._budget = budget
        self._patience = patience

    @property
    def model(self) -> str:
        """The name of the model."""
        return self._reader.model

    async def read(self, messages: Sequence[Said], *, describe: bool = True) -> list[Reading]:
        """Say what the model makes of each message; see `Describer.read`."""
        deadline = self._clock.monotonic() + self._budget
        ratings = await self._each(messages, self._reader.rate, deadline)
        nothing = [None] * len(messages)
        described = await self._each(messages, self._reader.describe, deadline) if describe else nothing
        return [
            Reading(None if rating is None else importance_of_rating(rating), description)
            for rating, description in zip(ratings, described, strict=True)
        ]

    async def _each(self, messages: Sequence[Said], ask: Ask[T], deadline: float) -> list[T | None]:
        answers: list[T | None] = []
        for portion in self._portions(messages):
            found = await self._once(portion, ask, deadline)
            if found is None:  # the model is away or its time is over
                answers += [None] * len(portion)
                continue
            for message, answer in zip(portion, found, strict=True):
                again = answer is None and len(portion) > 1
                answers.append(await self._alone(message, ask, deadline) if again else answer)
        return answers

    async def _alone(self, message: Said, ask: Ask[T], deadline: float) -> T | None:
        found = await self._once([message], ask, deadline)
        return None if found is None else found[0]

    async def _once(
        self, messages: Sequence[Said], ask: Ask[T], deadline: float
    ) -> Sequence[T | None] | None:
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
                answer = await _within(left, ask(messages))
        except ModelUnavailable as error:
            if self._breaker.state is BreakerState.OPEN:
                _log.warning("rules enrich for a while", reason=str(error))
            return [None] * len(messages) if isinstance(error, Nonsense) else None
        if admission.is_probe:
            _log.info("the model enriches again", model=self.model)
        return answer

    async def _taken(self, deadline: float) -> bool:
        """Wait for a request to be allowed, as long as there would be time for it."""
        left = deadline - self._clock.monotonic()
        if left <= 0:
            return False
        try:
            await _within(left, self._bucket.take())
        except ModelUnavailable:
            return False
        return True

    def _portions(self, messages: Sequence[Said]) -> Iterator[Sequence[Said]]:
        """Yield the messages in their order, as many at once as one request takes."""
        portion: list[Said] = []
        size = 0
        for message in messages:
            own = len(message.shown.encode("utf-8", "replace"))
            alone = message.gives_orders
            if portion and (alone or len(portion) == self._batch or size + own > _MOST_BYTES):
                yield portion
                portion, size = [], 0
            portion.append(message)
            size += own
            if alone:
                yield portion
                portion, size = [], 0
        if portion:
            yield portion


async def _within(seconds: float, answer: Awaitable[T]) -> T:
    try:
        async with asyncio.timeout(None if math.isinf(seconds) else seconds):
            return await answer
    except TimeoutError:
        raise ModelUnavailable("the time for this batch of messages is over") from None

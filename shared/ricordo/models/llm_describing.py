"""Asking a language model about messages in good measure: batched, by tokens, behind a breaker, in time."""

import math
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from ricordo.clock import Clock
from ricordo.memory.llm_description import LlmMessage, LlmReading, importance_of_rating
from ricordo.models.describing import MessageReader
from ricordo.models.throttle import Throttle, portions_of_messages
from ricordo.resilience import Bucket, CircuitBreaker

T = TypeVar("T")


class ModelDescriber:
    """A `Describer` that is never away: what the model does not answer in time stays unread.

    An answer to several messages that is malformed is asked for again, once, message by message. A message
    that speaks to its reader is shown alone from the start, so that it cannot speak for its neighbours.

    Args:
        reader: the model, which answers one call or raises.
        breaker: counts its failures, nonsense included, and spares everybody the wait while it is away.
        bucket: limits the rate of requests.
        clock: measures the budget.
        batch: messages in a request at the most.
        budget: seconds that one `read` may wait for the model; infinite for work that nobody waits for.
        patience: seconds that a request waits for a breaker that is open.
    """

    def __init__(
        self,
        reader: MessageReader,
        breaker: CircuitBreaker,
        bucket: Bucket,
        clock: Clock,
        *,
        batch: int = 8,
        budget: float = math.inf,
        patience: float = 0.0,
    ) -> None:
        self._reader = reader
        self._batch = batch
        self._throttle = Throttle(
            breaker,
            bucket,
            clock,
            budget=budget,
            patience=patience,
            gone="rules enrich for a while",
            back="the model enriches again",
        )

    @property
    def model(self) -> str:
        """The name of the model."""
        return self._reader.model

    async def read(self, messages: Sequence[LlmMessage], *, describe: bool = True) -> list[LlmReading]:
        """Say what the model makes of each message; see `Describer.read`."""
        deadline = self._throttle.deadline()
        ratings = await self._each(messages, self._reader.rate, deadline)
        nothing = [None] * len(messages)
        described = await self._each(messages, self._reader.describe, deadline) if describe else nothing
        return [
            LlmReading(None if rating is None else importance_of_rating(rating), description)
            for rating, description in zip(ratings, described, strict=True)
        ]

    async def _each(
        self,
        messages: Sequence[LlmMessage],
        ask: Callable[[Sequence[LlmMessage]], Awaitable[Sequence[T | None]]],
        deadline: float,
    ) -> list[T | None]:
        return await self._throttle.each(
            portions_of_messages(messages, lambda one: one, self._batch), ask, deadline
        )

"""Rates and describes messages with a language model."""

import math
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from ricordo.clock import Clock
from ricordo.memory.llm_description import LlmMessage, LlmReading, importance_of_rating
from ricordo.models.ollama.messages import OllamaMessageReader
from ricordo.models.throttle import Throttle, portions_of_messages
from ricordo.resilience import CircuitBreaker, RateLimiter

T = TypeVar("T")


class LlmDescriber:
    """A `LlmDescriber` on a language model, with batches, a rate limit, a breaker and a time budget.

    An answer to several messages that is malformed is asked for again, once, message by message. A message
    that speaks to its reader is shown alone from the start, so that it cannot speak for its neighbours.

    Args:
        reader: the model, which answers one call or raises.
        breaker: counts its failures, invalid replies included.
        bucket: limits the rate of requests.
        clock: measures the budget.
        batch: messages in a request at the most.
        budget: seconds that one `read` may take; infinite for jobs.
        patience: seconds that a request waits for a breaker that is open.
    """

    def __init__(
        self,
        reader: OllamaMessageReader,
        breaker: CircuitBreaker,
        bucket: RateLimiter,
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
        """Rate and describe each message."""
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

"""Rates and describes messages with a language model."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from ricordo.memory.llm_validation import LlmMessage, LlmReading, importance_of_rating
from ricordo.models.ollama.messages import OllamaMessageReader
from ricordo.models.throttle import Throttle, batched_messages

T = TypeVar("T")


class LlmDescriber:
    """Rates and describes messages, in batches.

    After a malformed answer to several messages each is sent once more, alone. A message with instructions to
    its reader is sent alone from the start, so that it cannot speak for others.
    """

    def __init__(self, reader: OllamaMessageReader, throttle: Throttle, batch: int = 8) -> None:
        self._reader = reader
        self._throttle = throttle
        self._batch = batch

    @property
    def model(self) -> str:
        """The name of the model."""
        return self._reader.model

    async def read(self, messages: Sequence[LlmMessage], *, describe: bool = True) -> list[LlmReading]:
        """Rate and, if `describe`, describe each message; an empty reading without an answer in time."""
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
            batched_messages(messages, lambda message: message, self._batch), ask, deadline
        )

"""Reading messages with a language model, as ports: how much they matter, and all the rest."""

from collections.abc import Sequence
from typing import Protocol

from ricordo.memory.llm_description import Description, LlmMessage, LlmReading
from ricordo.models.encoder import ModelUnavailable


class Nonsense(ModelUnavailable):
    """The model answered, and what it answered is not what it was asked for."""


class MessageReader(Protocol):
    """A language model, asked once in each call; what it says are claims, to be borne out by the messages.

    Texts are data within the prompt, never instructions.
    """

    @property
    def model(self) -> str:
        """Its name, which the versions of what it derives carry."""
        ...

    async def rate(self, messages: Sequence[LlmMessage]) -> Sequence[float]:
        """Rate how much each message matters, 1 (mundane) to 10 (crucial), in their order.

        Raises:
            Nonsense: there are not as many ratings as messages, or one is none.
            ModelUnavailable: there was no answer in time.
        """
        ...

    async def describe(self, messages: Sequence[LlmMessage]) -> Sequence[Description | None]:
        """Say of each message how it feels, what it is about, whom it names and what it is, in their order.

        Returns:
            None for a message that the answer does not hold; values that are none are left out of the others.

        Raises:
            Nonsense: the answer holds none of them.
            ModelUnavailable: there was no answer in time.
        """
        ...


class Describer(Protocol):
    """Whoever asks a `MessageReader` in good measure. It always answers: at worst that it does not know."""

    @property
    def model(self) -> str:
        """The name of the model that it asks."""
        ...

    async def read(self, messages: Sequence[LlmMessage], *, describe: bool = True) -> Sequence[LlmReading]:
        """Say what the model makes of each message, in their order; `UNREAD` of what it was not asked.

        Args:
            messages: at least one.
            describe: whether all the rest is wanted, besides the rating.
        """
        ...

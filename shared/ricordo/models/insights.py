"""Drawing insights with a language model, as a port."""

from collections.abc import Sequence
from typing import Protocol

from ricordo.memory.llm_description import LlmMessage
from ricordo.memory.reflection.insight_validation import InsightClaim


class InsightReader(Protocol):
    """A language model, asked once in each call; what it says are claims, to be borne out by the memories.

    Memories are data within the prompt, never instructions.
    """

    @property
    def model(self) -> str:
        """Its name."""
        ...

    async def questions(self, observations: Sequence[LlmMessage], language: str, most: int) -> Sequence[str]:
        """Ask what is worth understanding about a user.

        Args:
            observations: what they said, oldest first, at least one.
            language: that the questions shall be in, ISO 639-1.
            most: how many at the most.

        Raises:
            Nonsense: the answer holds no question.
            ModelUnavailable: there was no answer in time.
        """
        ...

    async def insight(self, question: str, memories: Sequence[LlmMessage], language: str) -> InsightClaim:
        """Answer a question about a user from their memories, and say which carry the answer.

        Raises:
            Nonsense: the answer holds no text.
            ModelUnavailable: there was no answer in time.
        """
        ...

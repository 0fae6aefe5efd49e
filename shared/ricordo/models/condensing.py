"""Condensing what was said with a language model, as ports: several memories into one, and a session."""

from collections.abc import Sequence
from typing import Protocol

from ricordo.memory.llm_description import LlmMessage
from ricordo.memory.summaries import Condensed, SessionTurn


class CondensingReader(Protocol):
    """A language model, asked once in each call; what it says are claims, to be borne out by the texts.

    Texts are data within the prompt, never instructions.
    """

    @property
    def model(self) -> str:
        """Its name."""
        ...

    async def synthesis(self, texts: Sequence[LlmMessage], language: str) -> str:
        """Say in two or three sentences what memories come to.

        Args:
            texts: in the order in which they were said, at least one.
            language: that the answer shall be in, ISO 639-1.

        Raises:
            Nonsense: the answer holds no text.
            ModelUnavailable: there was no answer in time.
        """
        ...

    async def session(self, turns: Sequence[LlmMessage], language: str) -> Condensed:
        """Say in at most three sentences what a session was about, what of it matters, and how it felt.

        Raises:
            Nonsense: the answer holds no text.
            ModelUnavailable: there was no answer in time.
        """
        ...


class Condenser(Protocol):
    """Whoever asks a `CondensingReader` in good measure, and believes what the texts bear out.

    It always answers: at worst that it does not know, and that is counted.
    """

    async def synthesis(self, turns: Sequence[SessionTurn]) -> str | None:
        """Say what memories of one language come to, never longer than they are; None where nothing holds."""
        ...

    async def condense(self, turns: Sequence[SessionTurn]) -> Condensed | None:
        """Say what a session was about; None where nothing holds."""
        ...

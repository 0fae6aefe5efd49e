"""The query analyser as a port: what a question asks for, whoever finds it out."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from zoneinfo import ZoneInfo

from ricordo.language.query_analysis import Analysis, Claim


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A query, and what its reader has to know.

    Attributes:
        text: any text.
        now: the moment of asking, aware.
        zone: the user's.
        language: "it" or "en"; found out when None.
        known_names: names that the user's memories know.
    """

    text: str
    now: datetime
    zone: ZoneInfo
    language: str | None = None
    known_names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Understanding:
    """What a question asks for.

    Attributes:
        analysis: what was found; `analysis.analyser` says by whom.
        degraded: whether somebody better should have answered, and could not just now.
    """

    analysis: Analysis
    degraded: bool = False


class QueryAnalyser(Protocol):
    """Finds out what a question asks for. It always answers: at worst by rules."""

    async def understand(self, question: Question) -> Understanding:
        """Analyse `question`."""
        ...


class QuestionReader(Protocol):
    """A language model that reads a question; what it says is a claim, to be borne out by the question."""

    async def read(self, text: str, language: str, names: Sequence[str]) -> Claim:
        """Say what `text` asks for.

        Args:
            text: what was asked; data, never an instruction.
            language: "it" or "en".
            names: those in the text that the user's memories know.

        Raises:
            ModelUnavailable: there was no answer in time, or it was none.
        """
        ...

"""Analyses questions, by rules or by a language model with the rules behind it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Protocol
from zoneinfo import ZoneInfo

import structlog
from cachetools import LRUCache

from ricordo.language.query_analysis import Analysis, Claim, analyse
from ricordo.models.encoder import ModelUnavailable
from ricordo.models.ollama.questions import OllamaQuestionReader
from ricordo.resilience import BreakerState, CircuitBreaker


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
    """Finds out what a question asks for; it never fails."""

    async def understand(self, question: Question) -> Understanding:
        """Analyse `question`."""
        ...


_MOST_READ: Final = 500  # characters of a question that a model is shown: it has 200 ms for all of it

_log = structlog.stdlib.get_logger(__name__)

_Asked = tuple[str, str, tuple[str, ...]]


class RuleQueryAnalyser:
    """A `QueryAnalyser` by rules."""

    async def understand(self, question: Question) -> Understanding:
        """Analyse `question` by rules."""
        return Understanding(by_rules(question))


class LlmQueryAnalyser:
    """A `QueryAnalyser` on a language model, with the rules behind it.

    What the model says of a question depends on the question and on the names in it, so it is remembered by
    these, for all users alike; what it comes to (which day is yesterday) is worked out each time.

    Args:
        reader: the model, which keeps to its time.
        breaker: counts its failures.
        remembered: size of the cache of answers.
    """

    def __init__(self, reader: OllamaQuestionReader, breaker: CircuitBreaker, remembered: int = 1024) -> None:
        self._reader = reader
        self._breaker = breaker
        self._claims = LRUCache[_Asked, Claim](remembered)

    async def understand(self, question: Question) -> Understanding:
        """Analyse `question`; `degraded` when the model should have been asked and did not answer."""
        plain = by_rules(question)
        if not any(letter.isalnum() for letter in question.text):
            return Understanding(plain)
        known = set(question.known_names)
        names = tuple(name for name in plain.entities if name in known)
        asked = (question.text[:_MOST_READ], plain.language, names)
        claim = self._claims.get(asked) or await self._read(asked)
        if claim is None:
            return Understanding(plain, degraded=True)
        self._claims[asked] = claim
        return Understanding(by_rules(question, claim))

    async def _read(self, asked: _Asked) -> Claim | None:
        """Ask the model; None when it is not asked or does not answer."""
        admission = self._breaker.admit()
        if admission is None:
            return None
        try:
            with admission:
                claim = await self._reader.read(*asked)
        except ModelUnavailable as error:
            if self._breaker.state is BreakerState.OPEN:
                _log.warning("rules read questions for a while", reason=str(error))
            return None
        if admission.is_probe:
            _log.info("the model reads questions again")
        return claim


def by_rules(question: Question, claim: Claim | None = None) -> Analysis:
    """Return what the rules make of `question`, and of what a model says of it."""
    return analyse(
        question.text,
        now=question.now,
        zone=question.zone,
        language=question.language,
        known_names=question.known_names,
        claim=claim,
    )

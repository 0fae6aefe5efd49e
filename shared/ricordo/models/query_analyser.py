"""Analyses questions, by rules or with a language model in addition."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Protocol
from zoneinfo import ZoneInfo

import structlog
from cachetools import LRUCache

from ricordo.language.query_analysis import Analysis, QueryClaim, analyse
from ricordo.models.encoder import ModelUnavailable
from ricordo.models.ollama.questions import OllamaQuestionReader
from ricordo.resilience import BreakerState, CircuitBreaker


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A query and its context.

    Attributes:
        text: any text.
        now: the time of asking, aware.
        zone: of the user.
        language: "it" or "en"; detected when None.
        known_names: names in the user's memories.
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
        analysis: the result; `analysis.analyser` names the analyser.
        degraded: whether the language model should have answered and did not.
    """

    analysis: Analysis
    degraded: bool = False


class QueryAnalyser(Protocol):
    """Finds out what a question asks for; it never fails."""

    async def understand(self, question: Question) -> Understanding:
        """Analyse `question`."""
        ...


_MAX_CHARS: Final = 500  # of a question that are sent to the model, which has 200 ms

_log = structlog.stdlib.get_logger(__name__)

_CacheKey = tuple[str, str, tuple[str, ...]]


class RuleQueryAnalyser:
    """Analyses questions by rules."""

    async def understand(self, question: Question) -> Understanding:
        """Analyse `question` by rules."""
        return Understanding(by_rules(question))


class LlmQueryAnalyser:
    """Analyses questions with a language model, and by rules while it is unavailable.

    The answer depends on the question and the names in it only, so it is cached for all users; relative times
    are resolved each time.

    Args:
        reader: the model, with a time limit of its own.
        cache_size: maximum number of cached answers.
    """

    def __init__(self, reader: OllamaQuestionReader, breaker: CircuitBreaker, cache_size: int = 1024) -> None:
        self._reader = reader
        self._breaker = breaker
        self._claims = LRUCache[_CacheKey, QueryClaim](cache_size)

    async def understand(self, question: Question) -> Understanding:
        """Analyse `question`; `degraded` if the model should have answered and did not."""
        plain = by_rules(question)
        if not any(letter.isalnum() for letter in question.text):
            return Understanding(plain)
        known = set(question.known_names)
        names = tuple(name for name in plain.entities if name in known)
        key = (question.text[:_MAX_CHARS], plain.language, names)
        claim = self._claims.get(key) or await self._read(key)
        if claim is None:
            return Understanding(plain, degraded=True)
        self._claims[key] = claim
        return Understanding(by_rules(question, claim))

    async def _read(self, key: _CacheKey) -> QueryClaim | None:
        """Ask the model; None without an answer."""
        admission = self._breaker.admit()
        if admission is None:
            return None
        try:
            with admission:
                claim = await self._reader.read(*key)
        except ModelUnavailable as error:
            if self._breaker.state is BreakerState.OPEN:
                _log.warning("questions are analysed by rules for now", reason=str(error))
            return None
        if admission.is_probe:
            _log.info("questions are analysed by the model again")
        return claim


def by_rules(question: Question, claim: QueryClaim | None = None) -> Analysis:
    """Return the analysis by rules, given the model's `claim` if any."""
    return analyse(
        question.text,
        now=question.now,
        zone=question.zone,
        language=question.language,
        known_names=question.known_names,
        claim=claim,
    )

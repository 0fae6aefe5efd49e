"""Who reads a question: a language model where one is asked for, and the rules, which need nobody."""

from typing import Final

import structlog

from ricordo.language.lru import LruCache
from ricordo.language.query_analysis import Analysis, Claim, analyse
from ricordo.models.analyser import Question, QuestionReader, Understanding
from ricordo.models.encoder import ModelUnavailable
from ricordo.resilience import BreakerState, CircuitBreaker

_MOST_READ: Final = 500  # characters of a question that a model is shown: it has 200 ms for all of it

_log = structlog.stdlib.get_logger(__name__)

_Asked = tuple[str, str, tuple[str, ...]]


class RulesAnalyser:
    """A `QueryAnalyser` that is never away and never waits."""

    async def understand(self, question: Question) -> Understanding:
        """Analyse `question` by rules."""
        return Understanding(by_rules(question))


class ModelAnalyser:
    """A `QueryAnalyser` that asks a language model, and lets the rules answer when that does not.

    What the model says of a question depends on the question and on the names in it, so it is remembered by
    these, for all users alike; what it comes to (which day is yesterday) is worked out each time.

    Args:
        reader: the model, which keeps to its time.
        breaker: counts its failures, and spares everybody the wait while it is away.
        remembered: so many answers are remembered, those used last.
    """

    def __init__(self, reader: QuestionReader, breaker: CircuitBreaker, remembered: int = 1024) -> None:
        self._reader = reader
        self._breaker = breaker
        self._claims = LruCache[_Asked, Claim](remembered)

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
        self._claims.put(asked, claim)
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

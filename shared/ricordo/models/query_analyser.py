"""Analyses questions, by rules or with a language model in addition."""

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Annotated, Final

from cachetools import LRUCache
from pydantic import BaseModel, Field

from ricordo.language.annotations import MemoryType
from ricordo.language.query_analysis.analysis import EmotionFilter, Intent, QueryAnalysis, TimeFilter
from ricordo.language.query_analysis.query_parser import QueryClaim, analyse
from ricordo.language.temporal.moments import EARLIEST, LATEST
from ricordo.messages import enumerations
from ricordo.messages.views import Analysis, QueryTime
from ricordo.models.encoder import ModelUnavailable
from ricordo.models.llm.language_model import LanguageModel, Step


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A query and its context.

    Attributes:
        now: the time of asking, aware.
        language: "it" or "en"; detected when None.
    """

    text: str
    now: datetime
    zone: tzinfo
    language: str | None = None
    known_names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Understanding:
    """What a question asks for.

    Attributes:
        analysis: the result; `analysis.analyser` names the analyser.
        degraded: whether the language model should have answered and did not.
    """

    analysis: QueryAnalysis
    degraded: bool = False


_MAX_CHARS: Final = 500  # of a question that are sent to the model, which has 200 ms

_CacheKey = tuple[str, str, tuple[str, ...]]

Phrase = Annotated[str, Field(max_length=128)]


class QuestionAnswer(BaseModel, frozen=True, extra="forbid", strict=True):
    """The answer; all fields are requested."""

    intent: Intent
    time: Phrase
    entities: Annotated[tuple[Phrase, ...], Field(max_length=8)]
    topics: Annotated[tuple[Phrase, ...], Field(max_length=4)]
    emotion: EmotionFilter | None


QUERY: Final = Step("query", QuestionAnswer, tokens=96)


class QueryAnalyser:
    """Finds out what a question asks for, by rules and, where there is one, a language model; it never fails.

    The model's answer depends on the question and the names in it only, so it is cached for all users;
    relative times are resolved each time.

    Args:
        cache_size: maximum number of answers.
    """

    def __init__(self, model: LanguageModel | None = None, cache_size: int = 1024) -> None:
        self._model = model
        self._claims = LRUCache[_CacheKey, QueryClaim](cache_size)

    async def understand(self, question: Question) -> Understanding:
        """Analyse `question`; `degraded` if the model should have answered and did not."""
        plain = by_rules(question)
        if self._model is None or not any(letter.isalnum() for letter in question.text):
            return Understanding(plain)
        known = set(question.known_names)
        names = tuple(name for name in plain.entities if name in known)
        key = (question.text[:_MAX_CHARS], plain.language, names)
        claim = self._claims.get(key) or await self._read(self._model, key)
        if claim is None:
            return Understanding(plain, degraded=True)
        self._claims[key] = claim
        return Understanding(by_rules(question, claim))

    async def _read(self, model: LanguageModel, key: _CacheKey) -> QueryClaim | None:
        """Ask the model; None without an answer."""
        text, language, names = key
        given = {"language": language, "known_names": names, "question": text}
        with suppress(ModelUnavailable):
            return QueryClaim(**(await model.ask(QUERY, given)).model_dump())
        return None


def by_rules(question: Question, claim: QueryClaim | None = None) -> QueryAnalysis:
    """Return the analysis by rules, given the model's `claim` if any."""
    return analyse(
        question.text,
        now=question.now,
        zone=question.zone,
        language=question.language,
        known_names=question.known_names,
        claim=claim,
    )


def analysis_view(analysis: QueryAnalysis) -> Analysis:
    """Return an analysis as replies show it."""
    time, felt = analysis.time, analysis.emotion_filter
    return Analysis(
        intent=enumerations.Intent(analysis.intent),
        time=QueryTime() if time is None else _time_view(time),
        entities=analysis.entities,
        topics=analysis.topics,
        emotion_filter=None if felt is None else enumerations.EmotionFilter(felt),
        memory_types=tuple(MemoryType(one) for one in analysis.memory_types),
        semantic_query=analysis.semantic_query,
        archive=analysis.archive,
        fallback=analysis.fallback,
        analyser=enumerations.Analyser(analysis.analyser),
        language=analysis.language,
    )


def _time_view(time: TimeFilter) -> QueryTime:
    return QueryTime(
        type=enumerations.TimeType(time.type),
        reference=time.reference,
        start=None if time.start <= EARLIEST else time.start,
        end=None if time.end >= LATEST else time.end,
    )

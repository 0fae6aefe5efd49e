"""The result of analysing a query."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from ricordo.language.query_analysis.requested_predicates import NO_PREDICATES, RequestedPredicates
from ricordo.language.temporal.moments import SpanType

Intent = Literal["temporal", "entity", "emotional", "topic", "procedural", "general"]
EmotionFilter = Literal["positive", "negative", "neutral"]
Analyser = Literal["rules", "llm"]
Fallback = Literal["entity", "topic", "procedural"]


@dataclass(frozen=True, slots=True)
class TimeFilter:
    """The time that a query names.

    Attributes:
        end: First instant after it, aware, in UTC; `temporal.LATEST` where open. Of a range of days that is
            only preferred, where its last day begins, as the field scores ranges.
        through: First instant after all that is named; "from the 3rd to the 5th" goes through the 5th.
        strict: It says when the speakers did or said something, so nothing outside of it is an answer.
            Otherwise it is attached to something that people tell of before and after, and only preferred.
        ahead: It asks for what is to come then: what happens in that time is listed, in the order in which it
            happens.
    """

    type: SpanType
    reference: str
    start: datetime
    end: datetime
    through: datetime
    strict: bool
    ahead: bool = False


@dataclass(frozen=True, slots=True)
class QueryAnalysis:
    """What a query asks for.

    Attributes:
        entities: Names in it, each once, in their order, spelled as the user's memories spell them.
        topics: What it is about, most specific first, in lower case but for names.
        semantic_query: Its words without the time and the phrase that asks. Empty only when the query is.
        language: By whose rules it was read, ISO 639-1; without data for it, by none.
        written_in: The same, but for a question in Latin letters read by Italian or English rules that is in
            another language.
        fallback: Which strategy took over where the first found nothing; set by retrieval.
        liked: It asks for what was liked, so that nothing else is an answer.
        asks_what_was_asked: It asks what somebody asked before, which questions answer.
    """

    intent: Intent
    time: TimeFilter | None
    entities: tuple[str, ...]
    topics: tuple[str, ...]
    emotion_filter: EmotionFilter | None
    memory_types: tuple[str, ...]
    semantic_query: str
    archive: bool
    fallback: Fallback | None
    analyser: Analyser
    language: str
    written_in: str = ""
    requested: RequestedPredicates = NO_PREDICATES
    liked: bool = False
    asks_how: bool = False
    asks_what_was_asked: bool = False

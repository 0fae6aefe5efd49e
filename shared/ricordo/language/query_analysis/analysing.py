"""The analysis of a query, with what a language model says of it or without."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

from ricordo.language.detection import detect
from ricordo.language.query_analysis.ahead import lists_ahead, to_come
from ricordo.language.query_analysis.claims import (
    Claim,
    feeling_of,
    intent_of,
    time_of,
    topics_borne_out,
    with_names,
)
from ricordo.language.query_analysis.deciding import decide
from ricordo.language.query_analysis.intents import (
    Reading,
    asks_a_way,
    asks_what_was_liked,
    emotion_of,
    filters,
)
from ricordo.language.query_analysis.languages import PATTERNS
from ricordo.language.query_analysis.model import Analysis, Intent, TimeFilter
from ricordo.language.query_analysis.names import names
from ricordo.language.query_analysis.reading import flat, read
from ricordo.language.query_analysis.sought import NOTHING_SOUGHT, Sought, sought
from ricordo.language.query_analysis.topics import semantic_query, topic_phrase, topics_of
from ricordo.language.temporal import Language, TimeSpan

Decider = Callable[[Reading], Intent]
"""Chooses the intent of a question."""

_MOST_READ = 2_000  # characters in which a query says what it asks for


def analyse(
    query: str,
    *,
    now: datetime,
    zone: ZoneInfo,
    language: str | None = None,
    known_names: Iterable[str] = (),
    decide: Decider = decide,
    claim: Claim | None = None,
) -> Analysis:
    """Find out what `query` asks for.

    Args:
        query: Any text; what it asks for is looked for in its first 2,000 characters.
        now: The moment of asking, aware.
        zone: The user's zone.
        language: "it" or "en"; found out when None, and English rules apply to any other.
        known_names: Names that the user's memories know; matched in any case of letters.
        decide: Chooses the intent.
        claim: What a language model says of the query; taken as far as the query bears it out.

    Raises:
        ValueError: `now` is naive.
    """
    spoken = language if language is not None else detect(query)
    rules: Language = "it" if spoken.lower().startswith("it") else "en"
    reading, time = read_query(query, now, zone, rules, frozenset(known_names))
    if claim is None:
        intent, emotion, topics = decide(reading), emotion_of(reading), None
    else:
        head = query[:_MOST_READ]
        time = time or time_of(claim, head, now, zone, reading)
        found, reading = decide(reading), with_names(reading, claim, head)
        topics = topics_borne_out(claim, head, rules)
        intent, emotion = intent_of(claim, reading, found, topics), feeling_of(claim, reading)
    liked = intent == "emotional" and emotion == "positive" and asks_what_was_liked(reading)
    return Analysis(
        intent=intent,
        time=_time_filter(reading, time, intent, now),
        # Whoever is named before the question was not asked to have been there.
        entities=() if reading.around and intent == "temporal" else reading.entities,
        topics=_topics(reading, intent) or (topics if topics and intent == "topic" else ()),
        emotion_filter=emotion if intent == "emotional" else None,
        memory_types=("procedural",) if intent == "procedural" else (),
        semantic_query=semantic_query(query, time, reading.patterns),
        archive=reading.patterns.subjects.archive.search(flat(query[:_MOST_READ])) is not None,
        fallback=None,
        analyser="rules" if claim is None else "llm",
        language=rules,
        sought=NOTHING_SOUGHT if liked else _sought(query, reading),
        liked=liked,
        asks_how=intent == "procedural" or asks_a_way(reading),
        asks_what_was_asked=reading.patterns.subjects.asked.search(flat(query[:_MOST_READ])) is not None,
    )


def read_query(
    query: str, now: datetime, zone: ZoneInfo, language: Language, known: frozenset[str]
) -> tuple[Reading, TimeSpan | None]:
    """Return what was found in `query`, and its time, whose place is counted in the query.

    Raises:
        ValueError: `now` is naive.
    """
    patterns, head = PATTERNS[language], query[:_MOST_READ]
    sentence = read(head, now, zone, patterns, language)
    time = sentence.elsewhere
    if sentence.time is not None:
        begin, end = sentence.time.span
        time = replace(sentence.time, span=(begin + sentence.start, end + sentence.start))
    entities = names(sentence.text, known, sentence.time, patterns, language)
    around = not entities and len(sentence.text) < len(head)
    if around:
        entities = names(head, known, time, patterns, language)
    reading = Reading(
        sentence=sentence,
        patterns=patterns,
        language=language,
        entities=entities,
        named=tuple(name for name in entities if name in known or not name.isupper()),
        around=around,
        about=topic_phrase(sentence, patterns),
    )
    return reading, time


def _sought(query: str, reading: Reading) -> Sought:
    return sought(query[:_MOST_READ], reading.language, names=reading.entities)


def with_question_vector(analysis: Analysis, query: str, vector: NDArray[np.float32] | None) -> Analysis:
    """Return the analysis with the predicates that the meaning of the question asks for.

    Args:
        analysis: of the question.
        query: as it was asked.
        vector: of the question by `sought.MODEL`, [d]; None while that is away.
    """
    if vector is None or analysis.liked or analysis.asks_how:
        return analysis
    found = sought(query[:_MOST_READ], analysis.language, names=analysis.entities, vector=vector)
    return replace(analysis, sought=found)


def _topics(reading: Reading, intent: Intent) -> tuple[str, ...]:
    if reading.about is None or intent in {"general", "procedural", "emotional"} or not reading.sentence.asks:
        return ()
    about = reading.about.casefold()
    if any(name.casefold() == about and intent == "entity" for name in reading.entities):
        return ()
    return topics_of(reading.about, reading.language)


def _time_filter(reading: Reading, span: TimeSpan | None, intent: Intent, now: datetime) -> TimeFilter | None:
    if span is None:
        return to_come(reading, now)
    strict = intent == "temporal" and reading.sentence.time is not None and filters(reading, span)
    # A filter never cuts off a day that was named: "from the 3rd to the 5th" ends with the 5th.
    end = span.through if strict else span.end
    ahead = lists_ahead(reading, span, now)
    return TimeFilter(span.type, span.reference, span.start, end, span.through, strict, ahead)

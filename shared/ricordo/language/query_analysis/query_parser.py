"""Analyses a query, with or without the claims of a language model."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime, tzinfo

import numpy as np
from numpy.typing import NDArray

from ricordo.language.detection import detect, identify
from ricordo.language.query_analysis.analysis import Intent, QueryAnalysis, TimeFilter
from ricordo.language.query_analysis.claims import (
    QueryClaim,
    feeling_of,
    intent_of,
    time_of,
    topics_borne_out,
    with_names,
)
from ricordo.language.query_analysis.intent_head import decide
from ricordo.language.query_analysis.intents import (
    asks_a_way,
    asks_agenda,
    asks_what_was_liked,
    emotion_of,
    filters,
    upcoming_time,
)
from ricordo.language.query_analysis.question_names import find_names
from ricordo.language.query_analysis.question_patterns import load_patterns
from ricordo.language.query_analysis.question_sentence import (
    ParsedQuestion,
    find_sentence,
    flat,
    semantic_query,
    topic_phrase,
    topics_of,
)
from ricordo.language.query_analysis.requested_predicates import NO_PREDICATES, requested_predicates
from ricordo.language.scripts import languages_by_script
from ricordo.language.temporal import TimeSpan
from ricordo.language.text import with_straight_apostrophes

Decider = Callable[[ParsedQuestion], Intent]
"""Chooses the intent of a question."""

_MOST_READ = 2_000  # characters in which a query says what it asks for


def analyse(
    query: str,
    *,
    now: datetime,
    zone: tzinfo,
    language: str | None = None,
    known_names: Iterable[str] = (),
    decide: Decider = decide,
    claim: QueryClaim | None = None,
) -> QueryAnalysis:
    """Find out what `query` asks for.

    Args:
        query: Any text; what it asks for is looked for in its first 2,000 characters.
        language: ISO 639-1; detected when None: as one with data, unless the script is that of another. In a
            language without data only names that are known are found.
        claim: What a language model says of the query; taken as far as the query bears it out.

    Raises:
        ValueError: `now` is naive.
    """
    query = with_straight_apostrophes(query)
    written_in = identify(query) if language is None else language.lower().partition("-")[0]
    code = detect(query) if language is None and not languages_by_script(query) else written_in
    head = query[:_MOST_READ]
    question, time = parse_query(query, now, zone, code, frozenset(known_names))
    if claim is None:
        intent, emotion, topics = decide(question), emotion_of(question), None
    else:
        time = time or time_of(claim, head, now, zone, question)
        found, question = decide(question), with_names(question, claim, head)
        topics = topics_borne_out(claim, head, code)
        intent, emotion = intent_of(claim, question, found, topics), feeling_of(claim, question)
    liked = intent == "emotional" and emotion == "positive" and asks_what_was_liked(question)
    return QueryAnalysis(
        intent=intent,
        time=_time_filter(question, time, intent, now),
        # Whoever is named before the question was not asked to have been there.
        entities=() if question.around and intent == "temporal" else question.entities,
        topics=_topics(question, intent) or (topics if topics and intent == "topic" else ()),
        emotion_filter=emotion if intent == "emotional" else None,
        memory_types=("procedural",) if intent == "procedural" else (),
        semantic_query=semantic_query(query, time, question.patterns),
        archive=question.patterns.archive.search(flat(head)) is not None,
        fallback=None,
        analyser="rules" if claim is None else "llm",
        language=code,
        written_in=written_in,
        requested=NO_PREDICATES if liked else requested_predicates(head, code, names=question.entities),
        liked=liked,
        asks_how=intent == "procedural" or asks_a_way(question),
        asks_what_was_asked=question.patterns.earlier_questions.search(flat(head)) is not None,
    )


def parse_query(
    query: str, now: datetime, zone: tzinfo, language: str, known: frozenset[str]
) -> tuple[ParsedQuestion, TimeSpan | None]:
    """Return what was found in `query`, and its time, whose place is counted in the query.

    Raises:
        ValueError: `now` is naive.
    """
    patterns, head = load_patterns(language), query[:_MOST_READ]
    sentence = find_sentence(head, now, zone, patterns)
    time = sentence.elsewhere
    if sentence.time is not None:
        begin, end = sentence.time.span
        time = replace(sentence.time, span=(begin + sentence.start, end + sentence.start))
    entities = find_names(sentence.text, known, sentence.time, patterns)
    around = not entities and len(sentence.text) < len(head)
    if around:
        entities = find_names(head, known, time, patterns)
    question = ParsedQuestion(
        sentence=sentence,
        patterns=patterns,
        entities=entities,
        named=tuple(name for name in entities if name in known or not name.isupper()),
        around=around,
        about=topic_phrase(sentence, patterns),
    )
    return question, time


def with_question_vector(
    analysis: QueryAnalysis, query: str, vector: NDArray[np.float32] | None
) -> QueryAnalysis:
    """Return the analysis with the predicates that the meaning of the question asks for."""
    if vector is None or analysis.liked or analysis.asks_how:
        return analysis
    found = requested_predicates(
        query[:_MOST_READ], analysis.language, names=analysis.entities, vector=vector
    )
    return replace(analysis, requested=found)


def _topics(question: ParsedQuestion, intent: Intent) -> tuple[str, ...]:
    if (
        question.about is None
        or intent in {"general", "procedural", "emotional"}
        or not question.sentence.asks
    ):
        return ()
    about = question.about.casefold()
    if any(name.casefold() == about and intent == "entity" for name in question.entities):
        return ()
    return topics_of(question.about, question.language)


def _time_filter(
    question: ParsedQuestion, span: TimeSpan | None, intent: Intent, now: datetime
) -> TimeFilter | None:
    if span is None:
        return upcoming_time(question, now)
    strict = intent == "temporal" and question.sentence.time is not None and filters(question, span)
    # A filter never cuts off a day that was named: "from the 3rd to the 5th" ends with the 5th.
    end = span.through if strict else span.end
    ahead = asks_agenda(question, span, now)
    return TimeFilter(span.type, span.reference, span.start, end, span.through, strict, ahead)

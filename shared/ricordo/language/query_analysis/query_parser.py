"""Analyses a query, with or without the claims of a language model."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo

import numpy as np
from numpy.typing import NDArray

from ricordo.language.detection import detect, identify
from ricordo.language.query_analysis.analysis import EmotionFilter, Intent, QueryAnalysis, TimeFilter
from ricordo.language.query_analysis.intents import (
    asks_agenda,
    asks_how,
    asks_what_was_liked,
    decide,
    emotion_of,
    filters,
    may_be,
    upcoming_time,
)
from ricordo.language.query_analysis.question_names import find_names, is_addressed
from ricordo.language.query_analysis.question_patterns import BAD, GOOD, load_patterns, mark_feelings
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
from ricordo.language.temporal.moments import TimeSpan
from ricordo.language.temporal.time_extraction import resolve
from ricordo.language.text import stop_words, with_straight_apostrophes
from ricordo.language.tokenization import stems

_LONGEST_NAME = 4  # words


@dataclass(frozen=True, slots=True)
class QueryClaim:
    """What a model says that a question asks for."""

    intent: Intent
    time: str = ""
    entities: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    emotion: EmotionFilter | None = None


def with_names(question: ParsedQuestion, claim: QueryClaim, query: str) -> ParsedQuestion:
    """Return the question with those names of the claim that the query writes as names."""
    named = [name for name in (_as_written(name, query, question) for name in claim.entities) if name]
    known = {name.casefold() for name in question.entities}
    added = [
        name for name in named if not any(name.casefold() in one or one in name.casefold() for one in known)
    ]
    if not added:
        return question
    entities = sorted({*question.entities, *added}, key=lambda name: query.casefold().find(name.casefold()))
    return replace(question, entities=tuple(entities), named=(*question.named, *added), around=False)


def intent_of(claim: QueryClaim, question: ParsedQuestion, found: Intent, topics: tuple[str, ...]) -> Intent:
    """Return the intent: the model's where the question supports it, else the one found without it."""
    claimed, time = claim.intent, question.sentence.time
    is_filtered = found == "temporal" and time is not None and filters(question, time)
    if claimed in {"general", found} or is_filtered:
        return found
    if claimed == "topic":
        return "topic" if topics and not question.named else found
    return claimed if may_be(claimed, question) else found


def time_of(
    claim: QueryClaim, query: str, now: datetime, zone: tzinfo, question: ParsedQuestion
) -> TimeSpan | None:
    """Return the time that the claim names in words of the query, as the resolver reads it; None without."""
    words = flat(claim.time.strip())
    found = re.search(rf"(?<!\w){re.escape(words)}(?!\w)", flat(query)) if words else None
    if found is None:
        return None
    start = found.start()
    span = resolve(query[start : found.end()], now, zone, question.language)
    return span and replace(span, span=(span.span[0] + start, span.span[1] + start))


def topics_borne_out(claim: QueryClaim, query: str, language: str) -> tuple[str, ...]:
    """Return the topics of the claim whose words, in any form, are all in the query."""
    said = set(stems(query, language))
    borne = (topic for topic in claim.topics if (own := stems(topic, language)) and said.issuperset(own))
    return tuple(dict.fromkeys(part for topic in borne for part in topics_of(topic, language)))


def feeling_of(claim: QueryClaim, question: ParsedQuestion) -> EmotionFilter | None:
    """Return the feeling asked for: what the words say, and where they say nothing, what the model does."""
    said = emotion_of(question)
    if said is not None:
        return said
    words = mark_feelings(question.sentence.core, question.patterns)
    return None if GOOD in words or BAD in words else claim.emotion


def _as_written(name: str, query: str, question: ParsedQuestion) -> str | None:
    """Return `name` as the query spells it; None where it is not there, or is there as another word."""
    words = name.split()
    if not 0 < len(words) <= _LONGEST_NAME:
        return None
    found = re.search(rf"(?<!\w){re.escape(' '.join(words))}(?!\w)", query, re.IGNORECASE)
    if found is None:
        return None
    written = found[0]
    common = stop_words(question.language) | question.patterns.not_names
    if not written[0].isupper() or any(word.casefold() in common for word in written.split()):
        return None
    return None if is_addressed(query, found.start(), found.end(), question.patterns) else written


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
        asks_how=intent == "procedural" or asks_how(question, of_anybody=True),
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
    about = question.about
    if about is None or intent in {"general", "procedural", "emotional"} or not question.sentence.asks:
        return ()
    if intent == "entity" and any(name.casefold() == about.casefold() for name in question.entities):
        return ()
    return topics_of(about, question.language)


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

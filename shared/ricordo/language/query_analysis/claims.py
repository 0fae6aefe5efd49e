"""Takes over what a language model says of a question, as far as the question supports it."""

import re
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo

from ricordo.language.query_analysis.analysis import EmotionFilter, Intent
from ricordo.language.query_analysis.intents import emotion_of, filters, may_be
from ricordo.language.query_analysis.question_names import is_addressed
from ricordo.language.query_analysis.question_patterns import BAD, GOOD, mark_feelings
from ricordo.language.query_analysis.question_sentence import ParsedQuestion, flat, topics_of
from ricordo.language.temporal import TimeSpan, resolve
from ricordo.language.text import stop_words
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
    span = resolve(query[start : found.end()], now, zone, question.language, prefer="past")
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

"""What a language model says of a question, and how much of it the question bears out.

A model adds what rules do not see; it unsees nothing that they do. It cannot invent: a name, a topic or a
time counts only where its words stand in the question, an intent only where the question has what that needs,
and what a time means is for the resolver to say.
"""

import re
from dataclasses import dataclass, replace
from datetime import datetime
from zoneinfo import ZoneInfo

from ricordo.language.query_analysis.feelings import BAD, GOOD, marked
from ricordo.language.query_analysis.intents import Reading, emotion_of, filters, may_be
from ricordo.language.query_analysis.model import EmotionFilter, Intent
from ricordo.language.query_analysis.names import is_addressed
from ricordo.language.query_analysis.reading import flat
from ricordo.language.query_analysis.topics import topics_of
from ricordo.language.temporal import TimeSpan, resolve
from ricordo.language.text import stop_words
from ricordo.language.tokenization import stems

_LONGEST_NAME = 4  # words


@dataclass(frozen=True, slots=True)
class Claim:
    """What a model says that a question asks for.

    Attributes:
        intent: Which strategy finds it.
        time: The words that name a time, empty for none.
        entities: Names.
        topics: What it is about.
        emotion: The feeling that its answers carry; None for any.
    """

    intent: Intent
    time: str = ""
    entities: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    emotion: EmotionFilter | None = None


def with_names(reading: Reading, claim: Claim, query: str) -> Reading:
    """Return the reading with those names of the claim that the query writes as names."""
    named = [name for name in (_as_written(name, query, reading) for name in claim.entities) if name]
    known = {name.casefold() for name in reading.entities}
    added = [name for name in named if not any(_within(name.casefold(), one) for one in known)]
    if not added:
        return reading
    entities = sorted({*reading.entities, *added}, key=lambda name: query.casefold().find(name.casefold()))
    return replace(reading, entities=tuple(entities), named=(*reading.named, *added), around=False)


def intent_of(claim: Claim, reading: Reading, found: Intent, topics: tuple[str, ...]) -> Intent:
    """Return the intent: the model's where the question bears it out, else the one that was found without it.

    Args:
        claim: what the model says.
        reading: the question.
        found: the intent that was found without a model.
        topics: those of the claim that the question bears out.
    """
    claimed = claim.intent
    time = reading.sentence.time
    if claimed in {"general", found} or (found == "temporal" and time is not None and filters(reading, time)):
        return found
    if claimed == "topic":
        return "topic" if topics and not reading.named else found
    return claimed if may_be(claimed, reading) else found


def time_of(claim: Claim, query: str, now: datetime, zone: ZoneInfo, reading: Reading) -> TimeSpan | None:
    """Return the time that the claim names in words of the query, as the resolver reads it; None without."""
    words = flat(claim.time.strip())
    found = re.search(rf"(?<!\w){re.escape(words)}(?!\w)", flat(query)) if words else None
    if found is None:
        return None
    start = found.start()
    span = resolve(query[start : found.end()], now, zone, reading.language, prefer="past")
    return span and replace(span, span=(span.span[0] + start, span.span[1] + start))


def topics_borne_out(claim: Claim, query: str, language: str) -> tuple[str, ...]:
    """Return the topics of the claim whose words, in any form, are all in the query."""
    said = set(stems(query, language))
    borne = (topic for topic in claim.topics if (own := stems(topic, language)) and said.issuperset(own))
    return tuple(dict.fromkeys(part for topic in borne for part in topics_of(topic, language)))


def feeling_of(claim: Claim, reading: Reading) -> EmotionFilter | None:
    """Return the feeling asked for: what the words say, and where they say nothing, what the model does."""
    said = emotion_of(reading)
    if said is not None:
        return said
    words = marked(reading.sentence.core, reading.patterns, reading.language)
    return None if GOOD in words or BAD in words else claim.emotion


def _as_written(name: str, query: str, reading: Reading) -> str | None:
    """Return `name` as the query spells it; None where it is not there, or is there as another word."""
    words = name.split()
    if not 0 < len(words) <= _LONGEST_NAME:
        return None
    found = re.search(rf"(?<!\w){re.escape(' '.join(words))}(?!\w)", query, re.IGNORECASE)
    if found is None:
        return None
    written = found[0]
    common = stop_words(reading.language) | reading.patterns.subjects.no_names
    if not written[0].isupper() or any(word.casefold() in common for word in written.split()):
        return None
    return None if is_addressed(query, found.start(), found.end(), reading.patterns) else written


def _within(name: str, other: str) -> bool:
    return name in other or other in name

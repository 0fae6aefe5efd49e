"""What a query is about, and what of it is worth searching for."""

import re
from dataclasses import replace

from ricordo.domain.analysis.languages.patterns import QueryPatterns
from ricordo.domain.stop_words import stop_words
from ricordo.domain.temporal import TimeSpan

_CLAUSE_END = re.compile(r"[.!?,;:()\n]")
_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
_SPACE = re.compile(r"\s+")
_EDGES = ' \t\n?!.,;:…"“”«»()'
_MOST_TOPICS = 4


def topic_phrase(query: str, time: TimeSpan | None, patterns: QueryPatterns) -> str | None:
    """Return what the query says that it is about ("parlami di …", "tell me about …"), without articles."""
    match = patterns.knows.search(query) or patterns.about.search(query)
    if match is None:
        return None
    return _object(without_time(query[match.end() :], _shifted(time, match.end()), patterns), patterns)


def _object(text: str, patterns: QueryPatterns) -> str | None:
    phrase = _CLAUSE_END.split(text.strip(_EDGES), maxsplit=1)[0].strip(_EDGES)
    for _ in range(2):
        article = patterns.articles.match(phrase)
        if article is None:
            break
        phrase = phrase[article.end() :].strip(_EDGES)
    return phrase or None


def topics_of(phrase: str, language: str) -> tuple[str, ...]:
    """Return the phrase, and its words that carry meaning if it has several; in lower case but for names."""
    words = [word for word in _WORD.findall(phrase) if word.casefold() not in stop_words(language)]
    if not words:
        return ()
    whole = _lowered(" ".join(_WORD.findall(phrase)))
    parts = [_lowered(word) for word in words] if len(words) > 1 else []
    return tuple(dict.fromkeys([whole if len(words) > 1 else _lowered(words[0]), *parts]))[:_MOST_TOPICS]


def _lowered(phrase: str) -> str:
    return " ".join(word if any(c.isupper() for c in word) else word.lower() for word in phrase.split())


def without_time(query: str, time: TimeSpan | None, patterns: QueryPatterns) -> str:
    """Return the query without the words of the time, and without the preposition before these."""
    if time is None:
        return query
    before, behind = query[: time.span[0]], query[time.span[1] :]
    for _ in range(2):
        before = patterns.before_time.sub("", before)
    return _SPACE.sub(" ", f"{before.rstrip()} {behind.lstrip()}").strip()


def semantic_query(query: str, time: TimeSpan | None, patterns: QueryPatterns) -> str:
    """Return the words worth searching for: without the time and the phrase that asks, if any are left."""
    timeless = without_time(query, time, patterns)
    bare = patterns.scaffolding.sub("", timeless, count=1)
    for candidate in (bare, timeless, query):
        cleaned = _SPACE.sub(" ", candidate).strip(_EDGES)
        if _WORD.search(cleaned):
            return cleaned
    return query.strip() or query


def _shifted(time: TimeSpan | None, by: int) -> TimeSpan | None:
    if time is None or time.span[0] < by:
        return None
    return replace(time, span=(time.span[0] - by, time.span[1] - by))

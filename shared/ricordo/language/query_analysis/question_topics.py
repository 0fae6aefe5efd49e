"""What a query is about, and what of it is worth searching for."""

import re
from dataclasses import replace

from ricordo.language.query_analysis.question_patterns import QuestionPatterns
from ricordo.language.query_analysis.question_sentence import EDGES, QuestionSentence, flat, without_time
from ricordo.language.temporal import TimeSpan
from ricordo.language.text import stop_words

_CLAUSE_END = re.compile(r"[.!?,;:()\n]")
_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
_SPACE = re.compile(r"\s+")
_MOST_TOPICS = 4


def topic_phrase(sentence: QuestionSentence, patterns: QuestionPatterns) -> str | None:
    """Return what the sentence says it is about ("parlami di …", "tell me about …"), without articles."""
    fronted = patterns.fronted_topic.search(sentence.flat)
    if fronted is not None:
        return _object(sentence.text[slice(*fronted.span(str(fronted.lastgroup)))], patterns)
    for pattern in (patterns.about, patterns.discussed):
        match = pattern.search(sentence.flat)
        if match is not None:
            end = match.end()
            behind = without_time(sentence.text[end:], _shifted(sentence.time, end), patterns)
            return _object(behind, patterns)
    return None


def _object(text: str, patterns: QuestionPatterns) -> str | None:
    phrase = _CLAUSE_END.split(text.strip(EDGES), maxsplit=1)[0].strip(EDGES)
    if (cut := patterns.topic_end.search(flat(phrase))) is not None:
        phrase = phrase[: cut.start()].strip(EDGES)
    for _ in range(2):
        article = patterns.articles.match(flat(phrase))
        if article is None:
            break
        phrase = phrase[article.end() :].strip(EDGES)
    if not phrase or patterns.vague_topic.search(flat(phrase)) is not None:
        return None
    return phrase


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


def semantic_query(query: str, time: TimeSpan | None, patterns: QuestionPatterns) -> str:
    """Return the words worth searching for: without the time and the phrase that asks, if any are left."""
    timeless = without_time(query, time, patterns)
    scaffolding = patterns.scaffolding.search(flat(timeless))
    bare = timeless if scaffolding is None else timeless[scaffolding.end() :]
    for candidate in (bare, timeless, query):
        cleaned = _SPACE.sub(" ", candidate).strip(EDGES)
        if _WORD.search(cleaned):
            return cleaned
    return query.strip() or query


def _shifted(time: TimeSpan | None, by: int) -> TimeSpan | None:
    if time is None or time.span[0] < by:
        return None
    return replace(time, span=(time.span[0] - by, time.span[1] - by))

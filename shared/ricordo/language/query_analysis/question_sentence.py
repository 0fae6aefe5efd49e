"""Reduces a query to the sentence that asks, its time, its core and its topics."""

import re
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from typing import Final

from ricordo.language.query_analysis.question_patterns import QuestionPatterns
from ricordo.language.temporal.moments import Direction, Language, TimeSpan
from ricordo.language.temporal.time_extraction import resolve
from ricordo.language.text import stop_words, with_straight_apostrophes
from ricordo.language.tokenization import sentences_of

_MOST_OPENINGS: Final = 4
_LONGEST_CORE: Final = 400  # characters; whoever asks has said by then what for
FEW_WORDS: Final = 8
"""More words without a question are a statement."""
_POSSESSIVE = re.compile(r"^['’]s\b")
_SPACE = re.compile(r"\s+")
EDGES: Final = ' \t\n?!.,;:…"“”«»()'


@dataclass(frozen=True, slots=True)
class QuestionSentence:
    """The sentence that asks.

    Attributes:
        flat: the same, of the same length, in lower case, apostrophes straight.
        start: its offset in the query, in characters.
        time: the time that it names, with offsets in the sentence.
        elsewhere: the time that the rest of the query names, where the sentence names none; with offsets in
            the query.
    """

    text: str
    flat: str
    start: int
    time: TimeSpan | None
    elsewhere: TimeSpan | None
    core: str
    asks: bool


@dataclass(frozen=True, slots=True)
class ParsedQuestion:
    """A question and what was found in it.

    Attributes:
        entities: names, in order: of the sentence that asks, or of those around it where it has none.
        around: whether the entities are of the sentences around.
    """

    sentence: QuestionSentence
    patterns: QuestionPatterns
    entities: tuple[str, ...]
    named: tuple[str, ...]
    around: bool
    about: str | None

    @property
    def language(self) -> Language:
        """The language of the patterns."""
        return self.patterns.language


def flat(text: str) -> str:
    """Return `text` in lower case with straight apostrophes, at the same offsets."""
    lowered = text.lower()
    if len(lowered) != len(text):  # a few letters have no single small one
        lowered = "".join(c if len(c.lower()) != 1 else c.lower() for c in text)
    return with_straight_apostrophes(lowered).replace("’", "'")


def find_sentence(query: str, now: datetime, zone: tzinfo, patterns: QuestionPatterns) -> QuestionSentence:
    """Find the sentence of `query` that asks, its time and its core.

    Raises:
        ValueError: `now` is naive.
    """
    chosen = _asking_sentence(query, patterns)
    text, start = chosen or (query, 0)
    small = flat(text)
    language = patterns.language
    time = resolve(
        _masked(text, small, patterns), now, zone, language, prefer=time_direction(small, patterns)
    )
    if time is not None:
        time = replace(time, reference=text[slice(*time.span)])
    elsewhere = None
    if time is None and len(text) < len(query):
        elsewhere = resolve(query, now, zone, language)
    rest = without_time(small, time, patterns)
    core = _core(rest, patterns)
    asks = "?" in text or any(_asks(part, patterns) for part in (small, rest, core))
    return QuestionSentence(
        text, small, start, time, elsewhere, core[:_LONGEST_CORE], asks and chosen is not None
    )


def without_time(text: str, time: TimeSpan | None, patterns: QuestionPatterns) -> str:
    """Return the text without the words of the time, and without the preposition before them."""
    if time is None:
        return text
    before, behind = text[: time.span[0]], _POSSESSIVE.sub("", text[time.span[1] :])
    for _ in range(2):
        preposition = patterns.time_prepositions.search(flat(before))
        before = before[: preposition.start()] if preposition else before
    return _SPACE.sub(" ", f"{before.rstrip()} {behind.lstrip()}").strip()


def time_direction(small: str, patterns: QuestionPatterns) -> Direction:
    """Return the side of an ambiguous time: the past, unless the words of the question look ahead."""
    back = patterns.past.search(small) is not None or patterns.recurrent.search(small) is not None
    return "future" if patterns.future.search(small) is not None and not back else "past"


def _asking_sentence(query: str, patterns: QuestionPatterns) -> tuple[str, int] | None:
    """Return the sentence that asks, and its offset; None where there are several and none asks.

    It is the first that ends with a question mark, else the first that begins like a question.
    """
    every = list(sentences_of(query))
    if len(every) < 2:
        return query, 0
    found = [each for each in every if patterns.greeting.search(flat(each)) is None]
    marked = (each for each in found if each.endswith("?") and len(each.split()) > 1)
    begun = (each for each in found if patterns.question.search(flat(each)) is not None)
    chosen = next(marked, None) or next(begun, None)
    start = -1 if chosen is None else query.find(chosen)
    return None if chosen is None or start < 0 else (chosen, start)


def _asks(text: str, patterns: QuestionPatterns) -> bool:
    if patterns.question.search(text) is not None:
        return True
    return patterns.noun_request.search(text) is not None and len(text.split()) <= FEW_WORDS


def _masked(text: str, small: str, patterns: QuestionPatterns) -> str:
    """Replace what only looks like a time by dots, at the same offsets."""
    clear = patterns.not_a_time.sub(lambda match: "·" * len(match[0]), small)
    return text if clear == small else clear


def _core(rest: str, patterns: QuestionPatterns) -> str:
    core = patterns.closing.sub("", rest, count=1)
    for _ in range(_MOST_OPENINGS):
        bare = patterns.indirect.sub("", patterns.opening.sub("", core, count=1), count=1)
        if bare == core:
            break
        core = bare
    return core.strip(EDGES)


_CLAUSE_END = re.compile(r"[.!?,;:()\n]")
_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
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

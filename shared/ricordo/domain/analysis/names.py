"""Names in a query: what its writer capitalised, and what the user's memories know."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ricordo.domain.analysis.languages.patterns import QueryPatterns
from ricordo.domain.analysis.reading import flat
from ricordo.domain.names import is_given
from ricordo.domain.stop_words import stop_words
from ricordo.domain.temporal import TimeSpan

_WORD = re.compile(r"[^\W_]+(?:[-.&][^\W_]+)*")
_SENTENCE_BREAK = re.compile(r"[.!?:;\n\"“«(]\s*$")
_POSSESSIVE = re.compile(r"['’]s\b")
_AFTER_COMMA = re.compile(r"\w,\s$")
_SENTENCE_END = re.compile(r"\s?(?:[.!?…]|$)")
# Given names that are more often things where they are written small.
_THINGS = frozenset(
    "marina gloria vittoria aurora asia angelo franco leo dino elia vera carol gene jean jack max holly "
    "heather lily victoria virginia ella iris diana marco nick mike rob josh tom bill".split()
)
_REACH = 40  # characters before a name
_LONGEST_NAME = 4  # words
_PARTICLES = frozenset({"de", "di", "del", "della", "van", "von", "da", "la", "of"})


@dataclass(frozen=True, slots=True)
class _Word:
    text: str
    start: int
    end: int
    initial: bool  # it begins a sentence, so that its capital says nothing


def names(
    query: str, known: Iterable[str], time: TimeSpan | None, patterns: QueryPatterns, language: str
) -> tuple[str, ...]:
    """Return the names in `query`, each once, in their order.

    A known name counts in any case of letters, unless it is also a function word and not capitalised. Other
    names are runs of capitalised words, in a query that is not all in capitals; one that begins a sentence
    is a name with a possessive, or when it is given to people. Such a name counts in small letters too, where
    the word before it leads up to a name or all is written small.
    """
    words = list(_words(query, time))
    spelled, firsts = _spelled(frozenset(known))
    shouted = not any(c.islower() for c in query)
    common = stop_words(language) | patterns.subjects.no_names
    found: list[str] = []
    at = 0
    while at < len(words):
        name, used = _known(words, at, spelled, common) if words[at].text.casefold() in firsts else (None, 1)
        if name is None and not shouted:
            name, used = _capitalised(query, words, at, patterns, language)
        if name is None:
            name = _given(query, words, at, patterns)
        said_to = name is not None and is_addressed(
            query, words[at].start, words[at + used - 1].end, patterns
        )
        if name is not None and name not in found and not said_to:
            found.append(name)
        at += used
    return tuple(found)


# One set of names serves all queries of a user in turn.
@lru_cache(maxsize=64)
def _spelled(known: frozenset[str]) -> tuple[dict[str, str], frozenset[str]]:
    """Return the names by how they are case-folded, and the first word of each."""
    spelled = {" ".join(_WORD.findall(name)).casefold(): name for name in sorted(known)}
    spelled.pop("", None)
    return spelled, frozenset(name.split()[0] for name in spelled)


def is_addressed(query: str, start: int, end: int, patterns: QueryPatterns) -> bool:
    """Whether somebody is spoken to by name ("Hey John, …", "…, Anna?"), and not spoken of."""
    before = flat(query[max(0, start - _REACH) : start])
    if patterns.asking.addressed.search(before) is not None:
        return True
    return _AFTER_COMMA.search(before) is not None and _SENTENCE_END.match(query, end) is not None


def _words(query: str, time: TimeSpan | None) -> Iterator[_Word]:
    first = True
    for match in _WORD.finditer(query):
        initial = (
            first or _SENTENCE_BREAK.search(query[max(0, match.start() - 3) : match.start()]) is not None
        )
        first = False
        if time is not None and time.span[0] <= match.start() < time.span[1]:
            continue
        yield _Word(match.group(), match.start(), match.end(), initial)


def _known(
    words: Sequence[_Word], at: int, spelled: Mapping[str, str], common: frozenset[str]
) -> tuple[str | None, int]:
    for length in range(min(_LONGEST_NAME, len(words) - at), 0, -1):
        run = words[at : at + length]
        name = spelled.get(" ".join(word.text for word in run).casefold())
        if name is None:
            continue
        doubtful = length == 1 and run[0].text.casefold() in common
        if not doubtful or (run[0].text[0].isupper() and not run[0].initial):
            return name, length
    return None, 1


def _capitalised(
    query: str, words: Sequence[_Word], at: int, patterns: QueryPatterns, language: str
) -> tuple[str | None, int]:
    first = words[at]
    if not _is_name(first, patterns, language):
        return None, 1
    if first.initial and not (_POSSESSIVE.match(query, first.end) or _begins_with_name(first.text)):
        return None, 1
    end = at + 1
    while end < len(words) and end - at < _LONGEST_NAME and _continues(query, words, end, patterns, language):
        end += 1
    if words[end - 1].text.casefold() in _PARTICLES:
        end -= 1
    return query[first.start : words[end - 1].end], end - at


def _given(query: str, words: Sequence[_Word], at: int, patterns: QueryPatterns) -> str | None:
    """Return the given name that is written small, where the words around it say that it is one."""
    word = words[at].text
    if not word.islower() or not is_given(word) or _is_common(word):
        return None
    before = words[at - 1].text.casefold() if at > 0 else ""
    if before in patterns.subjects.name_cues or _POSSESSIVE.match(query, words[at].end):
        return word.title()
    # Who writes all small writes names small too; behind an article it is the thing: "la vittoria".
    determined = before and patterns.subjects.articles.match(before) is not None
    meant = query.islower() and not determined and word not in _THINGS
    return word.title() if meant else None


def _begins_with_name(word: str) -> bool:
    return is_given(word) and not _is_common(word)


def _is_common(word: str) -> bool:
    return any(word.casefold() in stop_words(language) for language in ("it", "en"))


def _continues(query: str, words: Sequence[_Word], at: int, patterns: QueryPatterns, language: str) -> bool:
    if query[words[at - 1].end : words[at].start] != " ":
        return False
    if _is_name(words[at], patterns, language):
        return True
    particle = words[at].text in _PARTICLES and at + 1 < len(words)
    adjacent = particle and query[words[at].end : words[at + 1].start] == " "
    # "Leonardo da Vinci"; but "Davide di Roma" are two: Italian joins everything with "di".
    joins = words[at].text in {"da", "van", "von", "de"}
    return adjacent and joins and _is_name(words[at + 1], patterns, language)


def _is_name(word: _Word, patterns: QueryPatterns, language: str) -> bool:
    text = word.text
    folded = text.casefold()
    if not text[0].isupper() or len(text) < 2 or text[1] == "-":  # "T-shirt"
        return False
    return folded not in patterns.subjects.no_names and folded not in stop_words(language)

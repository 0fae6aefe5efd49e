"""Names in a query: what its writer capitalised, and what the user's memories know."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ricordo.domain.analysis.languages.patterns import QueryPatterns
from ricordo.domain.stop_words import stop_words
from ricordo.domain.temporal import TimeSpan

_WORD = re.compile(r"[^\W_]+(?:[-.&][^\W_]+)*")
_SENTENCE_BREAK = re.compile(r"[.!?:;\n\"“«(]\s*$")
_POSSESSIVE = re.compile(r"['’]s\b")
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
    names are runs of capitalised words that do not begin a sentence (but for a possessive), in a query that
    is not all in capitals.
    """
    words = list(_words(query, time))
    spelled = {name.casefold(): name for name in known if name.strip()}
    shouted = not any(c.islower() for c in query)
    common = stop_words(language) | patterns.no_names
    found: list[str] = []
    at = 0
    while at < len(words):
        name, used = _known(words, at, spelled, common)
        if name is None and not shouted:
            name, used = _capitalised(query, words, at, patterns, language)
        if name is not None and name not in found:
            found.append(name)
        at += used
    return tuple(found)


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
    if first.initial and not _POSSESSIVE.match(query, first.end):
        return None, 1
    end = at + 1
    while end < len(words) and end - at < _LONGEST_NAME and _continues(query, words, end, patterns, language):
        end += 1
    if words[end - 1].text.casefold() in _PARTICLES:
        end -= 1
    return query[first.start : words[end - 1].end], end - at


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
    if not text[0].isupper() or len(text) < 2:
        return False
    return folded not in patterns.no_names and folded not in stop_words(language)

"""Finds names in a text: capitalised words, and names that the user's memories know."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from ricordo.language.data_files import LANGUAGES
from ricordo.language.document import Document
from ricordo.language.name_lists import LONGEST_NAME, TITLES, elided_before, is_given, load_names
from ricordo.language.query_analysis.question_patterns import QuestionPatterns, load_patterns
from ricordo.language.query_analysis.question_sentence import flat
from ricordo.language.temporal.moments import TimeSpan
from ricordo.language.text import name_key, stop_words

_WORD = re.compile(r"[^\W_]+(?:[-.&][^\W_]+)*")
_SENTENCE_BREAK = re.compile(r"[.!?:;\n\"“«(]\s*$")
_POSSESSIVE = re.compile(r"['’]s\b")
_AFTER_COMMA = re.compile(r"\w,\s$")
_SENTENCE_END = re.compile(r"\s?(?:[.!?…]|$)")
_REACH = 40  # characters before a name
_SAINTS = frozenset({"st", "saint"})


@dataclass(frozen=True, slots=True)
class _Word:
    text: str
    folded: str
    start: int
    end: int
    initial: bool  # it begins a sentence, so that its capital says nothing


def find_names(
    query: str, known: Iterable[str], time: TimeSpan | None, patterns: QuestionPatterns
) -> tuple[str, ...]:
    """Return the names in `query`, each once, in their order; not those of people who are spoken to.

    A known name counts in any case of letters, unless it is also a word and written small, or a function
    word. Other names are runs of capitalised words, in a query that is not all in capitals; one that begins a
    sentence is a name with a possessive, or when it is given to people. Such a name counts in small letters
    too, where the word before it leads up to a name or all is written small.
    """
    words = tuple(_words(query, time))
    return _NameFinder(query, words, patterns).found(*_spelled(frozenset(known)))


def names_in(document: Document, known: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the names in a text, as `find_names`."""
    return find_names(document.composed.text, known, None, load_patterns(document.language))


# One set of names serves all queries of a user in turn.
@lru_cache(maxsize=64)
def _spelled(known: frozenset[str]) -> tuple[Mapping[str, str], frozenset[str]]:
    """Return the names by how they are case-folded, and the first word of each."""
    spelled = {" ".join(_WORD.findall(name_key(name))): name for name in sorted(known)}
    spelled.pop("", None)
    return spelled, frozenset(name.split()[0] for name in spelled)


def is_addressed(query: str, start: int, end: int, patterns: QuestionPatterns) -> bool:
    """Whether somebody is spoken to by name ("Hey John, …", "…, Anna?"), and not spoken of."""
    before = flat(query[max(0, start - _REACH) : start])
    if patterns.before_addressee.search(before) is not None:
        return True
    return _AFTER_COMMA.search(before) is not None and _SENTENCE_END.match(query, end) is not None


def _words(query: str, time: TimeSpan | None) -> Iterator[_Word]:
    for place, match in enumerate(_WORD.finditer(query)):
        start, end = match.span()
        initial = place == 0 or _SENTENCE_BREAK.search(query[max(0, start - 3) : start]) is not None
        if time is None or not time.span[0] <= start < time.span[1]:
            yield _Word(match[0], match[0].casefold(), start, end, initial)


@dataclass(frozen=True, slots=True)
class _NameFinder:
    """The names of a query, looked for word by word."""

    query: str
    words: tuple[_Word, ...]
    patterns: QuestionPatterns

    def found(self, spelled: Mapping[str, str], firsts: frozenset[str]) -> tuple[str, ...]:
        """Return the names."""
        shouted = not any(c.islower() for c in self.query)
        kept: list[str] = []
        at = 0
        while at < len(self.words):
            name, used = self._known(at, spelled) if self.words[at].folded in firsts else (None, 1)
            if name is None and not shouted and self.patterns.language:
                name, used = self._capitalised(at)
            name = name or (self._given(at) if self.patterns.language else None)
            start, end = self.words[at].start, self.words[at + used - 1].end
            if name and name not in kept and not is_addressed(self.query, start, end, self.patterns):
                kept.append(name)
            at += used
        return tuple(kept)

    def _known(self, at: int, spelled: Mapping[str, str]) -> tuple[str | None, int]:
        for length in range(min(LONGEST_NAME, len(self.words) - at), 0, -1):
            name = spelled.get(" ".join(word.folded for word in self.words[at : at + length]))
            if name is not None and (length > 1 or self._is_meant(at)):
                return name, length
        return None, 1

    def _is_meant(self, at: int) -> bool:
        """Whether a single word that is known as a name is one here."""
        word = self.words[at]
        if word.folded in stop_words(self.patterns.language) or word.folded in self.patterns.not_names:
            return word.text[0].isupper() and not word.initial
        if word.text.islower() and word.folded in load_names().also_words:
            return self._leads_up(at)
        return True

    def _capitalised(self, at: int) -> tuple[str | None, int]:
        first = self.words[at]
        if not (self._is_name(first) or self._leads_a_surname(at)) or self._says_whence(at):
            return None, 1
        if first.initial and not (self._possesses(at) or _is_given(first.folded) or self._is_elided(at)):
            return None, 1
        end = at + 1
        while end < len(self.words) and end - at < LONGEST_NAME and self._continues(end):
            end += 1
        if end - at > 1 and self.words[end - 1].folded in load_names().particles:  # not "Where is Van?"
            end -= 1
        return self.query[first.start : self.words[end - 1].end], end - at

    def _says_whence(self, at: int) -> bool:
        """Whether a word says where something is from: "a Canadian citizen"."""
        patterns = self.patterns
        determined = at > 0 and patterns.articles.match(self.words[at - 1].folded) is not None
        return determined and patterns.origins.match(self.words[at].folded) is not None

    def _given(self, at: int) -> str | None:
        """Return the given name that is written small, where the words around it say that it is one."""
        word = self.words[at].text
        return word.title() if word.islower() and _is_given(word) and self._leads_up(at) else None

    def _leads_up(self, at: int) -> bool:
        """Whether a word written small is a name, by what stands around it."""
        before = self.words[at - 1].folded if at > 0 else ""
        if before in self.patterns.name_cues or self._possesses(at):
            return True
        # Who writes all small writes names small too; behind an article it is the thing: "la vittoria".
        determined = before and self.patterns.articles.match(before) is not None
        mostly = self.words[at].folded in load_names().mostly_words
        return self.query.islower() and not determined and not mostly

    def _possesses(self, at: int) -> bool:
        return _POSSESSIVE.match(self.query, self.words[at].end) is not None

    def _continues(self, at: int) -> bool:
        """Whether the name of the word before goes on with this one, be it a particle: "van der Berg"."""
        names = load_names()
        for place, word in enumerate(self.words[at : at + LONGEST_NAME], at):
            if not self._is_next(place):
                break
            if self._is_name(word) or self._is_elided(place):
                return True
            # "Leonardo da Vinci"; but "Davide di Roma" are two: Italian joins everything with "di".
            is_part = word.text in names.joining or self._is_a_saints(place)
            if not is_part and (word.text.islower() or word.folded not in names.particles):
                break
        return False

    def _leads_a_surname(self, at: int) -> bool:
        """Whether a word with a capital is part of the name that it leads: "De Luca", "O'Neill"."""
        word = self.words[at]
        leads = word.folded in load_names().particles and word.text[0].isupper() and not word.initial
        return self._is_elided(at) or (leads and self._continues(at + 1))

    def _is_elided(self, at: int) -> bool:
        """Whether an apostrophe joins a word to the name behind: "O'Neill"; not "I'VE"."""
        behind = (one for one in self.words[at + 1 : at + 2] if self._is_name(one) and not one.text.isupper())
        return any(elided_before(self.query, one.start) for one in behind)

    def _is_next(self, at: int) -> bool:
        before = self.words[at - 1]
        gap = self.query[before.end : self.words[at].start]
        return (
            gap == " "
            or self._is_a_saints(at)
            or (gap == ". " and f"{before.folded}." in TITLES)
            or self._is_elided(at - 1)
        )

    def _is_a_saints(self, at: int) -> bool:
        """Whether it is the "s" of "St Mary's Hospital"."""
        return self.words[at].folded == "s" and at > 1 and self.words[at - 2].folded in _SAINTS

    def _is_name(self, word: _Word) -> bool:
        if not word.text[0].isupper() or len(word.text) < 2 or word.text[1] == "-":  # "T-shirt"
            return False
        not_names = self.patterns.not_names
        return word.folded not in not_names and word.folded not in stop_words(self.patterns.language)


def _is_given(word: str) -> bool:
    """Whether a word is a given name, and no function word of any language."""
    return is_given(word) and not any(word.casefold() in stop_words(language) for language in LANGUAGES)

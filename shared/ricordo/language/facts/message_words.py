"""Tells how a message puts some of its words, and what of a phrase is its value: to validate statements."""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, tzinfo
from enum import Enum
from functools import lru_cache
from itertools import pairwise
from typing import Final

from ricordo.language.assertion_scope import asserted_spans, plain
from ricordo.language.data_files import word_list
from ricordo.language.document import Document
from ricordo.language.facts.evidence import Statement
from ricordo.language.facts.fact_tokens import Tokens, own_words, tokenise
from ricordo.language.facts.fact_words import FactWords, words_for
from ricordo.language.facts.validity import timed
from ricordo.language.name_lists import load_names
from ricordo.language.temporal.lexicon import LEXICONS, Kind, SpelledNumber
from ricordo.language.text import stop_words

Span = tuple[int, int]
_ENDS: Final = re.compile(r"[.!?…\n]+")
_WORDS: Final = re.compile(r"[^\W_]+")
_COUNTED: Final = re.compile(r"[^\W_]+|-")
_LONGEST_NUMBER: Final = 8  # words
_NONE: Final = word_list("denials")
_LONGEST_NAME: Final = 5  # words
_PAUSES: Final = frozenset({",", ":", "(", ")", "–", "—", "-", "/"})


class Mood(Enum):
    """How a message puts something."""

    ASSERTED = "asserted"
    DENIED = "denied"
    OVER = "over"
    """It is said to be no longer so."""
    UNSTATED = "unstated"
    """It is asked, wished, imagined, quoted or said in jest."""


class MessageWords:
    """The words of one message, by which what is read in it is validated."""

    def __init__(self, document: Document) -> None:
        self._language = document.language
        self._own = own_words(document.text)
        self._words = words_for(document)
        self._tokens = tokenise(self._own, self._words.code)
        starts, ends = self._tokens.starts, self._tokens.ends
        spans = asserted_spans(self._own, self._words.code)
        self._asserted = [(bisect_right(ends, one), bisect_right(starts, end - 1)) for one, end in spans]

    def mood(self, begin: int, end: int) -> Mood:
        """Say how the words at offsets `[begin, end)` are put."""
        at = bisect_right(self._tokens.ends, begin)
        if at == len(self._tokens.ends) or self._tokens.starts[at] >= end:
            return Mood.UNSTATED  # speech of others
        stretch = next((one for one in self._asserted if one[0] <= at < one[1]), None)
        if stretch is None:
            return Mood.UNSTATED
        return _put(self._tokens, self._words, _clause(self._tokens, self._words, stretch, at), at)

    def trimmed(self, begin: int, end: int) -> Span:
        """Return the offsets of a phrase without articles, possessives and prepositions around it."""
        tokens, led = self._tokens, self._words.leads
        first, last = bisect_right(tokens.ends, begin), bisect_right(tokens.starts, end - 1) - 1
        if not tokens.starts or first > last:
            return begin, end
        begin, end = max(begin, tokens.starts[first]), min(end, tokens.ends[last])
        while first < last and tokens.low[first] in led and not self._is_of_a_name(first):
            first += 1
            begin = tokens.starts[first]
        # A word that is joined to the one before it is part of a name: "E.ON".
        while last > first and tokens.low[last] in led and tokens.starts[last] > tokens.ends[last - 1]:
            last -= 1
            end = tokens.ends[last]
        return begin, end

    def _is_of_a_name(self, at: int) -> bool:
        """Whether a word is written as the beginning of a name: "La Spezia", not at the head of the text."""
        return at > 0 and self._tokens.is_capital(at)

    def core(self, phrase: str) -> str:
        """Return a phrase, of the message or not, without what `trimmed` takes from its front."""
        words = re.sub(r"(?<=\w')(?=\w)", " ", phrase.replace("’", "'")).split()
        while len(words) > 1 and words[0] in self._words.leads:
            del words[0]
        return " ".join(words)

    def timed(self, statement: Statement, at: datetime, zone: tzinfo | None) -> Statement | None:
        """Return a statement with the times that its clause tells; None of one that lies ahead."""
        return timed(statement, self._own, at=at, zone=zone or UTC, language=self._words.code)

    def points_away(self, phrase: str) -> bool:
        """Return whether `phrase` says nothing by itself: "it", "questo", "them all"."""
        words = [word.lower() for word in _WORDS.findall(phrase)]
        return self._words.pointing.issuperset(words)

    def number(self, phrase: str) -> str:
        """Return the figures of the first number in `phrase`; "" where there is none."""
        return next((figures for _, figures in self._numbers(phrase)), "")

    def years(self, phrase: str) -> str:
        """Return the figures of an age; "" where `phrase` has no number, or counts months or weeks."""
        first, figures = next(self._numbers(phrase), ((0, 0), ""))
        behind, lexicon = _WORDS.search(phrase, first[1]), LEXICONS.get(self._language)
        unit = lexicon and behind and lexicon.phrases.get((behind.group().lower(),))
        return figures if not unit or unit.values.get(Kind.UNIT, "year") == "year" else ""

    def written(self, figures: str, phrase: str) -> str:
        """Return how `phrase` writes a number: "thirty-four" of "34"; the figures where it does not."""
        return next((phrase[slice(*at)] for at, found in self._numbers(phrase) if found == figures), figures)

    def _numbers(self, phrase: str) -> Iterator[tuple[Span, str]]:
        """Yield the numbers of a phrase: where each stands, and its figures."""
        words, at = list(_COUNTED.finditer(phrase)), 0
        while at < len(words):
            word, length = words[at].group(), 1
            if word.isascii() and word.isdigit():
                yield words[at].span(), word
            elif spelled := self._spelled([plain(one.group()) for one in words[at : at + _LONGEST_NUMBER]]):
                length = spelled.words
                yield (words[at].start(), words[at + length - 1].end()), str(spelled.value)
            at += length

    def _spelled(self, words: Sequence[str]) -> SpelledNumber | None:
        lexicon = LEXICONS.get(self._language)
        return lexicon.numbers.read(words) if lexicon and lexicon.numbers.begins(words[0]) else None

    def is_name(self, written: str) -> bool:
        """Tell whether `written`, as it stands in the message, looks like somebody's or something's name."""
        words = _WORDS.findall(written)
        if not words or len(words) > _LONGEST_NAME or not written[0].isupper():
            return False
        common = load_names().never | stop_words(self._language) | self._words.common
        return not any(word.casefold() in common for word in (words[0], words[-1]))


def _clause(tokens: Tokens, words: FactWords, stretch: Span, at: int) -> Span:
    """Return the clause around a token of what is asserted, between pauses and words that join."""
    begin, end = at, at + 1
    while begin > stretch[0] and not _cuts(tokens.low[begin - 1], words):
        begin -= 1
    while end < stretch[1] and not _cuts(tokens.low[end], words):
        end += 1
    return begin, end


def _cuts(word: str, words: FactWords) -> bool:
    return word in _PAUSES or word in words.joints


def _put(tokens: Tokens, words: FactWords, clause: Span, at: int) -> Mood:
    """Say how a clause puts its token `at`: by the denials before it, and what ends them."""
    begin, end = clause
    if tokens.low[begin] in words.whenever:
        return Mood.UNSTATED
    before = tokens.low[begin:at]
    longer = ("no", "longer") in pairwise(before)
    if not longer and not any(word in words.negations or word in _NONE for word in before):
        return Mood.ASSERTED
    over = longer or any(word in words.over for word in tokens.low[begin:end])
    return Mood.OVER if over else Mood.DENIED


_APOSTROPHE: Final = "['’‘]"


def place_of(claimed: str, text: str) -> Span | None:
    """Return where `text` first has the words of `claimed`; None where it does not."""
    return next(places(claimed, text, 0, len(text)), None)


def places(claimed: str, text: str, begin: int, end: int) -> Iterator[Span]:
    """Yield where `text[begin:end]` has the words of `claimed`, whole.

    Spelled the same, or else in any case; spacing and the kind of apostrophe do not count.
    """
    pattern = _pattern(unicodedata.normalize("NFC", claimed))
    if pattern is None:
        return
    for flags in (re.NOFLAG, re.IGNORECASE):
        found = [match.span() for match in re.compile(pattern, flags).finditer(text, begin, end)]
        if found:
            yield from found
            return


@lru_cache(maxsize=256)
def _pattern(phrase: str) -> str | None:
    if not any(letter.isalnum() for letter in phrase):
        return None
    words = (re.sub(_APOSTROPHE, lambda _: _APOSTROPHE, re.escape(word)) for word in phrase.split())
    return "".join((r"(?<!\w)", r"\s+".join(words), r"(?!\w)"))

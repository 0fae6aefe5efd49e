"""Checks whether a message asserts some of its words, to validate what a model extracted."""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from datetime import datetime, tzinfo
from enum import Enum
from functools import lru_cache
from itertools import pairwise
from typing import Final
from zoneinfo import ZoneInfo

from ricordo.language.document import Document
from ricordo.language.facts.asserted_spans import assertions, in_jest
from ricordo.language.facts.clauses import clauses
from ricordo.language.facts.evidence import Statement
from ricordo.language.facts.fact_grammar import Grammar
from ricordo.language.facts.fact_tokens import Tokens, own_words, tokenise
from ricordo.language.facts.grammar_data import recognise
from ricordo.language.facts.mentions import mentions
from ricordo.language.facts.name_spans import Span
from ricordo.language.facts.object_phrases import ObjectPhrases
from ricordo.language.facts.validity import timed
from ricordo.language.facts.word_forms import word_list
from ricordo.language.name_lists import load_names
from ricordo.language.text import stop_words

_ENDS: Final = re.compile(r"[.!?…\n]+")
_WORDS: Final = re.compile(r"[^\W_]+")
_COUNTED: Final = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
_NONE: Final = word_list("denials")
_LONGEST_NAME: Final = 5  # words


class Mood(Enum):
    """How a message puts something."""

    ASSERTED = "asserted"
    DENIED = "denied"
    OVER = "over"
    """It is said to be no longer so."""
    UNSTATED = "unstated"
    """It is asked, wished, imagined, quoted or said in jest."""


class MessageGrammar:
    """The words of one message, by which what a model reads in it is validated."""

    def __init__(self, document: Document, grammars: Mapping[str, Grammar]) -> None:
        self._language = document.language
        self._own = own_words(document)
        self._grammar = recognise(document, grammars)
        self._tokens: Tokens | None = None
        self._asserted: list[Span] = []
        self._clauses: dict[Span, list[Span]] = {}
        if self._grammar is not None:
            self._tokens = tokenise(document, self._grammar.code)
            jest = in_jest(self._tokens, self._grammar)
            stretches = () if jest else assertions(self._tokens, self._grammar)
            self._asserted = [(first, after) for first, after, _ in stretches]

    def mood(self, begin: int, end: int) -> Mood:
        """Say how the words at offsets `[begin, end)` are put."""
        if self._grammar is None or self._tokens is None:
            return self._plainly(begin, end)
        at = bisect_right(self._tokens.ends, begin)
        if at == len(self._tokens.ends) or self._tokens.starts[at] >= end:
            return Mood.UNSTATED  # speech of others
        stretch = next((one for one in self._asserted if one[0] <= at < one[1]), None)
        if stretch is None:
            return Mood.UNSTATED
        clause = next((one for one in self._clauses_of(stretch) if one[0] <= at < one[1]), stretch)
        return _put(self._tokens, self._grammar, clause, at)

    def bare(self, begin: int, end: int) -> Span:
        """Return the offsets of a phrase without its leading articles, possessives and prepositions."""
        if self._grammar is None or self._tokens is None:
            return begin, end
        tokens, grammar = self._tokens, self._grammar
        first, after = bisect_right(tokens.ends, begin), bisect_right(tokens.starts, end - 1)
        phrasing, at = ObjectPhrases(tokens, grammar), first
        while at < after - 1 and not (at > 0 and tokens.raw[at][0].isupper()):
            stepped = phrasing.lead(at, after - 1)
            if stepped == at and tokens.low[at] not in grammar.prepositions | grammar.possessives:
                break
            at = max(stepped, at + 1)
        return (tokens.starts[at], end) if first < at < after else (begin, end)

    def trimmed(self, begin: int, end: int) -> Span:
        """Return the offsets of a phrase without its articles, possessives and prepositions at either end."""
        begin, end = self.bare(begin, end)
        if self._grammar is not None and self._tokens is not None:
            led = self._grammar.determiners | self._grammar.prepositions | self._grammar.possessives
            first, last = (
                bisect_right(self._tokens.ends, begin),
                bisect_right(self._tokens.starts, end - 1) - 1,
            )
            while last > first and self._tokens.low[last] in led:
                last -= 1
                end = self._tokens.ends[last]
        return begin, end

    def core(self, phrase: str) -> str:
        """Return `phrase`, which need not stand in the message, without what `bare` takes away."""
        if self._grammar is None:
            return phrase
        led = self._grammar.determiners | self._grammar.prepositions | self._grammar.possessives
        words = re.sub(r"(?<=\w')(?=\w)", " ", phrase.replace("’", "'")).split()
        while len(words) > 1 and words[0] in led:
            del words[0]
        return " ".join(words)

    def timed(self, statement: Statement, at: datetime, zone: tzinfo | None) -> Statement | None:
        """Return a statement with the times that its clause tells; None of one that lies ahead."""
        if self._grammar is None:
            return statement
        code = self._grammar.code
        found = timed([statement], self._own, at=at, zone=zone or ZoneInfo("UTC"), language=code)
        return found[0] if found else None

    def points_away(self, phrase: str) -> bool:
        """Return whether `phrase` says nothing by itself: "it", "questo", "them all"."""
        words = [word.lower() for word in _WORDS.findall(phrase)]
        if self._grammar is None:
            return not words
        away = self._grammar.refused | self._grammar.idle | self._grammar.vague | self._grammar.deictic
        return all(word in away for word in words)

    def number(self, phrase: str) -> str:
        """Return the figures of the first number in `phrase`; "" where there is none."""
        return next((figures for _, figures in self._numbers(phrase)), "")

    def written(self, figures: str, phrase: str) -> str:
        """Return how `phrase` writes a number: "thirty-four" of "34"; the figures where it does not."""
        return next((word for word, found in self._numbers(phrase) if found == figures), figures)

    def _numbers(self, phrase: str) -> Iterator[tuple[str, str]]:
        numbers: Mapping[str, str] = {} if self._grammar is None else self._grammar.numbers
        for found in _COUNTED.finditer(phrase):
            word = found.group()
            if word.isascii() and word.isdigit():
                yield word, word
            elif word.lower() in numbers:
                yield word, numbers[word.lower()]

    def is_name(self, written: str) -> bool:
        """Tell whether `written`, as it stands in the message, looks like somebody's or something's name."""
        words = _WORDS.findall(written)
        if not words or len(words) > _LONGEST_NAME or not written[0].isupper():
            return False
        common = load_names().never | stop_words(self._language)
        if self._grammar is not None:
            common |= self._grammar.common
        return not any(word.casefold() in common for word in (words[0], words[-1]))

    def _clauses_of(self, stretch: Span) -> list[Span]:
        """Return the clauses of a stretch that asserts something; cut once, however much is asked of it."""
        if stretch not in self._clauses and self._tokens is not None and self._grammar is not None:
            found = {one.begin: one for one in mentions(self._tokens, self._grammar, *stretch)}
            cut = clauses(self._tokens, self._grammar, *stretch, found)
            self._clauses[stretch] = [(one.begin, one.end) for one in cut]
        return self._clauses[stretch]

    def _plainly(self, begin: int, end: int) -> Mood:
        """Say it of a language without a grammar."""
        if not self._own[begin:end].strip():
            return Mood.UNSTATED
        close = _ENDS.search(self._own, end)
        return Mood.UNSTATED if close is not None and "?" in close.group() else Mood.ASSERTED


def _put(tokens: Tokens, grammar: Grammar, clause: Span, at: int) -> Mood:
    """Say how a clause puts its token `at`: by the denials before it, and what ends them."""
    begin, end = clause
    if tokens.low[begin] in grammar.whenever:
        return Mood.UNSTATED
    before = tokens.low[begin:at]
    longer = ("no", "longer") in pairwise(before)
    if not longer and not any(word in grammar.negations or word in _NONE for word in before):
        return Mood.ASSERTED
    over = longer or any(word in grammar.over for word in tokens.low[begin:end])
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

"""Splits a text into lexemes: words with all their meanings in an expression of time."""

import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from ricordo.language.temporal.lexicon import Kind, Lexicon, Term, Value
from ricordo.language.tokenization import TIME, tokenize

_MOST_READ = 4096
_MOST_TOKENS = 1500  # of a passage; prose of that many characters has half as many
_LONGEST_NUMBER = 9  # digits; what is longer names no time
_NUMBER_WORDS = 8
_LONGEST_WORD = 40
_ABBREVIATED = frozenset({Kind.MONTH, Kind.WEEKDAY})
_LONGEST_ABBREVIATION = 5
_PRICED = frozenset("$€£¥#№")
_NOTHING: Mapping[Kind, Value] = {}


class Lexeme(NamedTuple):
    """A word, a number or a phrase of the text. A tuple, because a long text has thousands of them.

    Attributes:
        values: What it can be; empty for a word that has nothing to do with time.
        weak: It means a time only in company.
    """

    text: str
    start: int
    end: int
    values: Mapping[Kind, Value] = _NOTHING
    weak: bool = False
    digits: int = 0
    capital: bool = False


def lexemes(text: str, lexicon: Lexicon) -> list[Lexeme]:
    """Cut the first 4,096 characters of a text: the longest phrases first, then numbers, then words."""
    tokens = [
        Lexeme(_plain(token.written), token.start, token.end, capital=token.written[0].isupper())
        for token in islice(tokenize(text, TIME, 0, _MOST_READ), _MOST_TOKENS)
    ]
    words = [token.text for token in tokens]
    found: list[Lexeme] = []
    at = 0
    while at < len(tokens):
        word = words[at]
        if word in lexicon.reach or word[0].isdigit() or lexicon.numbers.begins(word):
            lexeme, used = _lexeme(tokens, words, at, lexicon)
        else:
            lexeme, used = tokens[at], 1  # most words have nothing to do with time
        found.append(lexeme)
        at += used
    return found


def _plain(raw: str) -> str:
    if raw.isascii():
        return raw.lower()
    return _without_accents(raw) if len(raw) <= _LONGEST_WORD else raw


# Words that would be others without their accent ("giu" is short for June).
_ACCENTED = frozenset({"giù", "è", "dì"})


@lru_cache(maxsize=4096)
def _without_accents(raw: str) -> str:
    if raw.lower() in _ACCENTED:
        return raw.lower()
    plain = unicodedata.normalize("NFD", raw.lower().replace("’", "'"))
    return "".join(c for c in plain if not unicodedata.combining(c)) or raw


def _lexeme(tokens: Sequence[Lexeme], words: Sequence[str], at: int, lexicon: Lexicon) -> tuple[Lexeme, int]:
    token, word = tokens[at], words[at]
    if word[0].isdigit():
        return _digits(tokens, at, lexicon)
    term, used = _longest(words, at, lexicon)
    number = lexicon.numbers.read(words[at : at + _NUMBER_WORDS]) if lexicon.numbers.begins(word) else None
    if number is not None and number.words >= used:
        values: dict[Kind, Value] = dict(term.values) if term is not None and used == number.words else {}
        values[Kind.NUMBER] = number.value
        end = tokens[at + number.words - 1].end
        return Lexeme(word, token.start, end, values, capital=token.capital), number.words
    if term is None:
        return token, 1
    used += _is_abbreviated(tokens, at + used, term)
    end = tokens[at + used - 1].end
    return Lexeme(word, token.start, end, term.values, term.weak, capital=token.capital), used


def _is_abbreviated(tokens: Sequence[Lexeme], point: int, term: Term) -> bool:
    """Whether the point behind a short name of a month or a day belongs to it and ends no sentence."""
    if term.values.keys().isdisjoint(_ABBREVIATED) or point + 1 >= len(tokens) or tokens[point].text != ".":
        return False
    name, following = tokens[point - 1], tokens[point + 1]
    short = len(name.text) <= _LONGEST_ABBREVIATION and tokens[point].start == name.end
    return short and not following.capital and following.text != "\n"


def _longest(words: Sequence[str], at: int, lexicon: Lexicon) -> tuple[Term | None, int]:
    for length in range(lexicon.reach.get(words[at], 0), 0, -1):
        phrase = tuple(words[at : at + length])
        term = lexicon.phrases.get(phrase)
        if term is not None:
            return term, len(phrase)
    return None, 1


def _digits(tokens: Sequence[Lexeme], at: int, lexicon: Lexicon) -> tuple[Lexeme, int]:
    token = tokens[at]
    digits = len(token.text)
    if digits > _LONGEST_NUMBER or not token.text.isascii():
        return token, 1
    if at > 0 and tokens[at - 1].text in _PRICED:
        return token, 1  # a price or the number of something
    value = int(token.text)
    after = tokens[at + 1] if at + 1 < len(tokens) else None
    if after is not None and after.start == token.end and after.text in lexicon.suffixes:
        return Lexeme(token.text, token.start, after.end, {Kind.ORDINAL: value}), 2
    return Lexeme(token.text, token.start, token.end, {Kind.NUMBER: value}, digits=digits), 1

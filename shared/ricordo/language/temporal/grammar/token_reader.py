"""Splits a text into lexemes, words with all their meanings in a time, and gives the rules access to them."""

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from typing import NamedTuple, cast

from ricordo.language.temporal.expressions.base import Expression, Relation
from ricordo.language.temporal.expressions.compounds import PartName
from ricordo.language.temporal.expressions.relative_dates import HALVES, Amount, Unit
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


_DEPTH = 3  # "the end of the first week of next month": what is deeper is no longer spoken


@dataclass(frozen=True, slots=True)
class Read:
    """An expression, and the index of the first lexeme after it."""

    expression: Expression
    end: int


Rule = Callable[["Reader", int], Read | None]
RuleTable = Sequence[tuple[Rule, frozenset[Kind]]]


@dataclass(slots=True)
class Reader:
    """Random access to lexemes by what they can be. Indices may lie outside: nothing is there."""

    items: Sequence[Lexeme]
    lexicon: Lexicon
    rules: RuleTable
    _known: dict[int, Read] = field(default_factory=dict)
    _failed: dict[int, int] = field(default_factory=dict)  # at which depth; deeper fails too
    _depth: int = 0

    def period(self, at: int) -> Read | None:
        """Read the longest period at `at`; the same place is read once."""
        known = self._known.get(at)
        if known is not None:
            return known
        if not 0 <= at < len(self.items) or self._depth >= self._failed.get(at, _DEPTH):
            return None
        self._depth += 1
        try:
            best = longest(self, at, self.rules)
        finally:
            self._depth -= 1
        if best is None:
            self._failed[at] = self._depth
        else:
            self._known[at] = best
        return best

    def inner(self, at: int) -> Read | None:
        """Read the period that another one is part of, behind "of", "of the" or nothing."""
        begin = self.skip(at, Kind.OF)
        return furthest(self.period(begin), self.period(self.skip(begin, Kind.THE)))

    def has(self, at: int, *kinds: Kind) -> bool:
        """Whether the lexeme at `at` can be one of `kinds`."""
        return 0 <= at < len(self.items) and not self.items[at].values.keys().isdisjoint(kinds)

    def is_text(self, at: int, *texts: str) -> bool:
        """Whether the lexeme at `at` is one of these words or signs."""
        return 0 <= at < len(self.items) and self.items[at].text in texts

    def number(self, at: int, kind: Kind) -> int | None:
        """Return the value of the lexeme as `kind`, when it has one that is a number."""
        value = self._value(at, kind)
        return value if isinstance(value, int) else None

    def word(self, at: int, kind: Kind) -> str | None:
        """Return the value of the lexeme as `kind`, when it has one that is a name."""
        value = self._value(at, kind)
        return value if isinstance(value, str) else None

    def _value(self, at: int, kind: Kind) -> Value | None:
        return self.items[at].values.get(kind) if 0 <= at < len(self.items) else None

    def relation(self, at: int) -> Relation | None:
        """Return how the lexeme places what stands beside it: last, this, next."""
        return cast("Relation | None", self.word(at, Kind.RELATION))

    def relation_behind(self, at: int, *others: Kind) -> Relation | None:
        """Return the relation at `at` behind what has a name, unless it places one of `others` behind itself.

        What is "this" one stands before: "Christmas present" is none.
        """
        relation = self.relation(at)
        return None if relation == "this" or self.has(at + 1, *others) else relation

    def leads_on(self, at: int) -> bool:
        """Whether the relation at `at` places what is behind it: the "last" of "morning last week".

        Not before a weekday, which stands behind its week: "la settimana scorsa sabato".
        """
        return self.has(at + 1, Kind.UNIT, Kind.MONTH, Kind.SEASON, Kind.HOLIDAY)

    def unit(self, at: int) -> Unit | None:
        """Return the unit of time that the lexeme names."""
        return cast("Unit | None", self.word(at, Kind.UNIT))

    def part(self, at: int) -> PartName | None:
        """Return the part of the day that the lexeme names."""
        return cast("PartName | None", self.word(at, Kind.PART))

    def skip(self, at: int, *kinds: Kind, most: int = 1) -> int:
        """Return the index after at most `most` lexemes of `kinds`."""
        for _ in range(most):
            if not self.has(at, *kinds):
                break
            at += 1
        return at

    def skip_sign(self, at: int, *signs: str) -> int:
        """Return the index after one of `signs`, if it stands at `at`."""
        return at + 1 if self.is_text(at, *signs) else at

    def day(self, at: int, most: int = 31) -> int | None:
        """Return the day of the month at `at`: "2", "2nd", "second", "two", but not "a" or "some"."""
        day, number = self.number(at, Kind.ORDINAL), self.number(at, Kind.NUMBER)
        if day is None and number is not None and self.digits(at) <= 2 and not self.has(at, Kind.ARTICLE):
            exact = self.has_digit(at) or self.lexicon.numbers.begins(self.items[at].text)
            day = number if exact else None
        return day if day is not None and 1 <= day <= most else None

    def digits(self, at: int) -> int:
        """Return how many digits the number at `at` is written with; 0 for all else."""
        return self.items[at].digits if self.has(at, Kind.NUMBER) else 0

    def has_digit(self, at: int) -> bool:
        """Whether the lexeme at `at` is written with digits, an ordinal included."""
        return 0 <= at < len(self.items) and self.items[at].text[0].isdigit()

    def adjacent(self, at: int) -> bool:
        """Whether nothing stands between the lexemes at `at` − 1 and `at`."""
        return 0 < at < len(self.items) and self.items[at - 1].end == self.items[at].start

    def ends_clause(self, at: int) -> bool:
        """Whether the text ends or pauses at `at`."""
        return at >= len(self.items) or not self.items[at].text[0].isalnum()

    def amount(self, at: int, most: int = 5) -> tuple[Amount, int] | None:
        """Read a length of time: at most `most` numbers with units, joined by commas or "and"."""
        parts: list[tuple[int, Unit]] = []
        end = at
        while len(parts) < most:
            begin = self.skip(self.skip_sign(end, ","), Kind.AND) if parts else end
            read = self._counted(begin)
            if read is None:
                break
            more, end = read
            parts += more
        return (Amount(tuple(parts)), end) if parts else None

    def _counted(self, at: int) -> tuple[list[tuple[int, Unit]], int] | None:
        """Read "3 weeks", "two and a half years", "an hour and a half", "half a year", "mezz'ora"."""
        minutes = self.number(at, Kind.MINUTES)
        if minutes is not None:
            return [(minutes, "minute")], at + 1
        if self.has(at, Kind.HALVING):
            half = HALVES.get(self.unit(at + 1) or "quarter")
            return ([half], at + 2) if half is not None else None
        count = self.number(at, Kind.NUMBER)
        between = self.has(at + 1, Kind.AND_HALF)
        unit = self.unit(at + 1 + between)
        if count is None or unit is None or count > _MOST:
            return None
        half = HALVES.get(unit)
        behind = not between and self.has(at + 2, Kind.AND_HALF)
        halves = [half] if half is not None and (between or behind) else []
        return [(count, unit), *halves], at + 2 + (between or behind)


_MOST = 100_000


def furthest(*reads: Read | None) -> Read | None:
    """Return the reading that ends last, of several the first one."""
    return max(filter(None, reads), key=lambda read: read.end, default=None)


def longest(reader: Reader, at: int, rules: RuleTable) -> Read | None:
    """Try the rules that can begin at `at`; of equally long readings the first rule's wins."""
    best: Read | None = None
    kinds = reader.items[at].values.keys()
    for rule, beginnings in rules:
        if beginnings.isdisjoint(kinds):
            continue
        read = rule(reader, at)
        if read is not None and (best is None or read.end > best.end):
            best = read
    return best

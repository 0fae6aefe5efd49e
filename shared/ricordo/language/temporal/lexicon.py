"""The lexicon of words for time: numbers and kinds of words, loaded from `time_words.toml`."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum, auto
from functools import cached_property
from typing import Any, Final

from ricordo.language.data_files import LANGUAGES, read_table


@dataclass(frozen=True, slots=True)
class SpelledNumber:
    """A number read from words: its value and how many words it took."""

    value: int
    words: int


_Read = Callable[[Sequence[str]], SpelledNumber | None]


@dataclass(frozen=True)
class SeparateNumbers:
    """Numbers whose words stand apart ("two thousand and eighteen", "nineteen ninety six")."""

    small: Mapping[str, int]
    tens: Mapping[str, int]
    hundred: str
    thousand: str
    joint: str

    def begins(self, word: str) -> bool:
        """Whether a number can begin with `word`: a cheap question, asked of every word of a text."""
        return word in self.small or word in self.tens

    def read(self, words: Sequence[str]) -> SpelledNumber | None:
        """Read a number from the beginning of `words`, at most eight of which are looked at."""
        head = self._below_hundred(words)
        if head is None:
            return None
        rest = words[head.words :]
        if rest and rest[0] == self.thousand:
            return self._add(SpelledNumber(head.value * 1000, head.words + 1), words, self._below_thousand)
        if rest and rest[0] == self.hundred:
            return self._add(SpelledNumber(head.value * 100, head.words + 1), words, self._below_hundred)
        return self._year(head, rest) or head

    def _year(self, head: SpelledNumber, rest: Sequence[str]) -> SpelledNumber | None:
        """Read the second half of a year said in two halves, the first being its century."""
        if not 10 <= head.value <= 20 or not rest:
            return None
        if rest[0] in {"oh", "o", "zero"} and len(rest) > 1 and 0 < self.small.get(rest[1], 0) < 10:
            return SpelledNumber(head.value * 100 + self.small[rest[1]], head.words + 2)
        tail = self._below_hundred(rest)
        if tail is None or tail.value < 10:
            return None
        return SpelledNumber(head.value * 100 + tail.value, head.words + tail.words)

    def _add(self, head: SpelledNumber, words: Sequence[str], read: _Read) -> SpelledNumber:
        used = head.words
        if len(words) > used and words[used] == self.joint:
            used += 1
        tail = read(words[used:])
        return head if tail is None else SpelledNumber(head.value + tail.value, used + tail.words)

    def _below_thousand(self, words: Sequence[str]) -> SpelledNumber | None:
        head = self._below_hundred(words)
        if head is not None and len(words) > head.words and words[head.words] == self.hundred:
            return self._add(SpelledNumber(head.value * 100, head.words + 1), words, self._below_hundred)
        return head

    def _below_hundred(self, words: Sequence[str]) -> SpelledNumber | None:
        if not words:
            return None
        if words[0] in self.small:
            return SpelledNumber(self.small[words[0]], 1)
        tens = self.tens.get(words[0])
        if tens is None:
            return None
        used = 2 if len(words) > 2 and words[1] == "-" else 1
        ones = self.small.get(words[used], 0) if len(words) > used else 0
        return SpelledNumber(tens + ones, used + 1) if 0 < ones < 10 else SpelledNumber(tens, 1)


@dataclass(frozen=True)
class JoinedNumbers:
    """Numbers written as one word ("duemiladiciotto", "millenovecentosettanta")."""

    small: Mapping[str, int]
    tens: Mapping[str, int]
    hundred: str
    thousand: str
    thousands: str

    def begins(self, word: str) -> bool:
        """Whether a number can begin with `word`: a cheap question, asked of every word of a text."""
        return word[:3] in self._beginnings

    @cached_property
    def _beginnings(self) -> frozenset[str]:
        return frozenset(word[:3] for word in (*self.small, *self.tens, self.hundred, self.thousand))

    def read(self, words: Sequence[str]) -> SpelledNumber | None:
        """Read the number that the first of `words` is."""
        match = self._pattern.fullmatch(words[0]) if words and len(words[0]) <= 40 else None
        if match is None or not words[0]:
            return None
        below = self._below_hundred
        value = below[match["ones"]] if match["ones"] else 0
        if match["hundreds"] is not None:
            value += 100 * (below[match["hundreds"]] if match["hundreds"] else 1)
        if match["thousand"]:
            value += 1000
        elif match["thousands"]:
            value += 1000 * below[match["thousands"]]
        return SpelledNumber(value, 1)

    @cached_property
    def _below_hundred(self) -> dict[str, int]:
        words = dict(self.small) | dict(self.tens)
        for word, tens in self.tens.items():
            for digit, ones in self.small.items():
                if ones < 10:
                    words[(word[:-1] if digit[0] in "aeiou" else word) + digit] = tens + ones
        return words

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        below = "|".join(sorted(self._below_hundred, key=len, reverse=True))
        return re.compile(
            f"(?:(?P<thousand>{self.thousand})|(?P<thousands>{below}){self.thousands})?"
            f"(?:(?P<hundreds>{below}|){self.hundred})?(?P<ones>{below})?"
        )


def numbers_of(table: Mapping[str, Any]) -> SeparateNumbers | JoinedNumbers:
    """Return the numbers of a language by its `time_words.toml`."""
    small, tens = (
        {word: int(number) for word, _, number in (pair.partition("=") for pair in table[name].split())}
        for name in ("small_numbers", "tens")
    )
    if table["joined_numbers"]:
        return JoinedNumbers(small, tens, table["hundred"], table["thousand"], table["thousands"])
    return SeparateNumbers(small, tens, table["hundred"], table["thousand"], table["joint"])


Value = int | str


class Kind(StrEnum):
    """What a word can be in an expression of time."""

    # Enum hashes in Python; the hash of the string that it is costs a hundredth.
    __hash__ = str.__hash__

    NUMBER = auto()  # how many
    MINUTES = auto()  # a length of time that is one word: half an hour
    HALVING = auto()  # before a unit: half a year
    AND_HALF = auto()  # behind a length of time: a year and a half
    PAST_HOUR = auto()  # minutes after an hour, or before it: half past, meno un quarto
    ORDINAL = auto()  # which one; −1 is the last
    MONTH = auto()
    WEEKDAY = auto()  # Monday is 0
    UNIT = auto()
    SEASON = auto()  # its first month
    HOLIDAY = auto()
    DAY = auto()  # counted from today
    NOW = auto()
    PART = auto()  # of the day
    HALF_DAY = auto()  # am, pm: hours to add
    RELATION = auto()  # last, past, this, next, coming
    AGO = auto()
    LATER = auto()
    IN = auto()  # before a length of time that leads ahead
    OVER = auto()  # before "the last week", which makes it seven days
    WITHIN = auto()
    BEFORE = auto()
    AFTER = auto()
    SINCE = auto()
    UNTIL = auto()
    UP_TO = auto()  # until, with what follows
    OR = auto()  # before "later" in "2012 or later"
    OR_LATER = auto()
    OR_EARLIER = auto()
    MORE = auto()  # more than
    LESS = auto()
    FROM = auto()
    BETWEEN = auto()
    TO = auto()
    AND = auto()
    OF = auto()  # joins a part to its whole
    ON = auto()  # stands before a day
    NUMBERED = auto()  # stands before the number of a week: "number"
    DATED = auto()  # stands before the number of a day: "giorno"
    BEGINNING = auto()  # stands before the day with which a week begins
    AT = auto()  # stands before an hour
    THE = auto()
    HOURS = auto()  # an article that hours take and days do not: "tra le 3 e le 5"
    WHEN = auto()  # leads on from a year that is told: "it was 2019 when"
    OWN = auto()  # whose it is: what is counted behind it is an age
    ARTICLE = auto()  # an indefinite one, which is a number too
    PLURAL = auto()  # of units and days: without a number they come again and again
    EDGE = auto()  # early, mid, late, rest, later, earlier, elapsed
    DECADE = auto()  # its first year
    DECADE_WORD = auto()  # 0 before a decade ("anni"), 1 behind it ("s")
    QUARTER = auto()  # Q
    HALF = auto()  # H
    FOR = auto()
    EVERY = auto()  # beside what comes again and again, which is no time
    WHOLE = auto()  # before a period that is a length of time: the whole week
    OTHER = auto()  # between "every" and what comes every other time
    WISH = auto()  # before what is wished, which is no time: merry Christmas
    TITLE = auto()  # behind which the name of a month or a day is a person's
    SPEAKING = auto()  # what persons do, before which it is one too
    THING = auto()  # what has a number that is no year: a room, a flight
    VERB = auto()  # a relation that is a verb too: "last", "passati"
    MODAL = auto()  # behind which it is one
    NOT_A_TIME = auto()  # what only looks like one: "school year"
    SIGN = auto()  # punctuation that an expression may hold


# Kinds without one of which no expression is complete.
KEY_KINDS = frozenset(
    {Kind.NUMBER, Kind.MINUTES, Kind.ORDINAL, Kind.MONTH, Kind.WEEKDAY, Kind.UNIT, Kind.SEASON, Kind.HOLIDAY}
    | {Kind.DAY, Kind.NOW, Kind.PART, Kind.DECADE, Kind.QUARTER}
)
# Articles that are numbers too: a unit follows them, which is a key.
_TOO_COMMON = frozenset({"a", "an", "un", "una", "uno", "the", "some", "s", "h", "q", "min"})


@dataclass(frozen=True, slots=True)
class Term:
    """What a word, or a phrase, can be: one value for each kind."""

    values: Mapping[Kind, Value]
    weak: bool = False


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The words of a language.

    Attributes:
        phrases: Terms by their words.
        reach: For each first word, the length of its longest phrase.
        keys: Words without one of which no expression is complete.
        numbers: How numbers are spelled.
        month_first: Whether 3/4 is 4 March.
        suffixes: What makes digits an ordinal when it stands right behind them.
        follows_day: Words before which "the 15" alone is a day.
    """

    phrases: Mapping[tuple[str, ...], Term]
    reach: Mapping[str, int]
    keys: frozenset[str]
    numbers: SeparateNumbers | JoinedNumbers
    month_first: bool
    suffixes: frozenset[str]
    follows_day: frozenset[str]

    def is_key(self, word: str) -> bool:
        """Whether an expression can need `word`."""
        return word in self.keys or self.numbers.begins(word)


_SIGNS: Final[Mapping[str, str]] = {
    ",": ",",
    ".": ".",
    "/": "/",
    "-": "- – —",
    ":": ":",
    "~": "~",
    "'": "' ’",
}


def _lexicon(language: str) -> Lexicon:
    """Build a lexicon: for each kind and value the table has the forms, `_` joining the words of one form."""
    table = read_table("time_words", language)
    values: dict[tuple[str, ...], dict[Kind, Value]] = {}
    for kind in Kind:
        written = _SIGNS if kind is Kind.SIGN else table[kind.value]
        # A kind that has no values is a text.
        for value, forms in ({"0": written} if isinstance(written, str) else written).items():
            number = int(value) if value.lstrip("-").isdigit() else value
            for form in forms.split():
                values.setdefault(tuple(form.split("_")), {})[kind] = number
    reach: dict[str, int] = {}
    for phrase in values:
        reach[phrase[0]] = max(reach.get(phrase[0], 0), len(phrase))
    keys = {phrase[0] for phrase, kinds in values.items() if not KEY_KINDS.isdisjoint(kinds)}
    weak = {(word,) for word in table["weak"].split()}
    return Lexicon(
        phrases={phrase: Term(kinds, weak=phrase in weak) for phrase, kinds in values.items()},
        reach=reach,
        keys=frozenset(keys - _TOO_COMMON),
        numbers=numbers_of(table),
        month_first=table["month_first"],
        suffixes=frozenset(table["suffixes"].split()),
        follows_day=frozenset(table["follows_day"].split()),
    )


LEXICONS: Final = {language: _lexicon(language) for language in LANGUAGES}

"""The lexicon of words for time: numbers and kinds of words, loaded from `time_words.toml`."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum, auto
from typing import Any, Final, NamedTuple

from ricordo.language.data_files import LANGUAGES, read_table

_BEGINNING: Final = 3  # letters by which a number in one word may be known
_LONGEST: Final = 40
_MOST_WORDS: Final = 8
_TEN: Final = 10
_FACTORS: Final = {"thousands": 1000, "more_thousands": 1000, "hundreds": 100, "ones": 1, "tail": 1}


class SpelledNumber(NamedTuple):
    """A number read from words: its value and how many words it took."""

    value: int
    words: int


class SpelledNumbers:
    """How a language spells numbers: in one word ("duemiladiciotto"), or in words that stand apart.

    Of the latter a year may be said in two halves ("nineteen ninety six").

    Args:
        table: its `time_words.toml`.
    """

    def __init__(self, table: Mapping[str, Any]) -> None:
        self.small, self.tens = (
            {word: int(number) for word, _, number in (pair.partition("=") for pair in table[name].split())}
            for name in ("small_numbers", "tens")
        )
        self._joined: bool = table["joined_numbers"]
        words = (*self.small, *self.tens, table["hundred"], table["thousand"])
        self._beginnings = frozenset(word[:_BEGINNING] for word in words) if self._joined else {*words[:-2]}
        self._below_hundred = self._spelled_below_hundred()
        self._patterns = self._in_one_word(table) if self._joined else self._in_words(table)

    def begins(self, word: str) -> bool:
        """Whether a number can begin with `word`: a cheap question, asked of every word of a text."""
        return (word[:_BEGINNING] if self._joined else word) in self._beginnings

    def read(self, words: Sequence[str]) -> SpelledNumber | None:
        """Read a number from the beginning of `words`, at most eight of which are looked at."""
        if self._joined:
            text = words[0] if words and len(words[0]) <= _LONGEST else ""
        else:
            text = "".join(f"{word} " for word in words[:_MOST_WORDS])
        match = next(filter(None, (pattern.match(text) for pattern in self._patterns)), None)
        if match is None or not match[0]:
            return None
        value = 0
        for name, spelled in match.groupdict().items():
            if spelled is not None:
                value += _FACTORS[name] * (self._below_hundred[spelled.strip()] if spelled else 1)
        return SpelledNumber(value, 1 if self._joined else match[0].count(" "))

    def _spelled_below_hundred(self) -> dict[str, int]:
        words = self.small | self.tens
        for word, tens in self.tens.items():
            for digit, ones in self.small.items():
                if 0 < ones < _TEN and self._joined:
                    words[(word[:-1] if digit[0] in "aeiou" else word) + digit] = tens + ones
                elif 0 < ones < _TEN:
                    words |= {f"{word} {digit}": tens + ones, f"{word} - {digit}": tens + ones}
        return words

    def _either(self, values: range) -> str:
        """Return the pattern of the words for numbers below a hundred, the longest first."""
        words = (word for word, value in self._below_hundred.items() if value in values)
        return f"(?:{'|'.join(sorted(words, key=len, reverse=True))}){'' if self._joined else ' '}"

    def _in_one_word(self, table: Mapping[str, Any]) -> Sequence[re.Pattern[str]]:
        below = self._either(range(100))
        thousands = (
            rf"(?:{table['thousand']}(?P<thousands>)|(?P<more_thousands>{below}){table['thousands']})?"
        )
        hundreds = rf"(?:(?P<hundreds>{below}|){table['hundred']})?"
        return (re.compile(rf"{thousands}{hundreds}(?P<ones>{below})?\Z"),)

    def _in_words(self, table: Mapping[str, Any]) -> Sequence[re.Pattern[str]]:
        """Return the patterns of a year, and of any number."""
        below, century, digit, tail = map(
            self._either, (range(100), range(10, 21), range(1, 10), range(10, 100))
        )
        more = rf"(?:{table['joint']} (?={below}))?"
        return (
            re.compile(rf"(?P<hundreds>{century})(?:(?:oh|o|zero) (?P<ones>{digit})|(?P<tail>{tail}))"),
            re.compile(
                rf"(?:(?P<thousands>{below}){table['thousand']} {more})?"
                rf"(?:(?P<hundreds>{below}){table['hundred']} {more})?(?P<ones>{below})?"
            ),
        )


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
        numbers: How numbers are spelled.
        month_first: Whether 3/4 is 4 March.
        suffixes: What makes digits an ordinal when it stands right behind them.
        follows_day: Words before which "the 15" alone is a day.
    """

    phrases: Mapping[tuple[str, ...], Term]
    reach: Mapping[str, int]
    numbers: SpelledNumbers
    month_first: bool
    suffixes: frozenset[str]
    follows_day: frozenset[str]


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
    weak = {(word,) for word in table["weak"].split()}
    return Lexicon(
        phrases={phrase: Term(kinds, weak=phrase in weak) for phrase, kinds in values.items()},
        reach=reach,
        numbers=SpelledNumbers(table),
        month_first=table["month_first"],
        suffixes=frozenset(table["suffixes"].split()),
        follows_day=frozenset(table["follows_day"].split()),
    )


LEXICONS: Final = {language: _lexicon(language) for language in LANGUAGES}

"""The shape of a language's words for time. The words themselves are data, in `time_words.toml`."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum, auto
from typing import Any, Final, Self

from ricordo.language.data_files import LANGUAGES, read_table
from ricordo.language.temporal.numbers import JoinedNumbers, SeparateNumbers

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

    @classmethod
    def build(
        cls,
        words: Mapping[Kind, Mapping[Value, str]],
        *,
        numbers: SeparateNumbers | JoinedNumbers,
        weak: str,
        month_first: bool,
        suffixes: str,
        follows_day: str,
    ) -> Self:
        """Build a lexicon from tables.

        Args:
            words: For each kind and value the forms that have it, separated by spaces; `_` joins the words of
                one form.
            numbers: How numbers are spelled.
            weak: Forms that mean a time only in company ("may", "sun").
            month_first: See the class.
            suffixes: See the class; separated by spaces.
            follows_day: See the class; separated by spaces.
        """
        values: dict[tuple[str, ...], dict[Kind, Value]] = {}
        for kind, table in words.items():
            for value, forms in table.items():
                for form in forms.split():
                    values.setdefault(tuple(form.split("_")), {})[kind] = value
        reach: dict[str, int] = {}
        for phrase in values:
            reach[phrase[0]] = max(reach.get(phrase[0], 0), len(phrase))
        keys = (
            frozenset(phrase[0] for phrase, kinds in values.items() if not KEY_KINDS.isdisjoint(kinds))
            - _TOO_COMMON
        )
        faint = frozenset(weak.split())
        phrases = {
            phrase: Term(kinds, weak=len(phrase) == 1 and phrase[0] in faint)
            for phrase, kinds in values.items()
        }
        return cls(
            phrases,
            reach,
            keys,
            numbers,
            month_first,
            frozenset(suffixes.split()),
            frozenset(follows_day.split()),
        )


_SIGNS: Final[Mapping[Value, str]] = {
    ",": ",",
    ".": ".",
    "/": "/",
    "-": "- – —",
    ":": ":",
    "~": "~",
    "'": "' ’",
}


def _lexicon(language: str) -> Lexicon:
    table = read_table("time_words", language)
    words: dict[Kind, Mapping[Value, str]] = {
        kind: _SIGNS if kind is Kind.SIGN else _forms(table[kind.value]) for kind in Kind
    }
    return Lexicon.build(
        words,
        numbers=_numbers(table),
        weak=table["weak"],
        month_first=table["month_first"],
        suffixes=table["suffixes"],
        follows_day=table["follows_day"],
    )


def _forms(written: str | Mapping[str, str]) -> dict[Value, str]:
    """Return the forms of a kind by value; the value is 0 where a kind has no others."""
    by_value = {"0": written} if isinstance(written, str) else written
    return {int(value) if value.lstrip("-").isdigit() else value: forms for value, forms in by_value.items()}


def _numbers(table: Mapping[str, Any]) -> SeparateNumbers | JoinedNumbers:
    small, tens = (
        {word: int(number) for word, _, number in (pair.partition("=") for pair in table[name].split())}
        for name in ("small_numbers", "tens")
    )
    if table["joined_numbers"]:
        return JoinedNumbers(small, tens, table["hundred"], table["thousand"], table["thousands"])
    return SeparateNumbers(small, tens, table["hundred"], table["thousand"], table["joint"])


LEXICONS: Final = {language: _lexicon(language) for language in LANGUAGES}

"""Finds the short windows of an assertion that may hold a time, since parsing times is expensive."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from ricordo.language.assertion_scope import Assertion
from ricordo.language.data_files import LANGUAGES, Patterns, read_patterns
from ricordo.language.temporal.lexicon import LEXICONS
from ricordo.language.temporal.moments import Language
from ricordo.language.temporal.time_extraction import TimeMention, hour

_DIGIT: Final = re.compile(r"[0-9]")
DIGITS_OF_DAY: Final = 2
_DIGITS_OF_YEAR: Final = 4
_CENTURIES: Final = frozenset(("19", "20"))


class Works(Patterns):
    """How it is said that somebody saw, read or dreamt something."""

    cues: frozenset[str]


class Signs(Patterns):
    """The patterns of `event_times.toml` in one language."""

    cues: frozenset[str]
    named: Patterns
    tense: Patterns
    works: Works

    def hinted(self, low: str, said: frozenset[str]) -> bool:
        """Whether one of the words of a plain text can name a time."""
        if not self.cues.isdisjoint(said):
            return True
        return _DIGIT.search(low) is not None and any(word[0].isdigit() and is_date(word) for word in said)


def is_date(number: str) -> bool:
    """Whether what begins with a digit can be a day of a month or a year."""
    if not number.isdigit() or len(number) <= DIGITS_OF_DAY:
        return True
    return len(number) == _DIGITS_OF_YEAR and number[:2] in _CENTURIES


@lru_cache(maxsize=len(LANGUAGES))
def signs_of(language: str) -> Signs:
    """Return the signs of a language, "it" or "en"."""
    return Signs(**read_patterns("event_times", language))


_TOKEN: Final = re.compile(r"\d+(?:st|nd|rd|th|°|º)?|[a-z]+|[^\w\s]")
_REACH: Final = 7  # words on each side of one that names a time which can belong to the same time
_BEFORE_DAY: Final = frozenset(("il", "l", "al", "dal", "del", "the", "on", "'"))
_DATE_SIGNS: Final = frozenset("/-.")
_SIGNS: Final = frozenset(",./-:'°")
_HOUR: Final = re.compile(
    r"(?:\b(?:dalle|alle|all'|ore|from|between|at) )?(?<![\d.,:])\d{1,2}(?::\d{2}| ?[ap]\.?m\b)(?!\d)"
    r"|\b(?:(?:tra|fra) le|dalle|between|from) \d{1,2}(?= (?:e|alle|and|to)\b)"
    r"|\b(?:alle|ore|at) \d{1,2}(?:\.\d{2})?(?![\d%]| ?(?:anni|years|euro|km|percent|per cento))"
    r"|\balle (?:due|tre|quattro|cinque|sei|sette|otto|nove|dieci|undici|dodici)\b|\ball'una\b"
    r"|\bat (?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b"
    r"|\bat (?:half past|(?:a )?quarter (?:past|to)) [a-z0-9]+\b"
    r"|\b(?:a mezzogiorno|a mezzanotte|at noon|at midday|at midnight)\b"
)
_TAIL: Final = re.compile(
    r"\s*(?:[,.;:)!?]|$)"
    r"|\s+(?:in|on|a|al|alla|at|with|con|da|dal|dalla|di|del|and|e|ed|poi|then|for|per|sharp|the|il|la|lo"
    r"|i|we|he|she|they|my|our)\b",
    re.IGNORECASE,
)
_SPELLED: Final = re.compile(
    r"^(?:alle \w+|at (?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve))$", re.IGNORECASE
)
_COUNTED: Final = re.compile(r"\s+\w*[ei]\b", re.IGNORECASE)  # What "alle tre" can count: "alle tre sorelle"
_MINUTES: Final = re.compile(r"\d[:.]\d{2}")
_HOUR_REACH: Final = 28  # characters behind an hour that can belong to it: "in the afternoon"


@dataclass(frozen=True, slots=True)
class TextWindow:
    """A stretch of an assertion that may hold a time, by its offsets."""

    assertion: Assertion
    begin: int
    end: int
    hourly: bool = False


def windows(assertion: Assertion, language: Language, *, hinted: bool) -> Iterator[TextWindow]:
    """Yield the stretches that may hold a time, from left to right."""
    dated = list(_dated(assertion, language)) if hinted else []
    hours = [match.span() for match in _HOUR.finditer(assertion.plain)]
    at = 0
    for window in (*dated, None):
        until = len(assertion.plain) if window is None else window.begin
        for begin, end in hours:
            if at <= begin and end <= until:
                yield TextWindow(assertion, begin, min(end + _HOUR_REACH, until), hourly=True)
        if window is not None:
            at = window.end
            yield window


def hour_in(text: str, language: Language) -> list[TimeMention]:
    """Read the first hour of `text`, where a day was told before it; a bare number ends a clause.

    In Italian one in digits may stand before all, one in words before what it cannot count.
    """
    found = _HOUR.search(text.lower())
    read = None if found is None else hour(text[found.start() :], language)
    if found is None or read is None:
        return []
    start, end = (found.start() + place for place in read.span)
    digits = read.reference[-1:].isdigit()
    bare = _MINUTES.search(read.reference) is None if digits else _SPELLED.match(read.reference) is not None
    counts = language == "en" or (not digits and _COUNTED.match(text, end) is not None)
    if bare and counts and _TAIL.match(text, end) is None:
        return []
    return [replace(read, span=(start, end))]


def _dated(assertion: Assertion, language: Language) -> Iterator[TextWindow]:
    low, cues = assertion.plain, signs_of(language).cues
    tokens = _TOKEN.findall(low)
    hints = [
        at for at, token in enumerate(tokens) if token in cues or (token[0].isdigit() and is_date(token))
    ]
    places = [match.span() for match in _TOKEN.finditer(low)] if hints else []
    read = 0
    for at in hints:
        if at < read or _is_amount(tokens, at):
            continue
        first = last = at
        while first > max(read, at - _REACH) and _belongs(tokens[first - 1], language):
            first -= 1
        while last + 1 < len(tokens) and last - at < _REACH and _belongs(tokens[last + 1], language):
            last += 1
        read = last + 1
        if _counts(tokens[max(first, last - 1) : last + 2]):
            last -= 2
        # Joined to a word it is none ("Wal-Mart"), and a name may go on ("Christmas Eve").
        while first > 0 and places[first - 1][1] == places[first][0]:
            first -= 1
        if last + 1 < len(tokens) and assertion.text[places[last + 1][0]].isupper():
            last += 1
        yield TextWindow(assertion, places[first][0], places[last][1])


def _is_amount(tokens: Sequence[str], at: int) -> bool:
    """Whether a short number is one of things: neither "il 3" nor "3/5"; before a month, that is the hint."""
    token = tokens[at]
    if not token.isdigit() or len(token) > DIGITS_OF_DAY or (at > 0 and tokens[at - 1] in _BEFORE_DAY):
        return False
    return at + 2 >= len(tokens) or tokens[at + 1] not in _DATE_SIGNS or not tokens[at + 2].isdigit()


def _counts(tokens: Sequence[str]) -> bool:
    """Whether a short number behind a pause counts what follows it: "on Sunday, 9 degrees"."""
    match tokens:
        case [",", number, what]:
            return number.isdigit() and len(number) <= DIGITS_OF_DAY and what.isalpha()
        case _:
            return False


def _belongs(token: str, language: Language) -> bool:
    """Whether a word can stand in a time."""
    lexicon = LEXICONS[language]
    return token in _SIGNS or token in lexicon.reach or token[0].isdigit() or lexicon.numbers.begins(token)

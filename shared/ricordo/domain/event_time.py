"""When what a message tells happened, or is to happen: the one time of many that it is about, or none.

Rather none than a wrong one: a memory under a wrong day is found where it does not belong. Only what the text
tells is looked at (`telling`), and of that only times that place something: no habit, length of time, hour
without a day, wish for a nice weekend, birthday, or year of the world's.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from itertools import islice
from typing import Final, cast
from zoneinfo import ZoneInfo

from ricordo.domain.named_times import is_named, without_works
from ricordo.domain.tables import read_table
from ricordo.domain.telling import LANGUAGES, Telling, plain, plain_words, tellings
from ricordo.domain.temporal import EARLIEST, LATEST, Language, TimeSpan, find
from ricordo.domain.temporal.direction import direction, is_planned
from ricordo.domain.temporal.languages import LEXICONS

_OTHER_TABLES: Final = frozenset(("cues", "named", "tense", "works"))
_TOKEN: Final = re.compile(r"\d+(?:st|nd|rd|th|°|º)?|[a-z]+|[^\w\s]")
_WORD: Final = re.compile(r"[a-z]+|\d+")
_DIGIT: Final = re.compile(r"[0-9]")
_REACH: Final = 7
"""Words on each side of one that names a time which can belong to the same time."""
_DAY_AT: Final = re.compile(r"(?:il |l'|the |on the )\d{1,2}(?:st|nd|rd|th)? (?:alle|all'|at)\b")
_DIGITS_OF_DAY: Final = 2
_DIGITS_OF_YEAR: Final = 4
_CENTURIES: Final = frozenset(("19", "20"))
_BEFORE_DAY: Final = frozenset(("il", "l", "al", "dal", "del", "the", "on", "'"))
_DATE_SIGNS: Final = frozenset("/-.")
_SIGNS: Final = frozenset(",./-:'°")
_ARTICLE: Final = re.compile(r"(?:the|on|on\s+the|il|lo|la|i|gli|le)\s+|l'\s*")
_AROUND: Final = 40
_BESIDE: Final = 3
_MOST_TIMES: Final = 12
"""Times that are read of one text: bounds what a long one costs."""
_LONGEST: Final = timedelta(days=367)
_LONGEST_STATE: Final = timedelta(days=31)
_YEAR: Final = timedelta(days=360)
_OLDEST: Final = timedelta(days=366 * 110)
_FARTHEST: Final = timedelta(days=366 * 11)
_RECENT: Final = timedelta(days=366)
_HOURS: Final = timedelta(hours=20)
_DAY: Final = timedelta(hours=26)
_WEEK: Final = timedelta(days=11)


@dataclass(frozen=True, slots=True)
class EventTime:
    """A stretch of time, `start` included, `end` excluded; both aware, in UTC."""

    start: datetime
    end: datetime


@dataclass(frozen=True, slots=True)
class _Window:
    """A stretch of a telling that may hold a time: its offsets, and those of the word that hints at one."""

    telling: Telling
    begin: int
    end: int
    cue: tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Told:
    """A time of a telling, and what says whether it is the one.

    Attributes:
        span: the time.
        sentence: the telling, plain.
        reference: the words of the time, plain, without an article.
        before: what stands in front of those.
        behind: what follows.
    """

    span: TimeSpan
    sentence: str
    reference: str
    before: str
    behind: str


@dataclass(frozen=True, slots=True)
class _Signs:
    """What shows which times are those of what is told, in one language; the file says what each is."""

    cues: frozenset[str]
    placed: re.Pattern[str]
    nearest: re.Pattern[str]
    before_year: re.Pattern[str]
    ahead_before: re.Pattern[str]
    ahead_behind: re.Pattern[str]
    perhaps: re.Pattern[str]
    elsewhere: re.Pattern[str]
    at_large_before: re.Pattern[str]
    habit: re.Pattern[str]
    habit_before: re.Pattern[str]
    habitual: re.Pattern[str]
    wished_before: re.Pattern[str]
    liked_before: re.Pattern[str]
    always_before: re.Pattern[str]
    topic_behind: re.Pattern[str]
    born: re.Pattern[str]
    being_born: re.Pattern[str]
    lasting_before: re.Pattern[str]
    lasting: re.Pattern[str]
    thing_before: re.Pattern[str]
    thing_behind: re.Pattern[str]
    personal: re.Pattern[str]

    def hinted(self, low: str, said: frozenset[str]) -> bool:
        """Whether one of the words of a plain text can name a time."""
        if not self.cues.isdisjoint(said):
            return True
        return _DIGIT.search(low) is not None and any(word[0].isdigit() and _is_date(word) for word in said)


def _is_date(number: str) -> bool:
    """Whether what begins with a digit can be a day of a month or a year."""
    if not number.isdigit() or len(number) <= _DIGITS_OF_DAY:
        return True
    return len(number) == _DIGITS_OF_YEAR and number[:2] in _CENTURIES


def event_time(content: str, said_at: datetime, zone: ZoneInfo, language: str) -> EventTime | None:
    """Say when what `content` tells happened or is to happen; None where the text does not tell.

    Of several times one of the past wins over what is planned, a day over a week, a week over a year, then
    the first. "Two months ago" is the day two months ago: the centre of what is meant.

    Args:
        content: the message.
        said_at: the moment that "yesterday" counts from, aware.
        zone: the speaker's zone: days begin at its midnights.
        language: ISO 639-1; beyond "it" and "en" nothing is found.

    Raises:
        ValueError: `said_at` is naive.
    """
    if said_at.tzinfo is None:
        raise ValueError("the moment of speaking needs a time zone")
    if language not in LANGUAGES:
        return None
    signs, spoken = _signs(language), cast("Language", language)
    low = plain(content)
    if not signs.hinted(low, plain_words(low)):
        return None
    deeds = tellings(without_works(content, language), language)
    hinted = (one for one in deeds if signs.hinted(one.plain, one.words))
    windows = (window for one in hinted for window in _windows(one, spoken))
    told = [time for window in islice(windows, _MOST_TIMES) for time in _times(window, said_at, zone, spoken)]
    fitting = [one for one in told if _is_of_event(one, said_at, signs)]
    best = max(fitting, key=lambda one: _rank(one, said_at, signs), default=None)
    return None if best is None else EventTime(best.span.start, best.span.through)


def _times(window: _Window, said_at: datetime, zone: ZoneInfo, language: Language) -> Iterator[_Told]:
    """Yield the times that stand in a window, from left to right."""
    text, low, signs = window.telling.text, window.telling.plain, _signs(language)
    begin, end = window.begin, window.end
    if any(sign.isdigit() and not sign.isascii() for sign in text[max(0, begin - _BESIDE) : end + _BESIDE]):
        return  # "²³ maggio": half of a date would be a wrong one
    placed = signs.placed.search(low, begin, end) and not signs.nearest.search(low, begin, end)
    found = find(text[begin:end], said_at, zone, language, prefer="past")
    # Most words that hint at a time name none: only where one is, its direction is looked for.
    if found and not placed and _lies_ahead(window, signs, language):
        found = find(text[begin:end], said_at, zone, language, prefer="future")
    for span in found:
        first, after = begin + span.span[0], begin + span.span[1]
        if not _names_a_day(span, low[first:after], signs):
            continue
        if article := _ARTICLE.match(low, first, after):
            first = article.end()
        if is_named(text, low, first, after, language):
            continue
        before, behind = low[max(0, first - _AROUND) : first], low[after : after + _AROUND]
        yield _Told(span, low, low[first:after], before, behind)


def _lies_ahead(window: _Window, signs: _Signs, language: Language) -> bool:
    """Whether the words around a time that nothing in it places tell of the future."""
    low, (start, end) = window.telling.plain, window.cue
    if signs.ahead_before.search(low, max(0, window.begin - _AROUND), start) or signs.perhaps.match(low):
        return True
    if signs.ahead_behind.match(low[end : end + _AROUND]):
        return True
    text = window.telling.text
    return direction(text, window.cue, language) == "future" or is_planned(text, window.cue, language)


def _windows(telling: Telling, language: Language) -> Iterator[_Window]:
    """Yield the stretches that may hold a time.

    Reading times is dear, so that only the words around a hint are read which can belong to a time with it.
    """
    low, cues = telling.plain, _signs(language).cues
    tokens = _TOKEN.findall(low)
    hints = [
        at for at, token in enumerate(tokens) if token in cues or (token[0].isdigit() and _is_date(token))
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
        # Joined to a word it is none ("Wal-Mart"), before a name it is one ("August Strindberg").
        while first > 0 and places[first - 1][1] == places[first][0]:
            first -= 1
        if last + 1 < len(tokens) and telling.text[places[last + 1][0]].isupper():
            last += 1
        yield _Window(telling, places[first][0], places[last][1], places[at])


def _is_amount(tokens: Sequence[str], at: int) -> bool:
    """Whether a short number is one of things: neither "il 3" nor "3/5"; before a month, that is the hint."""
    token = tokens[at]
    if not token.isdigit() or len(token) > _DIGITS_OF_DAY or (at > 0 and tokens[at - 1] in _BEFORE_DAY):
        return False
    return at + 2 >= len(tokens) or tokens[at + 1] not in _DATE_SIGNS or not tokens[at + 2].isdigit()


def _belongs(token: str, language: Language) -> bool:
    """Whether a word can stand in a time."""
    lexicon = LEXICONS[language]
    return token in _SIGNS or token in lexicon.reach or token[0].isdigit() or lexicon.numbers.begins(token)


def _names_a_day(span: TimeSpan, reference: str, signs: _Signs) -> bool:
    """Whether more is told than an hour: "at 5 pm" is of any day."""
    if span.end - span.start >= _HOURS or _DAY_AT.match(reference):
        return True
    return not signs.cues.isdisjoint(_WORD.findall(reference))


def _is_of_event(one: _Told, said_at: datetime, signs: _Signs) -> bool:
    """Whether a time is one at which something happens once, to those who speak or near them."""
    span = one.span
    bare = signs.placed.search(one.reference) is None
    if not _is_near(span, said_at) or _is_elsewhere(one, signs) or (bare and _is_topic_or_habit(one, signs)):
        return False
    length = span.through - span.start
    if length > _LONGEST or (length > _LONGEST_STATE and _lasts(one, signs)):
        return False
    if length >= _YEAR and span.type != "relative" and not _is_own_year(one, signs):
        return False
    if signs.born.search(one.sentence) is None or (span.type == "relative" and not bare):
        return True
    return signs.being_born.search(one.sentence) is not None and abs(span.start - said_at) < _RECENT


def _is_near(span: TimeSpan, said_at: datetime) -> bool:
    """Whether it has a beginning and an end, both within a life of the moment of speaking."""
    return span.start > EARLIEST and span.end < LATEST and -_OLDEST < span.start - said_at < _FARTHEST


def _is_elsewhere(one: _Told, signs: _Signs) -> bool:
    """Whether it is counted from what is told ("two weeks later"), wished, or the present at large."""
    if signs.elsewhere.search(one.reference):
        return True
    return any(sign.search(one.before) for sign in (signs.wished_before, signs.at_large_before))


def _is_topic_or_habit(one: _Told, signs: _Signs) -> bool:
    """Whether a day by its name only is what is spoken of, or what something is done on again and again."""
    before = (signs.liked_before, signs.always_before)
    if any(sign.search(one.before) for sign in before) or signs.topic_behind.match(one.behind):
        return True
    if signs.habit.search(one.sentence):
        return True
    return bool(signs.habitual.match(one.reference) and signs.habit_before.search(one.before))


def _lasts(one: _Told, signs: _Signs) -> bool:
    return bool(signs.lasting.match(one.reference) or signs.lasting_before.search(one.before))


def _is_own_year(one: _Told, signs: _Signs) -> bool:
    """Whether a year is one of a life: neither a number nor a year of the world's."""
    return bool(signs.before_year.search(one.before) and signs.personal.search(one.sentence))


def _rank(one: _Told, said_at: datetime, signs: _Signs) -> tuple[bool, bool, int]:
    """What happened first, then what is no more than of a thing ("for Friday"), then the most exact."""
    length = one.span.through - one.span.start
    exactness = sum(length <= limit for limit in (_DAY, _WEEK, _LONGEST_STATE))
    of_thing = signs.thing_before.search(one.before) or signs.thing_behind.match(one.behind)
    return one.span.start < said_at, of_thing is None, exactness


@lru_cache(maxsize=len(LANGUAGES))
def _signs(language: str) -> _Signs:
    table = read_table("event_time")[language]
    patterns = {name: re.compile(table[name]) for name in table.keys() - _OTHER_TABLES}
    return _Signs(cues=frozenset(table["cues"].split()), **patterns)

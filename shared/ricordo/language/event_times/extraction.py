"""Extracts the times at which what a message says happened or is to happen; rather none than a wrong one."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta, tzinfo
from typing import Final

from ricordo.language.annotations import EventTime
from ricordo.language.assertion_scope import Assertion, plain
from ricordo.language.data_files import LANGUAGES
from ricordo.language.document import Document
from ricordo.language.event_times.event_direction import (
    Speech,
    direction,
    is_planned,
    moved_to,
    open_bound,
    place,
    stretch_of,
)
from ricordo.language.event_times.named_times import is_named, without_works
from ricordo.language.event_times.relevance import TimeCandidate, is_of_event, names_a_day
from ricordo.language.event_times.windows import TextWindow, hour_in, signs_of, windows
from ricordo.language.reading import UNREAD, Reading
from ricordo.language.temporal.expressions.base import Expression
from ricordo.language.temporal.expressions.compounds import (
    Between,
    PartOfDay,
    after_noon,
    is_dayless,
    minutes,
    of_part,
    on_day,
    shape,
)
from ricordo.language.temporal.moments import Direction, Language, Moment, TimeSpan
from ricordo.language.temporal.time_extraction import TimeMention, time_mentions

MOST: Final = 16
"""Times that are kept of one text."""
_MOST_WINDOWS: Final = 24  # stretches that are read of one text: bounds what a long one costs
_ARTICLE: Final = re.compile(r"(?:the|on|on\s+the|il|lo|la|i|gli|le)\s+|l'\s*")
_NEXT: Final = re.compile(r"[,;]|\b(?:and|then|e|poi)\b", re.IGNORECASE)
_WAYS: Final[Mapping[str, Direction]] = {"past": "past", "future": "future"}
_AROUND: Final = 40
_BESIDE: Final = 3
_DAY: Final = timedelta(hours=26)
_WEEK: Final = timedelta(days=7, hours=2)
_MONTH: Final = timedelta(days=32)
_LATE: Final = 6 * 60
_NOON: Final = 12 * 60
_AFTERNOON: Final[dict[Language, range]] = {"it": range(60, 4 * 60)}
_LATE_AFTERNOON: Final = range(60, 6 * 60)
"""Minutes since midnight at which an hour of no half is one of the afternoon; Italians often count to 24."""
_DINNER: Final = range(60, 11 * 60)
_BREAK: Final = re.compile(r"[,;:()]|\b(?:but|then|before|after|and|ma|poi|prima|dopo|ed?(?!'))\b")
_HALF: Final = re.compile(
    r"\b0\d|[ap]\.?m\b|morning|night|evening|afternoon|dawn|mattin|pomeriggio|sera\b|notte|alba",
    re.IGNORECASE,
)


def event_times(
    document: Document, said_at: datetime, zone: tzinfo, reading: Reading = UNREAD
) -> tuple[EventTime, ...]:
    """Return the times of the events in a text, in the order of the text, each once.

    A time within another one of the same text stands for both ("in November, on the 12th"). Of a correction
    what is affirmed counts, not what is denied. "Two months ago" is the day two months ago: the centre of
    what is meant. At most 16.

    Args:
        reading: of the text; it tells which of two times is meant, the past or the coming one.

    Raises:
        ValueError: `said_at` is naive.
    """
    if said_at.tzinfo is None:
        raise ValueError("the moment of speaking needs a time zone")
    if document.language not in LANGUAGES:
        return ()
    language = document.language
    if not signs_of(language).hinted(document.plain, document.plain_words):
        return ()
    reader = _Reader(Speech(said_at, zone, language, signs_of(language), _directions(document.text, reading)))
    for one in without_works(document).assertions:
        reader.read(one)
    told = reader.told
    if reader.corrects:
        # Which month "the 19th, not the 12th" is of was told before: it is not known here.
        told = [one for one in told if shape(one.expression) != "day"]
    return tuple(_each_once(told))


def _directions(text: str, reading: Reading) -> Mapping[str, Direction]:
    """Return what was read of times, by their words in plain letters."""
    return {plain(text[start:end]): _WAYS[way] for start, end, way in reading.times if way in _WAYS}


class _Reader:
    """Reads assertions one after the other: an hour belongs to the day before it, a day to its month."""

    def __init__(self, speech: Speech) -> None:
        self.told: list[TimeCandidate] = []
        self._speech = speech
        self.corrects = False
        self._left = _MOST_WINDOWS
        self._day: TimeCandidate | None = None
        self._hour: int | None = None
        self._whole: TimeSpan | None = None
        self._text = ""
        self._dayless: list[TimeCandidate] = []

    def read(self, assertion: Assertion) -> None:
        """Read the times of an assertion."""
        if self._day is not None and not self._is_ahead(self._day):
            self._day = None
        self._dayless, self._whole, self._text = [], None, assertion.text
        hinted = self._speech.signs.hinted(assertion.plain, assertion.words)
        for window in windows(assertion, self._speech.language, hinted=hinted):
            if self._left <= 0:
                break
            self._left -= 1
            for one in _times(window, self._speech):
                if self._speech.signs.denied_before.search(one.before):
                    self.corrects = True
                else:
                    self._take(one, window)

    def _take(self, one: TimeCandidate, window: TextWindow) -> None:
        if is_dayless(one.expression):
            if self._day is None:
                self._dayless.append(one)
            else:
                self._take_hour(one, self._day)
            return
        if window.hourly:
            return
        within = self._within(one)
        one = one if within is None else replace(one, span=within)
        signs = self._speech.signs
        if not (names_a_day(one, signs) and is_of_event(one, self._speech.at, signs)):
            return
        self.told.append(one)
        if self._whole is None or one.span.end - one.span.start > _DAY or shape(one.expression) != "weekday":
            self._whole = one.span
        if one.opens or one.span.end - one.span.start > _DAY:
            return
        self._day, self._hour = one, minutes(one.expression)
        waiting, self._dayless = self._dayless, []
        if self._hour is None:
            for hour in waiting:
                self._take_hour(hour, one)

    def _take_hour(self, one: TimeCandidate, day: TimeCandidate) -> None:
        """Keep an hour of a day; of two hours the later one is said last: "at 9:15, then 2:40"."""
        if not (self._is_ahead(day) or self._is_of_past(one)):
            return
        expression = one.expression
        if isinstance(day.expression, PartOfDay):
            expression = of_part(expression, day.expression.part)
        expression = _in_half(expression, self._text, one.span.span, self._speech)
        at = minutes(expression)
        if at is not None and at < _LATE + 60 and self._hour is not None and at < self._hour < at + _NOON:
            expression = after_noon(expression)
        self._hour = minutes(expression)
        placed = TimeMention(one.reference, one.span.span, on_day(expression, self._date(day)))
        span = placed.at(self._speech.moment("past"))
        if span is not None:
            self.told.append(replace(day, span=span, expression=placed.expression))

    def _is_of_past(self, one: TimeCandidate) -> bool:
        """Whether an hour is one of the past day of its assertion: "on Monday I went to the doctor at 9"."""
        where = self._text, one.span.span, self._speech.language
        return direction(*where) != "future" and not is_planned(*where)

    def _within(self, one: TimeCandidate) -> TimeSpan | None:
        """Return a bare day or weekday as one of the month, the week or the days before it."""
        whole, sort = self._whole, shape(one.expression)
        if whole is None or self._speech.signs.placed.search(one.reference):
            return None
        length = whole.end - whole.start
        if sort == "weekday" and timedelta(days=6) < length < _WEEK:
            begin = whole.start - timedelta(days=1)
        elif sort == "day" and length < _MONTH and whole.end > self._speech.at:
            begin = whole.start
        else:
            return None
        moment = Moment(begin, self._speech.zone, "future", sure=True)
        return TimeMention(one.span.reference, one.span.span, one.expression).at(moment)

    def _date(self, one: TimeCandidate) -> date:
        return one.span.start.astimezone(self._speech.zone).date()

    def _is_ahead(self, one: TimeCandidate) -> bool:
        return self._date(one) >= self._speech.at.astimezone(self._speech.zone).date()


def _times(window: TextWindow, speech: Speech) -> Iterator[TimeCandidate]:
    """Yield the times that stand in a window, from left to right."""
    text, low = window.assertion.text, window.assertion.plain
    begin, end = window.begin, window.end
    if any(sign.isdigit() and not sign.isascii() for sign in text[max(0, begin - _BESIDE) : end + _BESIDE]):
        return  # "²³ maggio": half of a date would be a wrong one
    found = _found(window, speech)
    timed = any(minutes(one.expression) is not None for one in found)
    for one in found:
        first, after = begin + one.span[0], begin + one.span[1]
        moved = moved_to(replace(one, span=(first, after)), window, speech.signs)
        expression = moved or one.expression
        if not is_dayless(expression):  # else the day told beside it may tell which half
            expression = _in_half(expression, text, (first, after), speech)
        reading = TimeMention(one.reference, (first, after), expression)
        span = place(window, reading, speech, timed=timed, moved=moved is not None)
        if span is None:
            continue
        inner, opens = open_bound(reading, span), False
        if inner is not None:
            reading, opens = replace(reading, expression=inner), True
            span = reading.at(speech.moment("future", sure=True)) or span
        if article := _ARTICLE.match(low, first, after):
            first = article.end()
        if is_named(text, low, first, after, speech.language):
            continue
        before, behind = low[max(0, first - _AROUND) : first], low[after : after + _AROUND]
        yield TimeCandidate(span, low, low[first:after], before, behind, reading.expression, opens)


def _in_half(expression: Expression, text: str, span: tuple[int, int], speech: Speech) -> Expression:
    """Return an hour as one after noon where it is said so without its half of the day: "Friday at 3".

    An hour of a dinner is, too; beside words of night or waking it stays where it is. From one hour to
    another, the other comes later.
    """
    first, last = minutes(expression), minutes(expression.last) if isinstance(expression, Between) else None
    if first is None or _HALF.search(text, *span):
        return expression
    clause = _BREAK.split(text[: span[0]].lower())[-1] + _BREAK.split(text[span[1] :].lower(), maxsplit=1)[0]
    shifted = (
        _DINNER if speech.signs.dinner.search(clause) else _AFTERNOON.get(speech.language, _LATE_AFTERNOON)
    )
    if first in shifted and (last is None or last < _NOON) and not speech.signs.night.search(clause):
        return after_noon(expression)
    if isinstance(expression, Between) and last is not None and last <= first < last + _NOON:
        return replace(expression, last=after_noon(expression.last))
    return expression


def _found(window: TextWindow, speech: Speech) -> list[TimeMention]:
    """Return what is read in a window, by offsets within it; where only an hour is looked for, the first."""
    found = list(time_mentions(stretch_of(window, speech.signs), speech.language))
    if window.hourly:
        found = [one for one in found[:1] if is_dayless(one.expression)]
        if found:
            return found
    return list(_with_hours(found, window.assertion.text[window.begin : window.end], speech.language))


def _with_hours(found: Sequence[TimeMention], text: str, language: Language) -> Iterator[TimeMention]:
    """Yield what was found in a text, and an hour between: not the one at which another one ends."""
    at, timed = 0, False
    for one in (*found, None):
        until = len(text) if one is None else one.span[0]
        for hour in hour_in(text[at:until], language):
            first, after = hour.span[0] + at, hour.span[1] + at
            if not timed or _NEXT.search(text, at, first):
                yield replace(hour, span=(first, after))
        if one is not None:
            at, timed = one.span[1], minutes(one.expression) is not None
            yield one


def _each_once(told: Sequence[TimeCandidate]) -> Iterator[EventTime]:
    """Yield the times that hold no other one, in their order, equal ones once."""
    spans = list(dict.fromkeys(EventTime(one.span.start, one.span.through) for one in told))
    kept = [one for one in spans if not any(_holds(one, other) for other in spans)]
    yield from kept[:MOST]


def _holds(one: EventTime, other: EventTime) -> bool:
    return one != other and one.start <= other.start and other.end <= one.end

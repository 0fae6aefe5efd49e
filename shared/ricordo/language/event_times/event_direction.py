"""Decides whether an ambiguous time of an event lies back or ahead: by tense, verb, weekday and hour.

The words beside it decide: a verb of planning, a future or an appointment points ahead, a past tense back.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta, tzinfo
from typing import Final

from ricordo.language.event_times.windows import Signs, TextWindow, signs_of
from ricordo.language.temporal.expressions.base import Expression
from ricordo.language.temporal.expressions.compounds import Between, Bound, shape
from ricordo.language.temporal.expressions.parts import Edge
from ricordo.language.temporal.moments import EARLIEST, LATEST, Direction, Language, Moment, TimeSpan
from ricordo.language.temporal.time_extraction import TimeMention

_WAYS: Final[tuple[Direction, ...]] = ("past", "future")
_AROUND: Final = 40
_LEAD: Final = re.compile(
    r"(?:di|da|del|dal|dello|dallo|della|dalla|of|from|since|after|dopo)\s+|(?:dell|dall)'\s*"
)
_HEAD: Final = re.compile(
    r"(?:^|[,.:;!?(])(?: ?(?:ah|e|ed|ma|poi|quindi|allora|and|but|so|then|oh|starting))* ?$"
)
_TO: Final = re.compile(r"(?:to|till|until|ad?|al|alla)\s+|all'\s*")
_TO_DAY: Final = re.compile(r"al(?= \d)|all(?='\d)")
_RECENT: Final = timedelta(days=30)
_SEASON: Final = 2  # how much nearer a month must lie ahead than back, where nothing else tells
_END: Final = re.compile(r"[.!?;\n]")
_CLAUSE_END: Final = re.compile(
    r"[,:()]| (?:but|because|while|ma|per[oò]|perch[eéè]|mentre) "
    r"| and (?=(?:i|we|you|he|she|they)\b)| e (?=(?:ho|hai|ha|abbiamo|avete|hanno)\b)"
    r"|(?<=said|told|eard|rmed) (?:\w+ )?that |(?<=detto|ritto|rmato|aputo) che "
)
_REACH: Final = 160  # characters of a sentence that are looked at, on each side


@dataclass(frozen=True, slots=True)
class Speech:
    """The time, zone and language of a message, and what was read of its times, by their words."""

    at: datetime
    zone: tzinfo
    language: Language
    signs: Signs
    read: Mapping[str, Direction] = field(default_factory=dict)

    def way_of(self, words: str) -> Direction | None:
        """Return where a time lies as it was read."""
        return next((way for said, way in self.read.items() if said in words or words in said), None)

    def moment(self, way: Direction, *, sure: bool = False) -> Moment:
        """Return the moment from which times are counted."""
        return Moment(self.at, self.zone, way, sure)


def place(
    window: TextWindow, reading: TimeMention, speech: Speech, *, timed: bool, moved: bool = False
) -> TimeSpan | None:
    """Return the time of a reading, whose offsets are those of the assertion; None where there is none.

    What was read of the time decides. Else an appointment lies ahead unless a past tense rules its clause,
    and what nothing places lies where it is nearest.
    """
    past, future = (reading.at(speech.moment(way, sure=True)) for way in _WAYS)
    if past == future or past is None or future is None:
        return past or future
    if _is_placed(reading, window, speech):
        return past
    if moved or is_moved(window, reading.span[0], speech.signs):
        way = _way_of_moved(reading, speech)
    else:
        read = speech.way_of(window.assertion.plain[slice(*reading.span)])
        way = read or _way(window, reading, speech, timed=timed)
    if way is None:
        return _nearest(past, future, reading, speech)
    return past if way == "past" else future


def is_moved(window: TextWindow, at: int, signs: Signs) -> bool:
    """Whether at a place of the assertion the time begins to which something was moved: "moved me to"."""
    low = window.assertion.plain
    lead = _TO.match(low, at)
    return signs.moved_before.search(low, 0, at if lead is None else lead.end()) is not None


def stretch_of(window: TextWindow, signs: Signs) -> str:
    """Return the text of a window, the article of a day to which something was moved apart: "al 24"."""
    text, low = window.assertion.text[window.begin : window.end], window.assertion.plain
    to = _TO_DAY.match(low, window.begin, window.end)
    if to is None or not is_moved(window, window.begin, signs):
        return text
    return ("il" if to[0] == "al" else "  l") + text[len(to[0]) :]


def moved_to(reading: TimeMention, window: TextWindow, signs: Signs) -> Expression | None:
    """Return the new time of something that was moved: "moved from Monday to Thursday"; else None."""
    expression = reading.expression
    whole = expression.whole if isinstance(expression, Edge) and expression.edge == "some" else expression
    if isinstance(whole, Between) and signs.moved.search(window.assertion.plain):
        return whole.last
    if isinstance(whole, Bound) and whole.side == "until" and is_moved(window, reading.span[0], signs):
        return whole.of
    return None


def open_bound(reading: TimeMention, span: TimeSpan) -> Expression | None:
    """Return what a time that is open at one side is of, where it is to begin or to be over by then."""
    if not isinstance(reading.expression, Bound):
        return None
    starts = reading.expression.side in {"since", "after"} and span.end == LATEST
    due = reading.expression.side in {"before", "up_to"} and span.start == EARLIEST
    return reading.expression.of if starts or due else None


def _is_placed(reading: TimeMention, window: TextWindow, speech: Speech) -> bool:
    """Whether its own words say which way it lies."""
    start, end = reading.span
    low, signs = window.assertion.plain, speech.signs
    if shape(reading.expression) != "placed" or signs.nearest.search(low[start:end]):
        return False
    return signs.placed.search(low, start, end) is not None


def _way(window: TextWindow, reading: TimeMention, speech: Speech, *, timed: bool) -> Direction | None:
    text, low, signs = window.assertion.text, window.assertion.plain, speech.signs
    lead = None if isinstance(reading.expression, Between) else _LEAD.match(low, *reading.span)
    span = (reading.span[0] if lead is None else lead.end(), reading.span[1])
    before, behind = low[max(0, span[0] - _AROUND) : span[0]], low[span[1] : span[1] + _AROUND]
    if _is_start(reading, low) and not signs.state_behind.match(behind):
        # "From Monday I work nights": it begins; "I have been ill from Monday": it has begun.
        span = reading.span
    if signs.ahead_before.search(before) or signs.perhaps.match(low):
        return "future"
    if signs.ahead_behind.match(behind) or _is_booked(low, reading, speech):
        return "future"
    if timed and shape(reading.expression) != "placed":
        return "past" if is_over(text, span, speech.language) else "future"
    if isinstance(reading.expression, Bound) and shape(reading.expression) in {"day", "date", "month"}:
        return "past" if is_over(text, span, speech.language) else None
    return _by_tense(window, span, speech)


def _by_tense(window: TextWindow, span: tuple[int, int], speech: Speech) -> Direction | None:
    text = window.assertion.text
    told = direction(text, span, speech.language)
    if told == "future" or is_planned(text, span, speech.language):
        return "future"
    if told == "past" or is_over(text, span, speech.language):
        return "past"
    return "future" if speech.signs.appointed.search(window.assertion.plain) else None


def _is_start(reading: TimeMention, low: str) -> bool:
    """Whether its clause begins with what something begins with: "from Monday", "dal 4 maggio"."""
    return isinstance(reading.expression, Bound) and _HEAD.search(low[: reading.span[0]]) is not None


def _is_booked(low: str, reading: TimeMention, speech: Speech) -> bool:
    """Whether it is the time of what was booked; of a mere purchase, that may be the time of the deed."""
    start, _ = reading.span
    booked = speech.signs.booked.search(low, max(0, start - 4 * _AROUND), start)
    if booked is None:
        return False
    if speech.signs.booked_for.search(low, 0, start):
        return True
    return not _is_recent(reading, speech)


def _way_of_moved(reading: TimeMention, speech: Speech) -> Direction | None:
    """Return where what was moved lies: ahead, unless of two dates of a year one was but weeks ago."""
    month_told = shape(reading.expression) in {"date", "month", "holiday"}
    return None if month_told and _is_recent(reading, speech) else "future"


def _is_recent(reading: TimeMention, speech: Speech) -> bool:
    past = reading.at(speech.moment("past"))
    return past is not None and speech.at - past.end <= _RECENT


def _nearest(past: TimeSpan, future: TimeSpan, reading: TimeMention, speech: Speech) -> TimeSpan:
    """Return the nearer of both where a year or a month is left open, else the past."""
    sort = shape(reading.expression)
    if sort in {"weekday", "placed"}:
        return past
    back, ahead = reading.at(speech.moment("past")), reading.at(speech.moment("future"))
    if back is not None and back == ahead:
        return back  # the weekday says which
    over = past.start if isinstance(reading.expression, Bound) else past.end
    times = _SEASON if sort == "month" else 1
    return future if (future.start - speech.at) * times < speech.at - over else past


def direction(text: str, span: tuple[int, int], language: Language) -> Direction | None:
    """Say which way the words of its sentence place the time at `span`; None when nothing does.

    The nearest sign wins, one before the time over one behind it.
    """
    tenses, (before, behind) = signs_of(language).tense, _around(text, span)
    for part, last in ((before, True), (behind, False)):
        ahead, back = (_distance(signs, part, last=last) for signs in (tenses.ahead, tenses.back))
        if ahead is not None or back is not None:
            return "future" if back is None or (ahead is not None and ahead < back) else "past"
    return None


def is_over(text: str, span: tuple[int, int], language: Language) -> bool:
    """Return whether a past tense rules the clause of the time at `span`.

    A time that is all of its clause belongs to the one behind it: "on Saturday at 9, we left".
    """
    past = signs_of(language).tense.past
    before, behind = map(_small, _around(text, span))
    head, clauses = _CLAUSE_END.split(before)[-1], _CLAUSE_END.split(behind)
    clause = f"{head} · {clauses[0]}"  # not the time itself: "sat" is a day and a deed
    if not any(map(str.isalnum, head + clauses[0])) and len(clauses) > 1:
        clause += clauses[1]
    return past.search(clause) is not None


def is_planned(text: str, span: tuple[int, int], language: Language) -> bool:
    """Say whether the clause of the time at `span` is in the present tense, and nothing in it is past.

    "Martedì ho la riunione", "my flight leaves on 3 July". A clause without a verb that is known ("on
    Tuesday, at ten, …") leaves it to its sentence.
    """
    tenses = signs_of(language).tense
    before, behind = map(_small, _around(text, span))
    if tenses.of.search(before):
        return False
    time = text[slice(*span)].lower()
    clause = _CLAUSE_END.split(before)[-1] + time + _CLAUSE_END.split(behind, maxsplit=1)[0]
    for part in (clause, before + time + behind):
        if tenses.past.search(part):
            return False
        if tenses.present.search(part):
            return True
    return False


def _small(text: str) -> str:
    return text.lower().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")


def _around(text: str, span: tuple[int, int]) -> tuple[str, str]:
    """Return what stands in the same sentence before and behind `span`."""
    before = _END.split(text[max(0, span[0] - _REACH) : span[0]])[-1]
    behind = _END.split(text[span[1] : span[1] + _REACH], maxsplit=1)[0]
    return before, behind


def _distance(signs: re.Pattern[str], part: str, *, last: bool) -> int | None:
    """Return the distance of the nearest sign from the time, None without any."""
    distances = [len(part) - match.end() if last else match.start() for match in signs.finditer(part)]
    return min(distances, default=None)

"""The phrases of `context.toml` and the syntax of a context's own lines.

A context begins with a line that states the day; inside its tags stand headings of days and sections, and
lines with marks (`m1`, `f2`; of a turn, its time). What people said must never look like one: see
`is_imitation`.
"""

import datetime as dt
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final, cast

from ricordo.language.data_files import languages_with, read_table
from ricordo.language.unmasking import unmasked

FALLBACK: Final = "en"
PARTS: Final = ("recent", "notes")
"""Sections with a heading, by the names of its phrases."""
# Read on unmasked text, and generously: to be taken for an imitation costs a text one backslash.
_IMITATED_MARK: Final = re.compile(r"\W*[mf][\W_]{0,3}\d{1,4}(?![^\W_])")
_IMITATED_TURN: Final = re.compile(r"\W*\d{1,2}\W\d\d\W+\w[^:]{0,80}:")
_SHORT: Final = 3  # letters of a weekday or a month, where they are short
_BREAK: Final = r"(?:[\s>]|\\n)"
_IMITATED_DAY: Final = r"\W*(?:{weekdays})\b\W*\d{{1,2}}\W*\w{{3,12}}\W*(?:\d{{2,4}}\W*)?$"


@lru_cache(maxsize=1)
def load_phrases() -> Mapping[str, Mapping[str, object]]:
    """Return the phrases of `context.toml` by language, read once."""
    return {language: read_table("context", language) for language in languages_with("context")}


def phrase_table(language: str) -> Mapping[str, object]:
    """Return the phrases of a language; English for one without phrases."""
    return load_phrases().get(language) or load_phrases()[FALLBACK]


def _words(language: str, name: str) -> list[str]:
    return phrase(language, name).split()


def _date(template: str, date: dt.date, language: str) -> str:
    values = {
        "weekday": _words(language, "weekdays")[date.weekday()],
        "day": str(date.day),
        "month": _words(language, "months")[date.month - 1],
        "year": str(date.year),
    }
    short = {f"short_{name}": values[name][:_SHORT] for name in ("weekday", "month")}
    return template.format(**values, **short, time="{time}")


def today_line(now: dt.datetime, language: str) -> str:
    """Return the line that states day and hour: "Today is Thursday, 5 November 2026, 09:00."."""
    return _date(phrase(language, "today"), now.date(), language).format(time=now.strftime("%H:%M"))


def day_heading(date: dt.date, today: dt.date | None, language: str) -> str:
    """Return the heading of a day, "Thu 5 Nov", with its year unless that is today's."""
    heading = _date(phrase(language, "day"), date, language)
    return heading if today is not None and today.year == date.year else f"{heading} {date.year}"


def date_text(date: dt.date, language: str, name: str = "date") -> str:
    """Return a date in words, "8 May 2023"; `name` is that of its phrase."""
    return _date(phrase(language, name), date, language)


def is_imitation(line: str) -> bool:
    """Whether a line could be taken for a mark or a heading of a context, in whatever letters."""
    seen = unmasked(line[:200])
    return any(own.match(seen) for own in (_IMITATED_MARK, _IMITATED_TURN, _imitated_heading()))


def preface_before(tag: str) -> re.Pattern[str]:
    """Return a pattern, for unmasked text, of the line that states the day right before the pattern `tag`."""
    todays = map(_today_pattern, load_phrases())
    lines = "|".join(today.replace(r"\ ", rf"{_BREAK}+") for today in todays)
    return re.compile(rf"(?:{lines}){_BREAK}*(?={tag})")


@lru_cache(maxsize=1)
def _imitated_heading() -> re.Pattern[str]:
    days = [unmasked(day)[:3] for name in load_phrases() for day in _words(name, "weekdays")]
    begins = [_IMITATED_DAY.format(weekdays="|".join(rf"{day}\w*" for day in days))]
    begins += [rf"\W*{re.escape(unmasked(phrase(name, 'today')).split('{')[0])}" for name in load_phrases()]
    begins += [rf"\W*{re.escape(heading.rstrip(':'))}\W*$" for heading in sorted(_part_headings())]
    return re.compile("|".join(begins))


@lru_cache(maxsize=1)
def _part_headings() -> frozenset[str]:
    return frozenset(unmasked(phrase(name, part)) for name in load_phrases() for part in PARTS)


def _today_pattern(language: str) -> str:
    """Return the pattern of the line that states the day, for unmasked text; its spaces are escaped."""
    pattern = re.escape(unmasked(phrase(language, "today")))
    weekdays, months = ("|".join(map(unmasked, _words(language, each))) for each in ("weekdays", "months"))
    parts = {"weekday": weekdays, "month": months, "day": r"\d{1,2}", "year": r"\d{4}", "time": r"\d\d:\d\d"}
    for part, said in parts.items():
        pattern = pattern.replace(re.escape(f"{{{part}}}"), f"(?:{said})")
    return pattern


def phrase(language: str, name: str, **values: object) -> str:
    """Return a phrase, filled in."""
    # Values are put in by replacement: a brace in what a user said is no placeholder.
    text = str(phrase_table(language)[name])
    for key, value in values.items():
        text = text.replace(f"{{{key}}}", str(value))
    return text


def counted_phrase(language: str, name: str, count: int) -> str:
    """Return a phrase with a count, in the singular or the plural."""
    return phrase(language, f"{name}_one") if count == 1 else phrase(language, name, count=count)


@lru_cache(maxsize=2)
def word_lists(language: str) -> Mapping[str, frozenset[str]]:
    """Return the word lists of a language by name; underscores stand for spaces."""
    lists = cast("Mapping[str, str]", phrase_table(language)["lists"])
    return {name: frozenset(words.split()) for name, words in lists.items()}

"""The album's own words in Italian and English, and its templates."""

import re
import tomllib
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from ricordo.client import NotFound, RicordoError, Timeout, Unavailable
from ricordo_services.album.drawings import mood_step

LANGUAGES: Final = ("en", "it")
_FOLDER: Final = Path(__file__).parent
_BEFORE_VOWEL: Final = re.compile(r"\bdal (?=(?:8|11)\b)")
"""Of Italian: otto and undici take an apostrophe."""


def language_of(accepted: str) -> str:
    """Return the first language of a header `Accept-Language` that the album has, else English."""
    wanted = [part.partition(";") for part in accepted.lower().split(",")]
    ranked = sorted(wanted, key=lambda one: -_weight(one[2]))
    names = (name.strip().partition("-")[0] for name, _, _ in ranked)
    return next((name for name in names if name in LANGUAGES), LANGUAGES[0])


def _weight(parameter: str) -> float:
    try:
        return float(parameter.strip().removeprefix("q=") or 1)
    except ValueError:
        return 0.0


class Texts:
    """The words of one language.

    Args:
        language: one of `LANGUAGES`.
    """

    def __init__(self, language: str) -> None:
        self.language = language
        self._words: dict[str, Any] = {}
        for file in sorted((_FOLDER / "texts" / language).glob("*.toml")):
            self._words |= tomllib.loads(file.read_text("utf-8"))

    def __call__(self, name: str, /, n: int | None = None, **values: object) -> str:
        """Return a text by its dotted name; of a table (`zero`, `one`, `other`) the one for the number `n`.

        Raises:
            KeyError: there is no such text.
        """
        found: Any = self._words
        for part in name.split("."):
            found = found[part]
        if isinstance(found, Mapping):
            found = found.get({0: "zero", 1: "one"}.get(n if n is not None else 2, "other"), found["other"])
        text = str(found).format(n=self.number(n) if n is not None else "", **values)
        return _BEFORE_VOWEL.sub("dall’", text) if self.language == "it" else text

    def has(self, name: str) -> bool:
        """Return whether there is such a text."""
        try:
            self(name)
        except (KeyError, TypeError):
            return False
        return True

    def number(self, value: float) -> str:
        """Return a number with separators of thousands."""
        text = f"{value:,}"
        return text.replace(",", ".") if self.language == "it" else text

    def day(self, at: date, *, today: date | None = None, weekday: bool = True) -> str:
        """Return a date in words, as "Sunday 3 May 2026", or "yesterday" where `today` is given."""
        if today is not None and (near := {0: "today", 1: "yesterday"}.get((_date(today) - _date(at)).days)):
            return self(f"dates.{near}")
        name = f"{self._words['dates']['weekdays'][at.weekday()]} " if weekday else ""
        return f"{name}{at.day} {self.month(at)} {at.year}"

    def month(self, at: date) -> str:
        """Return the name of a month."""
        return self.months[at.month - 1]

    def short(self, at: date, by: str) -> str:
        """Return a short name of a day, month or year, for a figure."""
        name = self.month(at)[:3]
        return {"year": f"{at.year}", "month": f"{name} {at:%y}"}.get(by, f"{at.day} {name}")

    @property
    def months(self) -> list[str]:
        """The names of the months."""
        return list(self._words["dates"]["months"])

    def period(self, start: date, by: str) -> str:
        """Return the name of the day, week, month or year that begins at `start`."""
        match by:
            case "year":
                return str(start.year)
            case "month":
                return f"{self.month(start)} {start.year}".capitalize()
            case "week":
                return self("dates.week_of", day=self.day(start, weekday=False))
            case _:
                return self.day(start).capitalize()

    def ago(self, at: datetime, now: datetime) -> str:
        """Return how long ago it was, in words."""
        minutes = int((now - at) / timedelta(minutes=1))
        for unit, length in (("years", 525_960), ("months", 43_830), ("days", 1_440), ("hours", 60)):
            if minutes >= length:
                return self(f"ago.{unit}", n=minutes // length)
        return self("ago.minutes", n=minutes) if minutes > 0 else self("ago.now")


def _date(at: date) -> date:
    return at.date() if isinstance(at, datetime) else at


@cache
def texts(language: str) -> Texts:
    """Return the words of a language."""
    return Texts(language)


def sentence_of(error: RicordoError, t: Texts) -> str:
    """Return what went wrong and what to do, in words for a person."""
    match error:
        case NotFound():
            return t("errors.not_found")
        case Unavailable() | Timeout():
            return t("errors.unavailable")
        case _:
            return t("errors.refused", message=error.message)


@cache
def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(_FOLDER / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["mood"] = mood_step
    return made


def render(template: str, language: str, **values: object) -> Markup:
    """Return a template as HTML, in which every value is escaped."""
    own = texts(language)
    shown = _environment().get_template(template).render(t=own, language=language, **values)
    return Markup(shown)  # noqa: S704 - autoescaped

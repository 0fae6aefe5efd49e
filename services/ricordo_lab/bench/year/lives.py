"""Lives made up: what people say day by day, what of it matters, and what they will ask about; by seed."""

import random
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from importlib.resources import files
from itertools import cycle
from typing import Final

from ricordo_lab.bench.conversation import LANGUAGES, Spoken

MONTHS_AGO: Final = timedelta(days=60)
"""What is older is asked for as what happened months ago."""
RECENT: Final = timedelta(days=3)
_PASSING: Final = 0.4  # of what is said is about somebody, in passing
_BETWEEN_EVENTS: Final = 3  # days between two events, of whatever sort
_WAKING: Final = timedelta(hours=15)
_MORNING: Final = timedelta(hours=7)
_SLOT: Final = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Said:
    """Something that a user says.

    Attributes:
        id: unique for the user.
        about: whom it is about, or which event; nothing of what is about nothing in particular.
        matters: whether it is what happens once in a life.
    """

    id: str
    text: str
    at: datetime
    about: str = ""
    matters: bool = False


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, and the message that answers it best."""

    text: str
    wanted: str


@dataclass(frozen=True, slots=True)
class _Event:
    ask: str
    said: Sequence[str]
    details: Sequence[str]


@dataclass(frozen=True, slots=True)
class _Words:
    names: Sequence[str]
    mentions: Sequence[str]
    days: Sequence[str]
    profound: Sequence[str]
    about: Sequence[str]
    events: Mapping[str, _Event]
    lists: Mapping[str, Sequence[str]]


class Life:
    """A user's year.

    Args:
        user_id: whose.
        seed: of chance.
        start: the midnight before the first day, aware.
        days: how many.
        each_day: messages.
    """

    def __init__(self, user_id: str, seed: int, start: datetime, days: int, each_day: int) -> None:
        self.user_id = user_id
        self.language = LANGUAGES[seed % len(LANGUAGES)]
        self._words = _words(self.language)
        self._chance = random.Random(seed)
        self._start, self._days, self._each_day = start, days, each_day
        chance, words = self._chance, self._words
        self._people = chance.sample(words.names, len(words.profound))
        fates = chance.sample(words.profound, len(words.profound))
        self._fates = {
            chance.randrange(days): (name, fate) for name, fate in zip(self._people, fates, strict=True)
        }
        self._events = cycle(chance.sample(sorted(words.events), len(words.events)))
        self.said: list[Said] = []

    def day(self, number: int) -> Sequence[Said]:
        """Return what is said on a day, counted from 0; each day once, in order."""
        midnight = self._start + timedelta(days=number)
        texts = [self._passing() for _ in range(self._each_day)]
        if number in self._fates:
            name, fate = self._fates[number]
            texts[self._chance.randrange(len(texts))] = (fate.replace("{name}", name), name, True)
        if number % _BETWEEN_EVENTS == 0:
            kind = next(self._events)
            event = self._words.events[kind]
            detail = self._chance.choice(event.details)
            told = self._chance.choice(event.said).replace("{detail}", detail)
            texts[self._chance.randrange(len(texts))] = (told, kind, False)
        step = _WAKING / len(texts)
        spoken = [
            Said(f"{self.user_id}-{number}-{place}", text, midnight + _MORNING + place * step, about, matters)
            for place, (text, about, matters) in enumerate(texts)
        ]
        self.said += spoken
        return spoken

    def curiosity(self) -> str:
        """Return what the user asks some day: about somebody, or something that happened."""
        if self._chance.random() < 0.5:
            return self._about(self._chance.choice(self._people[: len(self._people) // 3]))
        return self._chance.choice(list(self._words.events.values())).ask

    def long_ago(self, now: datetime) -> Iterator[Asked]:
        """Yield a question about each person to whom something happened months ago that matters."""
        for one in self.said:
            if one.matters and one.at <= now - MONTHS_AGO:
                yield Asked(self._about(one.about), one.id)

    def lately(self, now: datetime) -> Iterator[Asked]:
        """Yield a question about each event of the last days, which is of a sort that happened before."""
        for one in self.said:
            if one.about in self._words.events and one.at > now - RECENT:
                yield Asked(self._words.events[one.about].ask, one.id)

    def _about(self, name: str) -> str:
        return self._chance.choice(self._words.about).replace("{name}", name)

    def _passing(self) -> tuple[str, str, bool]:
        if self._chance.random() < _PASSING:
            name = self._chance.choice(self._people)
            return (
                self._filled(self._chance.choice(self._words.mentions).replace("{name}", name)),
                name,
                False,
            )
        return self._filled(self._chance.choice(self._words.days)), "", False

    def _filled(self, pattern: str) -> str:
        text = _SLOT.sub(lambda slot: self._chance.choice(self._words.lists[slot[1]]), pattern)
        return text[0].upper() + text[1:]


@cache
def _words(language: Spoken) -> _Words:
    text = files("ricordo_lab.bench").joinpath("grammar", f"life_{language}.toml").read_text("utf-8")
    read = tomllib.loads(text)
    events = {name: _Event(**event) for name, event in read.pop("events").items()}
    return _Words(**read, events=events)

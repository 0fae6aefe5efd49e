"""Histories of what somebody said, with regularities planted in them, and with none.

A seed draws all of them. In each, people, things and feelings come up at random as well: what is planted is
only more frequent than that.
"""

import random
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from importlib.resources import files
from typing import Any, Final
from uuid import NAMESPACE_OID, uuid5

from ricordo.language.topics import topic_key
from ricordo.memory.enrichment import enrich
from ricordo.memory.model import Memory

LANGUAGES: Final = {"en": "english", "it": "italian"}
PLANTED: Final = ("company", "feeling", "rising", "when")
EMPTY: Final = ("random", "small talk", "one long talk")
"""Kinds of history in which nothing is regular."""

_FELT: Final = frozenset({"company", "feeling"})
_TRUTHS: Final = {
    "company": ("company/who:{who}/what:{what}", "feeling/who:{who}", "feeling/what:{what}"),
    "feeling": ("feeling/what:{what}",),
    "rising": ("rising/what:{what}",),
    "when": ("when/what:{what}",),
}
_MESSAGES: Final = 100
_DAYS: Final = 60
_BEGIN: Final = datetime(2026, 1, 5, tzinfo=UTC)
SUPPORT: Final = 14
"""Messages that speak of what is planted."""

_KEPT_TO: Final = 0.85  # of these, those that do keep to it
_WITH_SOMEBODY: Final = 0.3
_WITH_FEELING: Final = 0.4
_LONG_TALK: Final = 40


@dataclass(frozen=True, slots=True)
class History:
    """What one user said.

    Attributes:
        kind: one of `PLANTED` or `EMPTY`.
        truths: what may be said of it, as `Insight.about`, what was planted first; nothing where it is empty.
        feeling: the family of the feeling that was planted; "" for none.
        memories: enriched, the latest 100.
    """

    number: int
    language: str
    kind: str
    truths: tuple[str, ...]
    feeling: str
    memories: tuple[Memory, ...]


@dataclass(slots=True)
class _Telling:
    """Draws messages.

    Attributes:
        support: how many speak of what is planted.
        left_out: the thing that comes up where it is planted only.
    """

    draw: random.Random
    material: Mapping[str, Any]
    support: int
    left_out: str = ""
    said: list[tuple[datetime, str]] = field(default_factory=list)

    def tell(self, at: datetime, thing: str, who: str = "", feeling: str = "") -> None:
        of = self.material["things"][thing]
        text = self.draw.choice(of["with" if who else "alone"])
        felt = self.draw.choice(self.material["feelings"][feeling]) if feeling else ""
        self.say(at, text.replace("{who}", who).replace("{felt}", felt))

    def say(self, at: datetime, text: str) -> None:
        self.said.append((at, text))

    def anything(self, at: datetime) -> None:
        """Tell of a thing, perhaps with somebody, perhaps with a feeling; or of nothing in particular."""
        if self.draw.random() < 0.3:
            self.say(at, self.draw.choice(self.material["others"]["noise"]))
            return
        who = self.draw.choice(self.material["people"]) if self.draw.random() < _WITH_SOMEBODY else ""
        feeling = self.draw.choice([*self.material["feelings"]]) if self.draw.random() < _WITH_FEELING else ""
        things = [thing for thing in self.material["things"] if thing != self.left_out]
        self.tell(at, self.draw.choice(things), who, feeling)

    def moment(self, day: int | None = None) -> datetime:
        day = self.draw.randrange(_DAYS) if day is None else day
        return _BEGIN + timedelta(days=day, hours=self.draw.uniform(6, 23.5))

    def weekend(self) -> int:
        return self.draw.choice([day for day in range(_DAYS) if day % 7 >= 5])


def histories(count: int, seed: int, languages: Sequence[str], support: int = SUPPORT) -> Iterator[History]:
    """Yield that many histories of each kind and language."""
    for language in languages:
        for kind in (*PLANTED, *EMPTY):
            for number in range(count):
                yield history(number, language, kind, seed, support)


def history(number: int, language: str, kind: str, seed: int, support: int = SUPPORT) -> History:
    """Return one history; the same one for the same arguments."""
    draw = random.Random(f"{seed} {language} {kind} {number}")
    telling = _Telling(draw, _material(language), support)
    who = draw.choice(telling.material["people"])
    thing = draw.choice([*telling.material["things"]])
    feeling = draw.choice([*telling.material["feelings"]])
    truths = _plant(telling, kind, thing, who, feeling) if kind in PLANTED else ()
    _fill(telling, kind, thing, who)
    speaker = draw.choice(telling.material["speakers"])
    memories = [
        _memory(f"{seed}-{language}-{kind}-{number}-{nth}", said, language, speaker)
        for nth, said in enumerate(sorted(telling.said)[-_MESSAGES:])
    ]
    subject = topic_key(thing, language)
    return History(
        number,
        language,
        kind,
        tuple(one.format(who=who.casefold(), what=subject) for one in truths),
        feeling if kind in _FELT else "",
        tuple(memories),
    )


def _plant(telling: _Telling, kind: str, thing: str, who: str, feeling: str) -> tuple[str, ...]:
    """Tell of a thing again and again, mostly as it is planted; return what may be said then, that first."""
    telling.left_out = thing
    for _ in range(telling.support):
        is_kept = telling.draw.random() < _KEPT_TO
        day = telling.draw.randrange(_DAYS)
        if kind == "rising":
            day = int(_DAYS * telling.draw.random() ** 0.25)
        elif kind == "when" and is_kept:
            day = telling.weekend()
        telling.tell(
            telling.moment(day),
            thing,
            who if kind == "company" and is_kept else "",
            feeling if kind in _FELT and is_kept else "",
        )
    return _TRUTHS[kind]


def _fill(telling: _Telling, kind: str, thing: str, who: str) -> None:
    """Tell of this and that until there are enough messages."""
    if kind == "one long talk":
        day = telling.draw.randrange(_DAYS)
        feeling = telling.draw.choice([*telling.material["feelings"]])
        for _ in range(_LONG_TALK):
            telling.tell(telling.moment(day), thing, who, feeling)
    while len(telling.said) < _MESSAGES:
        if kind == "small talk":
            telling.say(telling.moment(), telling.draw.choice(telling.material["others"]["small_talk"]))
        else:
            telling.anything(telling.moment())


def _memory(message_id: str, said: tuple[datetime, str], language: str, speaker: str) -> Memory:
    at, text = said
    derived = enrich(text, language=language, speaker=speaker)
    return Memory(
        id=uuid5(NAMESPACE_OID, message_id),
        tenant="insights",
        user_id="u-1",
        message_id=message_id,
        conversation_id=f"c-{at.date()}",
        content=text,
        created_at=at,
        language=language,
        speaker=speaker,
        participants=derived.participants,
        topics=derived.topics,
        emotion=derived.emotion,
        importance=derived.importance.value,
        kind=derived.kind,
        type=derived.type,
    )


@lru_cache(maxsize=2)
def _material(language: str) -> Mapping[str, Any]:
    return tomllib.loads(files(__package__).joinpath(f"{LANGUAGES[language]}.toml").read_text("utf-8"))

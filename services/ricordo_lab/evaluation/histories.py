"""Generates histories of messages with a planted regularity, and without one.

In each, people, things and feelings come up at random as well; what is planted is only more frequent.
"""

import random
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib.resources import files
from typing import Any, Final
from uuid import NAMESPACE_OID, uuid5

from ricordo.language.topics import topic_key
from ricordo.memory.enrichment import enrich
from ricordo.memory.model import Memory

LANGUAGES: Final = ("en", "it")
PLANTED: Final = ("company", "feeling", "rising", "when")
EMPTY: Final = ("random", "small talk", "one long talk")
"""Kinds of history without a regularity."""
SUPPORT: Final = 14
"""Messages about the planted thing."""

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
_REGULAR: Final = 0.85  # of the messages about the planted thing keep to the regularity
_NOISE: Final = 0.3
_WITH_SOMEBODY: Final = 0.3
_WITH_FEELING: Final = 0.4
_LONG_TALK: Final = 40


@dataclass(frozen=True, slots=True)
class History:
    """The messages of one user.

    Attributes:
        kind: one of `PLANTED` or `EMPTY`.
        truths: what may be stated, as `Insight.about`, the planted regularity first; empty without one.
        feeling: the family of the planted feeling; empty without one.
        memories: enriched, the latest 100.
    """

    language: str
    kind: str
    truths: tuple[str, ...]
    feeling: str
    memories: tuple[Memory, ...]


@dataclass(slots=True)
class _Writer:
    """Draws messages, of which `support` are about the planted thing, the only ones about `left_out`."""

    draw: random.Random
    material: Mapping[str, Any]
    support: int
    left_out: str = ""
    messages: list[tuple[datetime, str]] = field(default_factory=list)

    def about(self, at: datetime, thing: str, who: str = "", feeling: str = "") -> None:
        """Add a message about a thing, perhaps with somebody, perhaps with a feeling."""
        text = self.draw.choice(self.material["things"][thing]["with" if who else "alone"])
        felt = self.draw.choice(self.material["feelings"][feeling]) if feeling else ""
        self.messages.append((at, text.replace("{who}", who).replace("{felt}", felt)))

    def about_nothing(self, kind: str) -> None:
        """Add a message of small talk or noise."""
        self.messages.append((self.moment(), self.draw.choice(self.material["others"][kind])))

    def about_anything(self) -> None:
        """Add a message about a random thing, or noise."""
        at = self.moment()
        if self.draw.random() < _NOISE:
            self.messages.append((at, self.draw.choice(self.material["others"]["noise"])))
            return
        who = self.draw.choice(self.material["people"]) if self.draw.random() < _WITH_SOMEBODY else ""
        feeling = self.draw.choice([*self.material["feelings"]]) if self.draw.random() < _WITH_FEELING else ""
        things = [thing for thing in self.material["things"] if thing != self.left_out]
        self.about(at, self.draw.choice(things), who, feeling)

    def moment(self, day: int | None = None) -> datetime:
        """Return an instant of a day, a random one by default."""
        day = self.draw.randrange(_DAYS) if day is None else day
        return _BEGIN + timedelta(days=day, hours=self.draw.uniform(6, 23.5))


def histories(count: int, seed: int, languages: Sequence[str], support: int = SUPPORT) -> Iterator[History]:
    """Yield that many histories of each kind and language; the same arguments give the same ones."""
    for language in languages:
        for kind in (*PLANTED, *EMPTY):
            for number in range(count):
                yield _history(f"{seed} {language} {kind} {number}", language, kind, support)


def _history(seed: str, language: str, kind: str, support: int) -> History:
    draw = random.Random(seed)
    writer = _Writer(draw, _material(language), support)
    who = draw.choice(writer.material["people"])
    thing = draw.choice([*writer.material["things"]])
    feeling = draw.choice([*writer.material["feelings"]])
    if kind in PLANTED:
        _plant(writer, kind, thing, who, feeling)
    _fill(writer, kind, thing, who)
    speaker = draw.choice(writer.material["speakers"])
    memories = [
        _memory(f"{seed.replace(' ', '-')}-{nth}", message, language, speaker)
        for nth, message in enumerate(sorted(writer.messages)[-_MESSAGES:])
    ]
    names = {"who": who.casefold(), "what": topic_key(thing, language)}
    truths = tuple(one.format(**names) for one in _TRUTHS.get(kind, ()))
    return History(language, kind, truths, feeling if kind in _FELT else "", tuple(memories))


def _plant(writer: _Writer, kind: str, thing: str, who: str, feeling: str) -> None:
    """Add messages about a thing, most of which keep to the regularity."""
    writer.left_out = thing
    for _ in range(writer.support):
        is_regular = writer.draw.random() < _REGULAR
        day = writer.draw.randrange(_DAYS)
        if kind == "rising":
            day = int(_DAYS * writer.draw.random() ** 0.25)
        elif kind == "when" and is_regular:
            day = writer.draw.choice([day for day in range(_DAYS) if day % 7 >= 5])
        writer.about(
            writer.moment(day),
            thing,
            who if kind == "company" and is_regular else "",
            feeling if kind in _FELT and is_regular else "",
        )


def _fill(writer: _Writer, kind: str, thing: str, who: str) -> None:
    """Add random messages until there are enough."""
    if kind == "one long talk":
        day = writer.draw.randrange(_DAYS)
        feeling = writer.draw.choice([*writer.material["feelings"]])
        for _ in range(_LONG_TALK):
            writer.about(writer.moment(day), thing, who, feeling)
    while len(writer.messages) < _MESSAGES:
        if kind == "small talk":
            writer.about_nothing("small_talk")
        else:
            writer.about_anything()


def _memory(message_id: str, message: tuple[datetime, str], language: str, speaker: str) -> Memory:
    at, text = message
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


@cache
def _material(language: str) -> Mapping[str, Any]:
    file = files("ricordo_lab.evaluation").joinpath("data", f"histories_{language}.toml")
    return tomllib.loads(file.read_text("utf-8"))

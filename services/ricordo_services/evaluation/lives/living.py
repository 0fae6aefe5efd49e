"""Lives as somebody tells them: true things said several times over months, each denied by one false mention.

What may be true and how people say it stands in a file for each language; a seed draws who says what, when.
"""

import random
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from importlib.resources import files
from typing import Any, Final

LANGUAGES: Final = {"en": "english", "it": "italian"}
LEAST_SAID: Final = 3
MOST_SAID: Final = 6
NOISE: Final = 30
"""Messages of each life that state nothing."""

_BEGIN: Final = datetime(2025, 1, 6, 7, 0, tzinfo=UTC)
_DAYS: Final = 300
_CHATTY: Final = 0.25  # of the messages begin with something else, and as many go on
_USER: Final = "user"
_Things = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Truth:
    """What is true of a life.

    Attributes:
        subject: `user`, or a name.
        predicate: a name of the vocabulary.
        value: the object of the fact.
        false: what one message says instead; the same where it denies a liking.
        also: what is as true: who is a beagle is a dog; empty for nothing.
    """

    subject: str
    predicate: str
    value: str
    false: str
    also: str = ""


@dataclass(frozen=True, slots=True)
class Turn:
    """A message of the user.

    Attributes:
        id: unique in its life.
        at: when it was said.
        text: what was said.
        wording: the sentence without its values; empty for noise.
        truth: what it speaks of; None for noise.
        true: whether what it says of that is so.
    """

    id: str
    at: datetime
    text: str
    wording: str = ""
    truth: Truth | None = None
    true: bool = True


@dataclass(frozen=True, slots=True)
class Life:
    """What is true of somebody, and what they said.

    Attributes:
        number: tells it from the others.
        language: `en` or `it`.
        speaker: the user's name.
        pet: of whom it is asked who that is.
        truths: what was said several times.
        turns: what was said, in the order of its arrival, which is any.
    """

    number: int
    language: str
    speaker: str
    pet: str
    truths: tuple[Truth, ...]
    turns: tuple[Turn, ...]


def lives(count: int, seed: int, languages: Sequence[str] = tuple(LANGUAGES)) -> Iterator[Life]:
    """Yield that many lives, the languages taking turns; the same ones for the same seed."""
    for number in range(count):
        yield life(number, languages[number % len(languages)], seed)


def life(number: int, language: str, seed: int) -> Life:
    """Return one life."""
    draw, material = random.Random(f"{seed} {language} {number}"), _material(language)
    here = {slot: draw.choice(material["things"][slot]) for slot in material["things"]}
    truths, turns = [], []
    for spoken in material["facts"]:
        truth, said = _said(spoken, here, material, draw)
        truths.append(truth)
        turns += said
    turns += [Turn("", _moment(draw), draw.choice(material["noise"])) for _ in range(NOISE)]
    draw.shuffle(turns)
    named = tuple(
        Turn(f"m-{number}-{nth}", turn.at, turn.text, turn.wording, turn.truth, turn.true)
        for nth, turn in enumerate(turns)
    )
    speaker = draw.choice(material["speakers"])
    return Life(number, language, speaker, here["pet"]["name"], tuple(truths), named)


def _said(
    spoken: Mapping[str, Any], here: _Things, material: Mapping[str, Any], draw: random.Random
) -> tuple[Truth, list[Turn]]:
    """Return what is true, and the messages that say so, and the one that says otherwise."""
    slot, entity = spoken["slot"], spoken["entity"]
    others = [
        one
        for one in material["things"][spoken.get("wrong", slot)]
        if one["name"] not in {thing["name"] for thing in here.values()}
    ]
    false, wrong = draw.choice(spoken["false"]), draw.choice(others)
    subject = _USER if entity == _USER else here[entity]["name"]
    instead = wrong["name"] if "{wrong" in false else here[slot]["name"]
    also = here[slot].get(spoken.get("also", ""), "")
    truth = Truth(subject, spoken["predicate"], here[slot]["name"], instead, also)
    wordings = draw.sample(spoken["said"], draw.randint(LEAST_SAID, MOST_SAID))
    turns = [_turn(wording, here, truth, material, draw) for wording in wordings]
    return truth, [*turns, _turn(false, {**here, "wrong": wrong}, truth, material, draw, true=False)]


def _turn(
    wording: str,
    here: _Things,
    truth: Truth,
    material: Mapping[str, Any],
    draw: random.Random,
    *,
    true: bool = True,
) -> Turn:
    lead = draw.choice(material["leads"]) if draw.random() < _CHATTY else ""
    tail = draw.choice(material["tails"]) if draw.random() < _CHATTY else ""
    text = f"{lead}{wording.format_map(here)}{tail}"
    return Turn("", _moment(draw), text, wording, truth, true)


def _moment(draw: random.Random) -> datetime:
    return _BEGIN + timedelta(days=draw.randrange(_DAYS), seconds=draw.randrange(50_000))


@lru_cache
def _material(language: str) -> Mapping[str, Any]:
    """Return what lives in a language are made of."""
    text = files(__package__).joinpath(f"{LANGUAGES[language]}.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)

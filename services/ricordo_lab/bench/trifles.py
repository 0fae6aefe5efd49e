"""What people say and soon do not care about, made up: the days of a year, and details asked for once."""

import random
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from importlib.resources import files
from typing import Any, Final

from ricordo.messages.events import MessageReceived
from ricordo.messages.vocabulary import Role
from ricordo_lab.bench.conversation import Spoken

_AGO: Final = timedelta(days=560)
_SPAN: Final = timedelta(days=360)
_TURNS: Final = 10  # of a conversation


@dataclass(frozen=True, slots=True)
class Detail:
    """A question about a detail.

    Attributes:
        question: as it is asked.
        answer: what must be in the answer.
        message_id: which message says it.
    """

    question: str
    answer: str
    message_id: str


@dataclass(frozen=True, slots=True)
class Trifles:
    """What a user has said, and what is asked of it.

    Attributes:
        user_id: whose.
        messages: half a year old at the least, in the order of time.
        details: what is asked for in particular.
        broad: questions that nothing in particular answers.
    """

    user_id: str
    messages: Sequence[MessageReceived]
    details: Sequence[Detail]
    broad: Sequence[str]


def trifles(language: Spoken, count: int, now: datetime, seed: int = 1) -> Trifles:
    """Make up what a user has said; the same of the same seed.

    Args:
        language: in which.
        count: messages; no fewer than there are details.
        now: before which it lies.
        seed: of chance.
    """
    chance, words = random.Random(seed), _words()[language]
    user_id, people = f"user-{language}", words["people"]
    said = [
        (detail["said"].format(who=who, what=what), Detail(detail["asked"].format(who=who), what, ""))
        for detail in words["details"]
        for who, what in zip(people, detail["what"], strict=True)
    ]
    days = [
        f"{chance.choice(words['days']).format(who=chance.choice(people))} {chance.choice(words['ends'])}."
        for _ in range(count - len(said))
    ]
    every: list[tuple[str, Detail | None]] = [*said, *((day, None) for day in days)]
    chance.shuffle(every)
    apart = _SPAN / max(1, len(every))
    messages, details = [], []
    for number, (text, detail) in enumerate(every):
        one = _message(text, user_id, language, number, now - _AGO + number * apart)
        messages.append(one)
        if detail is not None:
            details.append(Detail(detail.question, detail.answer, one.id))
    return Trifles(
        user_id, messages, details, [each.format(who=who) for who in people for each in words["broad"]]
    )


def _message(text: str, user_id: str, language: Spoken, number: int, at: datetime) -> MessageReceived:
    return MessageReceived(
        id=f"{user_id}-{number}",
        user_id=user_id,
        conversation_id=f"{user_id}-c{number // _TURNS}",
        role=Role.USER,
        content=text,
        timestamp=at,
        language=language,
    )


@cache
def _words() -> Mapping[str, Mapping[str, Any]]:
    text = files(__package__).joinpath("grammar", "trifles.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)

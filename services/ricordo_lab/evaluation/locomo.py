"""Reads conversations and questions about them from files in the format of LoCoMo (Maharana et al. 2024).

A file is a JSON list of conversations. Each has `sample_id`; `conversation` with `session_N`, a list of turns
(`speaker`, `dia_id`, `text`, `blip_caption` for what a picture shows), and `session_N_date_time`; and `qa`,
with `question`, `category` and `evidence`, the ids of the turns that answer it.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from ricordo.language.annotations import Role
from ricordo_lab.console import UnreadableData
from ricordo_lab.data_files import reading

CATEGORIES: Final[Mapping[int, str]] = {
    1: "several turns",
    2: "time",
    3: "world knowledge",
    4: "one turn",
}
"""What questions of a category need. Those of the fifth are for what was never said, and are left out."""

_SESSION: Final = re.compile(r"session_(\d+)")
_EVIDENCE: Final = re.compile(r"D:?(\d+):(\d+)")
_BEGAN: Final = "%I:%M %p on %d %B, %Y"
_PACE: Final = timedelta(minutes=1)  # from turn to turn; the files say only when a session began


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn; its id is unique within the conversation."""

    id: str
    session: int
    speaker: str
    text: str
    at: datetime
    role: Role = Role.USER


@dataclass(frozen=True, slots=True)
class LocomoQuestion:
    """A question, and the ids of the turns that answer it, of which there is at least one.

    Attributes:
        number: its place in the file; translations are found by it.
        languages: of the question and of the conversation.
        outdated: the ids of turns that hold an answer which was true before.
    """

    text: str
    category: int
    evidence: frozenset[str]
    number: int = 0
    languages: str = "en in en"
    outdated: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation over many sessions, and what is asked about it.

    Attributes:
        source: what it is a version of, or whose it is: left out with all that shares it.
    """

    id: str
    turns: tuple[Turn, ...]
    questions: tuple[LocomoQuestion, ...]
    source: str = ""


def read(path: Path) -> tuple[Conversation, ...]:
    """Read a file.

    Raises:
        UnreadableData: it cannot be read, or is of another shape.
    """
    with reading(path, "a list of conversations as LoCoMo has them"):
        found = json.loads(path.read_text(encoding="utf-8"))
        conversations = tuple(map(_conversation, found))
    if not any(one.questions for one in conversations):
        raise UnreadableData(f"{path} holds no question whose evidence is among its turns")
    return conversations


def _conversation(found: Mapping[str, Any]) -> Conversation:
    turns = tuple(_turns(found["conversation"]))
    known = {turn.id for turn in turns}
    asked = [(number, one) for number, one in enumerate(found["qa"]) if one["category"] in CATEGORIES]
    name = str(found["sample_id"])
    return Conversation(name, turns, tuple(_questions(asked, known)), name)


def _turns(found: Mapping[str, Any]) -> Iterator[Turn]:
    numbers = sorted(int(match[1]) for key in found if (match := _SESSION.fullmatch(key)))
    for number in numbers:
        began = datetime.strptime(found[f"session_{number}_date_time"], _BEGAN).replace(tzinfo=UTC)
        for place, turn in enumerate(found[f"session_{number}"]):
            text = " ".join(part for part in (turn["text"], turn.get("blip_caption")) if part)
            if text:
                yield Turn(turn["dia_id"], number, turn["speaker"], text, began + place * _PACE)


def _questions(found: Iterable[tuple[int, Mapping[str, Any]]], known: set[str]) -> Iterator[LocomoQuestion]:
    for number, one in found:
        named = {
            f"D{int(session)}:{int(turn)}" for session, turn in _EVIDENCE.findall(" ".join(one["evidence"]))
        }
        if evidence := frozenset(named & known):
            yield LocomoQuestion(one["question"], one["category"], evidence, number)


def translated(conversations: Iterable[Conversation], folder: Path, language: str) -> Iterator[Conversation]:
    """Yield versions of conversations in another language, in both, and with questions in the other one.

    Args:
        folder: with `<id>.turns.json`, texts by id of the turn, and `<id>.questions.json`, texts by
            `q<number>`.

    Raises:
        UnreadableData: a file is of another shape.
    """
    for conversation in conversations:
        files = [folder / f"{conversation.id}.{part}.json" for part in ("turns", "questions")]
        if not all(file.is_file() for file in files):
            continue
        with reading(files[0], "a file of texts by id, or its questions are not"):
            turns, questions = (json.loads(file.read_text(encoding="utf-8")) for file in files)
            other = tuple(replace(turn, text=turns.get(turn.id, turn.text)) for turn in conversation.turns)
            asked = [
                replace(one, text=questions[f"q{one.number}"])
                for one in conversation.questions
                if f"q{one.number}" in questions
            ]
        own = [one for one in conversation.questions if f"q{one.number}" in questions]
        # Whoever speaks two languages tells one day in the one and another day in the other.
        mixed = tuple(
            pair[turn.session % 2]
            for turn, pair in zip(
                conversation.turns, zip(conversation.turns, other, strict=True), strict=True
            )
        )
        for name, spoken, texts in (
            (language, other, {language: asked, "en": own}),
            ("en", conversation.turns, {language: asked}),
            ("both", mixed, {language: asked, "en": own}),
        ):
            every = tuple(
                replace(one, languages=f"{by} in {name}") for by, found in texts.items() for one in found
            )
            yield Conversation(f"{conversation.id}-{name}", spoken, every, conversation.source)

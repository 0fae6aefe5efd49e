"""Reads annotated chats and the questions about them: the corpus that the ranking is fitted on.

A folder holds `<writer>.jsonl`, a turn a line (`c` conversation, `s` speaker, `a` 1 for an assistant, `t`
local time, `x` text, `l` language), and `<writer>.questions.jsonl` (`c`, `l`, `q` the question, `turns` the
places of the turns that answer it, `kind`).
"""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from ricordo.language.annotations import Role
from ricordo_lab.console import UnreadableData
from ricordo_lab.evaluation.locomo import Conversation, LocomoQuestion, Turn

_TOLD: Final = 4
"""The category of LoCoMo that these questions resemble: one turn answers."""


def read_talk(folder: Path) -> Iterator[Conversation]:
    """Yield the conversations of all writers that have questions with an answer.

    Raises:
        UnreadableData: a file cannot be read, or is of another shape.
    """
    for file in sorted(folder.glob("*.questions.jsonl")):
        writer = file.name.partition(".")[0]
        try:
            turns = by_conversation(folder / f"{writer}.jsonl")
            questions = by_conversation(file)
            for name, asked in questions.items():
                yield _conversation(name, writer, turns[name], asked)
        except (OSError, KeyError, TypeError, ValueError) as error:
            raise UnreadableData(
                f"{file} is not a list of questions about chats: {type(error).__name__}: {error}"
            ) from error


def by_conversation(file: Path) -> Mapping[str, list[Mapping[str, Any]]]:
    """Return the lines of a file of turns or questions, by conversation."""
    found = defaultdict(list)
    for line in file.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        found[row["c"]].append(row)
    return found


def _conversation(
    name: str, writer: str, turns: list[Mapping[str, Any]], asked: list[Mapping[str, Any]]
) -> Conversation:
    spoken = tuple(
        Turn(
            id=str(place),
            session=1,
            speaker=turn["s"],
            text=turn["x"],
            at=datetime.fromisoformat(turn["t"]).replace(tzinfo=UTC),
            role=Role.ASSISTANT if turn["a"] else Role.USER,
        )
        for place, turn in enumerate(turns)
    )
    language = max(("en", "it"), key=lambda one: sum(turn["l"] == one for turn in turns))
    questions = tuple(
        LocomoQuestion(
            text=row["q"],
            category=_TOLD,
            evidence=frozenset(map(str, row["turns"])),
            number=number,
            languages=f"{row['l']} in {language}, talk",
            outdated=frozenset(map(str, row["stale"])),
        )
        for number, row in enumerate(asked)
        if row["turns"] and row["kind"] != "never"
    )
    return Conversation(name, spoken, questions, writer)

"""Reads conversations and questions about what was said in them: LoCoMo's format, lives and annotated chats.

A folder of annotated chats holds `<writer>.jsonl`, a turn a line (`c` conversation, `s` speaker, `a` 1 for an
assistant, `t` local time, `x` text, `l` language), and `<writer>.questions.jsonl` (`c`, `l`, `q` the
question, `turns` the places of the turns that answer it, `kind`).
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from ricordo.language.annotations import Role
from ricordo_lab.console import UnreadableData
from ricordo_lab.data_files import by_conversation, reading
from ricordo_lab.evaluation.answer_evaluation import NEVER, Life, read_lives
from ricordo_lab.evaluation.locomo import Conversation, LocomoQuestion, Turn, read, translated

_ONE_TURN: Final = 4
"""The category of LoCoMo that questions about lives and chats resemble."""
_LEANING: Final = "follow-up"


def read_conversations(path: Path, italian: Path | None = None) -> Sequence[Conversation]:
    """Return what a file in LoCoMo's format holds, and its translations, or a folder of lives or chats.

    Raises:
        UnreadableData: it cannot be read, is of another shape, or holds no question with an answer.
    """
    if not path.is_dir():
        conversations = read(path)
        return [*conversations, *(translated(conversations, italian, "it") if italian else ())]
    lives = [_of_life(life) for life in read_lives(path, None)]
    if not (asked := [life for life in lives if life.questions]):
        raise UnreadableData(f"{path} holds no question with the messages that answer it")
    return asked


def _of_life(life: Life) -> Conversation:
    """Return a life, a session a day, and the questions by themselves that something answers."""
    turns = (
        Turn(said.id, said.timestamp.toordinal(), said.speaker or "", said.content, said.timestamp, said.role)
        for said in life.messages
    )
    questions = (
        LocomoQuestion(
            asked.text, _ONE_TURN, frozenset(asked.evidence), at, f"{asked.language} in {life.language}"
        )
        for at, asked in enumerate(life.questions)
        if asked.evidence and asked.kind not in {NEVER, _LEANING}
    )
    return Conversation(life.name, tuple(turns), tuple(questions), life.name)


def read_talk(folder: Path) -> Iterator[Conversation]:
    """Yield the annotated chats of all writers that have questions with an answer.

    Raises:
        UnreadableData: a file cannot be read, or is of another shape.
    """
    for file in sorted(folder.glob("*.questions.jsonl")):
        writer = file.name.partition(".")[0]
        with reading(file, "a list of questions about chats"):
            turns = by_conversation(folder / f"{writer}.jsonl")
            for name, asked in by_conversation(file).items():
                yield _of_chat(name, writer, turns[name], asked)


def _of_chat(
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
            category=_ONE_TURN,
            evidence=frozenset(map(str, row["turns"])),
            number=number,
            languages=f"{row['l']} in {language}, talk",
            outdated=frozenset(map(str, row["stale"])),
        )
        for number, row in enumerate(asked)
        if row["turns"] and row["kind"] != NEVER
    )
    return Conversation(name, spoken, questions, writer)

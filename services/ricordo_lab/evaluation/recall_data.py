"""Reads conversations and questions about what was said in them: LoCoMo's format, and lives and chats."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from ricordo_lab.console import UnreadableData
from ricordo_lab.evaluation.answer_evaluation import NEVER, Life, read_lives
from ricordo_lab.evaluation.locomo import Conversation, LocomoQuestion, Turn, read_versions

_ONE_TURN: Final = 4
_LEANING: Final = "follow-up"


def read_conversations(path: Path, italian: Path | None = None) -> Sequence[Conversation]:
    """Return what a file in LoCoMo's format holds, and its translations, or a folder of lives or chats.

    Raises:
        UnreadableData: it cannot be read, is of another shape, or holds no question with an answer.
    """
    if not path.is_dir():
        return read_versions(path, italian)
    lives = [_conversation(life) for life in read_lives(path, None)]
    if not (asked := [life for life in lives if life.questions]):
        raise UnreadableData(f"{path} holds no question with the messages that answer it")
    return asked


def _conversation(life: Life) -> Conversation:
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

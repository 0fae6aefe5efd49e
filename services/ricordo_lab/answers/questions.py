"""Questions about chats, each with the passages that a reader of answers is to tell apart."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from ricordo.models.onnx.e5_checkpoint import E5Checkpoint, Side
from ricordo.models.onnx.network import Network
from ricordo.models.reader.question_pairs import ASKER, ASSISTANT, Passage, with_earlier
from ricordo.models.reader.reader_network import Floats
from ricordo_lab.data_files import by_conversation, reading
from ricordo_services.retrieval.question import FEW_WORDS

MOST: Final = 6
"""Passages of a question."""
_NEAR: Final = 2


class CandidatePassage(NamedTuple):
    """A passage that may answer.

    Attributes:
        answers: whether it does.
        words: the characters that answer; None where none do by themselves.
        likeness: cosine similarity to the question.
    """

    passage: Passage
    answers: bool
    words: tuple[int, int] | None
    likeness: float


class TrainingQuestion(NamedTuple):
    """A question and what may answer it."""

    writer: str
    kind: str
    text: str
    choices: Sequence[CandidatePassage]


def read_asked(folder: Path, checkpoint: E5Checkpoint, network: Network) -> Iterator[TrainingQuestion]:
    """Yield the questions of all writers, of a folder and those within it.

    Args:
        network: of the encoder, which tells what recall would find.

    Raises:
        UnreadableData: a file cannot be read, or is of another shape.
    """
    tokens = checkpoint.tokens()

    def vectors(texts: Sequence[str], side: Side) -> Floats:
        return side.shifted(network.run([tokens.cut(text, side.prefix)[0] for text in texts])[0])

    for file in sorted(folder.rglob("*.questions.jsonl")):
        writer = file.name.partition(".")[0]
        with reading(file, "a list of questions about chats"):
            turns = by_conversation(file.with_name(f"{writer}.jsonl"))
            for name, asked in by_conversation(file).items():
                said = vectors([f"{turn['s']}: {turn['x']}" for turn in turns[name]], checkpoint.text)
                of_questions = vectors([_searched(row) for row in asked], checkpoint.question)
                likeness = np.maximum(of_questions @ said.T, of_questions @ _windows(said).T)
                for row, of_all in zip(asked, likeness, strict=True):
                    yield _asked(writer, turns[name], row, of_all)


def _searched(row: Mapping[str, Any]) -> str:
    """Return the words by which recall finds what answers: those of the question before it, too."""
    first, told = row.get("before", ("", ""))
    return f"{first} {row['q']} {told if len(told.split()) <= FEW_WORDS else ''}".strip()


def _windows(vectors: Floats) -> Floats:
    """Return the vector of each turn with half of the one before, as the index has it, [n, d]."""
    joined = vectors + 0.5 * np.vstack([np.zeros_like(vectors[:1]), vectors[:-1]])
    windows: Floats = joined / np.linalg.norm(joined, axis=1, keepdims=True)
    return windows


def _asked(
    writer: str, turns: Sequence[Mapping[str, Any]], row: Mapping[str, Any], likeness: Floats
) -> TrainingQuestion:
    """Return a question with what answers it, what a careless reader would take for that, and the likeliest.

    What answered it before a change says by itself nothing wrong: it is left out.
    """
    right, near = row["turns"], row["near"][:_NEAR]
    stale, likeliest = set(row["stale"]) - set(right), np.argsort(-likeness).tolist()
    places = [one for one in dict.fromkeys((*right, *near, *likeliest)) if one not in stale]
    choices = [
        CandidatePassage(
            _passage(turns, one, row["asker"]),
            one in right,
            _words(turns[one], row, one),
            float(likeness[one]),
        )
        for one in places[:MOST]
    ]
    text = with_earlier(row["q"], " ".join(filter(None, row.get("before", ()))))
    return TrainingQuestion(writer, row["kind"], text, choices)


def _passage(turns: Sequence[Mapping[str, Any]], at: int, asker: str) -> Passage:
    def who(turn: Mapping[str, Any]) -> str:
        return ASSISTANT if turn["a"] else ASKER if turn["s"] == asker else str(turn["s"])

    before = f"{who(turns[at - 1])}: {turns[at - 1]['x']}" if at else ""
    return Passage(who(turns[at]), turns[at]["x"], before)


def _words(turn: Mapping[str, Any], row: Mapping[str, Any], at: int) -> tuple[int, int] | None:
    if not row["span"] or at != row["turns"][0]:
        return None
    start = turn["x"].find(row["span"])
    return (start, start + len(row["span"])) if start >= 0 else None

"""Questions that two messages answer: one says who or what has a name, the other tells of that name.

A file holds a JSON object a line, by `life`: messages (`at` local time, `text`) in order, and questions
(`text`) with the places of the messages that answer (`evidence`) and of those that lead there (`bridge`).
"""

import argparse
import asyncio
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

from ricordo_lab.bench.system import scratch, up
from ricordo_lab.console import UnreadableData
from ricordo_lab.evaluation.locomo import Conversation, LocomoQuestion, Turn
from ricordo_lab.evaluation.replay import ask, publish
from ricordo_lab.evaluation.results import Miss, Row

_CUTOFFS: Final = (5, 10)
_ONE_TURN: Final = 4


class TwoStepQuestion(NamedTuple):
    """A question of a life and what was recalled; all as places of messages, as text."""

    life: str
    language: str
    text: str
    evidence: frozenset[str]
    bridge: frozenset[str]
    found: Sequence[str] = ()

    def share(self, expected: frozenset[str], cutoff: int) -> float:
        """Return the share of the expected messages among the first that many, [0, 1]."""
        return len(expected.intersection(self.found[:cutoff])) / len(expected)


def read(path: Path) -> tuple[list[Conversation], list[TwoStepQuestion]]:
    """Return the lives of a file, and their questions in the same order.

    Raises:
        UnreadableData: it cannot be read, or is of another shape.
    """
    lives: defaultdict[str, list[Mapping[str, Any]]] = defaultdict(list)
    try:
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            lives[row["life"]].append(row)
        questions = [
            TwoStepQuestion(
                life, row["language"], row["text"], _places(row["evidence"]), _places(row["bridge"])
            )
            for life, rows in lives.items()
            for row in rows
            if row["kind"] == "question"
        ]
        return [_conversation(life, rows, questions) for life, rows in lives.items()], questions
    except OSError as error:
        raise UnreadableData(f"{path} cannot be read: {error.strerror}") from error
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UnreadableData(
            f"{path} does not hold lives with questions of two steps: {type(error).__name__}: {error}"
        ) from error


def run(asked: argparse.Namespace) -> Iterator[Row | Miss]:
    """Yield a row for all questions and for each language, from a system that is started for it."""
    conversations, questions = read(asked.data)
    answers = asyncio.run(_answers(conversations))
    answered = [one._replace(found=found) for one, found in zip(questions, answers, strict=True)]
    yield _row("all", answered)
    for language in sorted({one.language for one in answered}):
        yield _row(language, [one for one in answered if one.language == language])
    texts = {(life.id, turn.id): turn.text for life in conversations for turn in life.turns}
    for one in answered if asked.misses else ():
        if not one.evidence.intersection(one.found[: _CUTOFFS[0]]):
            first = " | ".join(f"{place} {texts[one.life, place]}" for place in one.found[: _CUTOFFS[0]])
            needed = " -> ".join(texts[one.life, place] for place in (*one.bridge, *one.evidence))
            yield Miss({"missed": one.text, "needed": needed, "first": first})


def _places(places: Sequence[int]) -> frozenset[str]:
    if not places:
        raise ValueError("a question without evidence or bridge")
    return frozenset(map(str, places))


def _conversation(
    life: str, rows: Sequence[Mapping[str, Any]], questions: Sequence[TwoStepQuestion]
) -> Conversation:
    """Return a life whose every message begins a session."""
    messages = [row for row in rows if row["kind"] == "message"]
    turns = tuple(
        Turn(str(place), place, "", row["text"], datetime.fromisoformat(row["at"]).replace(tzinfo=UTC))
        for place, row in enumerate(messages)
    )
    asked = tuple(LocomoQuestion(one.text, _ONE_TURN, one.evidence) for one in questions if one.life == life)
    return Conversation(life, turns, asked)


async def _answers(conversations: Sequence[Conversation]) -> list[Sequence[str]]:
    with scratch() as folder:
        async with up(folder) as system:
            await publish(system.nats, conversations)
            answers = await ask(system.nats, conversations, limit=max(_CUTOFFS), explain=False)
    return [one.found for one in answers]


def _row(name: str, answers: Sequence[TwoStepQuestion]) -> Row:
    shares = {
        f"{kind}@{cutoff}": round(
            sum(one.share(getattr(one, kind), cutoff) for one in answers) / max(1, len(answers)), 4
        )
        for kind in ("evidence", "bridge")
        for cutoff in _CUTOFFS
    }
    return Row(table="two steps", name=name, questions=len(answers), **shares)

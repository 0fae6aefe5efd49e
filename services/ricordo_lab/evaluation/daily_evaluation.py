"""Measures whether a context holds what a question needs, after a life has been told to a bot.

A folder holds lives of some dozens of messages, `<name>.jsonl` in the format of `message.received`, and
questions, `<name>.questions.json`, a list of objects:

- `id`, `question`, and `group`: `quiz`, `self`, `howto`, or `never` for what was never told;
- `need`: alternatives, each a list of verbatim pieces that must all stand in the context;
- `not_above`: a stale piece that must not stand before them.
"""

import argparse
import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

import numpy as np

from ricordo.client import MemoryClient
from ricordo.language.annotations import Role
from ricordo.messages.events import MessageReceived
from ricordo.messages.queries import ContextReply
from ricordo_lab.bench.publication import remember
from ricordo_lab.bench.system import scratch, up
from ricordo_lab.console import UnreadableData
from ricordo_lab.evaluation.results import Miss, NamedFigures

NEVER: Final = "never"
_QUIZ: Final = "quiz"
_BUDGET: Final = 600
_SHRUGS: Final = {"it": "Mi dispiace, non lo so.", "en": "I'm sorry, I don't know."}
_PACE: Final = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Life:
    """Messages of one user, and questions about them; `now` is when they are asked."""

    name: str
    messages: tuple[MessageReceived, ...]
    questions: tuple[Mapping[str, Any], ...]
    now: datetime


@dataclass(frozen=True, slots=True)
class Answered:
    """A question and the context that answered it."""

    question: Mapping[str, Any]
    reply: ContextReply

    @property
    def right(self) -> bool:
        """Whether all pieces of an alternative stand there, and none that is stale before them."""
        text, stale = self.reply.context, self.question["not_above"]
        held = next((each for each in self.question["need"] if all(piece in text for piece in each)), None)
        if held is None:
            return False
        return not (stale and stale in text[: min(text.index(piece) for piece in held)])


def read(folder: Path, now: datetime) -> list[Life]:
    """Return the lives of a folder.

    Raises:
        UnreadableData: there is none, or one cannot be read.
    """
    lives = []
    for asked in sorted(folder.glob("*.questions.json")):
        name = asked.name.removesuffix(".questions.json")
        try:
            lines = (folder / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
            messages = tuple(MessageReceived.model_validate_json(line) for line in lines if line.strip())
            questions = tuple(json.loads(asked.read_text(encoding="utf-8")))
        except (OSError, ValueError) as error:
            raise UnreadableData(f"{asked}: {error}") from error
        lives.append(Life(name, messages, questions, now))
    if not lives:
        raise UnreadableData(f"{folder} holds no *.questions.json")
    return lives


def run(asked: argparse.Namespace) -> Iterator[NamedFigures | Miss]:
    """Yield the figures of each life, and the questions that were missed."""
    for life in read(asked.data, datetime.fromisoformat(asked.now)):
        first, again = asyncio.run(_ask(life))
        yield NamedFigures({"life": life.name, **figures(first, again)})
        for one in (*first, *again) if asked.misses else ():
            if one.question["group"] != NEVER and not one.right:
                missed = {"missed": one.question["id"], "question": one.question["question"]}
                yield Miss({**missed, "context": one.reply.context})


def figures(first: Sequence[Answered], again: Sequence[Answered]) -> dict[str, float]:
    """Return the share of right contexts by group, and how well `confidence` tells what was never told."""
    groups = sorted({one.question["group"] for one in first} - {NEVER})
    found = {group: _share([one for one in first if one.question["group"] == group]) for group in groups}
    stated = [one.reply.confidence for one in first if one.question["group"] != NEVER]
    never = [one.reply.confidence for one in first if one.question["group"] == NEVER]
    return found | {"quiz_after_its_questions": _share(again), "never_auroc": auroc(stated, never)}


def auroc(higher: Sequence[float], lower: Sequence[float]) -> float:
    """Return how often a value of `higher` exceeds one of `lower`, ties counted half; 0.5 if one is empty."""
    if not higher or not lower:
        return 0.5
    difference = np.subtract.outer(np.asarray(higher), np.asarray(lower))
    return round(float((difference > 0).mean() + 0.5 * (difference == 0).mean()), 4)


async def _ask(life: Life) -> tuple[list[Answered], list[Answered]]:
    with scratch() as folder:
        async with up(folder) as system:
            await remember(system.nats, life.messages)
            async with MemoryClient.connect(system.nats) as client:
                first = [await _answer(client, life, question, "first") for question in life.questions]
                quiz = [question for question in life.questions if question["group"] == _QUIZ]
                await remember(system.nats, _echo(life, quiz))
                again = [await _answer(client, life, question, "again") for question in quiz]
    return first, again


async def _answer(client: MemoryClient, life: Life, question: Mapping[str, Any], time: str) -> Answered:
    """Ask for a context in a new conversation, which strengthens nothing."""
    reply = await client.context(
        life.messages[0].user_id,
        question["question"],
        conversation_id=f"{time}-{question['id']}",
        now=life.now,
        timezone=life.messages[0].timezone,
        token_budget=_BUDGET,
        reinforce=False,
    )
    return Answered(question, reply)


def _echo(life: Life, quiz: Sequence[Mapping[str, Any]]) -> list[MessageReceived]:
    """Return each question and an answer that knows nothing, as a bot publishes them."""
    said = []
    for number, question in enumerate(quiz):
        at = life.now - timedelta(days=1) + number * _PACE
        turns = (
            (Role.USER, question["question"]),
            (Role.ASSISTANT, _SHRUGS[life.messages[0].language or "en"]),
        )
        for place, (role, content) in enumerate(turns):
            message = MessageReceived(
                id=f"{role.value}-{question['id']}",
                user_id=life.messages[0].user_id,
                conversation_id=f"quiz-{life.name}",
                role=role,
                content=content,
                timestamp=at + timedelta(seconds=place),
            )
            said.append(message)
    return said


def _share(answers: Sequence[Answered]) -> float:
    return round(sum(one.right for one in answers) / len(answers), 4) if answers else 0.0

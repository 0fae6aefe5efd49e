"""Answers to questions: whether they rest on the evidence, and whether what was never said gets none."""

import argparse
import asyncio
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from ricordo.client import MemoryClient
from ricordo.messages.answers import AnswerReply
from ricordo.messages.ids import memory_id
from ricordo_lab.bench.system import scratch, up
from ricordo_lab.evaluation.daily_evaluation import auroc
from ricordo_lab.evaluation.locomo import UNANSWERABLE, Conversation, LocomoQuestion, read
from ricordo_lab.evaluation.replay import publish
from ricordo_lab.evaluation.results import Row


class _Answered(NamedTuple):
    conversation: str
    question: LocomoQuestion
    reply: AnswerReply

    def rests_on_evidence(self) -> bool:
        turns = (f"{self.conversation}/{turn}" for turn in self.question.evidence)
        return any(memory_id("default", turn) in self.reply.sources for turn in turns)


def run(asked: argparse.Namespace) -> Iterator[Row]:
    """Yield a row for all questions and for each conversation, from a system that is started for it."""
    answers = asyncio.run(_ask(read(asked.data, unanswerable=True)))
    yield _row("all", answers)
    for name, found in groupby(answers, key=lambda one: one.conversation):
        yield _row(name, [*found])


def _row(name: str, answers: Sequence[_Answered]) -> Row:
    can = [one for one in answers if one.question.category != UNANSWERABLE]
    never = [one.reply for one in answers if one.question.category == UNANSWERABLE]
    return Row(
        table="answers",
        name=name,
        questions=len(answers),
        auroc=round(auroc([one.reply.confidence for one in can], [one.confidence for one in never]), 3),
        answered=_share([one.reply.answered for one in can]),
        rests_on_evidence=_share([one.rests_on_evidence() for one in can]),
        answered_although_never_said=_share([one.answered for one in never]),
    )


def _share(values: Sequence[bool]) -> float:
    return round(sum(values) / max(1, len(values)), 3)


async def _ask(conversations: Sequence[Conversation]) -> Sequence[_Answered]:
    with scratch() as folder:
        async with up(folder) as system, MemoryClient.connect(system.nats) as client:
            await publish(system.nats, conversations)
            return [
                _Answered(one.id, question, await client.answer(one.id, question.text, reinforce=False))
                for one in conversations
                for question in one.questions
            ]

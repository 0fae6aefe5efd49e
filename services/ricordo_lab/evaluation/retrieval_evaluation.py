"""Recall of the evidence of questions: by kind of question, by profile, and without each signal."""

import argparse
import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

import numpy as np

from ricordo.memory.ranking.human import FEATURES, PRIOR, load_human
from ricordo.memory.ranking.signals import Column, Signals
from ricordo.messages.enumerations import Profile
from ricordo_lab.bench.system import scratch, up
from ricordo_lab.console import progress
from ricordo_lab.evaluation.locomo import CATEGORIES, Conversation
from ricordo_lab.evaluation.recall_data import read_conversations
from ricordo_lab.evaluation.replay import RankedAnswer, ask, by_languages, publish
from ricordo_lab.evaluation.results import Row
from ricordo_lab.evaluation.retrieval_measures import CUTOFFS, Measured, measure, row

_DEEPEST: Final = max(CUTOFFS)
Score = Callable[[Signals], Column]


def run(asked: argparse.Namespace) -> Iterator[Row]:
    """Yield all tables; the system is started for it, and stopped.

    Raises:
        MeasurementFailed: it does not start, or an answer is degraded.
    """
    conversations = read_conversations(asked.data, asked.italian)
    every, by_profile = asyncio.run(_answers(conversations))
    groups = by_languages(every)
    for languages, answers in groups.items():
        yield _row("languages, the one of the question first", languages, answers)
    for languages, answers in groups.items():
        yield from _without_signals(languages, answers)
    answers = next(iter(groups.values()))
    yield _row("questions", "all", answers)
    for category, name in CATEGORIES.items():
        if of_it := [one for one in answers if one.question.category == category]:
            yield _row("questions", name, of_it)
    for conversation in dict.fromkeys(one.conversation for one in answers):
        yield _row("conversation", conversation, [one for one in answers if one.conversation == conversation])
    for profile, ranked in by_profile.items():
        yield _row("profile", profile, ranked)


def _without_signals(languages: str, answers: Sequence[RankedAnswer]) -> Iterator[Row]:
    """Yield measures of the profile `human` without each signal, its other weights as they are."""
    each = {name: {name: 0.0} for name in (*FEATURES, *PRIOR)}
    without = {**each, "the whole prior": dict.fromkeys(PRIOR, 0.0)}
    for name, weights in without.items():
        measured = reranked(answers, load_human().weighing(weights).score)
        yield row(f"{languages}: human without", name, measured)


def reranked(answers: Sequence[RankedAnswer], score: Score) -> list[Measured]:
    """Measure rankings of what was returned by another score; ties keep their order."""
    return [measure(_order(one, score), one.question.evidence) for one in answers]


def _order(one: RankedAnswer, score: Score) -> list[str]:
    scores = np.broadcast_to(score(one.signals), len(one.found))
    return [one.found[at] for at in np.argsort(-scores, kind="stable")]


def _row(table: str, name: str, answers: Sequence[RankedAnswer]) -> Row:
    return row(table, name, [measure(one.found, one.question.evidence) for one in answers])


async def _answers(
    conversations: Sequence[Conversation],
) -> tuple[list[RankedAnswer], Mapping[str, list[RankedAnswer]]]:
    """Return the explained answers by the default profile, and the answers by each profile."""
    by_profile = {}
    with scratch() as folder:
        async with up(folder) as system:
            await publish(system.nats, conversations)
            answers = await ask(system.nats, conversations)
            published = [one for one in conversations if one.id == one.source]
            for profile in Profile:
                progress(f"  profile {profile.value}")
                by_profile[profile.value] = await ask(
                    system.nats, published, limit=_DEEPEST, explain=False, profile=profile
                )
    return answers, by_profile

"""How much of what a question is about comes back: by kind of question, by profile, without each signal."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

import numpy as np

from ricordo.memory.ranking.human import FEATURES, PRIOR, load_human
from ricordo.memory.ranking.signals import Column, Signals
from ricordo.messages.vocabulary import Profile
from ricordo_lab.bench.system import scratch, up
from ricordo_lab.evaluation.locomo import CATEGORIES, Conversation
from ricordo_lab.evaluation.measures import CUTOFFS, Measured, mean, measure
from ricordo_lab.evaluation.replay import Answered, Progress, ask, tell
from ricordo_lab.evaluation.report import Row

_DEEPEST: Final = max(CUTOFFS)
Score = Callable[[Signals], Column]

SINGLE: Final[Mapping[str, Score]] = {
    "meaning of the text or its window": lambda signals: signals.semantic,
    "meaning of the window": lambda signals: signals.window,
    "BM25 of the text": lambda signals: signals.bm25,
    "BM25 of the window": lambda signals: signals.bm25_window,
    "both, fused by reciprocal rank": lambda signals: signals.fused,
}
"""Rankings by one signal alone."""


async def retrieval(conversations: Sequence[Conversation], say: Progress) -> list[Row]:
    """Measure a system that is started for it, and stopped.

    Raises:
        MeasurementFailed: it does not start, or does not answer as it must.
    """
    with scratch() as folder:
        async with up(folder) as system:
            await tell(system.nats, conversations, say)
            answers = await ask(system.nats, conversations, say)
            rows = [*_by_category(answers), *_by_conversation(answers)]
            for profile in Profile:
                say(f"profile {profile.value}")
                ranked = await ask(
                    system.nats, conversations, say, limit=_DEEPEST, explain=False, profile=profile
                )
                rows.append(
                    Row("profile", profile.value, mean([_measured(one) for one in ranked]), len(ranked))
                )
    return [*rows, *_alone(answers), *_without(answers)]


def reranked(answers: Sequence[Answered], score: Score) -> Measured:
    """Return what a ranking by another score finds among what came back; equals keep their order."""
    return mean([measure(_order(one, score), one.question.evidence) for one in answers])


def _order(one: Answered, score: Score) -> list[str]:
    scores = np.broadcast_to(score(one.signals), len(one.found))
    return [one.found[at] for at in np.argsort(-scores, kind="stable")]


def _measured(one: Answered) -> Measured:
    return measure(one.found, one.question.evidence)


def _by_category(answers: Sequence[Answered]) -> Iterator[Row]:
    yield Row("questions", "all", mean([_measured(one) for one in answers]), len(answers))
    for category, name in CATEGORIES.items():
        of_it = [_measured(one) for one in answers if one.question.category == category]
        if of_it:
            yield Row("questions", name, mean(of_it), len(of_it))


def _by_conversation(answers: Sequence[Answered]) -> Iterator[Row]:
    for conversation in dict.fromkeys(one.conversation for one in answers):
        of_it = [_measured(one) for one in answers if one.conversation == conversation]
        yield Row("conversation", conversation, mean(of_it), len(of_it))


def _alone(answers: Sequence[Answered]) -> Iterator[Row]:
    for name, score in SINGLE.items():
        yield Row("one signal alone", name, reranked(answers, score), len(answers))


def _without(answers: Sequence[Answered]) -> Iterator[Row]:
    for name in FEATURES:
        changed = load_human().weighing({name: 0.0})
        yield Row("human without", name, reranked(answers, changed.score), len(answers))
    yield Row(
        "human without",
        "the whole prior",
        reranked(answers, load_human().weighing(dict.fromkeys(PRIOR, 0.0)).score),
        len(answers),
    )

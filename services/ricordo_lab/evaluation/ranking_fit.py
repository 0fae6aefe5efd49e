"""Fits the weights of the profile `human` on the answers of a running system, and cross-validates them."""

import argparse
import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from ricordo.memory.ranking.human import FEATURES, PRIOR, PRIOR_BY_WORDS, HumanProfile
from ricordo.memory.ranking.signals import BY_MEANING, Signals
from ricordo.settings import Settings
from ricordo_lab.bench.system import scratch, up
from ricordo_lab.console import MeasurementFailed, progress
from ricordo_lab.evaluation.conditional_logit import bias, choice, fit
from ricordo_lab.evaluation.locomo import Conversation, read
from ricordo_lab.evaluation.replay import RankedAnswer, ask, publish
from ricordo_lab.evaluation.results import NamedFigures, Row
from ricordo_lab.evaluation.retrieval_evaluation import reranked
from ricordo_lab.evaluation.retrieval_measures import mean, measure, row
from ricordo_services.app.embedding_models import model_names

_FEWEST: Final = 2  # conversations: one is left out


@dataclass(frozen=True, slots=True)
class FittedWeights:
    """Weights, and measures of those that were fitted without the conversation they are measured on.

    Attributes:
        weights: of each feature, and of the prior.
        bias: of the score.
        rows: each conversation left out, all of them together, and what they were fitted on.
        left_out: recall by cutoff over all conversations left out.
    """

    weights: Mapping[str, float]
    bias: float
    rows: tuple[Row, ...]
    left_out: tuple[float, ...]

    @property
    def learned(self) -> Mapping[str, float]:
        """The weights of the features."""
        return {name: self.weights[name] for name in FEATURES}

    def toml(self, section: str) -> list[str]:
        """Return the lines of the file of weights; `section` is empty or ends with a dot."""
        at_5, at_10 = self.left_out[:2]
        return [
            *([f"[{section.rstrip('.')}]"] if section else []),
            f"left_out = {{recall_at_5 = {at_5:.3f}, recall_at_10 = {at_10:.3f}}}",
            f"bias = {self.bias:.3f}",
            "",
            f"[{section}weights]",
            *(f"{name} = {weight:.3f}" for name, weight in self.learned.items()),
            "",
        ]


def run(asked: argparse.Namespace) -> Iterator[Row | NamedFigures]:
    """Yield what was measured, and the weights or the file that they were written to.

    Raises:
        MeasurementFailed: there are too few conversations, or an answer is degraded.
    """
    conversations = read(asked.data)
    if sum(bool(one.questions) for one in conversations) < _FEWEST:
        raise MeasurementFailed(
            "one conversation with questions is left out each time: there have to be at least two"
        )
    answers = asyncio.run(_answers(conversations))
    whole, by_words = fitted(answers)
    current = mean([measure(one.found, one.question.evidence) for one in answers])
    yield from (*whole.rows, row("so far", "all", current, len(answers)), *by_words.rows)
    source = f"{asked.data.name}: {len(conversations)} conversations, {len(answers)} questions"
    weights = weights_file(whole, by_words, source)
    if asked.out is None:
        yield NamedFigures(weights=weights)
        return
    asked.out.write_text(weights, encoding="utf-8")
    yield NamedFigures(out=str(asked.out))


def weights_file(whole: FittedWeights, by_words: FittedWeights, source: str) -> str:
    """Return the file of weights; `source` says in a few words what they were fitted on."""
    head = ["# Written by `ricordo eval fit --data FILE`; not by hand."]
    head += [f'model = "{model_names(Settings().embedding)[0]}"', f'fitted_on = "{source}"']
    return "\n".join([*head, *whole.toml(""), *by_words.toml("by_words.")])


async def _answers(conversations: Sequence[Conversation]) -> list[RankedAnswer]:
    with scratch() as folder:
        async with up(folder) as system:
            await publish(system.nats, conversations)
            answers = await ask(system.nats, conversations)
    progress("  fitting")
    return answers


def fitted(answers: Sequence[RankedAnswer]) -> tuple[FittedWeights, FittedWeights]:
    """Fit by all features, and on what BM25 finds: on all answers, and on all but each conversation."""
    return (
        _cross_validated(answers, "", PRIOR),
        _cross_validated([_by_words(one) for one in answers], "by words, ", PRIOR_BY_WORDS),
    )


def _cross_validated(
    answers: Sequence[RankedAnswer], prefix: str, given: Mapping[str, float]
) -> FittedWeights:
    rows, measured = [], []
    for name in dict.fromkeys(one.conversation for one in answers):
        human = _fit([one for one in answers if one.conversation != name], given)
        out = [one for one in answers if one.conversation == name]
        found = reranked(out, human.score)
        rows.append(row(f"{prefix}left out", name, found, len(out)))
        measured += [found] * len(out)
    final, left_out = _fit(answers, given), mean(measured)
    rows.append(row(f"{prefix}left out", "all", left_out, len(answers)))
    rows.append(row(f"{prefix}fitted on", "all", reranked(answers, final.score), len(answers)))
    return FittedWeights(final.weights, final.bias, tuple(rows), left_out.fraction)


def _by_words(one: RankedAnswer) -> RankedAnswer:
    """Return the answer that BM25 alone gives, as while the model is away."""
    worded = np.broadcast_to(one.signals.bm25 + one.signals.bm25_window > 0, len(one.found))
    columns = [np.broadcast_to(column, len(one.found))[worded] for column in one.signals]
    meant = dict.fromkeys(BY_MEANING, np.zeros(int(worded.sum())))
    found = tuple(each for each, kept in zip(one.found, worded, strict=True) if kept)
    return replace(one, found=found, signals=Signals(*columns)._replace(meant=0.0, **meant))


def _fit(answers: Sequence[RankedAnswer], given: Mapping[str, float]) -> HumanProfile:
    made = [choice(one.signals, one.relevant, given) for one in answers]
    choices = [one for one in made if one is not None]
    if not choices:
        raise MeasurementFailed("no evidence was returned, so there is nothing to learn from")
    learned = fit(choices)
    weights = {name: given.get(name, 0.0) + learned[name] for name in FEATURES}
    return HumanProfile(weights={**given, **weights}, bias=bias(choices, learned))

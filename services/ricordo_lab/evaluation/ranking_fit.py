"""Fits the weights of the profile `human` on the answers of a running system, and cross-validates them."""

import argparse
import asyncio
from collections import defaultdict
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
from ricordo_lab.evaluation.locomo import Conversation
from ricordo_lab.evaluation.recall_data import read_conversations
from ricordo_lab.evaluation.replay import RankedAnswer, ask, by_languages, publish
from ricordo_lab.evaluation.results import NamedFigures, Row
from ricordo_lab.evaluation.retrieval_evaluation import reranked
from ricordo_lab.evaluation.retrieval_measures import Measured, mean, measure, row
from ricordo_services.app.embedding_models import model_names

_FEWEST: Final = 2  # conversations: one is left out


@dataclass(frozen=True, slots=True)
class FittedWeights:
    """Weights, and measures of those that were fitted without the conversation they are measured on.

    Attributes:
        profile: fitted on all.
        rows: each source left out, all of them together by languages, and what they were fitted on.
        left_out: recall at 5 and at 10 over all sources left out, by languages.
    """

    profile: HumanProfile
    rows: tuple[Row, ...]
    left_out: Mapping[str, tuple[float, float]]

    def toml(self, section: str) -> list[str]:
        """Return the lines of the file of weights; `section` is empty or ends with a dot."""
        recalls = (f'"{name}" = [{at[0]:.3f}, {at[1]:.3f}]' for name, at in sorted(self.left_out.items()))
        own = {name: self.profile.weights[name] for name in FEATURES}
        tables = {"weights": own, "foreign_weights": self.profile.foreign_weights}
        lines = [
            line
            for name, weights in tables.items()
            if weights
            for line in (f"[{section}{name}]", *(f"{key} = {one:.3f}" for key, one in weights.items()), "")
        ]
        return [
            *([f"[{section.rstrip('.')}]"] if section else []),
            f"bias = {self.profile.bias:.3f}",
            "",
            f"[{section}left_out]  # recall at 5 and at 10, of the language of questions in that of memories",
            *recalls,
            "",
            *lines,
        ]


def run(asked: argparse.Namespace) -> Iterator[Row | NamedFigures]:
    """Yield what was measured, and the weights or the file that they were written to.

    Raises:
        MeasurementFailed: there are too few conversations, or an answer is degraded.
    """
    conversations = read_conversations(asked.data, asked.italian)
    if len({one.source for one in conversations if one.questions}) < _FEWEST:
        raise MeasurementFailed(
            "one conversation with questions is left out each time: there have to be at least two"
        )
    answers = asyncio.run(_answers(conversations))
    whole, by_words = fitted(answers)
    yield from whole.rows
    for languages, asked_in in by_languages(answers).items():
        yield row("so far", languages, [measure(one.found, one.question.evidence) for one in asked_in])
    yield from by_words.rows
    source = f"{asked.data.name}: {len(conversations)} conversations, {len(answers)} questions"
    weights = weights_file(whole, by_words, source)
    if asked.out is None:
        yield NamedFigures(weights=weights)
        return
    asked.out.write_text(weights, encoding="utf-8")
    yield NamedFigures(out=str(asked.out))


def weights_file(whole: FittedWeights, by_words: FittedWeights, source: str) -> str:
    """Return the file of weights; `source` says in a few words what they were fitted on."""
    head = ["# Written by `ricordo eval fit`; not by hand."]
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
    rows, measured = [], defaultdict[str, list[Measured]](list)
    for source in dict.fromkeys(one.source for one in answers):
        human = _fit([one for one in answers if one.source != source], given)
        for languages, out in by_languages([one for one in answers if one.source == source]).items():
            found = reranked(out, human.score)
            rows.append(row(f"{prefix}left out", f"{source}, {languages}", found))
            measured[languages] += found
    rows += [row(f"{prefix}left out", languages, found) for languages, found in measured.items()]
    final = _fit(answers, given)
    for languages, same in by_languages(answers).items():
        rows.append(row(f"{prefix}fitted on", languages, reranked(same, final.score)))
    means = {languages: mean(found) for languages, found in measured.items()}
    recalls = {languages: (found.at(5), found.at(10)) for languages, found in means.items()}
    return FittedWeights(final, tuple(rows), recalls)


def _by_words(one: RankedAnswer) -> RankedAnswer:
    """Return the answer that BM25 alone gives, as while the model is away."""
    worded = np.broadcast_to(one.signals.bm25 + one.signals.bm25_window > 0, len(one.found))
    columns = [np.broadcast_to(column, len(one.found))[worded] for column in one.signals]
    unknown = dict.fromkeys(BY_MEANING, np.zeros(int(worded.sum())))
    found = tuple(each for each, kept in zip(one.found, worded, strict=True) if kept)
    return replace(one, found=found, signals=Signals(*columns)._replace(has_vector_score=0.0, **unknown))


def _fit(answers: Sequence[RankedAnswer], given: Mapping[str, float]) -> HumanProfile:
    made = [choice(one.signals, one.relevant, given) for one in answers]
    choices = [one for one in made if one is not None]
    if not choices:
        raise MeasurementFailed("no evidence was returned, so there is nothing to learn from")
    learned = fit(choices)
    own, foreign = (
        {name: given.get(name, 0.0) + weight for name, weight in weights.items()}
        for weights in (learned.own, learned.foreign)
    )
    return HumanProfile(weights={**given, **own}, foreign_weights=foreign, bias=bias(choices, learned))

"""`ricordo eval fit`: learns the weights of `human` from what a running system answers, and tries them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from ricordo.memory.ranking.human import FEATURES, PRIOR, PRIOR_BY_WORDS, HumanProfile
from ricordo.memory.ranking.signals import BY_MEANING, Signals
from ricordo_lab.bench.system import scratch, up
from ricordo_lab.console import MeasurementFailed
from ricordo_lab.evaluation.fitting import bias, choice, fit
from ricordo_lab.evaluation.locomo import Conversation
from ricordo_lab.evaluation.measures import mean, measure
from ricordo_lab.evaluation.replay import Answered, Progress, ask, tell
from ricordo_lab.evaluation.report import Row
from ricordo_lab.evaluation.retrieval import reranked

_FEWEST: Final = 2  # conversations: one is left out


@dataclass(frozen=True, slots=True)
class Part:
    """Weights, and how good those are that were fitted without the conversation they are measured on.

    Attributes:
        weights: of each feature, and of the prior.
        bias: of the score.
        rows: each conversation left out, all of them together, and what they were fitted on.
    """

    weights: Mapping[str, float]
    bias: float
    rows: tuple[Row, ...]

    def head(self) -> list[str]:
        """Return the lines of the file of weights that say how good they are, and the bias."""
        all_out = next(row for row in self.rows if row.name == "all")
        at_5, at_10 = all_out.measured.fraction[:2]
        return [
            f"left_out = {{recall_at_5 = {at_5:.3f}, recall_at_10 = {at_10:.3f}}}",
            f"bias = {self.bias:.3f}",
        ]

    @property
    def learned(self) -> Mapping[str, float]:
        """The weights of the features."""
        return {name: self.weights[name] for name in FEATURES}

    def lines(self) -> list[str]:
        """Return the lines of the file of weights that hold them."""
        return [f"{name} = {weight:.3f}" for name, weight in self.learned.items()]


@dataclass(frozen=True, slots=True)
class Fitted:
    """What ranks, and what ranks while the model is away.

    Attributes:
        whole: of all that came back, by all features.
        by_words: of what words find, by what is known without the model.
        so_far: how the system ranks that was asked.
    """

    whole: Part
    by_words: Part
    so_far: Row

    @property
    def rows(self) -> tuple[Row, ...]:
        """All that was measured."""
        return (*self.whole.rows, self.so_far, *self.by_words.rows)

    def toml(self, model: str, source: str) -> str:
        """Return the file of weights.

        Args:
            model: whose vectors they are for.
            source: what they were fitted on, in a few words.
        """
        return "\n".join(
            [
                "# Written by `ricordo eval fit --data FILE`; not by hand.",
                f'model = "{model}"',
                f'fitted_on = "{source}"',
                *self.whole.head(),
                "",
                "[weights]",
                *self.whole.lines(),
                "",
                "[by_words]",
                *self.by_words.head(),
                "",
                "[by_words.weights]",
                *self.by_words.lines(),
                "",
            ]
        )


async def fit_on(conversations: Sequence[Conversation], say: Progress) -> Fitted:
    """Tell the conversations to a system that is started for it, ask, and fit on what came back.

    Raises:
        MeasurementFailed: there are too few conversations, or the system does not answer as it must.
    """
    if sum(bool(one.questions) for one in conversations) < _FEWEST:
        raise MeasurementFailed(
            "one conversation with questions is left out each time: there have to be at least two"
        )
    with scratch() as folder:
        async with up(folder) as system:
            await tell(system.nats, conversations, say)
            answers = await ask(system.nats, conversations, say)
    say("fitting")
    return fitted(answers)


def fitted(answers: Sequence[Answered]) -> Fitted:
    """Fit on all answers, and on all but each conversation in turn; and on what words find of them."""
    so_far = mean([measure(one.found, one.question.evidence) for one in answers])
    return Fitted(
        _part(answers, "", PRIOR),
        _part([_by_words(one) for one in answers], "by words, ", PRIOR_BY_WORDS),
        Row("so far", "all", so_far, len(answers)),
    )


def _part(answers: Sequence[Answered], what: str, given: Mapping[str, float]) -> Part:
    names = list(dict.fromkeys(one.conversation for one in answers))
    rows, measured = [], []
    for name in names:
        human = _fit([one for one in answers if one.conversation != name], given)
        out = [one for one in answers if one.conversation == name]
        rows.append(Row(f"{what}left out", name, reranked(out, human.score), len(out)))
        measured += [rows[-1].measured] * len(out)
    final = _fit(answers, given)
    return Part(
        weights=final.weights,
        bias=final.bias,
        rows=(
            *rows,
            Row(f"{what}left out", "all", mean(measured), len(answers)),
            Row(f"{what}fitted on", "all", reranked(answers, final.score), len(answers)),
        ),
    )


def _by_words(one: Answered) -> Answered:
    """Return what would have come back had the model been away."""
    worded = np.broadcast_to(one.signals.bm25 + one.signals.bm25_window > 0, len(one.found))
    columns = [np.broadcast_to(column, len(one.found))[worded] for column in one.signals]
    meant = dict.fromkeys(BY_MEANING, np.zeros(int(worded.sum())))
    found = tuple(each for each, kept in zip(one.found, worded, strict=True) if kept)
    return replace(one, found=found, signals=Signals(*columns)._replace(meant=0.0, **meant))


def _fit(answers: Sequence[Answered], given: Mapping[str, float]) -> HumanProfile:
    made = [choice(one.signals, one.relevant, given) for one in answers]
    choices = [one for one in made if one is not None]
    if not choices:
        raise MeasurementFailed("nothing that was asked for came back, so there is nothing to learn from")
    learned = fit(choices)
    weights = {name: given.get(name, 0.0) + learned[name] for name in FEATURES}
    return HumanProfile(weights={**given, **weights}, bias=bias(choices, learned))

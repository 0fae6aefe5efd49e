"""`ricordo eval fit`: learns the weights of `human` from what a running system answers, and tries them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ricordo.domain.ranking.human import FEATURES, load_human
from ricordo_services.bench.options import BenchFailed
from ricordo_services.bench.system import scratch, up
from ricordo_services.evaluation.fitting import bias, choice, fit
from ricordo_services.evaluation.locomo import Conversation
from ricordo_services.evaluation.measures import mean, measure
from ricordo_services.evaluation.replay import Answered, Progress, ask, tell
from ricordo_services.evaluation.report import Row
from ricordo_services.evaluation.retrieval import reranked

_FEWEST: Final = 2  # conversations: one is left out


@dataclass(frozen=True, slots=True)
class Fitted:
    """The weights, and how good those are that were fitted without the conversation they are measured on.

    Attributes:
        weights: of each feature.
        bias: of the score.
        rows: each conversation left out, all of them together, and what they were fitted on.
    """

    weights: Mapping[str, float]
    bias: float
    rows: tuple[Row, ...]

    def toml(self, model: str, source: str) -> str:
        """Return the file of weights.

        Args:
            model: whose vectors they are for.
            source: what they were fitted on, in a few words.
        """
        all_out = next(row for row in self.rows if row.name == "all")
        at_5, at_10 = all_out.measured.fraction[:2]
        return "\n".join(
            [
                "# Written by `ricordo eval fit --data FILE`; not by hand.",
                f'model = "{model}"',
                f'fitted_on = "{source}"',
                f"left_out = {{recall_at_5 = {at_5:.3f}, recall_at_10 = {at_10:.3f}}}",
                f"bias = {self.bias:.3f}",
                "",
                "[weights]",
                *(f"{name} = {self.weights[name]:.3f}" for name in FEATURES),
                "",
            ]
        )


async def fit_on(conversations: Sequence[Conversation], say: Progress) -> Fitted:
    """Tell the conversations to a system that is started for it, ask, and fit on what came back.

    Raises:
        BenchFailed: there are too few conversations, or the system does not answer as it must.
    """
    if sum(bool(one.questions) for one in conversations) < _FEWEST:
        raise BenchFailed(
            "one conversation with questions is left out each time: there have to be at least two"
        )
    with scratch() as folder:
        async with up(folder) as system:
            await tell(system.nats, conversations, say)
            answers = await ask(system.nats, conversations, say)
    say("fitting")
    return fitted(answers)


def fitted(answers: Sequence[Answered]) -> Fitted:
    """Fit on all answers, and on all but each conversation in turn."""
    names = list(dict.fromkeys(one.conversation for one in answers))
    rows, measured = [], []
    for name in names:
        human = load_human().weighing(_fit([one for one in answers if one.conversation != name]))
        out = [one for one in answers if one.conversation == name]
        rows.append(Row("left out", name, reranked(out, human.score), len(out)))
        measured += [rows[-1].measured] * len(out)
    weights = _fit(answers)
    final = load_human().weighing(weights)
    choices = [made for one in answers if (made := choice(one.signals, one.relevant)) is not None]
    return Fitted(
        weights=weights,
        bias=bias(choices, weights),
        rows=(
            *rows,
            Row("left out", "all", mean(measured), len(answers)),
            Row("fitted on", "all", reranked(answers, final.score), len(answers)),
            Row(
                "so far",
                "all",
                mean([measure(one.found, one.question.evidence) for one in answers]),
                len(answers),
            ),
        ),
    )


def _fit(answers: Sequence[Answered]) -> Mapping[str, float]:
    made = [choice(one.signals, one.relevant) for one in answers]
    choices = [one for one in made if one is not None]
    if not choices:
        raise BenchFailed("nothing that was asked for came back, so there is nothing to learn from")
    return fit(choices)

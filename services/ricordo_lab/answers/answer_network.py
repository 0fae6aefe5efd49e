"""The reader of answers in PyTorch: the encoder's upper layers over a question and a passage together."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from ricordo.models.onnx.e5_checkpoint import E5Checkpoint
from ricordo.models.reader.question_pairs import paired
from ricordo_lab.answers.questions import TrainingQuestion
from ricordo_lab.evaluation.torch_layers import Tensor, Torch, TunedNetwork

LAYERS: Final = range(6, 12)
"""The layers that are tuned; those below stay as the encoder's."""
_DROPPED: Final = 0.1
_TOGETHER: Final = 48
_NEVER: Final = -1e4


class EncodedQuestion(NamedTuple):
    """A question as the network reads it.

    Attributes:
        states: of each passage after the lower layers, float16 [t, d].
        answers: whether each passage answers, [n].
        bounds: the first and the last token that answer, of each passage; (-1, -1) for unknown.
        own: which tokens are the passage's own text, of each.
    """

    asked: TrainingQuestion
    states: Sequence[Tensor]
    answers: Sequence[bool]
    bounds: Sequence[tuple[int, int]]
    own: Sequence[Tensor]


class TrainedAnswerReader(TunedNetwork):
    """The network, and all that is learned of it."""

    def __init__(self, torch: Torch, checkpoint: E5Checkpoint) -> None:
        super().__init__(torch, checkpoint, LAYERS)
        self._sides = checkpoint.question, checkpoint.text
        width = self._layers.width
        for name, outputs, inputs in (("answers", 1, 2 * width), ("bounds", 2, width)):
            self.parameters[f"{name}.weight"] = torch.zeros(outputs, inputs, requires_grad=True)
            self.parameters[f"{name}.bias"] = torch.zeros(outputs, requires_grad=True)

    def examples(self, questions: Sequence[TrainingQuestion]) -> Iterator[EncodedQuestion]:
        """Yield questions with the states of their pairs, computed once."""
        torch = self._torch
        pairs = [
            [paired(one.text, choice.passage, self._tokens, self._sides) for choice in one.choices]
            for one in questions
        ]
        flat = [(at, number) for at, some in enumerate(pairs) for number in range(len(some))]
        flat.sort(key=lambda place: len(pairs[place[0]][place[1]].ids))
        states: dict[tuple[int, int], Tensor] = {}
        for start in range(0, len(flat), _TOGETHER):
            places = flat[start : start + _TOGETHER]
            ids = [pairs[at][number].ids for at, number in places]
            with torch.autocast("cpu", dtype=torch.bfloat16):
                found = self._layers.states(ids, range(LAYERS.start))
            states.update(zip(places, found, strict=True))
        for at, (one, some) in enumerate(zip(questions, pairs, strict=True)):
            yield EncodedQuestion(
                one,
                [states.pop((at, number)) for number in range(len(some))],
                [choice.answers for choice in one.choices],
                [_bounds(pair.spans, choice.words) for pair, choice in zip(some, one.choices, strict=True)],
                [torch.tensor([end > 0 for _, end in pair.spans]) for pair in some],
            )

    def __call__(
        self, states: Sequence[Tensor], own: Sequence[Tensor], *, training: bool = False
    ) -> tuple[Tensor, Tensor]:
        """Return the logits of answering, [n], and of the first and the last token, [n, 2, t]."""
        torch = self._torch
        hidden, mask = self._layers.padded(states)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            hidden = self._layers.computed(hidden, mask, LAYERS, self.parameters, _DROPPED * training)
        hidden = hidden.float()
        present = mask[..., None].float()
        mean = (hidden * present).sum(1) / present.sum(1)
        whole = torch.nn.functional.dropout(torch.cat([hidden[:, 0], mean], -1), _DROPPED, training)
        answers = self._linear(whole, "answers")[:, 0]
        outside = torch.ones_like(mask)
        for row, each in enumerate(own):
            outside[row, : len(each)] = ~each
        bounds = self._linear(hidden, "bounds").transpose(1, 2).masked_fill(outside[:, None], _NEVER)
        return answers, bounds

    def loss(self, examples: Sequence[EncodedQuestion]) -> Tensor:
        """Return the loss of a batch: which passage of each question, whether any, and with which words."""
        torch, functional = self._torch, self._torch.nn.functional
        answers, bounds = self(*pairs_of(examples), training=True)
        right = torch.tensor([each for one in examples for each in one.answers])
        total = 0.5 * functional.binary_cross_entropy_with_logits(answers, right.float())
        chosen = torch.zeros(())
        start = 0
        for one in examples:
            count = len(one.states)
            logits = torch.cat([torch.zeros(1), answers[start : start + count]])
            wanted = torch.cat([~right[start : start + count].any()[None], right[start : start + count]])
            chosen = chosen - torch.logsumexp(torch.log_softmax(logits, 0)[wanted], 0)
            start += count
        total = total + chosen / len(examples)
        places = torch.tensor([each for one in examples for each in one.bounds])
        known = places[:, 0] >= 0
        if known.any():
            total = total + 0.25 * functional.cross_entropy(
                bounds[known].flatten(0, 1), places[known].flatten()
            )
        return total


def pairs_of(examples: Sequence[EncodedQuestion]) -> tuple[list[Tensor], list[Tensor]]:
    """Return the states of all pairs, and which of their tokens are the passage's own."""
    return [each for one in examples for each in one.states], [each for one in examples for each in one.own]


def _bounds(spans: Sequence[tuple[int, int]], words: tuple[int, int] | None) -> tuple[int, int]:
    if words is None:
        return -1, -1
    inside = [at for at, (start, end) in enumerate(spans) if end > 0 and start < words[1] and words[0] < end]
    return (inside[0], inside[-1]) if inside else (-1, -1)

"""Fits the reader of answers on questions about chats, and measures it on writers left out."""

import argparse
import random
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from ricordo.models.onnx.e5_checkpoint import installed_e5
from ricordo.models.onnx.network import load_network, native_precision
from ricordo_lab.answers.answer_network import EncodedQuestion, TrainedAnswerReader, pairs_of
from ricordo_lab.answers.questions import read_asked
from ricordo_lab.console import MeasurementFailed, progress
from ricordo_lab.evaluation.results import NamedFigures, Row
from ricordo_lab.evaluation.torch_layers import Torch, load_torch
from ricordo_lab.reader.text_heads import logistic

EPOCHS: Final = 3
_BATCH: Final = 8
"""Questions of a step, each with all of its passages."""
_RATE: Final = 1e-3
_TUNED_RATE: Final = 6e-5  # of the layers that begin as the encoder's
_WARM_UP: Final = 0.06
_LEAST_RATE: Final = 0.02  # of the full rate, at the end
_LIKE_LENGTH: Final = 16  # tokens within which questions of a batch may differ by chance
_READ: Final = 16
_PENALTY: Final = 0.1


def run(asked: argparse.Namespace) -> Iterator[NamedFigures | Row]:
    """Fit on all writers but those left out, write the weights, and yield the figures of those left out.

    Those left out also tell what a logit means: how often the best passage is right.

    Raises:
        MeasurementFailed: PyTorch is not installed, or nobody is left out.
        UnreadableData: a file of the questions is of another shape.
    """
    torch, checkpoint = load_torch(), installed_e5()
    torch.manual_seed(asked.seed)
    random.seed(asked.seed)
    encoder = load_network(checkpoint, native_precision())
    questions = list(read_asked(asked.data, checkpoint, encoder))
    network = TrainedAnswerReader(torch, checkpoint)
    examples = list(network.examples(questions))
    aside = set(asked.leave_out or ())
    fitted = [one for one in examples if one.asked.writer not in aside]
    _fit(torch, network, fitted)
    unseen = [one for one in examples if one.asked.writer in aside]
    if not unseen:
        raise MeasurementFailed("--leave-out names no writer who has questions: they tell what a logit means")
    read = [unseen[start : start + _READ] for start in range(0, len(unseen), _READ)]
    logits = [each for some in read for each in _logits(torch, network, some)]
    likeness = [choice.likeness for one in unseen for choice in one.asked.choices]
    known = np.column_stack([np.concatenate(logits), likeness])
    calibration = logistic(known, np.concatenate([one.answers for one in unseen]).astype(float), _PENALTY)
    ends = np.cumsum([len(one.answers) for one in unseen])[:-1]
    odds = np.split(known @ calibration[:2] + calibration[2], ends)
    right = np.array([one.answers[int(some.argmax())] for one, some in zip(unseen, odds, strict=True)])
    answered = np.array([some.max() > 0 for some in odds])
    asked.out.write_bytes(network.packed({"calibration": calibration.astype(np.float32)}))
    yield NamedFigures(out=str(asked.out), questions=len(fitted), unseen=len(unseen))
    for kind in sorted({one.asked.kind for one in unseen}):
        of_kind = np.array([one.asked.kind == kind for one in unseen])
        yield Row(
            table="unseen",
            kind=kind,
            questions=int(of_kind.sum()),
            first=round(float(right[of_kind].mean()), 3),
            answered=round(float(answered[of_kind].mean()), 3),
            answered_rightly=round(float((right & answered)[of_kind].mean()), 3),
        )


def _fit(torch: Torch, network: TrainedAnswerReader, examples: Sequence[EncodedQuestion]) -> None:
    own, new = network.groups()
    rates = [{"params": own, "lr": _TUNED_RATE}, {"params": new, "lr": _RATE}]
    optimiser = torch.optim.AdamW(rates, weight_decay=0.01)
    steps = EPOCHS * (len(examples) // _BATCH)
    warm = max(1, int(_WARM_UP * steps))

    def rate(step: int) -> float:
        return float(min((step + 1) / warm, max(_LEAST_RATE, 1 - max(0, step - warm) / max(1, steps - warm))))

    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, rate)
    for epoch in range(EPOCHS):
        lengths = [max(map(len, one.states)) + random.random() * _LIKE_LENGTH for one in examples]
        order = sorted(range(len(examples)), key=lengths.__getitem__)
        batches = [order[start : start + _BATCH] for start in range(0, len(order) - _BATCH + 1, _BATCH)]
        random.shuffle(batches)
        for number, batch in enumerate(batches, 1):
            loss = network.loss([examples[one] for one in batch])
            loss.backward()
            torch.nn.utils.clip_grad_norm_([*own, *new], 1.0)
            optimiser.step()
            optimiser.zero_grad(set_to_none=True)
            schedule.step()
            if number % 100 == 0:
                progress(f"  epoch {epoch + 1}: {number:,} of {len(batches):,} steps, loss {loss.item():.2f}")


def _logits(
    torch: Torch, network: TrainedAnswerReader, examples: Sequence[EncodedQuestion]
) -> list[list[float]]:
    """Return the logit of each passage of each question."""
    with torch.no_grad():
        answers, _ = network(*pairs_of(examples))
    ends = np.cumsum([len(one.states) for one in examples])[:-1]
    return [part.tolist() for part in np.split(answers.numpy(), ends)]

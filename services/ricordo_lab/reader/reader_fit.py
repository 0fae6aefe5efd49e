"""Fits the reader on annotated chats, and measures it on writers left out."""

import argparse
import io
import random
from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np

from ricordo.models.onnx.e5_checkpoint import installed_e5
from ricordo_lab.console import progress
from ricordo_lab.evaluation.results import NamedFigures, Row
from ricordo_lab.evaluation.torch_layers import Tensor, Torch, load_torch
from ricordo_lab.reader.annotations import PREDICATES, read_turns
from ricordo_lab.reader.measures import ReadTurn, figures
from ricordo_lab.reader.network import Example, ReaderNetwork
from ricordo_lab.reader.readings import probabilities
from ricordo_lab.reader.targets import HEADS

EPOCHS: Final = 6
_BATCH: Final = 16
_RATE: Final = 1e-3
_TUNED_RATE: Final = 1.5e-4  # of the layers that begin as the encoder's
_WARM_UP: Final = 0.06
_LIKE_LENGTH: Final = 8  # tokens within which texts of a batch may differ by chance
_RAREST: Final = 2.5  # the most that a rare predicate counts, and
_COMMONEST: Final = 0.6  # the least of a common one
_READ: Final = 64


def run(asked: argparse.Namespace) -> Iterator[NamedFigures | Row]:
    """Fit on all writers but those left out, write the weights, and yield the figures of those left out.

    Raises:
        MeasurementFailed: PyTorch is not installed.
        UnreadableData: a file of the chats is of another shape.
    """
    torch = load_torch()
    torch.manual_seed(asked.seed)
    left_out = frozenset(asked.leave_out or ())
    turns = read_turns(asked.data)
    network = ReaderNetwork(torch, installed_e5())
    examples = []
    for example in network.examples(turns):
        examples.append(example)
        if len(examples) % 1000 == 0:
            progress(f"  {len(examples):,} of {len(turns):,} turns encoded")
    fitted = [example for example in examples if example.turn.writer not in left_out]
    for done, loss in _train(torch, network, fitted, asked.seed):
        progress(f"  {done:.0%} of {EPOCHS} epochs, loss {loss:.3f}")
    file = io.BytesIO()
    np.savez_compressed(file, **dict[str, Any](network.saved()))
    asked.out.write_bytes(file.getvalue())
    statements = sum(len(example.turn.statements) for example in fitted)
    yield NamedFigures(out=str(asked.out), turns=len(fitted), statements=statements)
    yield from figures(_read(network, [one for one in examples if one.turn.writer in left_out], torch))


def _train(
    torch: Torch, network: ReaderNetwork, examples: Sequence[Example], seed: int
) -> Iterator[tuple[float, float]]:
    """Train, and yield after each epoch the share that is done and the mean loss."""
    chance = random.Random(seed)
    tuned, new = network.groups()
    optimiser = torch.optim.AdamW(
        [{"params": tuned, "lr": _TUNED_RATE}, {"params": new, "lr": _RATE}], weight_decay=0.01
    )
    steps = EPOCHS * -(-len(examples) // _BATCH)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min(1.0, step / (_WARM_UP * steps)) * (1.0 - step / steps)
    )
    weights = _predicate_weights(torch, examples)
    for epoch in range(EPOCHS):
        order = sorted(examples, key=lambda one: len(one.spans) + chance.random() * _LIKE_LENGTH)
        batches = [order[start : start + _BATCH] for start in range(0, len(order), _BATCH)]
        chance.shuffle(batches)
        total = 0.0
        for batch in batches:
            loss = network.loss(batch, weights)
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_([*tuned, *new], 1.0)
            optimiser.step()
            schedule.step()
            total += float(loss.detach())
        yield (epoch + 1) / EPOCHS, total / len(batches)


def _predicate_weights(torch: Torch, examples: Sequence[Example]) -> Tensor:
    """Return how much each predicate counts: by the root of how rare it is, within bounds."""
    stated = [statement.predicate for example in examples for statement in example.turn.statements]
    counts = np.array([stated.count(predicate) for predicate in PREDICATES], dtype=np.float32)
    rarity = np.sqrt(np.median(counts[counts > 0]) / np.maximum(counts, 1.0))
    return torch.tensor(np.clip(rarity, _COMMONEST, _RAREST).astype(np.float32))


def _read(network: ReaderNetwork, examples: Sequence[Example], torch: Torch) -> list[ReadTurn]:
    kinds = {name: head.kind for name, head in HEADS.items()}
    read: list[ReadTurn] = []
    order = sorted(examples, key=lambda one: len(one.spans))
    for start in range(0, len(order), _READ):
        batch = order[start : start + _READ]
        with torch.no_grad():
            outputs, _ = network(batch)
        for place, example in enumerate(batch):
            length = len(example.spans)
            own = {name: logits[place].numpy() for name, logits in outputs.items()}
            cut = {name: logits[:length] if logits.ndim > 1 else logits for name, logits in own.items()}
            read.append(ReadTurn(example.turn, example.spans, probabilities(cut, kinds)))
    return read

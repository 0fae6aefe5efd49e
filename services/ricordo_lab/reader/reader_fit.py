"""Fits the reader on annotated chats, and measures it on writers left out.

The network is fitted twice: first without every sixth writer, on whose turns two logistic regressions learn
how certain a statement is; then on all. The regressions stay, as what they read means the same in both. What
is written is the mean of both networks (model soups: Wortsman et al. 2022), and from which certainty on a
statement counts, the writers left out decide, if there are any.
"""

import argparse
import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any, Final

import numpy as np

from ricordo.language.reading import PREDICATES
from ricordo.models.onnx.e5_checkpoint import installed_e5
from ricordo.models.reader.heads import OF_TEXTS, POINTER
from ricordo.models.reader.reader_network import Floats, probabilities
from ricordo_lab.console import progress
from ricordo_lab.evaluation.results import NamedFigures, Row
from ricordo_lab.evaluation.torch_layers import Tensor, Torch, load_torch
from ricordo_lab.reader.annotations import AnnotatedTurn, read_turns, without_full_stop
from ricordo_lab.reader.measures import GRADES, Judged, ReadTurn, curve, figures, judged
from ricordo_lab.reader.network import EncodedTurn, TrainedReader
from ricordo_lab.reader.text_heads import fit_text_heads, logistic

EPOCHS: Final = 4
_EVERY: Final = 6
"""One writer of so many tells the certainty."""
_AT_ONCE: Final = 2
_BATCH: Final = 16
_RATE: Final = 1e-3
_TUNED_RATE: Final = 1.5e-4  # of the layers that begin as the encoder's
_WARM_UP: Final = 0.06
_LIKE_LENGTH: Final = 8  # tokens within which texts of a batch may differ by chance
_RAREST: Final = 2.5  # the most that a rare predicate counts, and
_COMMONEST: Final = 0.6  # the least of a common one
_READ: Final = 64
_WANTED: Final = {"typed": 0.75, "noted": 0.80}
"""The precision by which thresholds are chosen."""
_KEPT: Final = 0.98
"""The share of what informs that is to be kept."""
_PENALTY: Final = 3.0  # of the regressions' weights


def run(asked: argparse.Namespace) -> Iterator[NamedFigures | Row]:
    """Fit on all writers but those left out, write the weights, and yield the figures of those left out.

    With `folds`, yield the figures of all writers instead, each read by a network that has not seen them.

    Raises:
        MeasurementFailed: PyTorch is not installed.
        UnreadableData: a file of the chats is of another shape.
    """
    torch = load_torch()
    examples = list(_encoded(torch, asked))
    writers = sorted({one.turn.writer for one in examples} - set(asked.leave_out or ()))
    if asked.folds:
        yield from _folds(torch, examples, writers, asked)
        return
    aside = writers[::-_EVERY]
    groups = [set(writers) - set(aside), set(writers)]
    first, network = _fitted(torch, examples, groups, asked.seed)
    judging = _read(torch, first, examples, aside)
    regressions = _regressions([judging])
    network.parameters = {
        name: (first.parameters[name] + each) / 2 for name, each in network.parameters.items()
    }
    unseen = _read(torch, network, examples, asked.leave_out or ())
    deciding = unseen or judging
    least = {grade: _least(deciding, grade, regressions[grade]) for grade in GRADES}
    least["informative"] = _least_informative(deciding)
    fit_text_heads(network, asked.rated or (), asked.procedures)
    asked.out.write_bytes(network.packed({**regressions, "least": np.array([*least.values()], np.float32)}))
    fitted = [one for one in examples if one.turn.writer in writers]
    statements = sum(len(one.turn.statements) for one in fitted)
    yield NamedFigures(
        out=str(asked.out),
        turns=len(fitted),
        statements=statements,
        **least,
    )
    yield from figures(unseen, regressions)


def _encoded(torch: Torch, asked: argparse.Namespace) -> Iterator[EncodedTurn]:
    turns = list(_casually_spelled(read_turns(asked.data), asked.leave_out or ()))
    torch.manual_seed(asked.seed)
    for number, example in enumerate(TrainedReader(torch, installed_e5()).examples(turns), 1):
        yield example
        if number % 1000 == 0:
            progress(f"  {number:,} of {len(turns):,} turns encoded")


def _casually_spelled(turns: Sequence[AnnotatedTurn], leave_out: Collection[str]) -> Iterator[AnnotatedTurn]:
    """Yield turns; every second plain sentence without its full stop, every fourth in lower case.

    Who writes sentences to be read by others ends them; who types to a bot does not.
    """
    plain = 0
    for turn in turns:
        if turn.previous or not turn.text.endswith(".") or turn.writer in leave_out:
            yield turn
            continue
        plain += 1
        yield turn if plain % 2 else without_full_stop(turn, lower=plain % 4 == 0)


def _folds(
    torch: Torch, examples: Sequence[EncodedTurn], writers: Sequence[str], asked: argparse.Namespace
) -> Iterator[NamedFigures | Row]:
    """Yield the figures of each group of writers; their certainty is told by the other groups' turns."""
    groups = [writers[start :: asked.folds] for start in range(asked.folds)]
    fitted = _fitted(torch, examples, [set(writers) - set(group) for group in groups], asked.seed)
    read = [_read(torch, network, examples, group) for network, group in zip(fitted, groups, strict=True)]
    for place, (group, some) in enumerate(zip(groups, read, strict=True)):
        yield NamedFigures(writers=" ".join(group))
        yield from figures(some, _regressions([*read[:place], *read[place + 1 :]]))


def _fitted(
    torch: Torch, examples: Sequence[EncodedTurn], groups: Sequence[Collection[str]], seed: int
) -> list[TrainedReader]:
    """Fit a network on each group of writers, two at a time, each on one thread."""
    torch.set_num_threads(1)
    pool = ProcessPoolExecutor(
        _AT_ONCE, get_context("fork"), initializer=_inherit, initargs=(torch, examples, seed)
    )
    found = []
    with pool:
        for learned in pool.map(_fit, groups):
            network = TrainedReader(torch, installed_e5())
            network.parameters = {name: torch.tensor(each) for name, each in learned.items()}
            found.append(network)
    return found


_INHERITED: Final[list[tuple[Torch, Sequence[EncodedTurn], int]]] = []
"""What a forked process has from its parent: too much to be sent."""


def _inherit(*work: Any) -> None:  # noqa: ANN401 - as `_INHERITED`
    _INHERITED.append(work)


def _fit(writers: Collection[str]) -> Mapping[str, Floats]:
    ((torch, examples, seed),) = _INHERITED
    torch.manual_seed(seed)
    network = TrainedReader(torch, installed_e5())
    fitted = [example for example in examples if example.turn.writer in writers]
    for done, loss in _train(torch, network, fitted, seed):
        progress(f"  {done:.0%} of {EPOCHS} epochs on {len(fitted):,} turns, loss {loss:.3f}")
    return {name: tensor.detach().numpy() for name, tensor in network.parameters.items()}


def _train(
    torch: Torch, network: TrainedReader, examples: Sequence[EncodedTurn], seed: int
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


def _predicate_weights(torch: Torch, examples: Sequence[EncodedTurn]) -> Tensor:
    """Return how much each predicate counts: by the root of how rare it is, within bounds."""
    stated = [statement.predicate for example in examples for statement in example.turn.statements]
    counts = np.array([stated.count(predicate) for predicate in PREDICATES], dtype=np.float32)
    rarity = np.sqrt(np.median(counts[counts > 0]) / np.maximum(counts, 1.0))
    return torch.tensor(np.clip(rarity, _COMMONEST, _RAREST).astype(np.float32))


def _read(
    torch: Torch, network: TrainedReader, examples: Sequence[EncodedTurn], writers: Collection[str]
) -> list[ReadTurn]:
    """Return what a network says of the turns of some writers."""
    read: list[ReadTurn] = []
    order = sorted((one for one in examples if one.turn.writer in writers), key=lambda one: len(one.spans))
    for start in range(0, len(order), _READ):
        batch = order[start : start + _READ]
        with torch.no_grad():
            outputs, _ = network(batch)
        for place, example in enumerate(batch):
            length, whole = len(example.spans), {head.name for head in OF_TEXTS}
            own = {name: logits[place].numpy() for name, logits in outputs.items()}
            cut = {name: logits if name in whole else logits[:length] for name, logits in own.items()}
            cut[POINTER] = cut[POINTER][:, :length]
            read.append(ReadTurn(example.turn, example.spans, probabilities(cut)))
    return read


def _regressions(read: Sequence[Sequence[ReadTurn]]) -> Mapping[str, Floats]:
    """Return by grade how certainty follows from evidence: weights and, last, the bias."""
    return {grade: _regression([one for some in read for one in judged(some, grade)]) for grade in GRADES}


def _least(read: Sequence[ReadTurn], grade: str, regression: Floats) -> float:
    """Return from which certainty on enough is right: where precision is as wanted, or else certain."""
    found = curve(read, judged(read, grade), regression, [_WANTED[grade]])
    return next((threshold for _, _, threshold in found), 1.0)


def _least_informative(read: Sequence[ReadTurn]) -> float:
    """Return above which probability nearly all lies that informs: what is left out is not recalled."""
    telling = [float(one.found["informative"][0]) for one in read if one.turn.informative]
    return float(np.quantile(telling, 1.0 - _KEPT)) if telling else 0.5


def _regression(candidates: Sequence[Judged]) -> Floats:
    evidence = np.stack([one.candidate.evidence for one in candidates])
    right = np.array([bool(one.matches) for one in candidates], dtype=np.float64)
    return logistic(evidence, right, _PENALTY)

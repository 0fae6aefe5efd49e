"""Fits the adapter of the encoder on questions about chats, and measures it on writers left out.

The upper layers change by products of two small matrices (LoRA: Hu et al. 2022), and questions and texts get
a shift each. A batch is a few conversations: the turns of all of them are the candidates for each of their
questions, and the loss is that of a softmax over cosines with a learned scale (InfoNCE: van den Oord et al.
2018), of a turn alone and of a turn with the one before it, as the index holds them. Turns with an outdated
answer are no candidates. The states below the changed layers are computed once.
"""

import argparse
import io
import random
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

import numpy as np

from ricordo.models.onnx.e5_checkpoint import E5Checkpoint, Side, installed_e5
from ricordo_lab.console import progress
from ricordo_lab.evaluation.locomo import Conversation, LocomoQuestion
from ricordo_lab.evaluation.recall_data import read_talk
from ricordo_lab.evaluation.results import NamedFigures
from ricordo_lab.evaluation.torch_layers import LINEAR, Tensor, Torch, TorchLayers, load_torch

RANK: Final = 16
FIRST_CHANGED: Final = 6  # layer
EPOCHS: Final = 4
CONVERSATIONS: Final = 6  # of a batch
QUESTIONS: Final = 48  # of a batch, at most
_RATE: Final = 1e-3
_SHIFT_RATE: Final = 1e-3
_SCALE_RATE: Final = 1e-2
_FIRST_SCALE: Final = 3.0  # its logarithm
_TOGETHER: Final = 16  # texts of like length that are computed at once
_SAMPLE: Final = 400  # texts whose mean is the first shift
_SHOWN: Final = 3


def run(asked: argparse.Namespace) -> Iterator[NamedFigures]:
    """Fit on all writers but those left out, write the adapter, and yield how often answers come first.

    Raises:
        MeasurementFailed: PyTorch is not installed.
        UnreadableData: a file of the chats is of another shape.
    """
    torch = load_torch()
    conversations = [one for one in read_talk(asked.data) if one.questions]
    held_out = [one for one in conversations if one.source in (asked.leave_out or ())]
    trained = [one for one in conversations if one not in held_out]
    torch.manual_seed(0)
    encoder = _TrainedEncoder(torch, installed_e5())
    encoder.centre(trained)
    for done, loss in _train(torch, encoder, trained):
        progress(f"  {done:.0%} of {EPOCHS} epochs, loss {loss:.3f}")
    if held_out:
        yield NamedFigures({"writers": sorted({one.source for one in held_out}), **encoder.hits(held_out)})
    asked.out.write_bytes(encoder.adapter())
    yield NamedFigures(out=str(asked.out))


def _train(
    torch: Torch, encoder: "_TrainedEncoder", conversations: Sequence[Conversation]
) -> Iterator[tuple[float, float]]:
    """Train, and yield after each step the share that is done and the loss."""
    chance = random.Random(0)
    low_rank, shifts, scale = encoder.parameters()
    groups = [(low_rank, _RATE), (shifts, _SHIFT_RATE), ([scale], _SCALE_RATE)]
    optimiser = torch.optim.AdamW([{"params": some, "lr": rate} for some, rate in groups], weight_decay=0.01)
    steps = EPOCHS * len(conversations) // CONVERSATIONS
    rates = [rate for _, rate in groups]
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, rates, total_steps=steps + 1, pct_start=0.1)
    queue: Iterator[Conversation] = iter(())
    for step in range(1, steps + 1):
        if len(batch := list(islice(queue, CONVERSATIONS))) < CONVERSATIONS:
            queue = iter(chance.sample(conversations, len(conversations)))
            batch = list(islice(queue, CONVERSATIONS))
        loss = encoder.loss(batch, chance)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_([*low_rank, *shifts, scale], 1.0)
        optimiser.step()
        schedule.step()
        yield step / steps, float(loss.detach())


class _TrainedEncoder:
    """The network in PyTorch, with what is learned on top of it."""

    def __init__(self, torch: Torch, checkpoint: E5Checkpoint) -> None:
        self._torch = torch
        self._tokens = checkpoint.tokens()
        self._sides: Mapping[str, Side] = {"question": checkpoint.question, "text": checkpoint.text}
        self._layers = TorchLayers(torch, checkpoint, published=True)
        self._changing = range(FIRST_CHANGED, checkpoint.layers)
        self._states: dict[tuple[str, str], Tensor] = {}
        for layer in self._changing:
            for part in LINEAR:
                name = f"encoder.layer.{layer}.{part}"
                outputs, inputs = self._layers.weights[f"{name}.weight"].shape
                down = (torch.randn(RANK, inputs) * inputs**-0.5).requires_grad_()
                self._layers.changes[name] = down, torch.zeros(outputs, RANK, requires_grad=True)
        self._shifts = {side: torch.zeros(self._layers.width, requires_grad=True) for side in self._sides}
        self._scale = torch.tensor(_FIRST_SCALE, requires_grad=True)

    def parameters(self) -> tuple[list[Tensor], list[Tensor], Tensor]:
        """Return what is learned: the small matrices, the shifts, and the logarithm of the scale."""
        small = [matrix for pair in self._layers.changes.values() for matrix in pair]
        return small, list(self._shifts.values()), self._scale

    def centre(self, conversations: Sequence[Conversation]) -> None:
        """Begin with shifts that put the mean of some texts, and that of some questions, to zero."""
        chance = random.Random(0)
        texts = [turn.text for one in conversations for turn in one.turns]
        questions = [question.text for one in conversations for question in one.questions]
        for side, some in (("text", texts), ("question", questions)):
            sample = chance.sample(some, min(_SAMPLE, len(some)))
            with self._torch.no_grad():
                self._shifts[side] -= self._pooled(sample, side).mean(0)

    def loss(self, batch: Sequence[Conversation], chance: random.Random) -> Tensor:
        """Return the loss of the questions of a few conversations among all their turns."""
        torch = self._torch
        text, window, place = self._turns(batch)
        asked = [(one.id, question) for one in batch for question in one.questions]
        asked = chance.sample(asked, min(QUESTIONS, len(asked)))
        questions = self._encoded([question.text for _, question in asked], "question")
        right, outdated = (
            self._marked(asked, place, [getattr(question, name) for _, question in asked])
            for name in ("evidence", "outdated")
        )
        total = torch.zeros(())
        for vectors in (text, window):
            logits = (questions @ vectors.T * self._scale.exp()).masked_fill(outdated & ~right, -1e4)
            logs = torch.log_softmax(logits, 1)
            total = total - ((logs * right).sum(1) / right.sum(1)).mean()
        return total

    def _marked(
        self,
        asked: Sequence[tuple[str, LocomoQuestion]],
        place: Mapping[tuple[str, str], int],
        turns: Sequence[frozenset[str]],
    ) -> Tensor:
        """Return which turns are among those of each question, [questions, turns]."""
        marked = self._torch.zeros(len(asked), len(place), dtype=self._torch.bool)
        for row, ((conversation, _), ids) in enumerate(zip(asked, turns, strict=True)):
            for turn in ids:
                marked[row, place[conversation, turn]] = True
        return marked

    def hits(self, conversations: Sequence[Conversation]) -> Mapping[str, float]:
        """Return how often the evidence is among the first three turns of its conversation, by languages."""
        found: dict[str, list[bool]] = {}
        with self._torch.no_grad():
            for one in conversations:
                _, window, place = self._turns([one])
                questions = self._encoded([question.text for question in one.questions], "question")
                for question, cosines in zip(one.questions, questions @ window.T, strict=True):
                    first = set(cosines.argsort(descending=True)[:_SHOWN].tolist())
                    right = {place[one.id, turn] for turn in question.evidence}
                    found.setdefault(question.languages, []).append(bool(first & right))
        return {name: round(float(np.mean(hits)), 4) for name, hits in found.items()}

    def adapter(self) -> bytes:
        """Return the file that `E5Checkpoint` reads."""
        arrays: dict[str, Any] = {
            f"{name}.{part}": matrix.detach().numpy().astype(np.float16)
            for name, pair in self._layers.changes.items()
            for part, matrix in zip(("down", "up"), pair, strict=True)
        }
        arrays |= {f"{side}_shift": shift.detach().numpy() for side, shift in self._shifts.items()}
        file = io.BytesIO()
        np.savez_compressed(file, **arrays)
        return file.getvalue()

    def _turns(self, batch: Sequence[Conversation]) -> tuple[Tensor, Tensor, Mapping[tuple[str, str], int]]:
        """Return the vectors of turns [n, d], those of turns with the one before, and places by id."""
        torch = self._torch
        ids = [(one.id, turn.id) for one in batch for turn in one.turns]
        vectors = self._encoded([turn.text for one in batch for turn in one.turns], "text")
        before = torch.tensor(
            [float(place > 0 and ids[place - 1][0] == ids[place][0]) for place in range(len(ids))]
        )
        windows = vectors + 0.5 * before[:, None] * vectors.roll(1, 0)
        return vectors, _normalised(torch, windows), {one: place for place, one in enumerate(ids)}

    def _encoded(self, texts: Sequence[str], side: str) -> Tensor:
        return _normalised(self._torch, self._pooled(texts, side) + self._shifts[side])

    def _pooled(self, texts: Sequence[str], side: str) -> Tensor:
        """Return the vectors of texts before the shift, [n, d], unit norm."""
        torch = self._torch
        states = [self._lower_states(text, side) for text in texts]
        order = sorted(range(len(states)), key=lambda place: len(states[place]))
        parts = []
        for start in range(0, len(order), _TOGETHER):
            hidden, mask = self._layers.padded([states[place] for place in order[start : start + _TOGETHER]])
            hidden = self._layers.computed(hidden, mask, self._changing)
            parts.append((hidden * mask[:, :, None]).sum(1) / mask.sum(1, keepdim=True))
        restored = torch.empty(len(order), dtype=torch.long)
        restored[torch.tensor(order)] = torch.arange(len(order))
        return _normalised(torch, torch.cat(parts)[restored])

    def _lower_states(self, text: str, side: str) -> Tensor:
        """Return the states below the layers that change, [tokens, d], computed once."""
        if (side, text) not in self._states:
            ids, _ = self._tokens.cut(text, self._sides[side].prefix)
            [self._states[side, text]] = self._layers.states([ids], range(FIRST_CHANGED))
        return self._states[side, text]


def _normalised(torch: Torch, vectors: Tensor) -> Tensor:
    return torch.nn.functional.normalize(vectors, dim=-1)

"""The reader in PyTorch: upper layers of its own over states that it shares with the encoder.

The lower layers are those that also give a text its vector, and stay as they are. Above them, copies of the
encoder's upper layers are tuned, which also see the vector of the turn before as one more token; so a text is
encoded once, and its predecessor is not encoded again.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from ricordo.cache_folder import default_cache_folder
from ricordo.models.onnx.e5_checkpoint import E5Checkpoint
from ricordo_lab.evaluation.torch_layers import Tensor, Torch, TorchLayers
from ricordo_lab.reader.annotations import AnnotatedTurn
from ricordo_lab.reader.targets import HEADS, NONE, POINTER, POINTER_WEIGHT, Spans, Targets, targets_of

SHARED: Final = 8
"""Layers that reader and encoder share: those below their last four."""
_WIDTH: Final = 256  # of a token's features
_POINTED: Final = 64  # of what points to a subject
_DROPPED: Final = 0.1
_TOGETHER: Final = 32  # texts that are encoded at once

Outputs: TypeAlias = Mapping[str, Any]


class Example(NamedTuple):
    """A turn as the network reads it.

    Attributes:
        states: after the shared layers, float16 [t, d].
        previous: the vector of the turn before, [d]; None for none.
        spans: of the tokens, [t].
    """

    turn: AnnotatedTurn
    states: Tensor
    previous: Tensor | None
    spans: Spans
    targets: Targets


class ReaderNetwork:
    """The network, and all that is learned of it: `parameters`, by name."""

    def __init__(self, torch: Torch, checkpoint: E5Checkpoint) -> None:
        self._torch = torch
        self._tokens = checkpoint.tokens(default_cache_folder())
        self._prefix = checkpoint.text.prefix
        self._layers = TorchLayers(torch, checkpoint)
        self._own = range(SHARED, checkpoint.layers)
        tuned = [name for name in self._layers.weights if self._is_own(name)]
        self.parameters: dict[str, Tensor] = {
            name: self._layers.weights[name].clone().requires_grad_() for name in tuned
        }
        self._tuned = frozenset(tuned)
        width = self._layers.width
        for name, (outputs, inputs) in {
            "previous": (width, width),
            "features": (_WIDTH, 3 * width),
            "neighbours": (_WIDTH, 3 * _WIDTH),
            "pointing": (_POINTED, _WIDTH),
            "pointed": (_POINTED, _WIDTH),
            **{
                name: (head.classes, _WIDTH if head.of == "token" else 2 * width)
                for name, head in HEADS.items()
            },
        }.items():
            scale = 0.0 if name == "previous" else inputs**-0.5
            self.parameters[f"{name}.weight"] = (torch.randn(outputs, inputs) * scale).requires_grad_()
            self.parameters[f"{name}.bias"] = torch.zeros(outputs, requires_grad=True)
        self.parameters["no_previous"] = torch.zeros(width, requires_grad=True)

    def groups(self) -> tuple[list[Tensor], list[Tensor]]:
        """Return the parameters that begin as the encoder's, and those that begin anew."""
        own = [tensor for name, tensor in self.parameters.items() if name in self._tuned]
        return own, [tensor for name, tensor in self.parameters.items() if name not in self._tuned]

    def examples(self, turns: Sequence[AnnotatedTurn]) -> Iterator[Example]:
        """Yield turns with their states and those of the turn before, computed once."""
        vectors: dict[str, Tensor] = {}
        for start in range(0, len(turns), _TOGETHER):
            some = turns[start : start + _TOGETHER]
            new = list(dict.fromkeys(turn.previous for turn in some if turn.previous not in {"", *vectors}))
            whole = self._layers.states(list(map(self._ids, new)), range(self._own.stop)) if new else []
            for text, state in zip(new, whole, strict=True):
                vectors[text] = self._torch.nn.functional.normalize(state.float().mean(0), dim=0)
            read = [self._tokens.spans(turn.text, self._prefix) for turn in some]
            states = self._layers.states([ids for ids, _ in read], range(SHARED))
            for turn, (_, spans), state in zip(some, read, states, strict=True):
                yield Example(turn, state, vectors.get(turn.previous), spans, targets_of(turn, spans))

    def __call__(self, examples: Sequence[Example], *, training: bool = False) -> tuple[Outputs, Tensor]:
        """Return the logits of all heads, and which tokens there are, [n, t].

        Logits are [n, t, classes], of heads of the turn [n, classes], of the pointer [n, t, t].
        """
        torch, functional = self._torch, self._torch.nn.functional
        shared, mask = self._layers.padded([example.states for example in examples])
        missing = self.parameters["no_previous"]
        before = torch.stack(
            [
                missing if example.previous is None else missing + self._linear(example.previous, "previous")
                for example in examples
            ]
        )
        seen = torch.cat([mask, torch.ones(len(examples), 1, dtype=torch.bool)], 1)
        hidden = torch.cat([shared, before[:, None]], 1)
        hidden = self._layers.computed(hidden, seen, self._own, self.parameters, _DROPPED * training)[:, :-1]
        present = mask[..., None].float()
        mean = (hidden * present).sum(1) / present.sum(1)
        joined = torch.cat([hidden, shared, mean[:, None].expand_as(hidden)], -1)
        features = (
            functional.gelu(self._linear(functional.dropout(joined, _DROPPED, training), "features"))
            * present
        )
        around = torch.cat(
            [
                functional.pad(features, (0, 0, 1, 0))[:, :-1],
                features,
                functional.pad(features, (0, 0, 0, 1))[:, 1:],
            ],
            -1,
        )
        features = features + functional.gelu(self._linear(around, "neighbours"))
        features = functional.dropout(features, _DROPPED, training)
        whole = functional.dropout(torch.cat([hidden[:, 0], mean], -1), _DROPPED, training)
        outputs = {
            name: self._linear(features if head.of == "token" else whole, name)
            for name, head in HEADS.items()
        }
        pointer = self._linear(features, "pointing") @ self._linear(features, "pointed").transpose(1, 2)
        outputs[POINTER] = (pointer * _POINTED**-0.5).masked_fill(~mask[:, None], -1e4)
        return outputs, mask

    def loss(self, examples: Sequence[Example], predicate_weights: Tensor) -> Tensor:
        """Return the loss of a batch.

        Args:
            predicate_weights: rarer predicates count more, [predicates].
        """
        torch, functional = self._torch, self._torch.nn.functional
        outputs, mask = self(examples, training=True)
        total = torch.zeros(())
        for name, logits in outputs.items():
            head = HEADS.get(name)
            right = self._padded_targets(name, examples, mask)
            if head is None:  # the pointer
                total = total + POINTER_WEIGHT * _chosen(functional, logits, right)
            elif head.kind == "mixture":
                total = total + head.weight * self._mixture(logits, right, predicate_weights)
            elif head.kind == "choice":
                weights = torch.tensor(head.class_weights) if head.class_weights else None
                total = total + head.weight * _chosen(functional, logits, right, weights)
            else:
                steps = torch.arange(head.classes)
                known = right != NONE
                wanted = (right[known][:, None] > steps).float()
                binary = functional.binary_cross_entropy_with_logits(logits[known], wanted)
                total = total + head.weight * binary
        return total

    def _padded_targets(self, name: str, examples: Sequence[Example], mask: Tensor) -> Tensor:
        torch = self._torch
        rows = [torch.tensor(example.targets[name]) for example in examples]
        if rows[0].dim() == 0:
            return torch.stack(rows)
        shape = (*mask.shape, *rows[0].shape[1:])
        padded = torch.zeros(shape) if rows[0].dim() > 1 else torch.full(shape, NONE)
        for place, row in enumerate(rows):
            padded[place, : len(row)] = row
        return padded

    def _mixture(self, logits: Tensor, right: Tensor, weights: Tensor) -> Tensor:
        """Return the cross entropy with the mean of the right classes, of tokens that have any."""
        known = right.sum(-1) > 0
        shares = right[known] / right[known].sum(-1, keepdim=True)
        each = (shares * weights).sum(-1)
        entropy = -(self._torch.log_softmax(logits[known], -1) * shares).sum(-1)
        return (entropy * each).sum() / each.sum().clamp(min=1.0)

    def saved(self) -> Mapping[str, np.ndarray[Any, Any]]:
        """Return what was learned, float16, by name."""
        return {name: tensor.detach().numpy().astype(np.float16) for name, tensor in self.parameters.items()}

    def _ids(self, text: str) -> list[int]:
        ids, _ = self._tokens.cut(text, self._prefix)
        return ids

    def _linear(self, hidden: Tensor, name: str) -> Tensor:
        weight, bias = (self.parameters[f"{name}.{part}"] for part in ("weight", "bias"))
        return self._torch.nn.functional.linear(hidden, weight, bias)

    def _is_own(self, name: str) -> bool:
        return any(name.startswith(f"encoder.layer.{layer}.") for layer in self._own)


def _chosen(functional: Any, logits: Tensor, right: Tensor, weights: Tensor | None = None) -> Tensor:  # noqa: ANN401
    """Return the cross entropy of a choice, of what there is to say something."""
    known = right != NONE
    if not known.any():
        return logits.sum() * 0.0
    return functional.cross_entropy(logits[known], right[known], weight=weights)

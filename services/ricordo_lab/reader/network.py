"""The reader in PyTorch: upper layers of its own over states that it shares with the encoder.

The lower layers are those that also give a text its vector, and stay as they are. Above them, copies of the
encoder's upper layers are tuned, which also see the vector of the turn before as one more token; so a text is
encoded once, and its predecessor is not encoded again.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from ricordo.models.onnx.e5_checkpoint import E5Checkpoint
from ricordo.models.reader.heads import OF_TEXTS, OF_TOKENS, POINTER, WIDTH
from ricordo.models.reader.reader_network import Floats, distances
from ricordo.models.reader.text_words import Spans
from ricordo_lab.evaluation.torch_layers import Tensor, Torch, TunedNetwork
from ricordo_lab.reader.annotations import AnnotatedTurn
from ricordo_lab.reader.targets import CLASS_WEIGHTS, NONE, WEIGHTS, Targets, targets_of

LAYERS: Final = range(6, 10)
"""The reader's own layers, which begin as copies of the encoder's; those below are shared."""
_POINTED: Final = 64  # of what points to a subject
_DROPPED: Final = 0.1
_AT_FIRST_NOTHING: Final = frozenset({"previous", "rated", "procedural"})
_TOGETHER: Final = 32  # texts that are encoded at once

Outputs: TypeAlias = Mapping[str, Any]


class EncodedTurn(NamedTuple):
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


class TrainedReader(TunedNetwork):
    """The network, and all that is learned of it."""

    def __init__(self, torch: Torch, checkpoint: E5Checkpoint) -> None:
        super().__init__(torch, checkpoint, LAYERS)
        self._side = checkpoint.text
        self._every = range(checkpoint.layers)
        width = self._layers.width
        for name, (outputs, inputs) in {
            "previous": (width, width),
            "features": (WIDTH, 3 * width),
            "neighbours": (WIDTH, 3 * WIDTH),
            "pointing": (_POINTED, WIDTH),
            "pointed": (_POINTED, WIDTH),
            **{head.name: (head.classes, WIDTH) for head in OF_TOKENS},
            **{head.name: (head.classes, 3 * width) for head in OF_TEXTS},
        }.items():
            scale = 0.0 if name in _AT_FIRST_NOTHING else inputs**-0.5
            self.parameters[f"{name}.weight"] = (torch.randn(outputs, inputs) * scale).requires_grad_()
            self.parameters[f"{name}.bias"] = torch.zeros(outputs, requires_grad=True)
        self.parameters["no_previous"] = torch.zeros(width, requires_grad=True)
        self.parameters["distance"] = torch.zeros(distances(1).shape[-1], requires_grad=True)

    def examples(self, turns: Sequence[AnnotatedTurn]) -> Iterator[EncodedTurn]:
        """Yield turns with their states and those of the turn before, computed once."""
        vectors: dict[str, Tensor] = {}
        prefix = self._side.prefix
        for start in range(0, len(turns), _TOGETHER):
            some = turns[start : start + _TOGETHER]
            new = list(dict.fromkeys(turn.previous for turn in some if turn.previous not in {"", *vectors}))
            whole = self._layers.states(list(map(self._ids, new)), self._every) if new else []
            for text, state in zip(new, whole, strict=True):
                vectors[text] = self._vector(state)
            read = [self._tokens.spans(turn.text, prefix) for turn in some]
            states = self._layers.states([ids for ids, _ in read], range(LAYERS.start))
            for turn, (_, spans), state in zip(some, read, states, strict=True):
                yield EncodedTurn(turn, state, vectors.get(turn.previous), spans, targets_of(turn, spans))

    def _vector(self, states: Tensor) -> Tensor:
        """Return the vector of a text as it is stored, from its states [t, d]."""
        mean = self._torch.nn.functional.normalize(states.float().mean(0), dim=0)
        return self._torch.tensor(self._side.shifted(mean[None].numpy())[0])

    def __call__(self, examples: Sequence[EncodedTurn], *, training: bool = False) -> tuple[Outputs, Tensor]:
        """Return the logits of all heads, and which tokens there are, [n, t].

        Logits are [n, t, classes], of heads of the turn [n, classes], of the pointer [n, t, t].
        """
        torch, functional = self._torch, self._torch.nn.functional
        shared, mask = self._layers.padded([example.states for example in examples])
        hidden, whole = self._read(shared, mask, [one.previous for one in examples], _DROPPED * training)
        present = mask[..., None].float()
        mean = whole[:, self._layers.width : 2 * self._layers.width]
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
        whole = functional.dropout(whole, _DROPPED, training)
        outputs = {head.name: self._linear(features, head.name) for head in OF_TOKENS}
        outputs |= {head.name: self._linear(whole, head.name) for head in OF_TEXTS}
        pointer = self._linear(features, "pointing") @ self._linear(features, "pointed").transpose(1, 2)
        near = torch.tensor(distances(mask.shape[1])) @ self.parameters["distance"]
        outputs[POINTER] = (pointer * _POINTED**-0.5 + near).masked_fill(~mask[:, None], -1e4)
        return outputs, mask

    def _read(
        self, shared: Tensor, mask: Tensor, previous: Sequence[Tensor | None], dropped: float = 0.0
    ) -> tuple[Tensor, Tensor]:
        """Return the states after the own layers, [n, t, d], and what is known of whole texts, [n, 3 d]."""
        torch, missing = self._torch, self.parameters["no_previous"]
        before = torch.stack(
            [missing if one is None else missing + self._linear(one, "previous") for one in previous]
        )
        seen = torch.cat([mask, torch.ones(len(previous), 1, dtype=torch.bool)], 1)
        hidden = torch.cat([shared, before[:, None]], 1)
        hidden = self._layers.computed(hidden, seen, LAYERS, self.parameters, dropped)[:, :-1]
        present = mask[..., None].float()
        means = [(states * present).sum(1) / present.sum(1) for states in (hidden, shared)]
        return hidden, torch.cat([hidden[:, 0], *means], -1)

    def features(self, texts: Sequence[str]) -> Floats:
        """Return what is known of texts without a turn before them, [n, 3 d]."""
        found = np.zeros((len(texts), 3 * self._layers.width), dtype=np.float32)
        order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
        for start in range(0, len(order), _TOGETHER):
            some = order[start : start + _TOGETHER]
            states = self._layers.states([self._ids(texts[one]) for one in some], range(LAYERS.start))
            with self._torch.no_grad():
                _, whole = self._read(*self._layers.padded(states), [None] * len(some))
            found[some] = whole.numpy()
        return found

    def set_head(self, name: str, weights: Floats) -> None:
        """Set the weights of a head of texts, [3 d + 1, classes], the last row its biases."""
        self.parameters[f"{name}.weight"] = self._torch.tensor(weights[:-1].T.copy())
        self.parameters[f"{name}.bias"] = self._torch.tensor(weights[-1])

    def loss(self, examples: Sequence[EncodedTurn], predicate_weights: Tensor) -> Tensor:
        """Return the loss of a batch.

        Args:
            predicate_weights: rarer predicates count more, [predicates].
        """
        torch, functional = self._torch, self._torch.nn.functional
        outputs, mask = self(examples, training=True)
        total = torch.zeros(())
        steps = {head.name for head in (*OF_TOKENS, *OF_TEXTS) if head.kind == "steps"}
        for name in WEIGHTS:
            logits = outputs[name]
            right = self._padded_targets(name, examples, mask)
            if name == "predicate":
                loss = self._mixture(logits, right, predicate_weights)
            elif name in steps:
                known = right != NONE
                wanted = (right[known][:, None] > torch.arange(logits.shape[-1])).float()
                loss = functional.binary_cross_entropy_with_logits(logits[known], wanted)
            else:
                weights = torch.tensor(CLASS_WEIGHTS[name]) if name in CLASS_WEIGHTS else None
                loss = _chosen(functional, logits, right, weights)
            total = total + WEIGHTS[name] * loss
        return total

    def _padded_targets(self, name: str, examples: Sequence[EncodedTurn], mask: Tensor) -> Tensor:
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

    def _ids(self, text: str) -> list[int]:
        ids, _ = self._tokens.cut(text, self._side.prefix)
        return ids


def _chosen(functional: Any, logits: Tensor, right: Tensor, weights: Tensor | None = None) -> Tensor:  # noqa: ANN401
    """Return the cross entropy of a choice, of what there is to say something."""
    known = right != NONE
    if not known.any():
        return logits.sum() * 0.0
    return functional.cross_entropy(logits[known], right[known], weight=weights)

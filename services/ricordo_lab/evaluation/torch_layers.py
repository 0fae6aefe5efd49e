"""BERT's layers in PyTorch over the weights of a checkpoint: what fits of the encoder and the readers share.

PyTorch is not installed by the project: `pip install torch` in the environment of a checkout.
"""

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, Final, TypeAlias

import numpy as np

from ricordo.models.onnx.e5_checkpoint import E5Checkpoint
from ricordo.models.reader.reader_network import Floats, packed
from ricordo_lab.console import MeasurementFailed

Torch: TypeAlias = Any
Tensor: TypeAlias = Any
"""Of a library that is not installed here."""
LINEAR: Final = (
    *("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"),
    *("intermediate.dense", "output.dense"),
)
_HEADS: Final = 12
_EPSILON: Final = 1e-12


def load_torch() -> Torch:
    """Return the library.

    Raises:
        MeasurementFailed: it is not installed.
    """
    try:
        return import_module("torch")
    except ImportError as error:
        raise MeasurementFailed("this fit needs PyTorch: pip install torch") from error


class TorchLayers:
    """The layers of a checkpoint.

    Args:
        published: without what was learned on top of it.

    Attributes:
        weights: by name.
        changes: by the name of a linear layer, two matrices whose product is added to it.
    """

    def __init__(self, torch: Torch, checkpoint: E5Checkpoint, *, published: bool = False) -> None:
        self._torch = torch
        self._vocabulary = checkpoint.vocabulary()
        weights = checkpoint.published_weights() if published else checkpoint.weights()
        self.weights: Mapping[str, Tensor] = {
            name: torch.tensor(np.array(tensor)) for name, tensor in weights.items()
        }
        self.changes: dict[str, tuple[Tensor, Tensor]] = {}
        self.width: int = self.weights["embeddings.LayerNorm.weight"].shape[0]

    def states(self, ids: Sequence[Sequence[int]], layers: range) -> list[Tensor]:
        """Return the states of texts after some layers from the first on, float16 [t, d] each."""
        torch = self._torch
        words = [torch.tensor(self._vocabulary.rows(np.array([each], dtype=np.int32)))[0] for each in ids]
        with torch.no_grad():
            hidden, mask = self.padded(words)
            places = self.weights["embeddings.position_embeddings.weight"][: hidden.shape[1]]
            segment = self.weights["embeddings.token_type_embeddings.weight"][0]
            hidden = self._norm(hidden + places + segment, "embeddings.LayerNorm", self.weights)
            hidden = self.computed(hidden, mask, layers)
        return [state[: len(each)].half() for state, each in zip(hidden, ids, strict=True)]

    def padded(self, states: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
        """Return states of texts side by side, float32 [n, t, d], and which of them there are, [n, t]."""
        torch = self._torch
        longest = max(map(len, states))
        mask = torch.zeros(len(states), longest, dtype=torch.bool)
        hidden = torch.zeros(len(states), longest, self.width)
        for row, state in enumerate(states):
            hidden[row, : len(state)], mask[row, : len(state)] = state.float(), True
        return hidden, mask

    def computed(
        self,
        hidden: Tensor,
        mask: Tensor,
        layers: range,
        tuned: Mapping[str, Tensor] | None = None,
        dropped: float = 0.0,
    ) -> Tensor:
        """Return the states [n, t, d] after some layers.

        Args:
            tuned: weights in place of those of the checkpoint.
            dropped: the share of the results of each block that is left out, in training.
        """
        torch, weights = self._torch, {**self.weights, **(tuned or {})}
        bias = torch.zeros(mask.shape).masked_fill(~mask, -1e9)[:, None, None, :]
        texts, tokens, width = hidden.shape

        def left(block: Tensor) -> Tensor:
            return torch.nn.functional.dropout(block, dropped) if dropped else block

        for layer in layers:
            prefix = f"encoder.layer.{layer}"
            queries, keys, values = (
                self._linear(hidden, f"{prefix}.attention.self.{part}", weights)
                .view(texts, tokens, _HEADS, width // _HEADS)
                .transpose(1, 2)
                for part in ("query", "key", "value")
            )
            context = torch.nn.functional.scaled_dot_product_attention(queries, keys, values, attn_mask=bias)
            joined = context.transpose(1, 2).reshape(texts, tokens, width)
            added = hidden + left(self._linear(joined, f"{prefix}.attention.output.dense", weights))
            hidden = self._norm(added, f"{prefix}.attention.output.LayerNorm", weights)
            wide = torch.nn.functional.gelu(self._linear(hidden, f"{prefix}.intermediate.dense", weights))
            added = hidden + left(self._linear(wide, f"{prefix}.output.dense", weights))
            hidden = self._norm(added, f"{prefix}.output.LayerNorm", weights)
        return hidden

    def _linear(self, hidden: Tensor, name: str, weights: Mapping[str, Tensor]) -> Tensor:
        linear = self._torch.nn.functional.linear
        product = linear(hidden, weights[f"{name}.weight"], weights[f"{name}.bias"])
        if name not in self.changes:
            return product
        down, up = self.changes[name]
        return product + linear(linear(hidden, down), up)

    def _norm(self, hidden: Tensor, name: str, weights: Mapping[str, Tensor]) -> Tensor:
        gain, bias = (weights[f"{name}.{part}"] for part in ("weight", "bias"))
        return self._torch.nn.functional.layer_norm(hidden, gain.shape, gain, bias, _EPSILON)


class TunedNetwork:
    """Copies of some of the encoder's layers, which are tuned, and what subclasses learn upon them.

    Attributes:
        parameters: all that is learned, by name.
    """

    def __init__(self, torch: Torch, checkpoint: E5Checkpoint, layers: range) -> None:
        self._torch = torch
        self._tokens = checkpoint.tokens()
        self._layers = TorchLayers(torch, checkpoint)
        self.parameters: dict[str, Tensor] = {
            name: tensor.clone().requires_grad_()
            for name, tensor in self._layers.weights.items()
            if any(name.startswith(f"encoder.layer.{layer}.") for layer in layers)
        }

    def groups(self) -> tuple[list[Tensor], list[Tensor]]:
        """Return the parameters that begin as the encoder's, and those that begin anew."""
        own = [each for name, each in self.parameters.items() if name.startswith("encoder.")]
        return own, [each for name, each in self.parameters.items() if not name.startswith("encoder.")]

    def packed(self, more: Mapping[str, Floats]) -> bytes:
        """Return the file of what was learned, and more."""
        learned = {name: tensor.detach().numpy() for name, tensor in self.parameters.items()}
        return packed({**learned, **more})

    def _linear(self, hidden: Tensor, name: str) -> Tensor:
        weight, bias = (self.parameters[f"{name}.{part}"] for part in ("weight", "bias"))
        return self._torch.nn.functional.linear(hidden, weight, bias)

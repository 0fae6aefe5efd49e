"""The reader's part of the network as an ONNX graph: layers of its own over states of the encoder, and heads.

The vector of the turn before is one more token of a text. On a token's own state, the shared one below and
the mean of all, with a view of its two neighbours, stand the heads of tokens; on the first state and both
means stand those of the whole text. Logits come out; what they say is for `decoding` to read.
"""

from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto

from ricordo.models.onnx.bert_graph import PER_TOKEN, QuantisedGraph
from ricordo.models.onnx.checkpoint import Rounding
from ricordo.models.onnx.network import DIMENSIONS, Precision
from ricordo.models.reader.headed_graph import HeadedGraph
from ricordo.models.reader.heads import FELT, OF_TEXTS, OF_TOKENS, POINTER

WIDTH: Final = 256
"""Features of a token."""
_BEHIND_ALL: Final = np.iinfo(np.int64).max
Weights = Mapping[str, NDArray[np.float32]]


class _Heads(HeadedGraph):
    """Builds what stands around the layers; how these multiply is the other base's."""

    def build_reader(self, layers: range) -> ModelProto:
        """Return the model.

        Its inputs are `states` (float32 [n, t, 384]), `mask` (int32 [n, t]) and `before` (float32
        [n, 1, 384], what is known of the turn before); its outputs are the logits of tokens [n, t, k], of
        texts [n, m] and of the pointer [n, t, t], and what is `FELT` [n, t, 1].

        Args:
            layers: the reader's own.
        """
        # Named as what the layer below gives, of which the norm is known.
        hidden = f"encoder.layer.{layers.start - 1}.output.normed"
        self._node("Concat", ["before", "states"], [hidden], "", axis=1)
        self._integers(zero=0, one=1, two=2, end=_BEHIND_ALL)
        # The first token is there in every text, and so is what stands before it.
        self._node("Slice", ["mask", "zero", "one", "one"], ["mask.first"], "")
        self._node("Concat", ["mask.first", "mask"], ["mask.whole"], "", axis=1)
        self._mask = "mask.whole"
        for layer in layers:
            hidden = self._feed_forward(self._attend(hidden, layer), layer)
        self._node("Slice", [hidden, "one", "end", "one"], ["own"], "")
        self._count()
        self._mean("own", "mean")
        self._mean("states", "mean.shared")
        self._features()
        self._matrix("features", "tokens", [head.name for head in OF_TOKENS])
        self._pointer()
        self._node("Concat", [self._opening("own"), "mean", "mean.shared"], ["whole"], "", axis=2)
        self._matrix("whole", "texts.row", [head.name for head in OF_TEXTS])
        self._node("Squeeze", ["texts.row", "one"], ["texts"], "")
        self._felt()
        of_tokens, of_texts = (sum(head.classes for head in heads) for heads in (OF_TOKENS, OF_TEXTS))
        outputs = {
            "tokens": ("texts", "tokens", of_tokens),
            "texts": ("texts", of_texts),
            POINTER: ("texts", "tokens", "tokens"),
            FELT: ("texts", "tokens", 1),
        }
        return self._model({"states": PER_TOKEN, "before": ("texts", 1, DIMENSIONS)}, outputs)

    def _features(self) -> None:
        """Join own state, shared state and mean, and add what the neighbours say."""
        parts = np.split(self._weights["features.weight"].T, 3)
        for source, part in zip(("own", "states", "mean"), parts, strict=True):
            self._node("MatMul", [source, self._constant(f"features.{source}", part)], [f"of.{source}"], "")
        self._node("Add", ["of.mean", self._bias("features")], ["of.whole"], "")
        self._node("Sum", ["of.own", "of.states", "of.whole"], ["joined"], "")
        self._node("Gelu", ["joined"], ["joined.active"])
        self._node("Unsqueeze", ["mask.float", "two"], ["mask.column"], "")
        self._node("Mul", ["joined.active", "mask.column"], ["alone"], "")
        kernel = self._weights["neighbours.weight"].reshape(WIDTH, 3, WIDTH).transpose(0, 2, 1)
        self._node("Transpose", ["alone"], ["alone.turned"], "", perm=[0, 2, 1])
        around = ["alone.turned", self._constant("neighbours.kernel", kernel), self._bias("neighbours")]
        self._node("Conv", around, ["around.turned"], "", kernel_shape=[3], pads=[1, 1])
        self._node("Transpose", ["around.turned"], ["around"], "", perm=[0, 2, 1])
        self._node("Gelu", ["around"], ["around.active"])
        self._node("Add", ["alone", "around.active"], ["features"], "")

    def _pointer(self) -> None:
        for name in ("pointing", "pointed"):
            self._matrix("features", name, [name])
        self._node("Transpose", ["pointed"], ["pointed.turned"], "", perm=[0, 2, 1])
        self._node("MatMul", ["pointing", "pointed.turned"], ["pointer.raw"], "")
        scale = np.array(len(self._weights["pointing.bias"]) ** -0.5, dtype=np.float32)
        self._node("Mul", ["pointer.raw", self._constant("pointer.scale", scale)], [POINTER], "")

    def _felt(self) -> None:
        """Tell what each token adds to the valence: that head is linear in the mean of the states."""
        of_mean = self._weights["valence.weight"][:, DIMENSIONS : 2 * DIMENSIONS].sum(0)[:, None]
        self._node("MatMul", ["own", self._constant("felt.kernel", of_mean)], [FELT], "")


class _FloatReader(_Heads):
    """With products in 32 bits."""


class _QuantisedReader(_Heads, QuantisedGraph):
    """With 8-bit products in the layers; the heads keep 32 bits."""


def build_reader(weights: Weights, layers: range, precision: Precision) -> bytes:
    """Return the model file of a reader.

    Args:
        weights: of the reader and of the norm below its first layer.

    Raises:
        KeyError: a tensor is missing.
    """
    builder = {"fp32": _FloatReader, "int8": _QuantisedReader}[precision]
    graph = builder(weights, len(layers), Rounding()).build_reader(layers)
    content: bytes = graph.SerializeToString(deterministic=True)
    return content

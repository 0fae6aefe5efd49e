"""The networks of both readers as ONNX graphs: layers of an encoder, and heads upon them.

Heads keep 32 bits, whatever the precision of the layers. Logits come out; `decoding` and `answer_reader` tell
what they say.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from onnx import TensorProto

from ricordo.models.onnx.bert_graph import PER_TOKEN, BertGraph
from ricordo.models.onnx.network import DIMENSIONS
from ricordo.models.reader.heads import ANSWERS, BOUNDS, FELT, OF_TEXTS, OF_TOKENS, POINTER, WIDTH

_BEHIND_ALL: Final = np.iinfo(np.int64).max


class _HeadedGraph(BertGraph):
    """Builds heads upon layers."""

    def _integers(self, **values: int) -> None:
        for name, value in values.items():
            self._integer(name, value)

    def _count(self) -> None:
        """Count the tokens that there are."""
        self._node("Cast", ["mask"], ["mask.float"], to=TensorProto.FLOAT)
        self._node("Unsqueeze", ["mask.float", "one"], ["mask.row"])
        self._node("ReduceSum", ["mask.row", "two"], ["count"])

    def _mean(self, source: str, output: str) -> None:
        """Average the tokens that there are."""
        self._node("MatMul", ["mask.row", source], [f"{output}.sum"])
        self._node("Div", [f"{output}.sum", "count"], [output])

    def _opening(self, source: str) -> str:
        """Return the state of the first token, which stands for the whole text."""
        self._node("Slice", [source, "zero", "one", "one"], ["opening"])
        return "opening"

    def _matrix(self, source: str, output: str, heads: Sequence[str]) -> None:
        """Multiply by the weights of several heads at once."""
        kernel = np.concatenate([self._weights[f"{name}.weight"] for name in heads]).T
        bias = np.concatenate([self._weights[f"{name}.bias"] for name in heads])
        self._node("MatMul", [source, self._constant(f"{output}.kernel", kernel)], [f"{output}.unbiased"])
        self._node("Add", [f"{output}.unbiased", self._constant(f"{output}.added", bias)], [output])


class ReaderGraph(_HeadedGraph):
    """Builds the graph of the reader: layers of its own over states of the encoder.

    The vector of the turn before is one more token of a text. On a token's own state, the shared one below
    and the mean of all, with a view of its two neighbours, stand the heads of tokens; on the first state and
    both means stand those of the whole text.
    """

    def build(self) -> bytes:
        """Return the model file.

        Its inputs are `states` (float32 [n, t, 384]), `mask` (int32 [n, t]) and `before` (float32
        [n, 1, 384], what is known of the turn before); its outputs are the logits of tokens [n, t, k], of
        texts [n, m] and of the pointer [n, t, t], and what is `FELT` [n, t, 1].

        Raises:
            KeyError: a tensor is missing, those of the norm below the first layer included.
        """
        # Named as what the layer below gives, of which the norm is known.
        hidden = f"encoder.layer.{self._layers.start - 1}.output.normed"
        self._node("Concat", ["before", "states"], [hidden], axis=1)
        self._integers(zero=0, one=1, two=2, end=_BEHIND_ALL)
        # The first token is there in every text, and so is what stands before it.
        self._node("Slice", ["mask", "zero", "one", "one"], ["mask.first"])
        self._node("Concat", ["mask.first", "mask"], ["mask.whole"], axis=1)
        self._mask = "mask.whole"
        for layer in self._layers:
            hidden = self._feed_forward(self._attend(hidden, layer), layer)
        self._node("Slice", [hidden, "one", "end", "one"], ["own"])
        self._count()
        self._mean("own", "mean")
        self._mean("states", "mean.shared")
        self._features()
        self._matrix("features", "tokens", [head.name for head in OF_TOKENS])
        self._pointer()
        self._node("Concat", [self._opening("own"), "mean", "mean.shared"], ["whole"], axis=2)
        self._matrix("whole", "texts.row", [head.name for head in OF_TEXTS])
        self._node("Squeeze", ["texts.row", "one"], ["texts"])
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
            self._node("MatMul", [source, self._constant(f"features.{source}", part)], [f"of.{source}"])
        self._node("Add", ["of.mean", self._tensor("features.bias")], ["of.whole"])
        self._node("Sum", ["of.own", "of.states", "of.whole"], ["joined"])
        self._node("Gelu", ["joined"], ["joined.active"])
        self._node("Unsqueeze", ["mask.float", "two"], ["mask.column"])
        self._node("Mul", ["joined.active", "mask.column"], ["alone"])
        kernel = self._weights["neighbours.weight"].reshape(WIDTH, 3, WIDTH).transpose(0, 2, 1)
        self._node("Transpose", ["alone"], ["alone.turned"], perm=[0, 2, 1])
        self._constant("neighbours.kernel", kernel)
        around = ["alone.turned", "neighbours.kernel", self._tensor("neighbours.bias")]
        self._node("Conv", around, ["around.turned"], kernel_shape=[3], pads=[1, 1])
        self._node("Transpose", ["around.turned"], ["around"], perm=[0, 2, 1])
        self._node("Gelu", ["around"], ["around.active"])
        self._node("Add", ["alone", "around.active"], ["features"])

    def _pointer(self) -> None:
        for name in ("pointing", "pointed"):
            self._matrix("features", name, [name])
        self._node("Transpose", ["pointed"], ["pointed.turned"], perm=[0, 2, 1])
        self._node("MatMul", ["pointing", "pointed.turned"], ["pointer.raw"])
        scale = np.array(len(self._weights["pointing.bias"]) ** -0.5, dtype=np.float32)
        self._node("Mul", ["pointer.raw", self._constant("pointer.scale", scale)], [POINTER])

    def _felt(self) -> None:
        """Tell what each token adds to the valence: that head is linear in the mean of the states."""
        of_mean = self._weights["valence.weight"][:, DIMENSIONS : 2 * DIMENSIONS].sum(0)[:, None]
        self._node("MatMul", ["own", self._constant("felt.kernel", of_mean)], [FELT])


class AnswerGraph(_HeadedGraph):
    """Builds the graph of the reader of answers: the whole encoder over a question and a passage."""

    def build(self) -> bytes:
        """Return the model file.

        Its inputs are `words` (float32 [n, t, 384]) and `mask` (int32 [n, t]), as the encoder's; its outputs
        are the logits that a passage answers (`ANSWERS`, [n, 1, 1]), and that its answer begins and ends with
        a token (`BOUNDS`, [n, t, 2]).

        Raises:
            KeyError: a tensor is missing.
        """
        self._integers(zero=0, one=1, two=2)
        hidden = self._embed()
        for layer in self._layers:
            hidden = self._feed_forward(self._attend(hidden, layer), layer)
        self._count()
        self._mean(hidden, "mean")
        self._node("Concat", [self._opening(hidden), "mean"], ["whole"], axis=2)
        self._matrix("whole", ANSWERS, [ANSWERS])
        self._matrix(hidden, BOUNDS, [BOUNDS])
        return self._model({"words": PER_TOKEN}, {ANSWERS: ("texts", 1, 1), BOUNDS: ("texts", "tokens", 2)})

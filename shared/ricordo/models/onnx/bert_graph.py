"""A sentence encoder as an ONNX graph, built from published weights.

The network is BERT (Devlin et al. 2019) with 12 heads and 384 dimensions, then the mean over the tokens and
the L2 norm (Reimers and Gurevych 2019). The vectors of the vocabulary are an input, so that processes share
the file they stand in. The nodes are the fastest of ONNX Runtime, so that a session opens without optimising.

With 8-bit matrix products it is faster on a CPU, with nearly the same vectors. Weights are rounded once, each
output channel with its own scale. Inputs are rounded at each run, all tokens with one scale, so that a few
large channels would leave few steps for all others. Where a norm precedes a product, its parameters tell
which channels those are: they are divided there and the weights multiplied by as much (SmoothQuant: Xiao et
al. 2023; here without data, from the norm itself). Elsewhere one of the `outliers` is multiplied apart, in
32 bits (LLM.int8(): Dettmers et al. 2022). Embeddings, norms, the softmax and the pooling are unchanged.
"""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray
from onnx import NodeProto, TensorProto, helper, numpy_helper

from ricordo.models.onnx.e5_checkpoint import MAX_TOKENS
from ricordo.models.onnx.e5_file import Weights
from ricordo.models.onnx.network import DIMENSIONS, Precision

HEADS = 12
PER_TOKEN: Final = ("texts", "tokens", DIMENSIONS)
_EPSILON = 1e-12
_OPSET = 18
_IR_VERSION = 8
_FUSED = "com.microsoft"
_FUSED_OPERATORS = frozenset({"Attention", "DynamicQuantizeMatMul", "Gelu", "MultiHeadAttention"})
_FIRST_NORM = "embeddings.LayerNorm"
_STEPS = 90
"""The largest rounded weight. AVX2 adds pairs of products in 16 bits and saturates: with 127 that costs more
than the coarser steps do."""
_REACH = 3.5
"""How many standard deviations of what a norm gives count as its range."""

Matrix = NDArray[np.float32]
Shapes = Mapping[str, Sequence[str | int]]
"""By name; a text for a number that a run decides."""


class BertGraph:
    """Builds the nodes and constants of the graph.

    Args:
        layers: their numbers.
        outliers: for 8 bits, by linear layer, the channel whose inputs are far larger than all others.
    """

    longest = MAX_TOKENS

    def __init__(
        self, weights: Weights, layers: range, precision: Precision, outliers: Mapping[str, int]
    ) -> None:
        self._weights = weights
        self._layers = layers
        self._is_rounded = precision == "int8"
        self._outliers = outliers
        self._nodes: list[NodeProto] = []
        self._constants: list[TensorProto] = []
        self._mask = "mask"

    def build(self) -> bytes:
        """Return the model file.

        Its inputs are `words` (float32 [n, t, 384], vectors of the vocabulary, t at most `MAX_TOKENS`) and
        `mask` (int32 [n, t], 1 for a token and 0 for padding on the right); its outputs are `vectors`
        (float32 [n, 384], unit norm) and `states` (float32 [n, t, 384], after half of the layers).

        Raises:
            KeyError: a tensor is missing from the weights.
        """
        hidden = self._embed()
        for layer in self._layers:
            hidden = self._feed_forward(self._attend(hidden, layer), layer)
            if layer + 1 == len(self._layers) // 2:
                self._node("Identity", [hidden], ["states"])
        self._pool(hidden)
        return self._model({"words": PER_TOKEN}, {"vectors": ("texts", DIMENSIONS), "states": PER_TOKEN})

    def _model(self, inputs: Shapes, outputs: Shapes) -> bytes:
        """Return the model file of the nodes so far; `mask` is an input, too."""
        given, found = (
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in some.items()]
            for some in (inputs, outputs)
        )
        mask = helper.make_tensor_value_info("mask", TensorProto.INT32, PER_TOKEN[:2])
        graph = helper.make_graph(self._nodes, "network", [*given, mask], found, self._constants)
        opsets = [helper.make_opsetid("", _OPSET), helper.make_opsetid(_FUSED, 1)]
        model = helper.make_model(
            graph, opset_imports=opsets, ir_version=_IR_VERSION, producer_name="ricordo"
        )
        content: bytes = model.SerializeToString(deterministic=True)
        return content

    def _embed(self) -> str:
        """Sum the embeddings of word, position and (always the first) segment, and normalise them."""
        segment = self._weights["embeddings.token_type_embeddings.weight"][0]
        positions = self._weights["embeddings.position_embeddings.weight"][: self.longest] + segment
        self._integer("start", 0)
        self._node("Shape", ["mask"], ["width"], start=1, end=2)
        self._node("Slice", [self._constant("positions", positions), "start", "width"], ["places"])
        self._node("Add", ["words", "places"], ["summed"])
        return self._layer_norm("summed", _FIRST_NORM, "embedded")

    def _attend(self, hidden: str, layer: int) -> str:
        """Add self-attention to the hidden state: queries, keys and values in one product."""
        prefix = f"encoder.layer.{layer}.attention"
        qkv, context = f"{prefix}.qkv", f"{prefix}.context"
        sources = [f"{prefix}.self.{part}" for part in ("query", "key", "value")]
        kernel = np.concatenate([self._weights[f"{source}.weight"].T for source in sources], axis=1)
        bias = np.concatenate([self._weights[f"{source}.bias"] for source in sources])
        if self._is_rounded:
            smoothed, kernel = self._smoothed(hidden, kernel, qkv)
            joined = self._product(smoothed, kernel, qkv, self._constant(f"{qkv}.bias", bias))
            parts = [f"{prefix}.{part}" for part in ("queries", "keys", "values")]
            self._node("Split", [joined], parts, axis=2, num_outputs=3)
            self._node("MultiHeadAttention", [*parts, "", self._mask], [context], num_heads=HEADS)
        else:
            inputs = [hidden, self._constant(qkv, kernel), self._constant(f"{qkv}.bias", bias), self._mask]
            self._node("Attention", inputs, [context], num_heads=HEADS)
        return self._add_and_norm(self._linear(context, f"{prefix}.output.dense"), hidden, f"{prefix}.output")

    def _feed_forward(self, hidden: str, layer: int) -> str:
        """Add the two-layer perceptron, with the exact GELU (by the error function) between its layers."""
        prefix = f"encoder.layer.{layer}"
        wide = self._linear(hidden, f"{prefix}.intermediate.dense")
        activated = f"{prefix}.activated"
        self._node("Gelu", [wide], [activated])
        narrow = self._linear(activated, f"{prefix}.output.dense")
        return self._add_and_norm(narrow, hidden, f"{prefix}.output")

    def _pool(self, hidden: str) -> None:
        """Average the tokens, padding left out, and scale to length one.

        The mean is a product with the mask; its division by the number of tokens is left out, since the norm
        that follows undoes any scale.
        """
        self._integer("axis", 1)
        self._node("Cast", ["mask"], ["mask.float"], to=TensorProto.FLOAT)
        self._node("Unsqueeze", ["mask.float", "axis"], ["mask.row"])
        self._node("MatMul", ["mask.row", hidden], ["sum.row"])
        self._node("Squeeze", ["sum.row", "axis"], ["sum"])
        self._node("LpNormalization", ["sum"], ["vectors"], axis=-1, p=2)

    def _linear(self, source: str, layer: str) -> str:
        """Multiply by a layer's kernel, and add its bias."""
        kernel = self._weights[f"{layer}.weight"].T
        if self._is_rounded:
            if (outlier := self._outliers.get(layer)) is not None:
                return self._product_without(outlier, source, kernel, layer)
            if layer.endswith("intermediate.dense"):
                source, kernel = self._smoothed(source, kernel, layer)
            return self._product(source, kernel, layer, self._tensor(f"{layer}.bias"))
        self._node("MatMul", [source, self._constant(f"{layer}.kernel", kernel)], [f"{layer}.unbiased"])
        self._node("Add", [f"{layer}.unbiased", self._tensor(f"{layer}.bias")], [f"{layer}.product"])
        return f"{layer}.product"

    def _add_and_norm(self, product: str, hidden: str, prefix: str) -> str:
        """Add the hidden state, and normalise; the fused node for both takes eight times as long."""
        self._node("Add", [product, hidden], [f"{prefix}.summed"])
        return self._layer_norm(f"{prefix}.summed", f"{prefix}.LayerNorm", f"{prefix}.normed")

    def _layer_norm(self, source: str, prefix: str, output: str) -> str:
        inputs = [source, self._tensor(f"{prefix}.weight"), self._tensor(f"{prefix}.bias")]
        self._node("LayerNormalization", inputs, [output], axis=-1, epsilon=_EPSILON)
        return output

    def _tensor(self, name: str) -> str:
        return self._constant(name, self._weights[name])

    def _constant(self, name: str, value: NDArray[np.float32]) -> str:
        self._constants.append(numpy_helper.from_array(np.ascontiguousarray(value, dtype=np.float32), name))
        return name

    def _integer(self, name: str, value: int) -> None:
        self._constants.append(helper.make_tensor(name, TensorProto.INT64, [1], [value]))

    def _node(
        self,
        operator: str,
        inputs: list[str],
        outputs: list[str],
        **attributes: float | list[int],
    ) -> None:
        domain = _FUSED if operator in _FUSED_OPERATORS else ""
        node = helper.make_node(operator, inputs, outputs, name=outputs[0], domain=domain)
        node.attribute.extend(helper.make_attribute(name, value) for name, value in attributes.items())
        self._nodes.append(node)

    def _product_without(self, channel: int, source: str, kernel: Matrix, layer: str) -> str:
        """Multiply a channel in 32 bits, and all others in 8."""
        others = np.ones(len(kernel), dtype=np.float32)
        others[channel] = 0
        self._integer(f"{layer}.channel", channel)
        self._node("Gather", [source, f"{layer}.channel"], [f"{layer}.outlier"], axis=2)
        self._node("Mul", [source, self._constant(f"{layer}.others", others)], [f"{layer}.rest"])
        product = self._product(
            f"{layer}.rest", kernel * others[:, None], layer, self._tensor(f"{layer}.bias")
        )
        row = self._constant(f"{layer}.row", kernel[channel])
        self._node("Mul", [f"{layer}.outlier", row], [f"{layer}.apart"])
        self._node("Add", [product, f"{layer}.apart"], [f"{layer}.joined"])
        return f"{layer}.joined"

    def _smoothed(self, source: str, kernel: Matrix, name: str) -> tuple[str, Matrix]:
        """Divide the channels that are large, and multiply their weights by as much.

        Args:
            kernel: [in, out].

        Returns:
            The divided input, and the weights for it.
        """
        norm = f"{source.removesuffix('.normed')}.LayerNorm" if source.endswith(".normed") else _FIRST_NORM
        gain, shift = (np.abs(self._weights[f"{norm}.{part}"]) for part in ("weight", "bias"))
        range_in, range_out = _REACH * gain + shift, np.maximum(np.abs(kernel).max(axis=1), 1e-6)
        scale = np.sqrt(range_in / range_out)
        scale /= np.exp(np.log(scale).mean())
        self._node("Mul", [source, self._constant(f"{name}.smoothing", 1 / scale)], [f"{name}.smoothed"])
        return f"{name}.smoothed", kernel * scale[:, None]

    def _product(self, source: str, kernel: Matrix, name: str, bias: str) -> str:
        """Multiply by weights [in, out] that are rounded to 8 bits, with a scale for each output."""
        scale = np.maximum(np.abs(kernel).max(axis=0), 1e-12) / _STEPS
        rounded = np.rint(kernel / scale).astype(np.int8)
        for part, value in (("int8", rounded), ("zero", np.zeros(scale.shape, dtype=np.int8))):
            self._constants.append(numpy_helper.from_array(np.ascontiguousarray(value), f"{name}.{part}"))
        inputs = [source, f"{name}.int8", self._constant(f"{name}.scale", scale), f"{name}.zero", bias]
        self._node("DynamicQuantizeMatMul", inputs, [f"{name}.product"])
        return f"{name}.product"

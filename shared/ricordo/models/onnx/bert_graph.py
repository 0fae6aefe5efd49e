"""A sentence encoder as an ONNX graph, built from published weights.

The network is BERT (Devlin et al. 2019) with 12 heads and 384 dimensions, then the mean over the tokens and
the L2 norm (Reimers and Gurevych 2019). The vectors of the vocabulary are an input, so that processes share
the file they stand in. The nodes are the fastest of ONNX Runtime, so that a session opens without optimising.

With 8-bit matrix products it is faster on a CPU, with nearly the same vectors. Weights are rounded once, each
output channel with its own scale. Inputs are rounded at each run, all tokens with one scale, so that a few
large channels would leave few steps for all others. Where a norm precedes a product, its parameters tell
which channels those are: they are divided there and the weights multiplied by as much (SmoothQuant: Xiao et
al. 2023; here without data, from the norm itself). Elsewhere a channel of `Rounding.outliers` is multiplied
apart, in 32 bits (LLM.int8(): Dettmers et al. 2022). Embeddings, norms, the softmax and the pooling are
unchanged.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

from ricordo.models.onnx.checkpoint import MAX_TOKENS, Checkpoint, Rounding, Weights
from ricordo.models.onnx.network import DIMENSIONS, Precision

HEADS = 12
PER_TOKEN: Final = ("texts", "tokens", DIMENSIONS)
_EPSILON = 1e-12
_OPSET = 18
_IR_VERSION = 8
_FUSED = "com.microsoft"
_STEPS = 90
"""The largest rounded weight. AVX2 adds pairs of products in 16 bits and saturates: with 127 that costs more
than the coarser steps do."""
_REACH = 3.5
"""How many standard deviations of what a norm gives count as its range."""

Matrix = NDArray[np.float32]
Shapes = Mapping[str, Sequence[str | int]]
"""By name; a text for a number that a run decides."""


class BertGraph:
    """Builds the nodes and constants of the graph."""

    def __init__(self, weights: Weights, layers: int, rounding: Rounding) -> None:
        self._weights = weights
        self._layers = layers
        self._rounding = rounding
        self._nodes: list[NodeProto] = []
        self._constants: list[TensorProto] = []
        self._mask = "mask"

    def build(self) -> ModelProto:
        """Return the model.

        Its inputs are `words` (float32 [n, t, 384], vectors of the vocabulary, t at most `MAX_TOKENS`) and
        `mask` (int32 [n, t], 1 for a token and 0 for padding on the right); its outputs are `vectors`
        (float32 [n, 384], unit norm) and `states` (float32 [n, t, 384], after half of the layers).

        Raises:
            KeyError: a tensor is missing from the weights.
        """
        hidden = self._embed()
        for layer in range(self._layers):
            hidden = self._feed_forward(self._attend(hidden, layer), layer)
            if layer + 1 == self._layers // 2:
                self._node("Identity", [hidden], ["states"], domain="")
        self._pool(hidden)
        return self._model({"words": PER_TOKEN}, {"vectors": ("texts", DIMENSIONS), "states": PER_TOKEN})

    def _model(self, inputs: Shapes, outputs: Shapes) -> ModelProto:
        """Return the model of the nodes so far; `mask` is an input, too."""
        given, found = (
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in some.items()]
            for some in (inputs, outputs)
        )
        mask = helper.make_tensor_value_info("mask", TensorProto.INT32, PER_TOKEN[:2])
        graph = helper.make_graph(self._nodes, "network", [*given, mask], found, self._constants)
        opsets = [helper.make_opsetid("", _OPSET), helper.make_opsetid(_FUSED, 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=_IR_VERSION, producer_name="ricordo")

    def _embed(self) -> str:
        """Sum the embeddings of word, position and (always the first) segment, and normalise them."""
        segment = self._weights["embeddings.token_type_embeddings.weight"][0]
        positions = self._weights["embeddings.position_embeddings.weight"][:MAX_TOKENS] + segment
        self._integer("start", 0)
        self._node("Shape", ["mask"], ["width"], domain="", start=1, end=2)
        self._node("Slice", [self._constant("positions", positions), "start", "width"], ["places"], domain="")
        self._node("Add", ["words", "places"], ["summed"], domain="")
        return self._layer_norm("summed", "embeddings.LayerNorm", "embedded")

    def _attend(self, hidden: str, layer: int) -> str:
        """Add self-attention to the hidden state: queries, keys and values in one product."""
        prefix = f"encoder.layer.{layer}.attention"
        kernel, bias = self._queries_keys_values(prefix)
        inputs = [
            hidden,
            self._constant(f"{prefix}.qkv", kernel),
            self._constant(f"{prefix}.qkv.bias", bias),
            self._mask,
        ]
        context = f"{prefix}.context"
        self._node("Attention", inputs, [context], num_heads=HEADS)
        return self._add_and_norm(self._linear(context, f"{prefix}.output.dense"), hidden, f"{prefix}.output")

    def _queries_keys_values(self, prefix: str) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return weights [in, 3 * out] and bias [3 * out] of the three products that begin an attention."""
        parts = [f"{prefix}.self.{part}" for part in ("query", "key", "value")]
        kernel = np.concatenate([self._weights[f"{part}.weight"].T for part in parts], axis=1)
        return kernel, np.concatenate([self._weights[f"{part}.bias"] for part in parts])

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
        self._node("Cast", ["mask"], ["mask.float"], domain="", to=TensorProto.FLOAT)
        self._node("Unsqueeze", ["mask.float", "axis"], ["mask.row"], domain="")
        self._node("MatMul", ["mask.row", hidden], ["sum.row"], domain="")
        self._node("Squeeze", ["sum.row", "axis"], ["sum"], domain="")
        self._node("LpNormalization", ["sum"], ["vectors"], domain="", axis=-1, p=2)

    def _linear(self, source: str, layer: str) -> str:
        """Multiply by a layer's kernel, and add its bias."""
        kernel = self._constant(f"{layer}.kernel", self._weights[f"{layer}.weight"].T)
        self._node("MatMul", [source, kernel], [f"{layer}.unbiased"], domain="")
        self._node("Add", [f"{layer}.unbiased", self._bias(layer)], [f"{layer}.product"], domain="")
        return f"{layer}.product"

    def _bias(self, layer: str) -> str:
        return self._constant(f"{layer}.bias", self._weights[f"{layer}.bias"])

    def _add_and_norm(self, product: str, hidden: str, prefix: str) -> str:
        """Add the hidden state, and normalise; the fused node for both takes eight times as long."""
        self._node("Add", [product, hidden], [f"{prefix}.summed"], domain="")
        return self._layer_norm(f"{prefix}.summed", f"{prefix}.LayerNorm", f"{prefix}.normed")

    def _layer_norm(self, source: str, prefix: str, output: str) -> str:
        inputs = [source, *self._norm(prefix)]
        self._node("LayerNormalization", inputs, [output], domain="", axis=-1, epsilon=_EPSILON)
        return output

    def _norm(self, prefix: str) -> Iterator[str]:
        for part in ("weight", "bias"):
            yield self._constant(f"{prefix}.{part}", self._weights[f"{prefix}.{part}"])

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
        domain: str = _FUSED,
        **attributes: float | list[int],
    ) -> None:
        node = helper.make_node(operator, inputs, outputs, name=outputs[0], domain=domain)
        node.attribute.extend(helper.make_attribute(name, value) for name, value in attributes.items())
        self._nodes.append(node)


class QuantisedGraph(BertGraph):
    """Builds the graph of `BertGraph` with 8-bit products."""

    def _attend(self, hidden: str, layer: int) -> str:
        prefix = f"encoder.layer.{layer}.attention"
        kernel, bias = self._queries_keys_values(prefix)
        smoothed, kernel = self._smoothed(hidden, kernel, f"{prefix}.qkv")
        biased = self._constant(f"{prefix}.qkv.bias", bias)
        joined = self._product(smoothed, kernel, f"{prefix}.qkv", biased)
        parts = [f"{prefix}.{part}" for part in ("queries", "keys", "values")]
        self._node("Split", [joined], parts, domain="", axis=2, num_outputs=3)
        context = f"{prefix}.context"
        self._node("MultiHeadAttention", [*parts, "", self._mask], [context], num_heads=HEADS)
        return self._add_and_norm(self._linear(context, f"{prefix}.output.dense"), hidden, f"{prefix}.output")

    def _linear(self, source: str, layer: str) -> str:
        kernel = self._weights[f"{layer}.weight"].T
        if (outlier := self._rounding.outliers.get(layer)) is not None:
            return self._product_without(outlier, source, kernel, layer)
        if layer.endswith("intermediate.dense"):
            source, kernel = self._smoothed(source, kernel, layer)
        return self._product(source, kernel, layer, self._bias(layer))

    def _product_without(self, channel: int, source: str, kernel: Matrix, layer: str) -> str:
        """Multiply a channel in 32 bits, and all others in 8."""
        others = np.ones(len(kernel), dtype=np.float32)
        others[channel] = 0
        self._integer(f"{layer}.channel", channel)
        self._node("Gather", [source, f"{layer}.channel"], [f"{layer}.outlier"], "", axis=2)
        self._node("Mul", [source, self._constant(f"{layer}.others", others)], [f"{layer}.rest"], "")
        product = self._product(f"{layer}.rest", kernel * others[:, None], layer, self._bias(layer))
        row = self._constant(f"{layer}.row", kernel[channel])
        self._node("Mul", [f"{layer}.outlier", row], [f"{layer}.apart"], "")
        self._node("Add", [product, f"{layer}.apart"], [f"{layer}.joined"], "")
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
        self._node("Mul", [source, self._constant(f"{name}.smoothing", 1 / scale)], [f"{name}.smoothed"], "")
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


_FIRST_NORM = "embeddings.LayerNorm"


def build_model(checkpoint: Checkpoint, precision: Precision = "fp32") -> bytes:
    """Return the model file of a checkpoint.

    Raises:
        KeyError: a tensor is missing.
    """
    builder = {"fp32": BertGraph, "int8": QuantisedGraph}[precision]
    graph = builder(checkpoint.weights(), checkpoint.layers, checkpoint.rounding)
    content: bytes = graph.build().SerializeToString(deterministic=True)
    return content

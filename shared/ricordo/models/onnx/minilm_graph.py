"""MiniLM as an ONNX graph, built from its published weights.

The network is BERT (Devlin et al. 2019) with 6 layers, 12 heads and 384 dimensions, then the mean over the
tokens and the L2 norm (Reimers and Gurevych 2019). The nodes are ONNX Runtime's fused ones, as its optimiser
would produce, so that a session opens without optimising.

With 8-bit matrix products it is faster on a CPU, with nearly the same vectors. Weights are rounded once, each
output channel with its own scale. Inputs are rounded at each run, all tokens with one scale, so that a few
large channels would leave few steps for all others. Where a norm precedes a product, its parameters tell
which channels those are: they are divided there and the weights multiplied by as much (SmoothQuant: Xiao et
al. 2023; here without data, from the norm itself). Embeddings, norms, the softmax and the pooling are
unchanged, and so is the narrowing product of the first layers, whose error would propagate.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper
from safetensors.numpy import load_file

from ricordo.models.onnx.network import DIMENSIONS, MAX_TOKENS, Precision

Weights = Mapping[str, NDArray[np.float32]]

_LAYERS = 6
HEADS = 12
_EPSILON = 1e-12
_OPSET = 18
_IR_VERSION = 8
_FUSED = "com.microsoft"
_STEPS = 90
"""The largest rounded weight. AVX2 adds pairs of products in 16 bits and saturates: with 127 that costs more
than the coarser steps do."""
_REACH = 3.5
"""How many standard deviations of what a norm gives count as its range."""
_SENSITIVE = tuple(f"encoder.layer.{layer}.output.dense" for layer in range(3))

Matrix = NDArray[np.float32]


class MiniLmGraph:
    """Builds the nodes and constants of the graph.

    Args:
        weights: tensors of the checkpoint by name; linear layers as [out, in].
    """

    def __init__(self, weights: Weights) -> None:
        self._weights = weights
        self._nodes: list[NodeProto] = []
        self._constants: list[TensorProto] = []

    def build(self) -> ModelProto:
        """Return the model.

        Its inputs are `tokens` (int32 [n, t], t at most `MAX_TOKENS`) and `mask` (int32 [n, t], 1 for a token
        and 0 for padding on the right); its output is `vectors` (float32 [n, 384], unit norm).

        Raises:
            KeyError: a tensor is missing from the weights.
        """
        hidden = self._embed()
        for layer in range(_LAYERS):
            hidden = self._feed_forward(self._attend(hidden, layer), layer)
        self._pool(hidden)
        graph = helper.make_graph(
            self._nodes,
            "minilm",
            inputs=[
                helper.make_tensor_value_info(name, TensorProto.INT32, ["texts", "tokens"])
                for name in ("tokens", "mask")
            ],
            outputs=[helper.make_tensor_value_info("vectors", TensorProto.FLOAT, ["texts", DIMENSIONS])],
            initializer=self._constants,
        )
        opsets = [helper.make_opsetid("", _OPSET), helper.make_opsetid(_FUSED, 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=_IR_VERSION, producer_name="ricordo")

    def _embed(self) -> str:
        """Sum the embeddings of word, position and (always the first) segment, and normalise them."""
        segment = self._weights["embeddings.token_type_embeddings.weight"][0]
        positions = self._weights["embeddings.position_embeddings.weight"][:MAX_TOKENS] + segment
        inputs = [
            "tokens",
            "",
            self._constant("words", self._weights["embeddings.word_embeddings.weight"]),
            self._constant("positions", positions),
            "",
            *self._norm("embeddings.LayerNorm"),
            "mask",
        ]
        self._node("EmbedLayerNormalization", inputs, ["embedded", "lengths"], epsilon=_EPSILON)
        return "embedded"

    def _attend(self, hidden: str, layer: int) -> str:
        """Add self-attention to the hidden state: queries, keys and values in one product."""
        prefix = f"encoder.layer.{layer}.attention"
        kernel, bias = self._queries_keys_values(prefix)
        inputs = [
            hidden,
            self._constant(f"{prefix}.qkv", kernel),
            self._constant(f"{prefix}.qkv.bias", bias),
            "lengths",
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
        bias = self._constant(
            f"{prefix}.intermediate.bias", self._weights[f"{prefix}.intermediate.dense.bias"]
        )
        activated = f"{prefix}.activated"
        self._node("BiasGelu", [wide, bias], [activated])
        narrow = self._linear(activated, f"{prefix}.output.dense")
        return self._add_and_norm(narrow, hidden, f"{prefix}.output")

    def _pool(self, hidden: str) -> None:
        """Average the tokens, padding left out, and scale to length one.

        The mean is a product with the mask; its division by the number of tokens is left out, since the norm
        that follows undoes any scale.
        """
        axis = helper.make_tensor("axis", TensorProto.INT64, [1], [1])
        self._constants.append(axis)
        self._node("Cast", ["mask"], ["mask.float"], domain="", to=TensorProto.FLOAT)
        self._node("Unsqueeze", ["mask.float", "axis"], ["mask.row"], domain="")
        self._node("MatMul", ["mask.row", hidden], ["sum.row"], domain="")
        self._node("Squeeze", ["sum.row", "axis"], ["sum"], domain="")
        self._node("LpNormalization", ["sum"], ["vectors"], domain="", axis=-1, p=2)

    def _linear(self, source: str, layer: str) -> str:
        """Multiply by a layer's kernel; its bias is added by the fused node that follows."""
        kernel = self._constant(f"{layer}.kernel", self._weights[f"{layer}.weight"].T)
        product = f"{layer}.product"
        self._node("MatMul", [source, kernel], [product], domain="")
        return product

    def _add_and_norm(self, product: str, hidden: str, prefix: str) -> str:
        bias = self._constant(f"{prefix}.dense.bias", self._weights[f"{prefix}.dense.bias"])
        output = f"{prefix}.normed"
        inputs = [product, hidden, *self._norm(f"{prefix}.LayerNorm"), bias]
        self._node("SkipLayerNormalization", inputs, [output], epsilon=_EPSILON)
        return output

    def _norm(self, prefix: str) -> Iterator[str]:
        for part in ("weight", "bias"):
            yield self._constant(f"{prefix}.{part}", self._weights[f"{prefix}.{part}"])

    def _constant(self, name: str, value: NDArray[np.float32]) -> str:
        self._constants.append(numpy_helper.from_array(np.ascontiguousarray(value, dtype=np.float32), name))
        return name

    def _node(
        self, operator: str, inputs: list[str], outputs: list[str], domain: str = _FUSED, **attributes: float
    ) -> None:
        node = helper.make_node(operator, inputs, outputs, name=outputs[0], domain=domain)
        node.attribute.extend(helper.make_attribute(name, value) for name, value in attributes.items())
        self._nodes.append(node)


class QuantisedGraph(MiniLmGraph):
    """Builds the graph of `MiniLmGraph` with 8-bit products."""

    def _attend(self, hidden: str, layer: int) -> str:
        prefix = f"encoder.layer.{layer}.attention"
        kernel, bias = self._queries_keys_values(prefix)
        smoothed, kernel = self._smoothed(hidden, kernel, f"{prefix}.qkv")
        biased = self._constant(f"{prefix}.qkv.bias", bias)
        joined = self._product(smoothed, kernel, f"{prefix}.qkv", biased)
        parts = [f"{prefix}.{part}" for part in ("queries", "keys", "values")]
        self._node("Split", [joined], parts, domain="", axis=2, num_outputs=3)
        context = f"{prefix}.context"
        self._node("MultiHeadAttention", [*parts, "", "mask"], [context], num_heads=HEADS)
        return self._add_and_norm(self._linear(context, f"{prefix}.output.dense"), hidden, f"{prefix}.output")

    def _linear(self, source: str, layer: str) -> str:
        if layer in _SENSITIVE:
            return super()._linear(source, layer)
        kernel = self._weights[f"{layer}.weight"].T
        if layer.endswith("intermediate.dense"):
            source, kernel = self._smoothed(source, kernel, layer)
        return self._product(source, kernel, layer)

    def _smoothed(self, normed: str, kernel: Matrix, name: str) -> tuple[str, Matrix]:
        """Divide the channels that a norm makes large, and multiply their weights by as much.

        Args:
            kernel: [in, out].

        Returns:
            The divided input, and the weights for it.
        """
        norm = f"{normed.removesuffix('.normed')}.LayerNorm" if normed.endswith(".normed") else _FIRST_NORM
        gain, shift = (np.abs(self._weights[f"{norm}.{part}"]) for part in ("weight", "bias"))
        range_in, range_out = _REACH * gain + shift, np.maximum(np.abs(kernel).max(axis=1), 1e-6)
        scale = np.sqrt(range_in / range_out)
        scale /= np.exp(np.log(scale).mean())
        self._node("Mul", [normed, self._constant(f"{name}.smoothing", 1 / scale)], [f"{name}.smoothed"], "")
        return f"{name}.smoothed", kernel * scale[:, None]

    def _product(self, source: str, kernel: Matrix, name: str, bias: str = "") -> str:
        """Multiply by weights [in, out] that are rounded to 8 bits, with a scale for each output."""
        scale = np.maximum(np.abs(kernel).max(axis=0), 1e-12) / _STEPS
        rounded = np.rint(kernel / scale).astype(np.int8)
        for part, value in (("int8", rounded), ("zero", np.zeros(scale.shape, dtype=np.int8))):
            self._constants.append(numpy_helper.from_array(np.ascontiguousarray(value), f"{name}.{part}"))
        inputs = [source, f"{name}.int8", self._constant(f"{name}.scale", scale), f"{name}.zero"]
        self._node("DynamicQuantizeMatMul", inputs + ([bias] if bias else []), [f"{name}.product"])
        return f"{name}.product"


_FIRST_NORM = "embeddings.LayerNorm"


def build_model(weights: Path, precision: Precision = "fp32") -> bytes:
    """Return the model file of a checkpoint.

    Args:
        weights: a safetensors file of MiniLM with 6 layers.

    Raises:
        KeyError: a tensor is missing.
    """
    graph = {"fp32": MiniLmGraph, "int8": QuantisedGraph}[precision](load_file(weights))
    content: bytes = graph.build().SerializeToString(deterministic=True)
    return content

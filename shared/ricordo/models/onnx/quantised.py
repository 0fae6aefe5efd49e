"""MiniLM with 8-bit matrix products: faster on a CPU, with nearly the same vectors.

Weights are rounded once, each output channel with its own scale. Inputs are rounded at each run, all tokens
with one scale, so that a few large channels would leave few steps for all others. Where a norm precedes
a product, its parameters tell which channels those are: they are divided there and the weights multiplied by
as much (SmoothQuant: Xiao et al. 2023; here without data, from the norm itself). Embeddings, norms, the
softmax and the pooling are unchanged, and so is the narrowing product of the first layers, whose error would
propagate.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from onnx import numpy_helper
from safetensors.numpy import load_file

from ricordo.models.onnx.minilm_graph import HEADS, MiniLmGraph
from ricordo.models.onnx.network import Precision

_STEPS = 90
"""The largest rounded weight. AVX2 adds pairs of products in 16 bits and saturates: with 127 that costs more
than the coarser steps do."""
_REACH = 3.5
"""How many standard deviations of what a norm gives count as its range."""
_SENSITIVE = tuple(f"encoder.layer.{layer}.output.dense" for layer in range(3))

Matrix = NDArray[np.float32]


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

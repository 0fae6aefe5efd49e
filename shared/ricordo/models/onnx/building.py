"""The model file of MiniLM, made of its published weights."""

from pathlib import Path

from safetensors.numpy import load_file

from ricordo.models.onnx.graph import MiniLmGraph
from ricordo.models.onnx.network import Precision
from ricordo.models.onnx.quantised import QuantisedGraph


def build_model(weights: Path, precision: Precision = "fp32") -> bytes:
    """Return the model file made of a checkpoint.

    Args:
        weights: a safetensors file of MiniLM's 6-layer form.
        precision: of its products.

    Raises:
        KeyError: a tensor is missing.
    """
    graph = {"fp32": MiniLmGraph, "int8": QuantisedGraph}[precision](load_file(weights))
    content: bytes = graph.build().SerializeToString(deterministic=True)
    return content

"""MiniLM on ONNX Runtime, in this process."""

from ricordo.models.onnx.checkpoint import MODEL, CheckpointMissing, MiniLmTokens
from ricordo.models.onnx.minilm import MiniLm, MiniLmEncoder, load_tokens, open_minilm
from ricordo.models.onnx.network import DIMENSIONS, Precision, native_precision

__all__ = [
    "DIMENSIONS",
    "MODEL",
    "CheckpointMissing",
    "MiniLm",
    "MiniLmEncoder",
    "MiniLmTokens",
    "Precision",
    "load_tokens",
    "native_precision",
    "open_minilm",
]

"""MiniLM on ONNX Runtime, in this process."""

from ricordo.models.onnx.checkpoint import MODEL, CheckpointMissing
from ricordo.models.onnx.minilm import MiniLm, MiniLmEncoder, load_tokens, open_minilm
from ricordo.models.onnx.network import DIMENSIONS, Precision, native_precision
from ricordo.models.onnx.tokenizer import MiniLmTokens

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

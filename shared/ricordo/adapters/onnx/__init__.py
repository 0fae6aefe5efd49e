"""Sentence vectors computed in this process: MiniLM on ONNX Runtime."""

from ricordo.adapters.onnx.checkpoint import MODEL, CheckpointMissing
from ricordo.adapters.onnx.minilm import MiniLm, MiniLmEncoder, load_tokens, open_minilm
from ricordo.adapters.onnx.network import DIMENSIONS
from ricordo.adapters.onnx.tokens import MiniLmTokens

__all__ = [
    "DIMENSIONS",
    "MODEL",
    "CheckpointMissing",
    "MiniLm",
    "MiniLmEncoder",
    "MiniLmTokens",
    "load_tokens",
    "open_minilm",
]

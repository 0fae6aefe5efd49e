"""MiniLM on ONNX Runtime, in this process."""

from ricordo.models.onnx.checkpoint import MODEL, CheckpointMissing
from ricordo.models.onnx.minilm import MiniLm, MiniLmEncoder, load_tokens, open_minilm
from ricordo.models.onnx.network import DIMENSIONS
from ricordo.models.onnx.tokenizer import MiniLmTokens

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

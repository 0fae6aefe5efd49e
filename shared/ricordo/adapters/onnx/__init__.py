"""Sentence vectors computed in this process: MiniLM on ONNX Runtime."""

from ricordo.adapters.onnx.checkpoint import CheckpointMissing
from ricordo.adapters.onnx.minilm import MiniLm, open_minilm

__all__ = ["CheckpointMissing", "MiniLm", "open_minilm"]

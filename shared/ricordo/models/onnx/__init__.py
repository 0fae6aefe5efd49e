"""Sentence encoders on ONNX Runtime, in this process."""

from ricordo.models.onnx.checkpoint import CheckpointMissing, Tokens
from ricordo.models.onnx.network import DIMENSIONS, Precision, native_precision
from ricordo.models.onnx.onnx_encoder import (
    OnnxEncoder,
    OnnxModel,
    installed_checkpoint,
    load_tokens,
    open_onnx,
)

__all__ = [
    "DIMENSIONS",
    "CheckpointMissing",
    "OnnxEncoder",
    "OnnxModel",
    "Precision",
    "Tokens",
    "installed_checkpoint",
    "load_tokens",
    "native_precision",
    "open_onnx",
]

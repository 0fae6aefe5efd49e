"""Entities by GLiNER, a zero-shot model on PyTorch or ONNX Runtime: the extra `gliner`."""

from ricordo.models.gliner.recogniser import GlinerMissing, GlinerRecogniser, open_gliner

__all__ = ["GlinerMissing", "GlinerRecogniser", "open_gliner"]

"""Sentence encoders on ONNX Runtime, in this process."""

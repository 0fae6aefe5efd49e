"""Sentence vectors computed in this process: MiniLM on ONNX Runtime."""

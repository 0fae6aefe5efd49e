"""Embedding models and language models, and the limits on calling them."""

import os

# ONNX Runtime reports each session to its makers, unless it is told not to before it is loaded.
os.environ["ORT_DISABLE_TELEMETRY"] = os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"

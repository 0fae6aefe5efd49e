"""Embedding models and language models, and the limits on calling them."""

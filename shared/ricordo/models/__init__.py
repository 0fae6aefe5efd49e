"""Embedding models and language models: their ports, their adapters, and what guards calls to them."""

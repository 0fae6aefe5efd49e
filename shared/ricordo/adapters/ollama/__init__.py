"""Models served by Ollama."""

from ricordo.adapters.ollama.encoder import OllamaEncoder, open_ollama

__all__ = ["OllamaEncoder", "open_ollama"]

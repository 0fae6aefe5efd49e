"""Models served by Ollama."""

from ricordo.models.ollama.entity_matching import OllamaEntityMatcher
from ricordo.models.ollama.ollama_encoder import OllamaEncoder, open_if_present, open_ollama
from ricordo.models.ollama.reader import OllamaReader

__all__ = ["OllamaEncoder", "OllamaEntityMatcher", "OllamaReader", "open_if_present", "open_ollama"]

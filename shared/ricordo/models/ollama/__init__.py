"""Models served by Ollama."""

from ricordo.models.ollama.entity_matching import OllamaEntityMatcher
from ricordo.models.ollama.messages import OllamaMessageReader
from ricordo.models.ollama.ollama_encoder import OllamaEncoder, open_if_present, open_ollama
from ricordo.models.ollama.reader import OllamaReader
from ricordo.models.ollama.relations import OllamaRelationReader

__all__ = [
    "OllamaEncoder",
    "OllamaEntityMatcher",
    "OllamaMessageReader",
    "OllamaReader",
    "OllamaRelationReader",
    "open_if_present",
    "open_ollama",
]

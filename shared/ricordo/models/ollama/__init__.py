"""Models served by Ollama."""

from ricordo.models.ollama.condensation import OllamaCondenser
from ricordo.models.ollama.entity_matching import OllamaEntityMatcher
from ricordo.models.ollama.insights import OllamaInsightReader
from ricordo.models.ollama.messages import OllamaMessageReader
from ricordo.models.ollama.ollama_encoder import OllamaEncoder, open_if_present, open_ollama
from ricordo.models.ollama.questions import OllamaQuestionReader
from ricordo.models.ollama.relations import OllamaRelationReader

__all__ = [
    "OllamaCondenser",
    "OllamaEncoder",
    "OllamaEntityMatcher",
    "OllamaInsightReader",
    "OllamaMessageReader",
    "OllamaQuestionReader",
    "OllamaRelationReader",
    "open_if_present",
    "open_ollama",
]

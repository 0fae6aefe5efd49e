"""Models served by Ollama."""

from ricordo.models.ollama.condensing import OllamaCondenser, open_condenser
from ricordo.models.ollama.encoder import OllamaEncoder, open_held, open_ollama
from ricordo.models.ollama.identities import OllamaIdentityReader, open_identity_reader
from ricordo.models.ollama.insights import OllamaInsightReader, open_insight_reader
from ricordo.models.ollama.messages import OllamaMessageReader, open_message_reader
from ricordo.models.ollama.questions import OllamaQuestionReader, open_question_reader
from ricordo.models.ollama.relations import OllamaRelationReader, open_relation_reader

__all__ = [
    "OllamaCondenser",
    "OllamaEncoder",
    "OllamaIdentityReader",
    "OllamaInsightReader",
    "OllamaMessageReader",
    "OllamaQuestionReader",
    "OllamaRelationReader",
    "open_condenser",
    "open_held",
    "open_identity_reader",
    "open_insight_reader",
    "open_message_reader",
    "open_ollama",
    "open_question_reader",
    "open_relation_reader",
]

"""Models served by Ollama."""

from ricordo.adapters.ollama.condensing import OllamaCondenser, open_condenser
from ricordo.adapters.ollama.encoder import OllamaEncoder, open_held, open_ollama
from ricordo.adapters.ollama.identities import OllamaIdentityReader, open_identity_reader
from ricordo.adapters.ollama.insights import OllamaInsightReader, open_insight_reader
from ricordo.adapters.ollama.messages import OllamaMessageReader, open_message_reader
from ricordo.adapters.ollama.questions import OllamaQuestionReader, open_question_reader
from ricordo.adapters.ollama.relations import OllamaRelationReader, open_relation_reader

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

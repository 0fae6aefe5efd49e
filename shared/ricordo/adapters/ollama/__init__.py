"""Models served by Ollama."""

from ricordo.adapters.ollama.encoder import OllamaEncoder, open_ollama
from ricordo.adapters.ollama.reader import OllamaQuestionReader, open_question_reader

__all__ = ["OllamaEncoder", "OllamaQuestionReader", "open_ollama", "open_question_reader"]

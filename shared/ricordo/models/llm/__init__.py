"""Models on servers of Ollama, or with OpenAI's interface."""

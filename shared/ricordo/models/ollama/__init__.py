"""Models served by Ollama."""

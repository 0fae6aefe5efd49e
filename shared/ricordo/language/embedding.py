"""The embedding model that Ricordo brings along, in whose vectors its heads were learned."""

from typing import Final

MINILM: Final = "all-MiniLM-L6-v2"
"""Its name, and that of its vectors."""

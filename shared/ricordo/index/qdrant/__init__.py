"""The vector index on Qdrant: the engine in this process (`edge`), or a server."""

"""embedding: a vector for each text (encode), a point for each memory (index)."""

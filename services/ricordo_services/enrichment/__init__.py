"""enrichment: derives emotion, importance, topics and times of memories, and links them."""

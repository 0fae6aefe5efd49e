"""The vector index: its port, and Qdrant as a server or in this process."""

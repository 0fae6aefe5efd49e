"""ingest: what bots say becomes history and memory rows."""

"""ingest: records messages of bots as history and memory rows."""

"""knowledge: extracts facts with their evidence from messages."""

"""Learns to read statements, feelings, names and times from annotated chats."""

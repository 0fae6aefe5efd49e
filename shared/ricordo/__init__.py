"""Ricordo: a memory for bots that remembers the way people do."""

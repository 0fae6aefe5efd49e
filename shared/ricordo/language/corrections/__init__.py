"""Recognises corrections and finds the messages that they correct."""

"""Estimates the emotion of a text: valence, arousal, dominance, a label, and the words that carry it."""

from ricordo.language.emotion.estimation import estimate

__all__ = ["estimate"]

"""English."""

from ricordo.language.facts.english.grammar import ENGLISH

__all__ = ["ENGLISH"]

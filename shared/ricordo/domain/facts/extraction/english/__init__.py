"""English."""

from ricordo.domain.facts.extraction.english.grammar import ENGLISH

__all__ = ["ENGLISH"]

"""Italian."""

from ricordo.language.facts.italian.grammar import ITALIAN

__all__ = ["ITALIAN"]

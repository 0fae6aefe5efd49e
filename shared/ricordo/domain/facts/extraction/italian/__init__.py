"""Italian."""

from ricordo.domain.facts.extraction.italian.grammar import ITALIAN

__all__ = ["ITALIAN"]

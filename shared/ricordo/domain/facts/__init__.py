"""What is known about a user: statements read from messages, and facts folded from them."""

from ricordo.domain.facts.entities import Entity, canonical, entities, normalise
from ricordo.domain.facts.evidence import Evidence, Kind, Polarity
from ricordo.domain.facts.extraction import Statement, extract
from ricordo.domain.facts.folding import Fact, as_of, fold
from ricordo.domain.facts.surfacing import surface
from ricordo.domain.facts.vocabulary import FUNCTIONAL, PREDICATES, USER, FactClass, Predicate

__all__ = [
    "FUNCTIONAL",
    "PREDICATES",
    "USER",
    "Entity",
    "Evidence",
    "Fact",
    "FactClass",
    "Kind",
    "Polarity",
    "Predicate",
    "Statement",
    "as_of",
    "canonical",
    "entities",
    "extract",
    "fold",
    "normalise",
    "surface",
]

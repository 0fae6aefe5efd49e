"""What is known about a user: statements read from messages, and facts folded from them."""

from ricordo.domain.facts.entities import Entity, canonical, entities, normalise
from ricordo.domain.facts.evidence import Evidence, Kind, Polarity
from ricordo.domain.facts.extraction import Statement, extract
from ricordo.domain.facts.folding import Changes, Contribution, Fact, Folding, as_of, fold
from ricordo.domain.facts.parts import Part, parts, parts_of
from ricordo.domain.facts.settling import ImpossibleValue, Word, settled, value
from ricordo.domain.facts.surfacing import surface
from ricordo.domain.facts.vocabulary import FUNCTIONAL, PREDICATES, USER, FactClass, Predicate

__all__ = [
    "FUNCTIONAL",
    "PREDICATES",
    "USER",
    "Changes",
    "Contribution",
    "Entity",
    "Evidence",
    "Fact",
    "FactClass",
    "Folding",
    "ImpossibleValue",
    "Kind",
    "Part",
    "Polarity",
    "Predicate",
    "Statement",
    "Word",
    "as_of",
    "canonical",
    "entities",
    "extract",
    "fold",
    "normalise",
    "parts",
    "parts_of",
    "settled",
    "surface",
    "value",
]

"""What is known about a user: statements read from messages, and facts folded from them."""

from ricordo.domain.facts.addressing import Addressing
from ricordo.domain.facts.decisions import MOST_DECISIONS, Decision
from ricordo.domain.facts.doubts import doubts
from ricordo.domain.facts.entities import LONGEST_KEY, Entity, canonical, entities, is_name, normalise
from ricordo.domain.facts.evidence import Evidence, Kind, Polarity
from ricordo.domain.facts.extraction import Statement, extract
from ricordo.domain.facts.folding import Changes, Contribution, Fact, Folding, fold, resolved
from ricordo.domain.facts.held import as_of
from ricordo.domain.facts.identities import Identities, Moved
from ricordo.domain.facts.mentions import Mention, mentions_of, object_tie, spoken_of
from ricordo.domain.facts.parts import Part, parts, parts_of
from ricordo.domain.facts.rejections import Rejection, unrejected
from ricordo.domain.facts.settling import ImpossibleValue, Word, settled, value
from ricordo.domain.facts.surfacing import PROFILE, core, surface
from ricordo.domain.facts.ties import BEINGS
from ricordo.domain.facts.vocabulary import FUNCTIONAL, PREDICATES, USER, FactClass, Predicate

__all__ = [
    "BEINGS",
    "FUNCTIONAL",
    "LONGEST_KEY",
    "MOST_DECISIONS",
    "PREDICATES",
    "PROFILE",
    "USER",
    "Addressing",
    "Changes",
    "Contribution",
    "Decision",
    "Entity",
    "Evidence",
    "Fact",
    "FactClass",
    "Folding",
    "Identities",
    "ImpossibleValue",
    "Kind",
    "Mention",
    "Moved",
    "Part",
    "Polarity",
    "Predicate",
    "Rejection",
    "Statement",
    "Word",
    "as_of",
    "canonical",
    "core",
    "doubts",
    "entities",
    "extract",
    "fold",
    "is_name",
    "mentions_of",
    "normalise",
    "object_tie",
    "parts",
    "parts_of",
    "resolved",
    "settled",
    "spoken_of",
    "surface",
    "unrejected",
    "value",
]

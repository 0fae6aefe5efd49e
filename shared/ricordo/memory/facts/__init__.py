"""What is known about a user: statements read from messages, and facts folded from them."""

from ricordo.language.facts import Statement, extract
from ricordo.language.facts.entity_names import LONGEST_KEY, Entity, canonical, entities, is_name, normalise
from ricordo.language.facts.evidence import Evidence, Kind, Polarity
from ricordo.language.facts.kinship import BEINGS
from ricordo.language.facts.vocabulary import FUNCTIONAL, PREDICATES, USER, FactClass, Predicate
from ricordo.memory.facts.clusters import Mention, mentions_of, object_tie, spoken_of
from ricordo.memory.facts.entity_decisions import MOST_DECISIONS, Decision
from ricordo.memory.facts.entity_resolution import Identities, Moved
from ricordo.memory.facts.fact_selection import PROFILE, as_of, core, surface
from ricordo.memory.facts.folding import Changes, Contribution, Fact, Folding, fold, resolved
from ricordo.memory.facts.name_matching import Addressing, doubts
from ricordo.memory.facts.partitions import Part, parts, parts_of
from ricordo.memory.facts.user_assertions import ImpossibleValue, Rejection, Word, settled, unrejected, value

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

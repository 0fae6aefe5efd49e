"""What is known about a user: statements read from messages, and facts folded from them."""

from ricordo.language.facts import Statement, extract
from ricordo.language.facts.entity_names import LONGEST_KEY, Entity, canonical, entities, is_name, normalise
from ricordo.language.facts.evidence import Evidence, Kind, Polarity
from ricordo.language.facts.kinship import BEINGS
from ricordo.language.facts.vocabulary import PREDICATES, SINGLE_VALUED, USER, PredicateDefinition
from ricordo.memory.facts.clusters import EntityMention, mentioned_beings, mentions_of, object_tie
from ricordo.memory.facts.entity_decisions import MOST_DECISIONS, EntityDecision
from ricordo.memory.facts.entity_resolution import EntityResolver, ReassignedMention
from ricordo.memory.facts.fact_model import Fact, FactChanges, MessageContribution
from ricordo.memory.facts.fact_selection import PROFILE, core_profile, select_facts
from ricordo.memory.facts.folding import Folding, fold, resolved
from ricordo.memory.facts.name_matching import NameDirectory, undecided_pairs
from ricordo.memory.facts.partitions import Partition, partitions_for, partitions_of
from ricordo.memory.facts.user_assertions import (
    ImpossibleValue,
    Rejection,
    UserAssertion,
    assertion_evidence,
    clean_value,
    drop_rejected,
)

__all__ = [
    "BEINGS",
    "LONGEST_KEY",
    "MOST_DECISIONS",
    "PREDICATES",
    "PROFILE",
    "SINGLE_VALUED",
    "USER",
    "Entity",
    "EntityDecision",
    "EntityMention",
    "EntityResolver",
    "Evidence",
    "Fact",
    "FactChanges",
    "Folding",
    "ImpossibleValue",
    "Kind",
    "MessageContribution",
    "NameDirectory",
    "Partition",
    "Polarity",
    "PredicateDefinition",
    "ReassignedMention",
    "Rejection",
    "Statement",
    "UserAssertion",
    "assertion_evidence",
    "canonical",
    "clean_value",
    "core_profile",
    "drop_rejected",
    "entities",
    "extract",
    "fold",
    "is_name",
    "mentioned_beings",
    "mentions_of",
    "normalise",
    "object_tie",
    "partitions_for",
    "partitions_of",
    "resolved",
    "select_facts",
    "undecided_pairs",
]

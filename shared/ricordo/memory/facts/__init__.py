"""What is known about a user: statements read from messages, and facts folded from them."""

from ricordo.language.facts.entity_names import LONGEST_KEY, Entity, entities, is_name, normalise
from ricordo.language.facts.evidence import Evidence, Kind, Polarity, Statement
from ricordo.language.facts.kinship import BEINGS, PRESUMED
from ricordo.language.facts.vocabulary import (
    OBJECT_KINDS,
    PREDICATES,
    SINGLE_VALUED,
    SUBJECT_KINDS,
    USER,
)
from ricordo.memory.facts.clusters import EntityMention, mentions_of, object_tie
from ricordo.memory.facts.entity_decisions import MOST_DECISIONS, EntityDecision
from ricordo.memory.facts.entity_resolution import (
    EntityResolver,
    kind_of,
    other_names,
    with_names,
    without_titles,
    word_of,
)
from ricordo.memory.facts.fact_model import (
    PROFILE,
    Fact,
    FoldedFacts,
    MessageContribution,
    core_profile,
    select_facts,
)
from ricordo.memory.facts.folding import SlotKey, by_slot, entity_keys, fold, fold_slots, resolved, slot_of
from ricordo.memory.facts.name_matching import NameDirectory, undecided_pairs
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
    "OBJECT_KINDS",
    "PREDICATES",
    "PRESUMED",
    "PROFILE",
    "SINGLE_VALUED",
    "SUBJECT_KINDS",
    "USER",
    "Entity",
    "EntityDecision",
    "EntityMention",
    "EntityResolver",
    "Evidence",
    "Fact",
    "FoldedFacts",
    "ImpossibleValue",
    "Kind",
    "MessageContribution",
    "NameDirectory",
    "Polarity",
    "Rejection",
    "SlotKey",
    "Statement",
    "UserAssertion",
    "assertion_evidence",
    "by_slot",
    "clean_value",
    "core_profile",
    "drop_rejected",
    "entities",
    "entity_keys",
    "fold",
    "fold_slots",
    "is_name",
    "kind_of",
    "mentions_of",
    "normalise",
    "object_tie",
    "other_names",
    "resolved",
    "select_facts",
    "slot_of",
    "undecided_pairs",
    "with_names",
    "without_titles",
    "word_of",
]

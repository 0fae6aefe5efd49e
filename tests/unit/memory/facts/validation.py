"""What comes of what somebody claims to have read in a message."""

from datetime import UTC, datetime

from ricordo.language.facts.evidence import Statement
from ricordo.memory.facts.relation_validation import (
    Passage,
    RecognisedEntity,
    Relation,
    ValidatedStatements,
    validate_relations,
)
from ricordo.memory.llm_validation import LlmMessage

AT = datetime(2026, 5, 4, 10, tzinfo=UTC)

Claim = tuple[str, str, str, str] | tuple[str, str, str, str, str]


def validated(
    text: str,
    *claims: Claim,
    language: str = "en",
    entities: tuple[RecognisedEntity, ...] = (),
    speaker: str = "",
    rules: tuple[Statement, ...] = (),
) -> ValidatedStatements:
    """Return what comes of claims about a text of which the rules have read `rules`."""
    passage = Passage(LlmMessage(text, language, speaker=speaker), entities)
    return validate_relations(passage, [Relation(*claim) for claim in claims], rules, at=AT)

"""Result types of text analysis: type, kind and source of a memory, role, predicate, emotion, event time."""

import datetime as dt
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

E5: Final = "multilingual-e5-small"
"""The embedding model that runs without a server, and the name of its vectors."""


class Role(StrEnum):
    """Who said it."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    TOOL = "tool"


class MemoryType(StrEnum):
    """What a memory is made of: an episode, knowledge, a procedure or a feeling."""

    EPISODIC = "episodic"
    SEMANTIC = "semantic"
    PROCEDURAL = "procedural"
    EMOTIONAL = "emotional"


class MemoryKind(StrEnum):
    """What a memory is for. The last four rest on others, and are a message's only where its bot says so."""

    MESSAGE = "message"
    NOTE = "note"
    AGREEMENT = "agreement"
    PROBLEM = "problem"
    DECISION = "decision"
    SUMMARY = "summary"
    REFLECTION = "reflection"
    SYNTHESIS = "synthesis"
    EXTRACT = "extract"


class MemorySource(StrEnum):
    """Where a memory came from."""

    CONVERSATION = "conversation"
    SLEEP_CONSOLIDATION = "sleep_consolidation"
    USER_CORRECTION = "user_correction"
    SELF_REFLECTION = "self_reflection"
    IMPORT = "import"


Predicate = StrEnum(
    "Predicate",
    "NAME AGE BIRTHDAY BORN_IN LIVES_IN LIVES_WITH WORKS_AT WORKS_AS STUDIES STUDIES_AT SPEAKS LIKES "
    "DISLIKES ALLERGIC_TO HAS_CONDITION HAS_PET HAS_CHILD HAS_SIBLING HAS_PARENT PARTNER FRIEND KNOWS OWNS "
    "PLAYS DOES SKILLED_IN MEMBER_OF VISITED PLANS WANTS ATTENDS EXPERIENCED READS_OR_WATCHES TRAIT IS_A "
    "RELATED_TO CONTACT AGREEMENT PROBLEM DECISION DEADLINE PRICE SUPPLIER_OF CLIENT_OF STATED",
)
"""All predicates, each with its name in lower case as its value, in the order of the network's classes.

The last one is no class: it is that of a statement of which only the clause is certain.
"""
Predicate.__doc__ = "What a fact says of its subject."


@dataclass(frozen=True, slots=True, kw_only=True)
class Emotion:
    """A feeling on the three axes of the PAD model (Mehrabian & Russell), with a name.

    Attributes:
        valence: unpleasant -1 to pleasant 1.
        arousal: calm 0 to excited 1.
        dominance: submissive 0 to in control 1; 0.5 when the text does not tell.
        primary: one of the 28 labels of GoEmotions (Demszky et al. 2020), `neutral` included.
        keywords: the words and signs that carry the feeling, as written, in order, without repetition.
        trigger: the words that say what set it off; "" where the text does not say.
    """

    valence: float = 0.0
    arousal: float = 0.0
    dominance: float = 0.5
    primary: str = "neutral"
    keywords: tuple[str, ...] = ()
    trigger: str = ""

    @property
    def intensity(self) -> float:
        """How strongly it is felt: |valence| · arousal, in [0, 1]."""
        return abs(self.valence) * self.arousal


NEUTRAL = Emotion()


@dataclass(frozen=True, slots=True)
class EventTime:
    """When something happened or is to happen: `start` included, `end` excluded; both aware, in UTC."""

    start: dt.datetime
    end: dt.datetime

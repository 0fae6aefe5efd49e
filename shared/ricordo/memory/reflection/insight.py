"""An insight, and the memory that stores it."""

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final
from uuid import NAMESPACE_OID, UUID, uuid5

from ricordo.language.annotations import Emotion, MemoryKind, MemoryType, Role
from ricordo.language.document import Document
from ricordo.language.titles import title_of
from ricordo.memory.model import Memory, Source, derived_id


@dataclass(frozen=True, slots=True, kw_only=True)
class Insight:
    """A regularity in what a user said, in a sentence.

    Attributes:
        about: identifies what it says of whom, whatever its words.
        content: a sentence in `language`, addressed to the user.
        sources: memories that support it, oldest first, at most 10.
        emotion: the mean of its sources, named by the feeling that it states.
        importance: [0, 1], at least 8 of 10.
        confidence: [0, 1].
        created_at: of its latest source.
    """

    about: str
    content: str
    question: str
    language: str
    sources: tuple[UUID, ...]
    participants: tuple[str, ...]
    topics: tuple[str, ...]
    emotion: Emotion
    importance: float
    confidence: float
    created_at: dt.datetime


_TITLE: Final = 80


def insight_memory(insight: Insight, memories: Iterable[Memory]) -> Memory:
    """Return the memory of an insight; `memories` hold its sources at least."""
    sources = set(insight.sources)
    latest = max((one for one in memories if one.id in sources), key=lambda one: (one.created_at, one.id))
    return Memory(
        id=derived_id(latest.tenant, MemoryKind.REFLECTION, insight.sources, about=insight.about),
        tenant=latest.tenant,
        user_id=latest.user_id,
        type=MemoryType.SEMANTIC,
        kind=MemoryKind.REFLECTION,
        title=title_of(Document(insight.content), _TITLE),
        content=insight.content,
        language=insight.language,
        role=Role.USER,
        timezone=latest.timezone,
        created_at=insight.created_at,
        participants=insight.participants,
        topics=insight.topics,
        emotion=insight.emotion,
        importance=insight.importance,
        confidence=insight.confidence,
        source=Source.SELF_REFLECTION,
        source_ids=insight.sources,
        questions_addressed=(insight.question,),
    )


def insight_key(user_id: str, insight: Insight) -> UUID:
    """Return a hash of what an insight says of whom, independent of words, evidence and tenant."""
    return uuid5(NAMESPACE_OID, f"{user_id}/insight/{insight.about}")

"""Insights as memories."""

from collections.abc import Iterable
from typing import Final
from uuid import NAMESPACE_OID, UUID, uuid5

from ricordo.language.annotations import MemoryKind, MemoryType, Role
from ricordo.language.text import title_of
from ricordo.memory.model import Memory, Source, derived_id
from ricordo.memory.reflection.insights import Insight

_TITLE: Final = 80


def insight_memory(insight: Insight, memories: Iterable[Memory]) -> Memory:
    """Return the memory that an insight makes.

    Args:
        insight: what was understood.
        memories: those that it was drawn from, its sources at least.
    """
    sources = set(insight.sources)
    latest = max((one for one in memories if one.id in sources), key=lambda one: (one.created_at, one.id))
    return Memory(
        id=derived_id(latest.tenant, MemoryKind.REFLECTION, insight.sources, about=insight.about),
        tenant=latest.tenant,
        user_id=latest.user_id,
        type=MemoryType.SEMANTIC,
        kind=MemoryKind.REFLECTION,
        title=title_of(insight.content, _TITLE),
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
    """Return a hash of what an insight says of whom: not of its words, its evidence, its tenant."""
    return uuid5(NAMESPACE_OID, f"{user_id}/insight/{insight.about}")

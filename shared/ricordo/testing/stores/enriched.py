"""What enrichment may have derived, for the suites."""

from collections.abc import Sequence
from datetime import datetime

from ricordo.language.annotations import Emotion, EventTime, MemoryKind, MemoryType
from ricordo.language.informative import TELLS
from ricordo.memory.enrichment import VERSION, Enrichment
from ricordo.memory.importance import Importance
from ricordo.memory.model import Memory, local_moment
from ricordo.store.stages import EnrichedMemory

FEELING = Emotion(valence=0.8, arousal=0.6, dominance=0.7, primary="joy", keywords=("yes", "!"))


def enriched(
    memory: Memory,
    *,
    importance: float = 0.4,
    emotion: Emotion = FEELING,
    kind: MemoryKind = MemoryKind.DECISION,
    participants: tuple[str, ...] = ("Davide", "Max"),
    topics: tuple[str, ...] = ("dogs",),
    title: str = "A dog",
    informative: float = TELLS,
    timezone: str | None = None,
    events: Sequence[tuple[datetime, datetime]] = (),
    version: str = VERSION,
) -> EnrichedMemory:
    """Return an enrichment of `memory` with these values."""
    return EnrichedMemory(
        memory_id=memory.id,
        enrichment=Enrichment(
            emotion=emotion,
            importance=Importance(value=importance, contributions=()),
            topics=topics,
            participants=participants,
            type=MemoryType.EMOTIONAL,
            kind=kind,
            title=title,
            informative=informative,
            version=version,
            rated_by=version,
        ),
        local=local_moment(memory.created_at, timezone or memory.timezone),
        event_times=tuple(EventTime(*one) for one in events),
        token_count=7,
        timezone=timezone,
    )

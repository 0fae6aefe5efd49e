"""Converts values of the domain to the views of the wire."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Final
from uuid import UUID

from pydantic import JsonValue

from ricordo.documents.records import DocumentRecord
from ricordo.graph.graph_model import EntityNeighbour
from ricordo.language.annotations import MemoryKind, Role
from ricordo.language.facts.entity_names import Entity
from ricordo.memory.facts.fact_model import Fact
from ricordo.memory.model import Memory, Progress
from ricordo.memory.spoken_turns import SpokenTurn
from ricordo.messages.enumerations import MessageState
from ricordo.messages.listings import BriefMemoryView, MemoryDetailView
from ricordo.messages.message_types import Reference
from ricordo.messages.queries import Stages
from ricordo.messages.views import (
    DocumentStatus,
    EmotionView,
    EntityView,
    EventTimeView,
    FactView,
    HistoryMessage,
    KeyTopicView,
    MemoryView,
    NeighbourView,
)
from ricordo.store.recall_queries import RankingRow

_ALIASES: Final = 100  # maximum number in a reply
_OF_A_MEMORY: Final = (
    *("id", "type", "kind", "content", "created_at", "importance", "informative", "participants", "topics"),
    *("event_start", "event_end", "confidence", "corrects", "corrected_by", "tags", "time_of_day"),
    *("day_of_week", "source", "pinned", "verified", "questions_addressed"),
)
"""The fields of a view that are attributes of the memory."""
_DETAILS: Final = (
    *("timezone", "stored_at", "expires_at", "archived_at", "access_count", "last_accessed"),
    *("reinforcement", "trust", "compressed"),
)
"""The further fields of a view in full that are attributes of the memory."""
_TIMES_SHOWN: Final = 10
_BRIEF: Final = 300  # maximum number of characters


def memory_view(
    memory: Memory,
    *,
    score: float | None = None,
    signals: Mapping[str, float] | None = None,
    related: Sequence[UUID] = (),
    repetitions: Sequence[RankingRow] = (),
) -> MemoryView:
    """Return the view of a memory, with its score, what is related to it and what says the same."""
    others = [row.message_id for row in repetitions if row.message_id]
    times = saying_times(memory, repetitions)
    emotion = {name: getattr(memory.emotion, name) for name in EmotionView.model_fields}
    return MemoryView(
        **{name: getattr(memory, name) for name in _OF_A_MEMORY},
        message_ids=(memory.message_id, *others) if memory.message_id else memory.source_message_ids,
        times_said=len(times),
        said_at=times[:_TIMES_SHOWN],
        role=memory.role if memory.message_id else None,
        speaker=memory.speaker or None,
        conversation_id=memory.conversation_id or None,
        title=memory.title or None,
        summary=memory.summary or None,
        score=score,
        signals=None if signals is None else dict(signals),
        emotion=EmotionView(**emotion),
        event_times=tuple(EventTimeView(start=one.start, end=one.end) for one in memory.event_times),
        related=tuple(related),
        archived=memory.archived_at is not None,
        location=memory.location or None,
        refs=tuple(map(Reference.model_validate, memory.refs)),
        key_topics=tuple(KeyTopicView(**asdict(one)) for one in memory.key_topics),
        meaningfulness=1 + 4 * memory.importance if memory.kind is MemoryKind.SUMMARY else None,
    )


def saying_times(memory: Memory, repetitions: Sequence[RankingRow]) -> tuple[datetime, ...]:
    """Return when a memory and what says the same were said, the latest first."""
    return tuple(sorted((memory.created_at, *(row.created_at for row in repetitions)), reverse=True))


def memory_detail_view(
    memory: Memory, metadata: Mapping[str, JsonValue], related: Sequence[UUID], decay_factor: float
) -> MemoryDetailView:
    """Return the view of a memory in full."""
    return MemoryDetailView(
        **dict(memory_view(memory, related=related)),
        **{name: getattr(memory, name) for name in _DETAILS},
        language=memory.language or None,
        sources=memory.source_ids,
        metadata=dict(metadata),
        decay_factor=decay_factor,
    )


def brief_memory_view(memory: Memory) -> BriefMemoryView:
    """Return the view of a memory in short."""
    content = memory.content
    return BriefMemoryView(
        **{name: getattr(memory, name) for name in ("id", "type", "kind", "created_at", "importance")},
        role=memory.role if memory.message_id else None,
        speaker=memory.speaker or None,
        conversation_id=memory.conversation_id or None,
        content=content if len(content) <= _BRIEF else content[: _BRIEF - 1].rstrip() + "…",
        truncated=len(content) > _BRIEF,
        title=memory.title or None,
        valence=memory.emotion.valence,
        archived=memory.archived_at is not None,
    )


def fact_view(fact: Fact) -> FactView:
    """Return the view of a fact, whose fields are attributes of the fact."""
    return FactView(**{name: getattr(fact, name) for name in FactView.model_fields})


def entity_view(entity: Entity, neighbours: Sequence[EntityNeighbour]) -> EntityView:
    """Return the view of an entity and its neighbours."""
    return EntityView(
        name=entity.name,
        aliases=entity.aliases[:_ALIASES],
        mentions=entity.mentions,
        neighbours=tuple(
            NeighbourView(name=one.name, distance=one.distance, predicates=one.predicates)
            for one in neighbours
        ),
    )


def history_view(user_id: str, turn: SpokenTurn) -> HistoryMessage:
    """Return the view of a message."""
    return HistoryMessage(
        id=turn.message_id,
        user_id=user_id,
        conversation_id=turn.conversation_id,
        role=Role(turn.role),
        content=turn.content,
        timestamp=turn.timestamp,
        speaker=turn.speaker or None,
        participants=turn.participants,
        memory_id=turn.memory_id,
    )


def document_view(record: DocumentRecord) -> DocumentStatus:
    """Return the state of a document: remembered as soon as all of its extracts are."""
    state = MessageState.RECEIVED
    if record.state == "failed":
        state = MessageState.FAILED
    elif record.state == "read" and not record.pending:
        state = MessageState.REMEMBERED
    return DocumentStatus(
        name=record.name,
        media_type=record.media_type,
        state=state,
        extracts=len(record.extract_ids),
        whole=record.complete,
        error=record.reason or None,
    )


def stages_view(progress: Progress) -> Stages:
    """Return the processing stages of a message, whose names are attributes of its progress."""
    return Stages(**{name: getattr(progress, name) for name in Stages.model_fields})

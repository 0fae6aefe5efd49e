"""Messages, memories and points with sensible values, of which a test states only what it is about."""

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from uuid import NAMESPACE_OID, uuid5

import numpy as np
from numpy.typing import NDArray

from ricordo.index.port import Facets, Point
from ricordo.language.annotations import EventTime, MemoryKind
from ricordo.memory.model import Memory
from ricordo.memory.ranking.bm25 import terms, window_terms
from ricordo.messages.ids import memory_id
from ricordo.store.intake import NewMessage

START = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
"""A Monday morning: the first moment of every story."""

TENANT = "acme"
DIMENSIONS = 16


def at(minutes: float) -> datetime:
    """Return the moment so many minutes after `START`."""
    return START + timedelta(minutes=minutes)


def unit_vectors(count: int, dimensions: int = DIMENSIONS, *, seed: int = 0) -> NDArray[np.float32]:
    """Return random directions: float32 [count, dimensions], unit norm, the same for the same seed."""
    values = np.random.default_rng(seed).normal(size=(count, dimensions))
    values /= np.linalg.norm(values, axis=1, keepdims=True)
    return values.astype(np.float32)


def unit_vector(seed: int, dimensions: int = DIMENSIONS) -> NDArray[np.float32]:
    """Return one random direction: float32 [dimensions], unit norm."""
    return unit_vectors(1, dimensions, seed=seed).reshape(dimensions)


def new_message(
    message_id: str = "m-1",
    *,
    tenant: str = TENANT,
    user_id: str = "u-1",
    conversation_id: str = "c-1",
    role: str = "user",
    content: str = "",
    timestamp: datetime = START,
    timezone: str | None = None,
    language: str = "en",
    speaker: str = "Davide",
    participants: Sequence[str] = (),
    kind: str | None = None,
    importance: float | None = None,
    expires_at: datetime | None = None,
    source: str = "conversation",
    memorable: bool = True,
) -> NewMessage:
    """Make a message as ingest records it; without `content` it says its own id."""
    said = content or f"this is {message_id}"
    identity = f"{user_id}|{conversation_id}|{role}|{said}"
    return NewMessage(
        message_id=message_id,
        memory_id=memory_id(tenant, message_id),
        user_id=user_id,
        conversation_id=conversation_id,
        role=role,
        content=said,
        digest=hashlib.sha256(identity.encode()).digest(),
        timestamp=timestamp,
        timezone=timezone,
        language=language,
        speaker=speaker,
        participants=tuple(participants),
        kind=kind,
        importance=importance,
        expires_at=expires_at,
        source=source,
        memorable=memorable,
    )


def memory(
    message_id: str = "m-1",
    *,
    tenant: str = TENANT,
    user_id: str = "u-1",
    content: str = "",
    created_at: datetime = START,
    kind: MemoryKind = MemoryKind.MESSAGE,
    importance: float = 0.5,
) -> Memory:
    """Make a memory of a message; `dataclasses.replace` changes the rest."""
    return Memory(
        id=memory_id(tenant, message_id),
        tenant=tenant,
        user_id=user_id,
        message_id=message_id,
        conversation_id="c-1",
        content=content or f"this is {message_id}",
        created_at=created_at,
        stored_at=created_at,
        kind=kind,
        importance=importance,
    )


def point(
    name: str = "p-1",
    *,
    user_id: str = "u-1",
    conversation_id: str = "c-1",
    text: str = "",
    before: str = "",
    language: str = "en",
    vector: NDArray[np.float32] | None = None,
    window: NDArray[np.float32] | None = None,
    created_at: datetime = START,
    event: tuple[datetime, datetime] | None = None,
    later: Sequence[tuple[datetime, datetime]] = (),
    kind: str = "message",
    participants: Sequence[str] = (),
    topics: Sequence[str] = (),
    valence: float = 0.0,
    importance: float = 0.5,
    informative: bool = True,
    archived: bool = False,
) -> Point:
    """Make a point; without `vector` its direction follows from its name.

    Args:
        vector: float32 [d], unit norm; `window` the same in the light of the turn before it.
        event: when what it tells happened, [start, end); `later` further times of it.
    """
    direction = unit_vector(int.from_bytes(name.encode(), "big") % 2**32) if vector is None else vector
    here = (text, language)
    facets = Facets(
        id=uuid5(NAMESPACE_OID, name),
        user_id=user_id,
        conversation_id=conversation_id,
        type="episodic",
        kind=kind,
        created_at=created_at,
        events=tuple(EventTime(*one) for one in (event, *later) if one is not None),
        participants=tuple(participants),
        topics=tuple(topics),
        valence=valence,
        importance=importance,
        informative=informative,
        archived=archived,
    )
    return Point(
        facets=facets,
        text_vector=direction,
        window_vector=direction if window is None else window,
        text_terms=terms(*here),
        window_terms=window_terms([(before, language), here] if before else [here]),
    )

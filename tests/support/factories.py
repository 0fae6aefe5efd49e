"""Messages, memories and points with sensible values, of which a test states only what it is about."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import NAMESPACE_OID, UUID, uuid5

import numpy as np
from numpy.typing import NDArray

from ricordo.index.port import Facets, Point, Scope
from ricordo.language.annotations import EventTime
from ricordo.language.feelings import feeling_of, load_positions
from ricordo.language.query_analysis.analysis import QueryAnalysis
from ricordo.language.query_analysis.query_parser import analyse
from ricordo.language.reading import UNREAD, Reading, ReadStatement
from ricordo.memory.facts.utterances import Utterance
from ricordo.memory.model import Memory
from ricordo.memory.ranking.bm25 import terms, window_terms
from ricordo.memory.ranking.human import load_human
from ricordo.messages.ids import memory_id
from ricordo.messages.queries import RecallRequest
from ricordo.store.intake import NewMessage
from ricordo_services.retrieval.question import AskedQuestion, EarlierTalk
from ricordo_services.retrieval.recall_plan import RecallPlan

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
    content: str = "",
    **fields: Any,  # noqa: ANN401 - those of `NewMessage`
) -> NewMessage:
    """Make a message as ingest records it; without `content` it says its own id."""
    given = {
        "user_id": "u-1",
        "conversation_id": "c-1",
        "role": "user",
        "timestamp": START,
        "language": "en",
        "speaker": "Davide",
        **fields,
    }
    text = content or f"this is {message_id}"
    identity = f"{given['user_id']}|{given['conversation_id']}|{given['role']}|{text}"
    return NewMessage(
        message_id=message_id,
        memory_id=memory_id(tenant, message_id),
        content=text,
        digest=hashlib.sha256(identity.encode()).digest(),
        **given,
    )


def memory(
    message_id: str = "m-1", *, content: str = "", created_at: datetime = START, importance: float = 0.5
) -> Memory:
    """Make a memory of a message; `dataclasses.replace` changes the rest."""
    return Memory(
        id=memory_id(TENANT, message_id),
        tenant=TENANT,
        user_id="u-1",
        message_id=message_id,
        conversation_id="c-1",
        content=content or f"this is {message_id}",
        created_at=created_at,
        stored_at=created_at,
        importance=importance,
    )


def reading(
    text: str,
    *,
    topics: Sequence[str] = (),
    people: Sequence[str] = (),
    **fields: Any,  # noqa: ANN401 - those of `Reading`
) -> Reading:
    """Return what a reader could say of a text: where topics and people are named, and more."""

    def places(parts: Sequence[str]) -> list[tuple[int, int]]:
        found = (re.search(rf"\b{re.escape(part)}\b", text, re.IGNORECASE) for part in parts)
        return sorted(match.span() for match in found if match is not None)

    given = {"importance": 0.5, **fields}
    names = tuple((*place, "person") for place in places(people))
    return replace(UNREAD, topics=tuple(places(topics)), names=names, **given)


def feeling(text: str, language: str) -> dict[str, Any]:
    """Return the fields of a reading of the strongest feeling that a text names: "I am sad" is sad."""
    labels = [label for word in re.findall(r"\w+", text.casefold()) if (label := feeling_of(word, language))]
    if not labels:
        return {}
    label = max(labels, key=lambda one: abs(load_positions()[one][0]) * load_positions()[one][1])
    valence, arousal, dominance = load_positions()[label]
    return {"valence": valence, "arousal": arousal, "dominance": dominance, "emotions": ((label, 1.0),)}


def matches(text: str, patterns: Mapping[str, str], *, sure: float = 0.9) -> Reading:
    """Return what a reader could say of a text: by predicate, what the group of a pattern finds."""
    found = (
        (match, predicate) for predicate, pattern in patterns.items() for match in re.finditer(pattern, text)
    )
    statements = tuple(
        ReadStatement(
            predicate=predicate, object=match.span(1), clause=match.span(), of="speaker", certainty=sure
        )
        for match, predicate in found
    )
    return replace(UNREAD, statements=statements)


def utterance(content: str, **fields: Any) -> Utterance:  # noqa: ANN401 - those of `Utterance`
    """Return a user's message as knowledge reads it."""
    given = {"role": "user", "speaker": "", "language": "en", "said_at": START, **fields}
    return Utterance(memory_id=UUID(int=1), message_id="m-1", user_id="u-1", content=content, **given)


def point(
    name: str = "p-1",
    *,
    text: str = "",
    before: str = "",
    vector: NDArray[np.float32] | None = None,
    window: NDArray[np.float32] | None = None,
    event: tuple[datetime, datetime] | None = None,
    later: Sequence[tuple[datetime, datetime]] = (),
    **facets: Any,  # noqa: ANN401 - those of `Facets`
) -> Point:
    """Make a point; without `vector` its direction follows from its name, as its id does.

    Args:
        text: its words; `before` those of the turn before it.
        vector: float32 [d], unit norm; `window` the same in the light of the turn before it.
        event: when what it tells happened, [start, end); `later` further times of it.
    """
    direction = unit_vector(int.from_bytes(name.encode(), "big") % 2**32) if vector is None else vector
    here = (text, "en")
    given = {
        "user_id": "u-1",
        "conversation_id": "c-1",
        "type": "episodic",
        "kind": "message",
        "created_at": START,
        "importance": 0.5,
        **facets,
    }
    times = tuple(EventTime(*time) for time in (event, *later) if time is not None)
    return Point(
        facets=Facets(id=uuid5(NAMESPACE_OID, name), events=times, **given),
        text_vector=direction,
        window_vector=direction if window is None else window,
        text_terms=terms(*here),
        window_terms=window_terms([(before, "en"), here] if before else [here]),
    )


NOON = datetime(2026, 3, 12, 12, tzinfo=UTC)
"""When questions are asked."""


def recall_plan(text: str, analysis: QueryAnalysis | None = None) -> RecallPlan:
    """Return the plan of a recall of the user `u-1`, without vectors."""
    return RecallPlan(
        request=RecallRequest(user_id="u-1", query=text, limit=5),
        question=AskedQuestion(
            text=text,
            asked=text,
            earlier=EarlierTalk(),
            now=NOON,
            zone=UTC,
            analysis=analysis or analyse(text, now=NOON, zone=UTC, language="en"),
            names_only_time=False,
            search_text=text,
            lexical_text=text,
            relative=None,
        ),
        scope=Scope(user_id="u-1"),
        ranking=load_human(),
    )

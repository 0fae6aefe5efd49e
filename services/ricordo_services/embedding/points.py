"""Builds points: vectors, terms and filter fields."""

from typing import Final

import numpy as np

from ricordo.index.port import Facets, Point
from ricordo.language.reading import INFORMATIVE
from ricordo.language.text import name_key
from ricordo.language.topics import topic_keys
from ricordo.memory.ranking.bm25 import terms, window_terms
from ricordo.store.index_store import Indexable
from ricordo.store.rows import Vector

_PREDECESSOR_SHARE: Final = 0.5  # what the turn before adds to the window vector


def point(one: Indexable) -> Point:
    """Return the point of a memory that was loaded with its vectors; a refused text has words alone."""
    before = (one.preceding_text, one.preceding_language)
    here = (one.content, one.language)
    return Point(
        facets=facets(one),
        text_vector=one.vector,
        window_vector=None if one.vector is None else window_vector(one.vector, one.preceding_vector),
        text_terms=terms(*here),
        window_terms=window_terms([before, here] if one.preceding_text else [here]),
    )


def facets(one: Indexable) -> Facets:
    """Return the filter fields of a memory."""
    return Facets(
        id=one.memory_id,
        user_id=one.user_id,
        conversation_id=one.conversation_id,
        type=one.type,
        kind=one.kind,
        created_at=one.created_at,
        events=one.event_times,
        participants=tuple(map(name_key, one.participants)),
        topics=tuple(sorted({key for topic in one.topics for key in topic_keys(topic, one.language)})),
        valence=one.valence,
        importance=one.importance,
        informative=one.informative >= INFORMATIVE,
        archived=one.is_archived,
    )


def window_vector(vector: Vector, preceding: Vector | None) -> Vector:
    """Return the vector of a text in the light of the one before it: normalise(v + 0.5 · v_before).

    Args:
        vector: float32 [d], unit norm.
        preceding: the same of the text before it; None for the first of its conversation.

    Returns:
        float32 [d], unit norm.
    """
    if preceding is None:
        return vector
    both = vector + np.float32(_PREDECESSOR_SHARE) * preceding
    norm = float(np.linalg.norm(both))
    return (both / norm).astype(np.float32) if norm > 0 else vector

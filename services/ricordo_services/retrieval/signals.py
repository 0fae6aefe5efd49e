"""The signals of what was found: what the index scored, what the rows say, and the evidence around each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from ricordo.domain.analysis import Analysis
from ricordo.domain.analysis.asking import asks_when, speaking
from ricordo.domain.emotion import estimate
from ricordo.domain.memory import Role
from ricordo.domain.ranking import Candidates
from ricordo.domain.ranking.evidence import answered, mean_of_best, sessions
from ricordo.domain.ranking.signals import DAY_SECONDS, Signals, Span, temporal_relevance
from ricordo.ports.recollection import Standing
from ricordo.ports.vectors import Hit
from ricordo_services.retrieval.search import Found, closeness

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What candidates are measured against.

    Attributes:
        text: as it was asked.
        span: the time that it asks for.
        boosts: of summaries whose key topics match, by memory.
    """

    text: str
    analysis: Analysis
    span: Span | None
    now: datetime
    boosts: Mapping[UUID, float]


def measured(standings: Sequence[Standing], found: Found, query: Query) -> Candidates:
    """Return the candidates with their signals.

    Args:
        standings: what the truth says of them, [n].
        found: what the index says; it knows each of them.
        query: what was asked.
    """
    hits = [found.hits[one.id] for one in standings]
    window, bm25_window = _meant(hits), _share([hit.bm25_window for hit in hits])
    instants = _column([one.created_at.timestamp() for one in standings])
    labels = sessions([one.conversation_id for one in standings], instants)
    asks = _column([one.asks for one in standings])
    named = _named(standings, query.analysis)
    when = asks_when(query.text)
    emotion = estimate(query.text, query.analysis.language)
    valence = _column([one.valence for one in standings])
    signals = Signals(
        semantic=_column([max(0.0, closeness(hit)) for hit in hits]),
        bm25=_share([hit.bm25 for hit in hits]),
        fused=_column([found.fused[one.id] for one in standings]),
        temporal=_temporal(standings, query.span),
        importance=_column([one.importance for one in standings]),
        valence=valence,
        arousal=_column([one.arousal for one in standings]),
        access_count=_column([one.access_count for one in standings]),
        age_days=np.maximum(0.0, (query.now.timestamp() - instants) / DAY_SECONDS),
        decay_factor=_column([one.decay_factor for one in standings]),
        confidence=_column([one.confidence for one in standings]),
        trust=_column([one.trust for one in standings]),
        token_count=_column([one.token_count for one in standings]),
        key_topic_boost=_column([query.boosts.get(one.id, 1.0) for one in standings]),
        own_words=np.maximum(named, [one.role == Role.USER for one in standings]),
        window=window,
        bm25_window=bm25_window,
        session=mean_of_best(labels, window),
        session_bm25=mean_of_best(labels, bm25_window, 1),
        reply=answered(
            [one.id for one in standings],
            [one.preceding_id for one in standings],
            asks,
            _column([max(0.0, hit.dense) for hit in hits]),
        ),
        speaker=named if named.any() else np.ones(len(named)),
        dated=_column([when and one.event_start is not None for one in standings]),
        asks=asks,
        congruence=np.maximum(0.0, emotion.valence * valence),
    )
    return Candidates([one.id for one in standings], [one.created_at for one in standings], signals)


def _meant(hits: Sequence[Hit]) -> Floats:
    return _column([max(0.0, hit.dense_window) for hit in hits])


def _named(standings: Sequence[Standing], analysis: Analysis) -> Floats:
    """Return 1 for what those said whom the question names."""
    speakers = {one.speaker for one in standings}
    named = frozenset[str]().union(*speaking(analysis.entities, speakers).values())
    return _column([one.speaker.casefold() in named for one in standings])


def _temporal(standings: Sequence[Standing], span: Span | None) -> Floats:
    if span is None:
        return np.zeros(len(standings))
    return _column(
        [temporal_relevance(span, one.created_at, one.event_start, one.event_end) for one in standings]
    )


def _share(scores: Sequence[float]) -> Floats:
    """Return each score as a share of the best."""
    column = _column(scores)
    best = column.max(initial=0.0)
    return column / best if best > 0 else column


def _column(values: Sequence[float]) -> Floats:
    return np.array(values, dtype=np.float64)

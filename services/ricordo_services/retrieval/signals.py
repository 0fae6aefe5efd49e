"""The signals of what was found: what the index scored, what the rows say, and the evidence around each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from ricordo.domain.analysis import Analysis
from ricordo.domain.analysis.asking import asks_for_a_time, speaking
from ricordo.domain.emotion import estimate
from ricordo.domain.memory import Role
from ricordo.domain.ranking import Candidates
from ricordo.domain.ranking.evidence import answered, mean_of_best, sessions
from ricordo.domain.ranking.signals import DAY_SECONDS, Signals, Span, temporal_relevance
from ricordo.domain.reinforcement import gained
from ricordo.ports.recollection import Standing
from ricordo.ports.vectors import Hit
from ricordo_services.retrieval.search import BY_WORDS, Found

Floats = NDArray[np.float64]
_OF_A_NAME: Final = 0.6
"""The cosine of a text with a question that is its name and nothing else, as it is on average."""


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
    of = Columns(standings)
    dense, window, bm25, bm25_window = _scores([found.hits[one] for one in of.ids])
    bm25_window = _share(bm25_window)
    labels = sessions(of.column("conversation_id"), of.instants)
    named = _named(of.column("speaker"), query.analysis)
    when = asks_for_a_time(query.text)
    feeling = estimate(query.text, query.analysis.language)
    signals = Signals(
        semantic=np.maximum(dense, window),
        bm25=_share(bm25),
        fused=np.array([found.fused[one] for one in of.ids]),
        temporal=_temporal(standings, query.span),
        importance=of.numbers("importance"),
        valence=of.numbers("valence"),
        arousal=of.numbers("arousal"),
        access_count=of.numbers("access_count"),
        age_days=np.maximum(0.0, (query.now.timestamp() - of.instants) / DAY_SECONDS),
        decay_factor=of.numbers("decay_factor"),
        confidence=of.numbers("confidence"),
        trust=of.numbers("trust"),
        token_count=of.numbers("token_count"),
        key_topic_boost=np.array([query.boosts.get(one, 1.0) for one in of.ids]),
        own_words=np.maximum(named, [role == Role.USER for role in of.column("role")]),
        window=window,
        bm25_window=bm25_window,
        session=mean_of_best(labels, window),
        session_bm25=mean_of_best(labels, bm25_window, 1),
        reply=answered(of.ids, of.column("preceding_id"), of.numbers("asks"), dense),
        speaker=named if named.any() else np.ones(len(named)),
        dated=np.array([when and bool(times) for times in of.column("event_times")], dtype=np.float64),
        asks=of.numbers("asks"),
        congruence=np.maximum(0.0, feeling.valence * of.numbers("valence")),
        gained=gained(*map(of.numbers, ("importance", "importance_beyond", "access_count"))),
        meant=np.array([float(found.models[one] != BY_WORDS) for one in of.ids]),
        instructing=of.numbers("instructing"),
    )
    return Candidates(of.ids, of.instants, _equally_near(signals) if found.at_large else signals)


def _equally_near(signals: Signals) -> Signals:
    """Return signals by which each is as relevant as the next: as much as one that holds a name asked for."""
    return signals._replace(
        meant=1.0,
        semantic=_OF_A_NAME,
        window=_OF_A_NAME,
        session=_OF_A_NAME,
        bm25=1.0,
        bm25_window=1.0,
        session_bm25=1.0,
    )


class Columns:
    """Standings, turned from rows into columns, [n] each."""

    def __init__(self, standings: Sequence[Standing]) -> None:
        turned = zip(*standings, strict=True) if standings else ((),) * len(Standing._fields)
        self._columns: Mapping[str, Sequence[Any]] = dict(zip(Standing._fields, turned, strict=True))
        self.ids: Sequence[UUID] = self._columns["id"]
        self.instants = np.array([one.timestamp() for one in self._columns["created_at"]], dtype=np.float64)

    def column(self, name: str) -> Sequence[Any]:
        """Return the values of a field as they are."""
        return self._columns[name]

    def numbers(self, name: str) -> Floats:
        """Return the values of a field that holds numbers, or whether something is so."""
        return np.array(self._columns[name], dtype=np.float64)


def _scores(hits: Sequence[Hit]) -> Floats:
    """Return the scores of hits, no less than 0, a row for each kind: float64 [4, n]."""
    scores = np.array([hit[1:] for hit in hits], dtype=np.float64).reshape(len(hits), len(Hit._fields) - 1)
    return np.maximum(0.0, np.nan_to_num(scores, posinf=0.0)).T  # a damaged vector costs its own memory only


def _named(speakers: Sequence[str], analysis: Analysis) -> Floats:
    """Return 1 for what those said whom the question names."""
    named = frozenset[str]().union(*speaking(analysis.entities, set(speakers)).values())
    return np.array([one.casefold() in named for one in speakers], dtype=np.float64)


def _temporal(standings: Sequence[Standing], span: Span | None) -> Floats:
    if span is None:
        return np.zeros(len(standings))
    return np.array([temporal_relevance(span, one.created_at, one.event_times) for one in standings])


def _share(scores: Floats) -> Floats:
    """Return each score as a share of the best."""
    best = scores.max(initial=0.0)
    return scores / best if best > 0 else scores

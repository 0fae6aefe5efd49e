"""Computes the ranking signals of candidates from index scores, rows and neighbouring memories."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final, Literal
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from ricordo.index.port import Hit
from ricordo.language.annotations import MemoryType, Role
from ricordo.language.feelings import load_positions
from ricordo.language.query_analysis.analysis import QueryAnalysis
from ricordo.language.query_analysis.question_patterns import named_feeling
from ricordo.language.query_analysis.search_terms import asks_for, match_speakers
from ricordo.language.tokenization import terms_of
from ricordo.memory.importance import gained
from ricordo.memory.ranking import Candidates
from ricordo.memory.ranking.context_signals import (
    connection_strengths,
    mean_of_best,
    reply_closeness,
    session_labels,
    turns_around,
)
from ricordo.memory.ranking.human import HumanProfile
from ricordo.memory.ranking.linking_words import linking_words, words_of_memory
from ricordo.memory.ranking.repetitions import fold_words
from ricordo.memory.ranking.signals import DAY_SECONDS, Column, Interval, Signals, temporal_relevance
from ricordo.store.memory_queries import RankingRow
from ricordo_services.retrieval.search import LEXICAL, Found

Floats = NDArray[np.float64]
_SIGNS: Final[Mapping[str | None, float]] = {"positive": 0.4, "negative": -0.4}
"""Weight of a requested feeling, below that of a procedure: the sign of a feeling is often mixed."""
_OF_A_NAME: Final = 0.6
"""The average cosine of a text with a question that is only its name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """The question that candidates are compared with."""

    text: str
    analysis: QueryAnalysis
    span: Interval | None
    now: datetime
    boosts: Mapping[UUID, float]
    evidence: Collection[UUID] = ()

    @property
    def language(self) -> str:
        """The language of the question; empty for an unknown one."""
        return self.analysis.language


def build_candidates(of: "Columns", found: Found, query: Query) -> Candidates:
    """Return the candidates of these rows with their signals."""
    dense, window, bm25, bm25_window = _scores([found.hits[one] for one in of.ids])
    bm25_window = _share(bm25_window)
    named = _named(of.column("speaker"), query.analysis)
    when = asks_for("time", query.text)
    # What an assistant says of itself tells nothing of the user.
    telling = query.analysis.requested.bare * np.array([role != Role.ASSISTANT for role in of.column("role")])
    asked = named_feeling(query.text, query.analysis.language)
    valence = load_positions()[asked][0] if asked else 0.0
    signals = Signals(
        semantic=np.maximum(dense, window),
        bm25=_share(bm25),
        fused=np.array([found.fused[one] for one in of.ids]),
        temporal=0.0
        if query.span is None
        else np.array([temporal_relevance(query.span, one.created_at, one.event_times) for one in of.rows]),
        importance=of.numbers("importance"),
        valence=of.numbers("valence"),
        arousal=of.numbers("arousal"),
        access_count=of.numbers("access_count"),
        age_days=np.maximum(0.0, (query.now.timestamp() - of.instants) / DAY_SECONDS),
        decay_factor=of.numbers("decay_factor"),
        confidence=of.numbers("confidence"),
        trust=of.numbers("trust"),
        token_count=of.numbers("token_count"),
        key_topic_boost=np.array([query.boosts.get(one, 1.0) for one in of.ids]) if query.boosts else 1.0,
        own_words=np.maximum(named, [role == Role.USER for role in of.column("role")]),
        window=window,
        bm25_window=bm25_window,
        session=mean_of_best(of.sessions, window),
        session_bm25=mean_of_best(of.sessions, bm25_window, 1),
        reply=reply_closeness(of.ids, of.column("preceding_id"), of.numbers("asks"), dense),
        speaker=named if named.any() else np.ones(len(named)),
        dated=np.array(list(map(bool, of.column("event_times"))), dtype=np.float64) if when else 0.0,
        asks=of.numbers("asks"),
        congruence=np.maximum(0.0, valence * of.numbers("valence")),
        importance_gained=gained(*map(of.numbers, ("importance", "importance_beyond", "access_count"))),
        has_vector_score=np.array([float(found.models[one] != LEXICAL) for one in of.ids]),
        is_bare_predicate=query.analysis.requested.bare if found.example_scores else 0.0,
        example_similarity=_example_similarity(of, found, telling, "semantic"),
        example_bm25=_example_similarity(of, found, telling, "lexical"),
        name_overlap=_about(of, query.analysis),
        type_match=_suited(of, query.analysis),
        evidence=np.array([float(one in query.evidence) for one in of.ids]) if query.evidence else 0.0,
        foreign=np.array([float(one not in ("", query.language)) for one in of.column("language")])
        if query.language
        else 0.0,
    )
    return Candidates(of.ids, of.instants, _equally_near(signals) if found.unfocused else signals)


def _equally_near(signals: Signals) -> Signals:
    """Return signals that make all candidates equally relevant, as if each contained the requested name."""
    return signals._replace(
        **dict.fromkeys(("semantic", "window", "session"), _OF_A_NAME),
        **dict.fromkeys(("has_vector_score", "bm25", "bm25_window", "session_bm25"), 1.0),
        **dict.fromkeys(("name_overlap", "assumed"), 1.0),
    )


def _example_similarity(
    of: "Columns", found: Found, telling: Floats, field: Literal["semantic", "lexical"]
) -> Column:
    """Return the similarity of each memory to example statements, weighted by `telling`."""
    if not found.example_scores:
        return 0.0
    scores = [getattr(found.example_scores.get(one), field, 0.0) for one in of.ids]
    return telling * np.maximum(0.0, np.array(scores, dtype=np.float64))


class Columns:
    """Ranking rows as columns, [n] each."""

    def __init__(self, rows: Sequence[RankingRow]) -> None:
        self.rows = rows
        columns = zip(*rows, strict=True) if rows else ((),) * len(RankingRow._fields)
        self._columns: Mapping[str, Sequence[Any]] = dict(zip(RankingRow._fields, columns, strict=True))
        self.ids: Sequence[UUID] = self._columns["id"]
        self.instants = np.array([one.timestamp() for one in self._columns["created_at"]], dtype=np.float64)
        self.sessions = session_labels(self._columns["conversation_id"], self.instants)

    def column(self, name: str) -> Sequence[Any]:
        """Return the values of a field."""
        return self._columns[name]

    def numbers(self, name: str) -> Floats:
        """Return the values of a numeric or boolean field, float64 [n]."""
        return np.array(self._columns[name], dtype=np.float64)


def _scores(hits: Sequence[Hit]) -> Floats:
    """Return the scores of hits, no less than 0, a row for each kind: float64 [4, n]."""
    scores = np.array([hit[1:] for hit in hits], dtype=np.float64).reshape(len(hits), len(Hit._fields) - 1)
    return np.maximum(0.0, np.nan_to_num(scores, posinf=0.0)).T  # a damaged vector costs its own memory only


def _named(speakers: Sequence[str], analysis: QueryAnalysis) -> Floats:
    """Return 1 for memories whose speaker the question names, else 0."""
    named = frozenset[str]().union(*match_speakers(analysis.entities, set(speakers)).values())
    return np.array([one.casefold() in named for one in speakers], dtype=np.float64)


def _about(of: Columns, analysis: QueryAnalysis) -> Column:
    """Return the share of what the question names that each memory mentions: people, or one thing alone."""
    if things := analysis.requested.besides:  # "do I like olives?"
        said = [things.intersection(terms_of(fold_words(row.text), analysis.language)) for row in of.rows]
        return np.array(list(map(len, said))) / len(things)
    return _about_people(of, analysis)


def _about_people(of: Columns, analysis: QueryAnalysis) -> Column:
    """Return the share of the names in the question that each memory mentions, without names of speakers."""
    speakers = match_speakers(analysis.entities, set(of.column("speaker")))
    names = [name.casefold() for name in analysis.entities if name not in speakers]
    asked: dict[str, set[int]] = {}  # by person, the places of the names
    for one in set[str]().union(*of.column("participants")):
        folded = one.casefold()
        asked[one] = {at for at, name in enumerate(names) if name == folded or name in folded.split()}
    if not any(asked.values()):
        return 0.0
    held = [set[int]().union(*map(asked.__getitem__, people)) for people in of.column("participants")]
    return np.array(list(map(len, held))) / len(names)


def _suited(of: Columns, analysis: QueryAnalysis) -> Column:
    """Return how well each memory fits the requested kind: a procedure, or a feeling."""
    if analysis.asks_how:
        return np.array([float(one == MemoryType.PROCEDURAL) for one in of.column("type")])
    if analysis.emotion_filter in _SIGNS and not analysis.requested.besides:  # whether it is liked is asked
        return np.clip(_SIGNS[analysis.emotion_filter] * of.numbers("valence"), 0.0, 1.0)
    return 0.0


def add_connections(
    of: Columns,
    candidates: Candidates,
    query: Query,
    profile: HumanProfile,
    ties: Mapping[UUID, Mapping[UUID, float]],
) -> Candidates:
    """Return the candidates of these rows with the signal of their connection to the best of them.

    Args:
        ties: by each of the best, which others are tied to it by facts or nearness, and how firmly.
    """
    logits = np.broadcast_to(np.asarray(profile.overall_logits(candidates.signals)), len(candidates.ids))
    neighbours = _neighbours(of)
    at = {one: place for place, one in enumerate(of.ids)}
    best = {at[one]: of.rows[at[one]] for one in ties if one in at}
    speakers = frozenset(of.column("speaker"))
    links = {
        place: linking_words(row.text, row.participants, query.text, speakers) for place, row in best.items()
    }
    tied = {}
    for place, row in best.items():
        tied[place] = dict(turns_around(place, neighbours))
        for other, firmness in ties[row.id].items():
            if other in at:
                tied[place][at[other]] = max(firmness, tied[place].get(at[other], 0.0))
    holding = _holding(of, frozenset[str]().union(*links.values()))
    strength = connection_strengths(logits, links, holding, tied)
    return replace(candidates, signals=candidates.signals._replace(connection=strength))


def _holding(of: Columns, words: frozenset[str]) -> list[Collection[str]]:
    """Return which of some words each memory holds, in its text or in the names of whom it is about."""
    return [words.intersection(words_of_memory(row.text, row.participants)) for row in of.rows]


def _neighbours(of: Columns) -> Mapping[int, Collection[int]]:
    """Return for each position those of the previous and the next message of the same session."""
    at = {one: place for place, one in enumerate(of.ids)}
    labels = of.sessions.tolist()
    near: defaultdict[int, set[int]] = defaultdict(set)
    for place, preceding in enumerate(of.column("preceding_id")):
        before = None if preceding is None else at.get(preceding)
        if before is not None and labels[before] == labels[place]:
            near[place].add(before)
            near[before].add(place)
    return near


def _share(scores: Floats) -> Floats:
    """Return each score as a share of the best."""
    best = scores.max(initial=0.0)
    return scores / best if best > 0 else scores

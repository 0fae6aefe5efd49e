"""Computes the ranking signals of candidates from index scores, rows and neighbouring memories."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple
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
from ricordo.memory.ranking.context_signals import (
    connection_strengths,
    mean_of_best,
    reply_closeness,
    session_labels,
    turns_around,
)
from ricordo.memory.ranking.human import HumanProfile
from ricordo.memory.ranking.linking_words import linking_words, words_of_memory
from ricordo.memory.ranking.repetitions import CandidateText, fold_words
from ricordo.memory.ranking.signals import DAY_SECONDS, Column, Signals, temporal_relevance
from ricordo.store.recall_queries import RankingRow
from ricordo_services.retrieval.recall_plan import RecallPlan
from ricordo_services.retrieval.search import LEXICAL, SearchResult

Floats = NDArray[np.float64]
_SIGNS: Final[Mapping[str | None, float]] = {"positive": 0.4, "negative": -0.4}
"""Weight of a requested feeling, below that of a procedure: the sign of a feeling is often mixed."""
_OF_A_NAME: Final = 0.6
"""The average cosine of a text with a question that is only its name."""


def build_signals(
    of: "Columns", result: SearchResult, plan: RecallPlan, boosts: Mapping[UUID, float]
) -> Signals:
    """Return the signals of the candidates of these rows.

    Args:
        boosts: of summaries, by their key topics.
    """
    analysis, language, span = plan.analysis, plan.analysis.language, plan.span
    candidates = [result.candidates[one] for one in of.ids]
    dense, window, bm25, bm25_window = _scores([one.hit for one in candidates])
    bm25_window = _share(bm25_window)
    roles, valences, asks = of.column("role"), of.numbers("valence"), of.numbers("asks")
    importance, accesses = of.numbers("importance"), of.numbers("access_count")
    named = _named(of.column("speaker"), analysis)
    # What an assistant says of itself tells nothing of the user.
    telling = analysis.requested.bare * _flags(role != Role.ASSISTANT for role in roles)
    asked = named_feeling(plan.question.text, language)
    valence = load_positions()[asked][0] if asked else 0.0
    events = of.column("event_times")
    signals = Signals(
        semantic=np.maximum(dense, window),
        bm25=_share(bm25),
        fused=np.array([one.fused for one in candidates]),
        temporal=0.0
        if span is None
        else np.array([temporal_relevance(span, one.created_at, one.event_times) for one in of.rows]),
        importance=importance,
        valence=valences,
        arousal=of.numbers("arousal"),
        access_count=accesses,
        age_days=np.maximum(0.0, (plan.question.now.timestamp() - of.instants) / DAY_SECONDS),
        decay_factor=of.numbers("decay_factor"),
        confidence=of.numbers("confidence"),
        trust=of.numbers("trust"),
        token_count=of.numbers("token_count"),
        key_topic_boost=np.array([boosts.get(one, 1.0) for one in of.ids]) if boosts else 1.0,
        own_words=np.maximum(named, _flags(role == Role.USER for role in roles)),
        window=window,
        bm25_window=bm25_window,
        session=mean_of_best(of.sessions, window),
        session_bm25=mean_of_best(of.sessions, bm25_window, 1),
        reply=reply_closeness(of.at, of.column("preceding_id"), asks, dense),
        speaker=named if named.any() else np.ones(len(named)),
        dated=_flags(map(bool, events)) if asks_for("time", plan.question.text) else 0.0,
        asks=asks,
        congruence=np.maximum(0.0, valence * valences),
        importance_gained=gained(importance, of.numbers("importance_beyond"), accesses),
        has_vector_score=_flags(one.model != LEXICAL for one in candidates),
        is_bare_predicate=analysis.requested.bare if result.has_examples else 0.0,
        example_similarity=telling * [one.example_similarity for one in candidates],
        example_bm25=telling * [one.example_bm25 for one in candidates],
        name_overlap=_name_overlap(of, analysis),
        type_match=_type_match(of, analysis),
        evidence=_flags(one in plan.evidence for one in of.ids) if plan.evidence else 0.0,
        foreign=_flags(one not in ("", language) for one in of.column("language")) if language else 0.0,
    )
    return _equally_near(signals) if result.unfocused else signals


def _flags(values: Iterable[bool]) -> Floats:
    """Return 1 for true and 0 for false, float64 [n]."""
    return np.fromiter(values, dtype=np.float64)


def _equally_near(signals: Signals) -> Signals:
    """Return signals that make all candidates equally relevant, as if each contained the requested name."""
    return signals._replace(
        **dict.fromkeys(("semantic", "window", "session"), _OF_A_NAME),
        **dict.fromkeys(("has_vector_score", "bm25", "bm25_window", "session_bm25"), 1.0),
        **dict.fromkeys(("name_overlap", "assumed"), 1.0),
    )


class Columns:
    """Ranking rows as columns, [n] each."""

    def __init__(self, rows: Sequence[RankingRow]) -> None:
        self.rows = rows
        columns = zip(*rows, strict=True) if rows else ((),) * len(RankingRow._fields)
        self._columns: Mapping[str, Sequence[Any]] = dict(zip(RankingRow._fields, columns, strict=True))
        self.ids: Sequence[UUID] = self._columns["id"]
        self.at: Mapping[UUID, int] = {one: place for place, one in enumerate(self.ids)}
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
    return _flags(one.casefold() in named for one in speakers)


@lru_cache(maxsize=8_192)
def _terms(text: str, language: str) -> frozenset[str]:
    return frozenset(terms_of(fold_words(text), language))


def _name_overlap(of: Columns, analysis: QueryAnalysis) -> Column:
    """Return the share of what the question names that each memory mentions: people, or one thing alone."""
    if things := analysis.requested.besides:  # "do I like olives?"
        return np.array([len(things & _terms(row.text, analysis.language)) for row in of.rows]) / len(things)
    return _people_overlap(of, analysis)


def _people_overlap(of: Columns, analysis: QueryAnalysis) -> Column:
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


def _type_match(of: Columns, analysis: QueryAnalysis) -> Column:
    """Return how well each memory fits the requested kind: a procedure, or a feeling."""
    if analysis.asks_how:
        return _flags(one == MemoryType.PROCEDURAL for one in of.column("type"))
    if analysis.emotion_filter in _SIGNS and not analysis.requested.besides:  # whether it is liked is asked
        return np.clip(_SIGNS[analysis.emotion_filter] * of.numbers("valence"), 0.0, 1.0)
    return 0.0


def connection_signal(
    of: Columns, logits: Floats, question: str, ties: Mapping[UUID, Mapping[UUID, float]]
) -> Floats:
    """Return how firmly each row is connected with the best of them, float64 [n] in [0, 1].

    Args:
        logits: by which the best are the best, [n].
        ties: by each of the best, which others are tied to it by facts or nearness, and how firmly.
    """
    neighbours, at = _neighbours(of), of.at
    speakers, links, tied = frozenset(of.column("speaker")), {}, {}
    for one, others in ties.items():
        if (place := at.get(one)) is None:
            continue
        row = of.rows[place]
        links[place] = linking_words(row.text, row.participants, question, speakers)
        tied[place] = dict(turns_around(place, neighbours))
        for other, firmness in others.items():
            if other in at:
                tied[place][at[other]] = max(firmness, tied[place].get(at[other], 0.0))
    words = frozenset[str]().union(*links.values())
    holding = [words & words_of_memory(row.text, row.participants) for row in of.rows]
    return connection_strengths(logits, links, holding, tied)


def _neighbours(of: Columns) -> Mapping[int, Collection[int]]:
    """Return for each position those of the previous and the next message of the same session."""
    at, labels = of.at, of.sessions.tolist()
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


class CandidateGroup(NamedTuple):
    """The candidates that one embedding model has found: meanings compare within it only."""

    columns: Columns
    signals: Signals

    def logits(self, profile: HumanProfile) -> Floats:
        """Return the logits before connections count, [n]."""
        logits = np.asarray(profile.overall_logits(self.signals))
        return np.broadcast_to(logits, len(self.columns.rows))

    def connected(
        self, question: str, profile: HumanProfile, ties: Mapping[UUID, Mapping[UUID, float]]
    ) -> "CandidateGroup":
        """Return the same with the signal of connections, which only a learned profile has."""
        strength = connection_signal(self.columns, self.logits(profile), question, ties)
        return self._replace(signals=self.signals._replace(connection=strength))


def candidate_groups(
    plan: RecallPlan, result: SearchResult, rows: Sequence[RankingRow], boosts: Mapping[UUID, float]
) -> list[CandidateGroup]:
    """Return the candidates with their signals, the largest group first."""
    parts: defaultdict[str, list[RankingRow]] = defaultdict(list)
    for row in rows:
        parts[result.candidates[row.id].model if plan.ranking.by_meaning else ""].append(row)
    columns = map(Columns, sorted(parts.values(), key=len, reverse=True))
    return [CandidateGroup(each, build_signals(each, result, plan, boosts)) for each in columns]


def candidate_text(row: RankingRow) -> CandidateText:
    """Return what a memory says, and what makes it another thing to say."""
    by_whom = (row.role, row.speaker.casefold(), row.kind, row.message_id is None)
    state = (row.asks, row.archived, row.event_times, bool(row.corrected_by))
    return CandidateText(row.id, row.text_or_hash, by_whom + state)

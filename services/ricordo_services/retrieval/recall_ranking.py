"""The fourth step of a recall: scores candidates, merges what says the same, and puts the best in order."""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from itertools import chain
from uuid import UUID

from ricordo.memory.ranking import Ranked, rank
from ricordo.memory.ranking.confidence import confidence
from ricordo.memory.ranking.fusion import (
    merge_rankings,
    order_by_event_time,
    order_corrections,
    remaining_span,
)
from ricordo.memory.ranking.human import load_human
from ricordo.memory.ranking.repetitions import Repetitions
from ricordo.memory.ranking.signals import Interval, Signals
from ricordo.store.recall_queries import RankingRow
from ricordo_services.retrieval.recall_material import RecallMaterial
from ricordo_services.retrieval.recall_plan import SYNTHESIS, RecallPlan
from ricordo_services.retrieval.signals import CandidateGroup, candidate_text


@dataclass(frozen=True, slots=True)
class Ranking:
    """The best candidates.

    Attributes:
        signals: of each that was a candidate.
        repetitions: of each, the others that say the same, newest first.
        confidence: that they answer the question, [0, 1].
    """

    ranked: Sequence[Ranked] = ()
    signals: Mapping[UUID, Signals] = field(default_factory=dict)
    repetitions: Mapping[UUID, Sequence[RankingRow]] = field(default_factory=dict)
    confidence: float = 0.0


def rank_candidates(gathered: RecallMaterial) -> Ranking:
    """Return the best candidates, at most `limit` and their syntheses; what says the same once."""
    plan, rows, groups = gathered.plan, gathered.rows, gathered.groups
    rankings = [
        rank(group.columns.ids, group.columns.instants, plan.ranking.score(group.signals)) for group in groups
    ]
    ranked = rankings[0] if len(rankings) == 1 else merge_rankings(rankings)
    if coming := _coming_time(plan):
        ranked = order_by_event_time(ranked, {row.id: row.event_times for row in rows}, coming)
    merged = dict(_first(plan, rows, Repetitions(map(candidate_text, rows)).merge(ranked)))
    by_id = {row.id: row for row in rows}
    repetitions = {
        candidate.id: sorted(map(by_id.__getitem__, others), key=_newest_first)
        for candidate, others in merged.items()
        if others
    }
    repeated = set(chain.from_iterable(merged.values()))
    best = order_corrections(
        [*merged], _corrections(gathered, repeated), max(plan.request.limit, len(merged))
    )
    human, unknown = load_human(), gathered.result.unknown
    sure = max((confidence(group.signals, unknown, human) for group in groups), default=0.0)
    return Ranking(best, _signals(best, groups), repetitions, sure)


def _first(
    plan: RecallPlan, rows: Sequence[RankingRow], merged: Iterator[tuple[Ranked, Sequence[UUID]]]
) -> Iterator[tuple[Ranked, Sequence[UUID]]]:
    """Yield the first `plan.request.limit`, and the syntheses that come before the last of them."""
    extra = {row.id for row in rows if row.kind == SYNTHESIS} if plan.extra_syntheses else set()
    left = plan.request.limit
    for candidate, others in merged:
        left -= candidate.id not in extra
        if left < 0:
            return
        yield candidate, others


def _signals(best: Sequence[Ranked], groups: Sequence[CandidateGroup]) -> Mapping[UUID, Signals]:
    return {
        candidate.id: group.signals.of(group.columns.at[candidate.id])
        for candidate in best
        for group in groups
        if candidate.id in group.columns.at
    }


def _newest_first(row: RankingRow) -> tuple[float, int]:
    return -row.created_at.timestamp(), row.id.int


def _corrections(gathered: RecallMaterial, repeated: AbstractSet[UUID]) -> Mapping[UUID, Sequence[UUID]]:
    """Return the corrections of each memory, without repeated ones and those that a filter excludes."""
    plan, hits = gathered.plan, gathered.result.candidates
    time = plan.analysis.time
    bound = plan.request.filters is not None or (time is not None and time.strict)
    return {
        row.id: [key for key in row.corrected_by if key not in repeated and (not bound or key in hits)]
        for row in gathered.rows
        if row.corrected_by
    }


def _coming_time(plan: RecallPlan) -> Interval | None:
    """Return the rest of the requested time if the question asks for coming events, else None."""
    time, span = plan.analysis.time, plan.span
    if time is None or span is None or not time.ahead:
        return None
    return remaining_span(span, plan.question.now)

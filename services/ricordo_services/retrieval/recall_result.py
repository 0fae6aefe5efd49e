"""The result of a recall, and its reply on the wire."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from ricordo.language.query_analysis.analysis import QueryAnalysis
from ricordo.memory.facts.fact_model import Fact
from ricordo.memory.model import Memory
from ricordo.memory.ranking.signals import Signals
from ricordo.messages.events import MemoryAccessed
from ricordo.messages.filters import Filters
from ricordo.messages.queries import RecallReply, RecallRequest
from ricordo.models.query_analyser import analysis_view
from ricordo.store.fact_queries import Relatives
from ricordo.store.recall_queries import RankingRow
from ricordo_services.retrieval.question import AskedQuestion, Outcome
from ricordo_services.retrieval.recall_plan import requested_facts
from ricordo_services.retrieval.reply_views import fact_view, memory_view

_CONSTRAINING_INTENTS = frozenset({"entity", "topic", "procedural"})


@dataclass(frozen=True, slots=True)
class RecalledMemory:
    """A recalled memory with its score and signals, and the others that say the same, newest first."""

    memory: Memory
    score: float
    signals: Signals
    repetitions: Sequence[RankingRow] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallResult:
    """The result of a recall.

    Attributes:
        outcome: what was unavailable, and how long each part took.
        bearers: canonical names of those whom the question names, normalised.
        relatives: whom it names by ties to the user.
        related: memories near in meaning to some of the memories, nearest first.
        confidence: that the memories answer the question, [0, 1].
    """

    recall_id: UUID
    question: AskedQuestion
    outcome: Outcome
    bearers: Sequence[str] = ()
    relatives: Relatives = field(default_factory=Relatives)
    memories: Sequence[RecalledMemory] = ()
    related: Mapping[UUID, Sequence[UUID]] = field(default_factory=dict)
    relevance_floor: float = 0.0
    confidence: float = 0.0
    facts: Sequence[Fact] = ()
    archived_matches: int = 0

    @property
    def relevant_memories(self) -> Sequence[RecalledMemory]:
        """The memories that reach the relevance floor."""
        return [one for one in self.memories if one.score >= self.relevance_floor]

    @property
    def requested_facts(self) -> Sequence[Fact]:
        """The facts with a predicate that the question asks for."""
        return requested_facts(self.facts, self.question.analysis, self.relatives.names)


def has_constraint(analysis: QueryAnalysis, filters: Filters | None) -> bool:
    """Whether filters or the question constrain the result, by a constraint that was not given up."""
    if filters is not None or analysis.archive:
        return True
    in_time = analysis.time is not None and (analysis.time.strict or analysis.time.ahead)
    constrained = analysis.intent in _CONSTRAINING_INTENTS or analysis.emotion_filter is not None or in_time
    return constrained and analysis.fallback is None


def reply(recalled: RecallResult, *, explain: bool) -> RecallReply:
    """Return the reply of a recall."""
    return RecallReply(
        recall_id=recalled.recall_id,
        analysis=analysis_view(recalled.question.analysis),
        memories=tuple(
            memory_view(
                one.memory,
                score=one.score,
                signals=one.signals.numbers() if explain else None,
                related=recalled.related.get(one.memory.id, ()),
                repetitions=one.repetitions,
            )
            for one in recalled.memories
        ),
        facts=tuple(map(fact_view, recalled.facts)),
        confidence=round(recalled.confidence, 4),
        archived_matches=recalled.archived_matches,
        degraded=tuple(sorted(recalled.outcome.degraded)),
        timings_ms=recalled.outcome.timings_ms,
    )


def accessed(request: RecallRequest, recalled: RecallResult) -> tuple[MemoryAccessed, ...]:
    """Return the events that reinforce the recalled memories."""
    if not request.reinforce:
        return ()
    return tuple(
        MemoryAccessed(
            user_id=request.user_id,
            conversation_id=request.conversation_id,
            recall_id=recalled.recall_id,
            memory_id=one.memory.id,
        )
        for one in recalled.memories
    )

"""What a recall brought to mind, and how it is shown on the wire."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from time import perf_counter
from uuid import UUID
from zoneinfo import ZoneInfo

from ricordo.language.query_analysis import QueryAnalysis
from ricordo.memory.facts import USER, Fact
from ricordo.memory.model import Memory
from ricordo.memory.ranking.signals import Signals
from ricordo.messages.enumerations import Degradation
from ricordo.messages.events import MemoryAccessed
from ricordo.messages.queries import Filters, RecallReply, RecallRequest
from ricordo_services.retrieval.reply_views import analysis_view, fact_view, memory_view

_PARTICULAR = frozenset({"entity", "topic", "procedural"})


@dataclass(frozen=True, slots=True)
class RecalledMemory:
    """A memory that came back, with what it scored."""

    memory: Memory
    score: float
    signals: Signals


@dataclass(slots=True)
class RecallResult:
    """All that a recall brought to mind; filled step by step.

    Attributes:
        confidence: how sure it is that the memories answer the question, [0, 1].
    """

    recall_id: UUID
    now: datetime
    analysis: QueryAnalysis
    meant: str
    worded: str
    zone: ZoneInfo
    known_names: tuple[str, ...] = ()
    memories: Sequence[RecalledMemory] = ()
    relevance_floor: float = 0.0
    confidence: float = 0.0
    facts: Sequence[Fact] = ()
    archived_matches: int = 0
    degraded: set[Degradation] = field(default_factory=set)
    timings_ms: dict[str, float] = field(default_factory=dict)

    @property
    def asked_for(self) -> Sequence[RecalledMemory]:
        """Those of the memories that something in the question asks for."""
        return [one for one in self.memories if one.score >= self.relevance_floor]

    @property
    def sought_facts(self) -> Sequence[Fact]:
        """Those of the facts for whose predicates the question asks."""
        sought, named = self.analysis.requested.names, self.analysis.entities
        return [one for one in self.facts if one.predicate in sought and (one.subject == USER or named)]

    @contextmanager
    def timing(self, step: str) -> Iterator[None]:
        """Note how long the body of a `with` took, in milliseconds."""
        began = perf_counter()
        try:
            yield
        finally:
            self.timings_ms[step] = round((perf_counter() - began) * 1000, 3)


def in_particular(analysis: QueryAnalysis, filters: Filters | None) -> bool:
    """Whether what was found was asked for: by filters, or by the question, in a way that found it."""
    if filters is not None or analysis.archive:
        return True
    in_time = analysis.time is not None and (analysis.time.strict or analysis.time.ahead)
    particular = analysis.intent in _PARTICULAR or analysis.emotion_filter is not None or in_time
    return particular and analysis.fallback is None


def reply(recalled: RecallResult, *, explain: bool) -> RecallReply:
    """Show a recall on the wire."""
    return RecallReply(
        recall_id=recalled.recall_id,
        analysis=analysis_view(recalled.analysis),
        memories=tuple(
            memory_view(one.memory, score=one.score, signals=one.signals.numbers() if explain else None)
            for one in recalled.memories
        ),
        facts=tuple(map(fact_view, recalled.facts)),
        confidence=round(recalled.confidence, 4),
        archived_matches=recalled.archived_matches,
        degraded=tuple(sorted(recalled.degraded)),
        timings_ms=recalled.timings_ms,
    )


def accessed(request: RecallRequest, recalled: RecallResult) -> tuple[MemoryAccessed, ...]:
    """Say which memories came back, so that use makes them stronger."""
    if not request.reinforce or not recalled.memories:
        return ()
    return (
        MemoryAccessed(
            user_id=request.user_id,
            conversation_id=request.conversation_id,
            recall_id=recalled.recall_id,
            memory_ids=tuple(one.memory.id for one in recalled.memories),
        ),
    )

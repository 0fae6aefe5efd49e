"""The result of a recall, and its reply on the wire."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from time import perf_counter
from uuid import UUID

from ricordo.language.facts.vocabulary import USER
from ricordo.language.query_analysis.analysis import QueryAnalysis
from ricordo.language.query_analysis.relatives import AskedRelative
from ricordo.memory.facts.fact_model import Fact
from ricordo.memory.model import Memory
from ricordo.memory.ranking.signals import Signals
from ricordo.messages.enumerations import Degradation
from ricordo.messages.events import MemoryAccessed
from ricordo.messages.filters import Filters
from ricordo.messages.queries import RecallReply, RecallRequest
from ricordo.models.query_analyser import analysis_view
from ricordo.store.fact_queries import Relatives
from ricordo.store.memory_queries import RankingRow
from ricordo_services.retrieval.reply_views import fact_view, memory_view

FEW_WORDS = 5
"""So many words of an answer are searched for with the question that leans on it."""
_CONSTRAINING_INTENTS = frozenset({"entity", "topic", "procedural"})


@dataclass(frozen=True, slots=True)
class RecalledMemory:
    """A recalled memory with its score and signals, and the others that say the same, newest first."""

    memory: Memory
    score: float
    signals: Signals
    repetitions: Sequence[RankingRow] = ()


@dataclass(frozen=True, slots=True)
class EarlierTalk:
    """What a question leans on: what was asked before, and the words that answered; empty for nothing.

    Where nothing was asked before in a conversation, `told` is whom its turns name.
    """

    question: str = ""
    told: str = ""

    @property
    def text(self) -> str:
        """All of it."""
        return f"{self.question} {self.told}".strip()

    def added_to(self, text: str) -> str:
        """Return a text that is searched for with the words that answered, where they are few: a name."""
        return f"{text} {self.told}".strip() if len(self.told.split()) <= FEW_WORDS else text


@dataclass(slots=True)
class RecallResult:
    """The result of a recall, filled step by step.

    Attributes:
        question: with the one that it leans on after it.
        asked: the question alone, and `earlier` what it leans on.
        names_only_time: whether the question alone asks for all of a time.
        search_text: the question as it is encoded; empty if it names only a time.
        lexical_text: the words that BM25 searches for.
        bearers: canonical names of those whom the question names, normalised.
        relative: whom the question names by ties to the user, and `relatives` who that is.
        related: memories near in meaning to some of the memories, nearest first.
        all_found: whether a wider search can find no more.
        confidence: that the memories answer the question, [0, 1].
    """

    recall_id: UUID
    now: datetime
    question: str
    analysis: QueryAnalysis
    search_text: str
    lexical_text: str
    zone: tzinfo
    asked: str
    names_only_time: bool
    earlier: EarlierTalk = EarlierTalk()
    bearers: Sequence[str] = ()
    relative: AskedRelative | None = None
    relatives: Relatives = field(default_factory=Relatives)
    memories: Sequence[RecalledMemory] = ()
    related: Mapping[UUID, Sequence[UUID]] = field(default_factory=dict)
    all_found: bool = False
    relevance_floor: float = 0.0
    confidence: float = 0.0
    facts: Sequence[Fact] = ()
    archived_matches: int = 0
    degraded: set[Degradation] = field(default_factory=set)
    timings_ms: dict[str, float] = field(default_factory=dict)

    @property
    def relevant_memories(self) -> Sequence[RecalledMemory]:
        """The memories that reach the relevance floor."""
        return [one for one in self.memories if one.score >= self.relevance_floor]

    @property
    def requested_facts(self) -> Sequence[Fact]:
        """The facts with a predicate that the question asks for."""
        requested, named = self.analysis.requested.names, self.relatives.names or self.analysis.entities
        return [one for one in self.facts if one.predicate in requested and (one.subject == USER or named)]

    @contextmanager
    def timing(self, step: str) -> Iterator[None]:
        """Record the duration of a `with` body, in milliseconds."""
        began = perf_counter()
        try:
            yield
        finally:
            self.timings_ms[step] = round((perf_counter() - began) * 1000, 3)


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
        analysis=analysis_view(recalled.analysis),
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
        degraded=tuple(sorted(recalled.degraded)),
        timings_ms=recalled.timings_ms,
    )


def accessed(request: RecallRequest, recalled: RecallResult) -> tuple[MemoryAccessed, ...]:
    """Return the event that reinforces the recalled memories."""
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

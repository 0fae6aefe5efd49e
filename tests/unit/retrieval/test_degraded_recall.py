"""A recall asks several at once: what fails there fails as itself, and nothing goes on behind its back."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import cast
from uuid import UUID

import pytest

from ricordo.language.embedding import MINILM
from ricordo.language.query_analysis import Claim
from ricordo.memory.facts import Fact
from ricordo.memory.style import RegisterPatterns, StyleCounts
from ricordo.messages.queries import ContextReply, ContextRequest, RecallRequest
from ricordo.messages.vocabulary import Degradation
from ricordo.models.encoder import ModelUnavailable, Vectors
from ricordo.models.ollama import OllamaQuestionReader
from ricordo.models.query_analyser import LlmQueryAnalyser
from ricordo.resilience import CircuitBreaker
from ricordo.store.database import StoreUnavailable
from ricordo.store.fact_ledger import FactLedger
from ricordo.store.memory_queries import (
    HistoryTurn,
    MemoryQueries,
    RankingRow,
    StyleDelta,
    StyleQueries,
    StyleStats,
    UserProfile,
)
from ricordo.store.working_memory_store import WorkingMemorySnapshot, WorkingMemorySpan, WorkingMemoryStore
from ricordo.testing.clock import ManualClock, settle
from ricordo.testing.fakes.vectors import MemoryVectorIndex
from ricordo.testing.models import FakeEncoder
from ricordo_services.retrieval.context import Context
from ricordo_services.retrieval.key_topics import KeyTopics
from ricordo_services.retrieval.patterns import UserPatterns
from ricordo_services.retrieval.ranking import Rank
from ricordo_services.retrieval.recall import RecallService
from ricordo_services.retrieval.search import Search
from ricordo_services.retrieval.working_memory_reader import WorkingMemoryReader

MODEL = "fake"
ASKED = RecallRequest(user_id="u-1", query="che animale ho?")
IN_CONTEXT = ContextRequest(user_id="u-1", query="che animale ho?", conversation_id="c-1")


@dataclass
class Rows(MemoryQueries, WorkingMemoryStore, StyleQueries):
    """Stands in for the truth: one turn, no memory."""

    turns: tuple[HistoryTurn, ...] = ()
    profiles_asked: int = 0
    trouble: Exception | None = None

    async def profile(self, tenant: str, user_id: str) -> UserProfile:
        self.profiles_asked += 1
        return UserProfile("Europe/Rome", ("Fufi",))

    async def history(
        self,
        tenant: str,
        user_id: str,
        *,
        conversation_id: str | None,
        before: tuple[datetime, str] | None,
        limit: int,
    ) -> Sequence[HistoryTurn]:
        if self.trouble is not None:
            raise self.trouble
        return self.turns

    async def ranking_rows(self, tenant: str, user_id: str, ids: Sequence[UUID]) -> Sequence[RankingRow]:
        return ()

    async def stats(
        self, tenant: str, user_id: str, *, before: datetime, manners: RegisterPatterns
    ) -> StyleStats:
        return StyleStats(StyleCounts())

    async def delta(
        self, tenant: str, user_id: str, *, since: datetime, before: datetime, most: int
    ) -> StyleDelta:
        return StyleDelta(0, 0)

    async def snapshot(
        self,
        tenant: str,
        user_id: str,
        conversation_id: str,
        *,
        span: WorkingMemorySpan,
        most_turns: int,
        held: str | None,
        held_names: UUID | None,
    ) -> WorkingMemorySnapshot | None:
        if self.trouble is not None:
            raise self.trouble
        return WorkingMemorySnapshot(token="1", names_token=UUID(int=1), names=("Fufi",), turns=self.turns)


@dataclass
class Ledger:
    """Stands in for the facts: raises, or answers none."""

    trouble: Exception | None = None
    waits: bool = False
    waiting: asyncio.Event = field(default_factory=asyncio.Event)
    cancelled: asyncio.Event = field(default_factory=asyncio.Event)

    async def surfacing(
        self, tenant: str, user_id: str, *, names: Sequence[str], threshold: int, limit: int
    ) -> Sequence[Fact]:
        if self.trouble is not None:
            raise self.trouble
        try:
            if self.waits:
                self.waiting.set()
                await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.cancelled.set()
            raise
        return ()

    async def about_user(
        self, tenant: str, user_id: str, *, predicates: Sequence[str], limit: int
    ) -> Sequence[Fact]:
        if self.trouble is not None:
            raise self.trouble
        return ()


class Words:
    """Counts words as tokens."""

    def count(self, text: str) -> int:
        return len(text.split())


@dataclass
class Memory:
    """A retrieval over fakes."""

    clock: ManualClock
    index: MemoryVectorIndex
    rows: Rows = field(default_factory=Rows)
    ledger: Ledger = field(default_factory=Ledger)
    model_trouble: Exception | None = None
    model: str = MODEL
    dimensions: int = 64

    async def encode(self, texts: Sequence[str]) -> Vectors:
        if self.ledger.waits:
            await settle()
        if self.model_trouble is not None:
            raise self.model_trouble
        return await FakeEncoder(self.clock, MODEL, 64).encode(texts)

    @property
    def remember(self) -> RecallService:
        rows, encoder = cast(MemoryQueries, self.rows), FakeEncoder(self.clock, MODEL, 64)
        return RecallService(
            recollection=rows,
            rank=Rank(rows, KeyTopics(encoder)),
            ledger=cast(FactLedger, self.ledger),
            search=Search(self.index, MODEL),
            encoder=self,
            clock=self.clock,
        )

    @property
    def context(self) -> Context:
        rows = cast(MemoryQueries, self.rows)
        at_hand = WorkingMemoryReader(self.rows, Words(), self.clock)
        return Context(self.remember, rows, at_hand, UserPatterns(self.rows, self.clock), self.clock)


@pytest.fixture
async def memory() -> AsyncIterator[Memory]:
    index = MemoryVectorIndex()
    await index.prepare(MODEL, 64)
    yield Memory(ManualClock(), index)
    await index.close()


async def test_what_is_away_costs_its_part_only(memory: Memory) -> None:
    memory.ledger.trouble = StoreUnavailable("away")
    recalled = await memory.remember("acme", ASKED)
    assert recalled.degraded == {Degradation.ROWS}
    assert {"encode", "facts", "search"} <= recalled.timings_ms.keys()


@pytest.mark.parametrize("available", [True, False])
async def test_what_a_question_asks_for_is_read_by_a_model_of_its_own_or_by_words(
    memory: Memory, *, available: bool
) -> None:
    heads = FakeEncoder(memory.clock, MINILM, 384)
    heads.available = available
    asked = ASKED.model_copy(update={"query": "come mi chiamo?"})
    recalled = await replace(memory.remember, head_encoders=(heads,))("acme", asked)
    assert recalled.analysis.sought.predicates[0] == "name"
    assert (recalled.analysis.sought.bare > 0) is available
    assert recalled.degraded == set()


async def test_an_index_that_is_being_written_anew_is_searched_and_named(memory: Memory) -> None:
    whole = await memory.remember("acme", ASKED)
    assert Degradation.VECTORS not in whole.degraded
    recalled = await replace(memory.remember, points_are_missing=lambda: True)("acme", ASKED)
    assert recalled.degraded == {Degradation.VECTORS}
    assert "search" in recalled.timings_ms


async def test_a_model_that_reads_questions_is_missed_when_it_is_away(memory: Memory) -> None:
    class Away(OllamaQuestionReader):
        def __init__(self) -> None:
            self.model = "away"

        async def read(self, text: str, language: str, names: Sequence[str]) -> Claim:
            raise ModelUnavailable("away")

    breaker = CircuitBreaker(memory.clock, counted=ModelUnavailable)
    remember = replace(memory.remember, analyser=LlmQueryAnalyser(Away(), breaker))
    recalled = await remember("acme", ASKED)
    assert recalled.degraded == {Degradation.ANALYSER}
    assert recalled.analysis.analyser == "rules"
    assert {"analyse", "encode", "facts", "search"} <= recalled.timings_ms.keys()


@pytest.mark.parametrize("kind", [ValueError, StoreUnavailable])
async def test_what_fails_beside_others_fails_as_itself(
    memory: Memory, kind: Callable[[str], Exception]
) -> None:
    memory.model_trouble = kind("of the model")
    memory.ledger.waits = True
    with pytest.raises(Exception, match="of the model") as raised:
        await memory.remember("acme", ASKED)
    assert type(raised.value) is kind
    assert memory.ledger.cancelled.is_set(), "nobody waits for the facts any more"


async def test_what_fails_before_the_others_have_begun_leaves_nothing_behind(memory: Memory) -> None:
    memory.model_trouble = ValueError("of the model")
    with pytest.raises(ValueError, match="of the model"):
        await memory.remember("acme", ASKED)


async def test_where_two_fail_one_of_them_is_told(memory: Memory) -> None:
    memory.model_trouble = ValueError("of the model")
    memory.ledger.trouble = KeyError("of the facts")
    with pytest.raises((ValueError, KeyError)):
        await memory.remember("acme", ASKED)


async def test_a_cause_stays_with_what_it_caused(memory: Memory) -> None:
    cause, memory.model_trouble = OSError("reset"), StoreUnavailable("away")
    memory.model_trouble.__cause__ = cause
    with pytest.raises(StoreUnavailable) as raised:
        await memory.remember("acme", ASKED)
    assert raised.value.__cause__ is cause


async def test_a_recall_that_is_given_up_takes_its_parts_along(memory: Memory) -> None:
    memory.ledger.waits = True
    recall = asyncio.create_task(memory.remember("acme", ASKED))
    await memory.ledger.waiting.wait()
    recall.cancel()
    with pytest.raises(asyncio.CancelledError):
        await recall
    assert memory.ledger.cancelled.is_set()


async def test_the_turns_that_cannot_be_read_do_not_stop_a_context(memory: Memory) -> None:
    memory.rows.trouble = StoreUnavailable("away")
    reply = (await memory.context("acme", IN_CONTEXT)).reply
    assert isinstance(reply, ContextReply)
    assert Degradation.ROWS in reply.degraded


async def test_a_defect_behind_a_context_is_raised_as_itself(memory: Memory) -> None:
    memory.rows.trouble = ValueError("of the turns")
    memory.ledger.waits = True
    with pytest.raises(ValueError, match="of the turns"):
        await memory.context("acme", IN_CONTEXT)
    assert memory.ledger.cancelled.is_set()


async def test_a_context_asks_for_what_is_known_of_the_user_once(memory: Memory) -> None:
    memory.rows.turns = (
        HistoryTurn(
            message_id="m-1",
            memory_id=UUID(int=1),
            conversation_id="c-1",
            role="user",
            speaker="Davide",
            content="oggi fufi ha dormito sul divano",
            timestamp=memory.clock.now(),
            language="it",
        ),
    )
    reply = (await memory.context("acme", IN_CONTEXT)).reply
    assert isinstance(reply, ContextReply)
    assert memory.rows.profiles_asked == 1
    assert reply.working.lines
    assert reply.working.entities == ("Fufi",)

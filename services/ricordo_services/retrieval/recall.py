"""A recall: analyses the question, searches, ranks, and reports which parts were unavailable."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC
from time import perf_counter
from uuid import uuid4
from zoneinfo import ZoneInfo

from ricordo.clock import Clock
from ricordo.index.port import IndexUnavailable
from ricordo.language.query_analysis.query_parser import with_question_vector
from ricordo.language.query_analysis.requested_predicates import MODEL
from ricordo.language.query_analysis.search_terms import (
    is_only_a_name,
    is_only_time,
    match_speakers,
    without_speaker_names,
)
from ricordo.memory.facts import Fact, select_facts
from ricordo.memory.ranking import DEFAULT, find_profile, load_profiles
from ricordo.memory.ranking.fusion import NO_MINIMUMS, Minimums
from ricordo.memory.ranking.signals import RankingProfile as Ranking
from ricordo.messages.enumerations import Degradation
from ricordo.messages.ids import memory_id
from ricordo.messages.queries import RecallRequest
from ricordo.models.encoder import Encoder
from ricordo.models.query_analyser import QueryAnalyser, Question
from ricordo.runtime.replies import QueryResult
from ricordo.store.database import StoreUnavailable
from ricordo.store.fact_queries import FactQueries
from ricordo.store.memory_queries import MemoryQueries, UserProfile
from ricordo.store.rows import Vector
from ricordo_services.retrieval.candidate_ranking import CandidateRanking
from ricordo_services.retrieval.example_statements import ExampleEncoder
from ricordo_services.retrieval.query_encoding import FormerModels, encoded
from ricordo_services.retrieval.recall_result import (
    RecalledMemory,
    RecallResult,
    accessed,
    in_particular,
    reply,
)
from ricordo_services.retrieval.search import Found, Search
from ricordo_services.retrieval.search_request import ExampleStatements, SearchRequest, looks_at_uninformative
from ricordo_services.retrieval.task_concurrency import ungrouped

_FACTS_SHOWN = 10
_EVIDENCE_OF_A_FACT = 3  # the latest messages that a fact rests on


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallService:
    """Recalls; what is away costs its part of the answer and is named in it.

    Attributes:
        points_are_missing: whether the index is being written anew just now.
    """

    recollection: MemoryQueries
    ledger: FactQueries
    search: Search
    rank: CandidateRanking
    encoder: Encoder
    clock: Clock
    analyser: QueryAnalyser = field(default_factory=QueryAnalyser)
    profile: str = DEFAULT
    profiles: Mapping[str, Ranking] = field(default_factory=load_profiles)
    minimums: Minimums = field(default_factory=Minimums)
    fact_confidence: int = 3
    other_encoders: Sequence[Encoder] = ()
    head_encoders: Sequence[Encoder] = ()
    former: FormerModels = field(default_factory=FormerModels)
    examples: ExampleEncoder = field(default_factory=ExampleEncoder)
    encode_within_s: float = 1.5
    points_are_missing: Callable[[], bool] = bool

    async def __call__(self, tenant: str, request: RecallRequest, *, summaries: bool = False) -> RecallResult:
        """Recall for `request`; its `limit` best memories, its facts.

        Args:
            summaries: whether summaries and syntheses join where no filter names them.
        """
        began = perf_counter()
        degraded: set[Degradation] = set()
        profile = await self._profile(tenant, request.user_id, degraded)
        recalled = await self._understood(request, profile, degraded)
        vectors, examples = await self._known_and_encoded(tenant, request, recalled)
        search_request = SearchRequest(
            user_id=request.user_id,
            text=request.query,
            worded=recalled.worded,
            now=recalled.now,
            analysis=recalled.analysis,
            filters=request.filters,
            vectors=vectors,
            limit=request.limit,
            summaries=summaries or bool(request.filters and request.filters.kinds),
            beside=summaries,
            unfocused=not recalled.meant or is_only_a_name(recalled.analysis),
            examples=examples,
            evidence=frozenset(
                memory_id(tenant, one)
                for fact in recalled.sought_facts
                for one in fact.message_ids[-_EVIDENCE_OF_A_FACT:]
            ),
        )
        await self._find(tenant, request, recalled, search_request)
        recalled.timings_ms["total"] = round((perf_counter() - began) * 1000, 3)
        return recalled

    async def _known_and_encoded(
        self, tenant: str, request: RecallRequest, recalled: RecallResult
    ) -> tuple[Mapping[str, Vector], Sequence[ExampleStatements]]:
        """Look for facts while the question is encoded; return its vectors by model, and its examples."""
        with ungrouped():
            async with asyncio.TaskGroup() as group:
                encoding = group.create_task(self._encoded(tenant, request.user_id, recalled))
                surfacing = group.create_task(self._surfacing(tenant, request, recalled))
        vectors = encoding.result()
        recalled.analysis = with_question_vector(recalled.analysis, request.query, vectors.get(MODEL))
        recalled.facts, examples = await asyncio.gather(
            self._with_those_asked_for(tenant, request, recalled, surfacing.result()),
            self.examples(recalled.analysis, self.encode_within_s),
        )
        return vectors, examples

    async def _profile(self, tenant: str, user_id: str, degraded: set[Degradation]) -> UserProfile:
        try:
            return await self.recollection.profile(tenant, user_id)
        except StoreUnavailable:
            degraded.add(Degradation.ROWS)
            return UserProfile()

    async def _understood(
        self, request: RecallRequest, profile: UserProfile, degraded: set[Degradation]
    ) -> RecallResult:
        began = perf_counter()
        now, zone = request.now or self.clock.now(), ZoneInfo(request.timezone or profile.timezone or "UTC")
        question = Question(
            text=request.query, now=now, zone=zone, language=request.language, known_names=profile.names
        )
        understanding = await self.analyser.understand(question)
        if understanding.degraded:
            degraded.add(Degradation.ANALYSER)
        analysis = understanding.analysis
        bare, speakers = is_only_time(analysis), match_speakers(analysis.entities, profile.speakers)
        recalled = RecallResult(
            recall_id=uuid4(),
            now=now.astimezone(UTC),
            analysis=analysis,
            meant="" if bare else without_speaker_names(request.query, speakers),
            worded="" if bare else without_speaker_names(analysis.semantic_query, speakers),
            zone=zone,
            known_names=profile.names,
            degraded=degraded,
        )
        recalled.timings_ms["analyse"] = round((perf_counter() - began) * 1000, 3)
        return recalled

    async def _encoded(self, tenant: str, user_id: str, recalled: RecallResult) -> Mapping[str, Vector]:
        if not recalled.meant:
            return {}
        with recalled.timing("encode"):
            encoders = (self.encoder, *self.other_encoders, *self.head_encoders)
            vectors = await encoded(recalled.meant, encoders, self.encode_within_s)
            self.former.answered(vectors)
            if await self._misses(tenant, user_id, vectors):
                recalled.degraded.add(Degradation.MODEL)
        return vectors

    async def _misses(self, tenant: str, user_id: str, vectors: Mapping[str, Vector]) -> bool:
        """Whether a model was away that is the primary one, or that memories of this user are of."""
        if self.encoder.model not in vectors:
            return True
        away = [model for model in self.search.others if model not in vectors]
        try:
            return bool(away) and await self.search.remembers(tenant, user_id, away)
        except IndexUnavailable:  # the search says so
            return False

    async def _surfacing(self, tenant: str, request: RecallRequest, recalled: RecallResult) -> Sequence[Fact]:
        """Return what surfaces unasked, and what is about the entities of the question."""
        if Degradation.ROWS in recalled.degraded:  # who did not answer a moment ago is not waited for again
            return ()
        try:
            with recalled.timing("facts"):
                return await self.ledger.surfacing(
                    tenant,
                    request.user_id,
                    names=recalled.analysis.entities,
                    threshold=self.fact_confidence,
                    limit=_FACTS_SHOWN,
                )
        except StoreUnavailable:
            recalled.degraded.add(Degradation.ROWS)
            return ()

    async def _with_those_asked_for(
        self, tenant: str, request: RecallRequest, recalled: RecallResult, surfacing: Sequence[Fact]
    ) -> Sequence[Fact]:
        """Return the facts that the question asks for, and behind them those that surface."""
        names, sought = recalled.analysis.entities, recalled.analysis.requested.names
        asked_for: Sequence[Fact] = ()
        if sought and not names and Degradation.ROWS not in recalled.degraded:
            try:
                asked_for = await self.ledger.about_user(
                    tenant, request.user_id, predicates=sought, limit=_FACTS_SHOWN
                )
            except StoreUnavailable:
                recalled.degraded.add(Degradation.ROWS)
        return select_facts(
            [*asked_for, *surfacing],
            named_entities=names,
            predicates=sought,
            limit=_FACTS_SHOWN,
            threshold=self.fact_confidence,
        )

    async def _find(
        self, tenant: str, request: RecallRequest, recalled: RecallResult, search_request: SearchRequest
    ) -> None:
        """Search, rank, read the best; where nothing is found, look whether the archive holds more."""
        ranking = find_profile(request.profile.value if request.profile else self.profile, self.profiles)
        minimums, searched = NO_MINIMUMS, search_request
        if ranking.drops_distant:  # such a profile ranks by likeness alone
            minimums, searched = self.minimums, replace(search_request, unfocused=False)
        try:
            with recalled.timing("search"):
                found, unknown = await asyncio.gather(
                    self.search.find(tenant, searched, minimums),
                    self.search.unknown(tenant, search_request),
                )
                found = replace(found, unknown=unknown)
        except IndexUnavailable:
            recalled.degraded.add(Degradation.VECTORS)
            return
        if self.points_are_missing():
            recalled.degraded.add(Degradation.VECTORS)
        if found.fallback is not None:
            recalled.analysis = replace(recalled.analysis, fallback=found.fallback)
        if Degradation.ROWS in recalled.degraded:
            return
        try:
            await self._show(tenant, recalled, search_request, found, ranking)
        except StoreUnavailable:
            recalled.degraded.add(Degradation.ROWS)
        except IndexUnavailable:
            recalled.degraded.add(Degradation.VECTORS)

    async def _show(
        self,
        tenant: str,
        recalled: RecallResult,
        search_request: SearchRequest,
        found: Found,
        ranking: Ranking,
    ) -> None:
        """Rank what was found by what the rows say, and read the best."""
        with recalled.timing("rank"):
            best = await self.rank(tenant, search_request, found, ranking)
        with recalled.timing("rows"):
            user_id, ids = search_request.user_id, [one.id for one in best.ranked]
            rows = await self.recollection.memories(tenant, user_id, ids) if ids else ()
            by_id = {memory.id: memory for memory in rows}
            recalled.memories = [
                RecalledMemory(by_id[one.id], one.score, one.signals)
                for one in best.ranked
                if one.id in by_id
            ]
        recalled.confidence = best.confidence if recalled.memories else 0.0
        if recalled.meant and not in_particular(recalled.analysis, search_request.filters):
            recalled.relevance_floor = ranking.relevance_floor
        if not recalled.asked_for:
            archive = await self.search.find(tenant, search_request, self.minimums, archived=True)
            standings = await self.recollection.ranking_rows(tenant, user_id, list(archive.hits))
            reached = looks_at_uninformative(search_request.analysis, search_request.filters)
            recalled.archived_matches = sum(
                one.archived and (one.informative or reached) for one in standings
            )


@dataclass(frozen=True, slots=True)
class Recall:
    """Answers `query.recall`."""

    remember: RecallService

    async def __call__(self, tenant: str, request: RecallRequest, /) -> QueryResult:
        """Return ranked memories and the facts around them."""
        recalled = await self.remember(tenant, request)
        events = accessed(request, recalled)
        return QueryResult(reply(recalled, explain=request.explain), events, recalled.recall_id)

"""A recall: analyses the question, searches, ranks, and reports which parts were unavailable."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC
from time import perf_counter
from uuid import uuid4

from cachetools import LRUCache

from ricordo.clock import Clock
from ricordo.index.port import IndexUnavailable
from ricordo.language.query_analysis.query_parser import with_question_vector
from ricordo.language.query_analysis.relatives import relative_by_ties
from ricordo.language.query_analysis.requested_predicates import MODEL
from ricordo.language.query_analysis.search_terms import (
    is_for_a_time,
    is_only_a_name,
    is_only_time,
    match_speakers,
    searchable,
    without_speaker_names,
)
from ricordo.language.temporal.moments import find_zone, offset_name
from ricordo.memory.ranking import DEFAULT, find_profile, load_profiles
from ricordo.memory.ranking.fusion import NO_MINIMUMS, Minimums
from ricordo.memory.ranking.signals import RankingProfile as Ranking
from ricordo.messages.enumerations import Degradation
from ricordo.messages.ids import memory_id
from ricordo.messages.queries import RecallRequest
from ricordo.models.encoder import Encoder
from ricordo.models.query_analyser import QueryAnalyser, Question
from ricordo.runtime.handling import QueryResult
from ricordo.runtime.tasks import unwrap_exception_group
from ricordo.store.database import StoreUnavailable
from ricordo.store.memory_queries import MemoryQueries, UserProfile
from ricordo.store.rows import Vector
from ricordo_services.retrieval.candidate_ranking import CandidateRanking
from ricordo_services.retrieval.follow_ups import FollowUps
from ricordo_services.retrieval.listing_scopes import ListingScopes
from ricordo_services.retrieval.query_encoding import ExampleEncoder, FormerModels, encoded
from ricordo_services.retrieval.recall_result import (
    EarlierTalk,
    RecalledMemory,
    RecallResult,
    accessed,
    has_constraint,
    reply,
)
from ricordo_services.retrieval.recalled_facts import RecalledFacts, with_told
from ricordo_services.retrieval.related_memories import RelatedMemories
from ricordo_services.retrieval.search import FEWEST, Found, Search
from ricordo_services.retrieval.search_request import SearchRequest, looks_at_uninformative

_EVIDENCE_OF_A_FACT = 3  # its latest supporting messages
_RELATED_OF = 3  # of that many memories of a reply those related to them are shown
_FURTHER = 10  # times as many candidates, where what was said over and over leaves too few results


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallService:
    """Recalls; parts that are unavailable are missing from the result and named in it.

    Attributes:
        points_are_missing: whether the index is being rebuilt.
    """

    memories: MemoryQueries
    facts: RecalledFacts
    related: RelatedMemories
    search: Search
    rank: CandidateRanking
    scopes: ListingScopes
    encoder: Encoder
    clock: Clock
    analyser: QueryAnalyser = field(default_factory=QueryAnalyser)
    profile: str = DEFAULT
    profiles: Mapping[str, Ranking] = field(default_factory=load_profiles)
    minimums: Minimums = field(default_factory=Minimums)
    other_encoders: Sequence[Encoder] = ()
    head_encoders: Sequence[Encoder] = ()
    former: FormerModels = field(default_factory=FormerModels)
    examples: ExampleEncoder = field(default_factory=ExampleEncoder)
    encode_within_s: float = 1.5
    points_are_missing: Callable[[], bool] = bool
    follow_ups: FollowUps | None = None
    _speakers: LRUCache[tuple[str, str], Sequence[str]] = field(default_factory=lambda: LRUCache(1000))

    async def __call__(self, tenant: str, request: RecallRequest, *, summaries: bool = False) -> RecallResult:
        """Return the `limit` best memories for `request`, and its facts.

        Args:
            summaries: whether summaries and syntheses join where no filter names them.
        """
        began = perf_counter()
        earlier = EarlierTalk()
        if self.follow_ups is not None:
            earlier = await self.follow_ups.earlier(tenant, request)
        asked = request.query
        request = request.model_copy(update={"query": f"{asked} {earlier.question}".strip()})
        with unwrap_exception_group():
            async with asyncio.TaskGroup() as group:
                expected = self._expected_text(tenant, request)
                early = group.create_task(self._vectors(expected))
                recalled = await self._analysed(tenant, request, asked, earlier)
                if recalled.search_text != expected:
                    early.cancel()
                    early = group.create_task(self._vectors(recalled.search_text))
                knowing = group.create_task(self._known_words(tenant, request.user_id, recalled))
                vectors, surfacing = await asyncio.gather(
                    self._encoded(tenant, request.user_id, recalled, early),
                    self.facts.surfacing(tenant, request.user_id, recalled),
                )
                known = await knowing
                analysis = with_question_vector(recalled.analysis, request.query, vectors.get(MODEL))
                if recalled.relative is not None and recalled.relatives.names:
                    analysis = replace(analysis, requested=recalled.relative.requested)
                recalled.analysis = searchable(analysis, known or {})
                recalled.facts, examples = await asyncio.gather(
                    self.facts.selected(tenant, request.user_id, recalled, surfacing),
                    self.examples(recalled.analysis, self.encode_within_s),
                )
                search_request = _search_request(tenant, request, recalled, summaries=summaries)
                search_request = replace(search_request, vectors=vectors, examples=examples)
                await self._find(tenant, request, recalled, search_request, known)
                repeated = any(memory.repetitions for memory in recalled.memories)
                if repeated and not recalled.all_found and len(recalled.memories) < request.limit:
                    further = replace(search_request, reach=_FURTHER)
                    await self._find(tenant, request, recalled, further, known)
        recalled.timings_ms["total"] = round((perf_counter() - began) * 1000, 3)
        return recalled

    async def answer(self, tenant: str, request: RecallRequest, /) -> QueryResult:
        """Answer `query.recall`: ranked memories and related facts."""
        recalled = await self(tenant, request)
        await self.relate(tenant, request.user_id, recalled)
        events = accessed(request, recalled)
        return QueryResult(reply(recalled, explain=request.explain), events, recalled.recall_id)

    async def relate(self, tenant: str, user_id: str, recalled: RecallResult) -> None:
        """Find what the strongest memories are related to; not without the index, which is reported."""
        strongest = [one.memory.id for one in recalled.memories[:_RELATED_OF]]
        missing = [one for one in strongest if one not in recalled.related]
        found = {one: near for one, near in recalled.related.items() if one in strongest}
        recalled.related = found
        if not missing:
            return
        try:
            with recalled.timing("related"):
                nearest = await self.related.nearest(tenant, user_id, missing)
        except IndexUnavailable:
            recalled.degraded.add(Degradation.VECTORS)
            return
        recalled.related = found | {one: [each.id for each in near] for one, near in nearest.items()}

    def _expected_text(self, tenant: str, request: RecallRequest) -> str:
        """Return the text that will be encoded, if the user's speakers are those of the recall before."""
        query, speakers = request.query.casefold(), self._speakers.get((tenant, request.user_id), ())
        names = dict.fromkeys(name for one in speakers for name in (one, *one.split()))
        return without_speaker_names(request.query, [one for one in names if one.casefold() in query])

    async def _known_words(
        self, tenant: str, user_id: str, recalled: RecallResult
    ) -> Mapping[str, bool] | None:
        """Return which words memories contain, see `Search.known_words`; None if the index is unavailable."""
        language = recalled.analysis.language
        try:
            return await self.search.known_words(tenant, user_id, recalled.lexical_text, language)
        except IndexUnavailable:
            return None

    async def _analysed(
        self, tenant: str, request: RecallRequest, asked: str, earlier: EarlierTalk
    ) -> RecallResult:
        """Read the profile of the user, and analyse the question by it."""
        degraded, profile = set[Degradation](), UserProfile()
        try:
            profile = await self.memories.profile(tenant, request.user_id)
            self._speakers[tenant, request.user_id] = profile.speakers
        except StoreUnavailable:
            degraded.add(Degradation.ROWS)
        began = perf_counter()
        now = request.now or self.clock.now()
        offset = offset_name(now) or profile.utc_offset
        zone = find_zone(request.timezone or profile.timezone or offset or "UTC")
        question = Question(
            text=request.query,
            now=now.astimezone(UTC),
            zone=zone,
            language=request.language,
            known_names=profile.names,
        )
        understanding = await self.analyser.understand(question)
        if understanding.degraded:
            degraded.add(Degradation.ANALYSER)
        analysis, own_time = understanding.analysis, understanding.analysis.time
        if asked != request.query:  # "and in April?" asks for its own time
            own_time = (await self.analyser.understand(replace(question, text=asked))).analysis.time
            analysis = replace(analysis, time=own_time or analysis.time)
        names_only_time = own_time is not None and is_for_a_time(analysis)
        bare = names_only_time and is_only_time(analysis)
        speakers = match_speakers(analysis.entities, profile.speakers)
        recalled = RecallResult(
            recall_id=uuid4(),
            now=now.astimezone(UTC),
            question=request.query,
            analysis=analysis,
            asked=asked,
            names_only_time=names_only_time,
            earlier=earlier,
            search_text="" if bare else earlier.added_to(without_speaker_names(request.query, speakers)),
            lexical_text=""
            if bare
            else earlier.added_to(without_speaker_names(analysis.semantic_query, speakers)),
            zone=zone,
            relative=relative_by_ties(asked, analysis) or relative_by_ties(request.query, analysis),
            degraded=degraded,
        )
        recalled.timings_ms["analyse"] = round((perf_counter() - began) * 1000, 3)
        return recalled

    async def _vectors(self, text: str) -> Mapping[str, Vector]:
        encoders = (self.encoder, *self.other_encoders, *self.head_encoders)
        return await encoded(text, encoders, self.encode_within_s) if text else {}

    async def _encoded(
        self, tenant: str, user_id: str, recalled: RecallResult, encoding: Awaitable[Mapping[str, Vector]]
    ) -> Mapping[str, Vector]:
        if not recalled.search_text:
            return {}
        with recalled.timing("encode"):
            vectors = await encoding
            self.former.record(vectors)
            if await self._misses(tenant, user_id, vectors):
                recalled.degraded.add(Degradation.MODEL)
        return vectors

    async def _misses(self, tenant: str, user_id: str, vectors: Mapping[str, Vector]) -> bool:
        """Whether the primary model, or another model that this user has vectors of, was unavailable."""
        if self.encoder.model not in vectors:
            return True
        missing = [model for model in self.search.others if model not in vectors]
        try:
            return bool(missing) and await self.search.has_memories(tenant, user_id, missing)
        except IndexUnavailable:  # the search reports it
            return False

    async def _find(
        self,
        tenant: str,
        request: RecallRequest,
        recalled: RecallResult,
        search_request: SearchRequest,
        known: Mapping[str, bool] | None,
    ) -> None:
        """Search, rank and read the best; without a relevant memory, count matches in the archive."""
        ranking = find_profile(request.profile.value if request.profile else self.profile, self.profiles)
        try:
            ids = await self.scopes.ids(tenant, request.user_id, request.filters)
        except StoreUnavailable:
            recalled.degraded.add(Degradation.ROWS)
            return
        search_request = replace(search_request, ids=ids)
        minimums, searched = NO_MINIMUMS, search_request
        if ranking.drops_distant:  # such a profile ranks by similarity alone
            minimums, searched = self.minimums, replace(search_request, unfocused=False)
        try:
            with recalled.timing("search"):
                found = None if known is None else await self.search.find(tenant, searched, minimums)
        except IndexUnavailable:
            found = None
        if found is None or known is None:
            recalled.degraded.add(Degradation.VECTORS)
            return
        recalled.all_found = len(found.hits) < FEWEST
        found = replace(found, unknown=1.0 - sum(known.values()) / len(known) if known else 0.0)
        if self.points_are_missing():
            recalled.degraded.add(Degradation.VECTORS)
        if found.fallback is not None:
            recalled.analysis = replace(recalled.analysis, fallback=found.fallback)
        if Degradation.ROWS in recalled.degraded:
            return
        try:
            await self._rank(tenant, recalled, search_request, found, ranking)
        except StoreUnavailable:
            recalled.degraded.add(Degradation.ROWS)
        except IndexUnavailable:
            recalled.degraded.add(Degradation.VECTORS)

    async def _rank(
        self,
        tenant: str,
        recalled: RecallResult,
        search_request: SearchRequest,
        found: Found,
        ranking: Ranking,
    ) -> None:
        """Rank the candidates by their rows, and read the best."""
        with recalled.timing("rank"):
            best = await self.rank(tenant, search_request, found, ranking)
        with recalled.timing("rows"):
            user_id, ids = search_request.user_id, [one.id for one in best.ranked]
            rows = await self.memories.memories(tenant, user_id, ids) if ids else ()
            by_id = {memory.id: memory for memory in rows}
            recalled.related = best.connected.related
            recalled.degraded |= best.connected.missing
            recalled.memories = [
                RecalledMemory(by_id[one.id], one.score, one.signals, best.repetitions.get(one.id, ()))
                for one in best.ranked
                if one.id in by_id
            ]
        recalled.confidence = best.confidence if recalled.memories else 0.0
        if recalled.search_text and not has_constraint(recalled.analysis, search_request.filters):
            recalled.relevance_floor = ranking.relevance_floor
        recalled.facts = with_told(recalled, best.connected.facts)
        if not recalled.relevant_memories:
            archive = await self.search.find(tenant, search_request, self.minimums, archived=True)
            ids = list(archive.hits)
            archive_rows = await self.memories.ranking_rows(tenant, user_id, ids, recalled.now)
            reached = looks_at_uninformative(search_request.analysis, search_request.filters)
            recalled.archived_matches = sum(
                one.archived and (one.informative or reached) for one in archive_rows
            )


def _search_request(
    tenant: str, request: RecallRequest, recalled: RecallResult, *, summaries: bool
) -> SearchRequest:
    return SearchRequest(
        user_id=request.user_id,
        text=request.query,
        lexical_text=recalled.lexical_text,
        now=recalled.now,
        analysis=recalled.analysis,
        filters=request.filters,
        vectors={},
        limit=request.limit,
        summaries=summaries or bool(request.filters and request.filters.kinds),
        extra_syntheses=summaries,
        unfocused=not recalled.search_text or is_only_a_name(recalled.analysis),
        evidence=frozenset(
            memory_id(tenant, one)
            for fact in (*recalled.requested_facts, *recalled.relatives.facts)
            for one in fact.message_ids[-_EVIDENCE_OF_A_FACT:]
        ),
    )

"""The third step of a recall: facts, candidates, their rows and signals, and what the best lead to."""

import asyncio
import json
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import itemgetter
from typing import Final
from uuid import UUID

import numpy as np

from ricordo.language.query_analysis.search_terms import searchable
from ricordo.language.tokenization import content_words
from ricordo.memory.facts.fact_model import Fact, select_facts
from ricordo.memory.ranking.context_signals import FARTHEST
from ricordo.memory.ranking.human import HumanProfile
from ricordo.memory.ranking.signals import key_topic_boost
from ricordo.messages.enumerations import Degradation
from ricordo.models.encoder import Encoder, ModelUnavailable
from ricordo.runtime.tasks import unwrap_exception_group
from ricordo.store.fact_queries import FactQueries, Relatives
from ricordo.store.recall_queries import RankingRow, RecallQueries, UserProfile
from ricordo.store.rows import Vector
from ricordo_services.retrieval.connections import LEADING, TELLING, ConnectedMemories, Connections
from ricordo_services.retrieval.listing_scopes import ListingScopes
from ricordo_services.retrieval.question import ExampleEncoder, Outcome
from ricordo_services.retrieval.recall_plan import (
    SUMMARISING,
    RecallPlan,
    latest_evidence,
    requested_facts,
)
from ricordo_services.retrieval.search import FEWEST, Search, SearchResult
from ricordo_services.retrieval.signals import CandidateGroup, candidate_groups, candidate_text

SHOWN_FACTS: Final = 10
_MOST_TOPICS: Final = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallMaterial:
    """What a recall has found, before it is ranked.

    Attributes:
        plan: with what was found out about the question, and what supports the facts that it asks for.
        user: the profile of the user as it stands; None where the store is away.
        bearers: canonical names of those whom the question names, normalised.
        relatives: whom it names by ties to the user.
        facts: that the question asks for, and that surface by themselves.
        result: the candidates, and `rows` those of them that may be shown.
        is_exhausted: whether a wider search can find no more.
        connected: what the best candidates lead to.
        is_ranked: whether candidates were found and read, so that they can be ranked.
    """

    plan: RecallPlan
    user: UserProfile | None = None
    bearers: Sequence[str] = ()
    relatives: Relatives = field(default_factory=Relatives)
    facts: Sequence[Fact] = ()
    result: SearchResult = field(default_factory=SearchResult)
    is_exhausted: bool = False
    rows: Sequence[RankingRow] = ()
    groups: Sequence[CandidateGroup] = ()
    connected: ConnectedMemories = field(default_factory=ConnectedMemories)
    is_ranked: bool = False


async def key_topic_boosts(
    encoder: Encoder, rows: Sequence[RankingRow], vector: Vector | None
) -> Mapping[UUID, float]:
    """Return the boost of each summary with key topics; none if the model is unavailable.

    Args:
        vector: of the question, float32 [d], unit norm.
    """
    marked = {
        row.id: [(topic["topic"], topic["importance"]) for topic in json.loads(row.key_topics)]
        for row in rows
        if row.key_topics
    }
    names = list(dict.fromkeys(name for topics in marked.values() for name, _ in topics))[:_MOST_TOPICS]
    if vector is None or not names:
        return {}
    try:
        vectors = await encoder.encode(names)
    except ModelUnavailable:
        return {}
    near = dict(zip(names, (vectors @ vector).tolist(), strict=True))
    return {
        key: key_topic_boost((importance, near.get(name, 0.0)) for name, importance in topics)
        for key, topics in marked.items()
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathering:
    """Finds what a recall may show; what is away is missing, and named in the outcome.

    Attributes:
        statements: encodes key topics of summaries.
        threshold: confidence (1-10) from which a fact is shown unasked.
        floors: whether decay factors have floors.
        points_are_missing: whether the index is being rebuilt.
    """

    queries: RecallQueries
    facts: FactQueries
    search: Search
    scopes: ListingScopes
    examples: ExampleEncoder
    statements: Encoder
    connections: Connections
    threshold: int = 3
    floors: bool = True
    points_are_missing: Callable[[], bool] = bool

    async def __call__(
        self, tenant: str, plan: RecallPlan, outcome: Outcome, analysed_by: UserProfile | None
    ) -> RecallMaterial:
        """Return facts, candidates and what they lead to: facts are read while the index is searched.

        Args:
            analysed_by: the profile by which the question was analysed; where it has changed since, nothing
                but the present one is of use in what is returned. None where it may have changed.
        """
        with unwrap_exception_group():
            async with asyncio.TaskGroup() as group:
                reading = group.create_task(self._facts(tenant, plan, outcome))
                knowing = group.create_task(self._known_words(tenant, plan, outcome))
                plan, result = await self._search(tenant, plan, outcome)
                if plan.question.search_text and await self._misses(tenant, plan, outcome):
                    outcome.degraded.add(Degradation.MODEL)
        gathered, known = reading.result(), knowing.result()
        if analysed_by is not None and gathered.user not in (None, analysed_by):
            return gathered
        relatives, analysis = gathered.relatives, searchable(gathered.plan.analysis, known or {})
        about = requested_facts(gathered.facts, analysis, relatives.names)
        evidence = frozenset(latest_evidence(tenant, (*about, *relatives.facts)))
        examples = await self.examples(analysis)
        plan = replace(plan.analysed(analysis), evidence=evidence, examples=examples)
        gathered = replace(gathered, plan=plan)
        if result is None or known is None:
            return gathered
        unknown = 1.0 - sum(known.values()) / len(known) if known else 0.0
        return await self._completed(tenant, gathered, replace(result, unknown=unknown), outcome)

    async def further(
        self, tenant: str, gathered: RecallMaterial, reach: int, outcome: Outcome
    ) -> RecallMaterial:
        """Return the same with `reach` times as many candidates."""
        plan, result = await self._search(tenant, replace(gathered.plan, reach=reach), outcome)
        if result is None:
            return gathered
        result = replace(result, unknown=gathered.result.unknown)
        return await self._completed(tenant, replace(gathered, plan=plan), result, outcome)

    async def archived_matches(self, tenant: str, plan: RecallPlan) -> int:
        """Count what the archive holds that resembles the question.

        Raises:
            IndexUnavailable, StoreUnavailable: it cannot be asked.
        """
        plan = replace(plan, scope=replace(plan.scope, include_archived=True))
        archive = await self.search.find(tenant, plan, strictly=True)
        archive = await self.search.completed(tenant, plan, archive)
        rows = await self.queries.ranking_rows(
            tenant, plan.request.user_id, list(archive.candidates), plan.question.now
        )
        return sum(row.archived and (row.informative or plan.scope.include_uninformative) for row in rows)

    async def _facts(self, tenant: str, plan: RecallPlan, outcome: Outcome) -> RecallMaterial:
        """Read the profile, and the facts that the question asks for or that surface by themselves."""
        if Degradation.ROWS in outcome.degraded:  # the store was unavailable a moment ago
            return RecallMaterial(plan=plan)
        asked, relatives, read = plan.question.relative, Relatives(), None
        with outcome.part("facts"):
            if asked is not None:
                ties = asked.ties[0], asked.stored_ties(), asked.further()
                relatives = await self.facts.relatives(tenant, plan.request.user_id, *ties)
                if relatives.names:
                    plan = plan.analysed(replace(plan.analysis, requested=asked.requested))
            analysis = plan.analysis
            read = await self.queries.facts_of_question(
                tenant,
                plan.request.user_id,
                names=analysis.entities,
                relatives=relatives.names,
                words=content_words(plan.question.lexical_text, analysis.language),
                predicates=analysis.requested.names,
                threshold=self.threshold,
                limit=SHOWN_FACTS,
            )
        if read is None:
            return RecallMaterial(plan=plan, relatives=relatives)
        requested = analysis.requested
        chosen = select_facts(
            [*read.requested, *relatives.facts, *read.surfacing],
            named_entities=relatives.names or read.bearers,
            predicates=requested.names,
            besides=requested.besides,
            language=analysis.language,
            limit=SHOWN_FACTS,
            threshold=self.threshold,
        )
        first = [
            fact for fact in chosen if fact.predicate in requested.names and fact.speaks_of(relatives.names)
        ]
        facts = list(dict.fromkeys((*first, *relatives.facts, *chosen)))[:SHOWN_FACTS]
        return RecallMaterial(
            plan=plan, user=read.profile, bearers=read.bearers, relatives=relatives, facts=facts
        )

    async def _known_words(
        self, tenant: str, plan: RecallPlan, outcome: Outcome
    ) -> Mapping[str, bool] | None:
        """Return which words memories contain, see `Search.known_words`; None if the index is unavailable."""
        with outcome.part():
            language = plan.analysis.language
            return await self.search.known_words(
                tenant, plan.request.user_id, plan.question.lexical_text, language
            )
        return None

    async def _misses(self, tenant: str, plan: RecallPlan, outcome: Outcome) -> bool:
        """Whether the primary model, or another model that this user has vectors of, was unavailable."""
        if self.search.model not in plan.question.vectors:
            return True
        missing = [model for model in self.search.others if model not in plan.question.vectors]
        with outcome.part():
            return bool(missing) and await self.search.has_memories(tenant, plan.request.user_id, missing)
        return False

    async def _search(
        self, tenant: str, plan: RecallPlan, outcome: Outcome
    ) -> tuple[RecallPlan, SearchResult | None]:
        """Search within the memories that all filters leave; None if rows or index cannot be asked."""
        with outcome.part("search"):
            ids = await self.scopes.ids(tenant, plan.request.user_id, plan.request.filters)
            plan = replace(plan, scope=replace(plan.scope, ids=ids))
            return plan, await self.search.find(tenant, plan)
        return plan, None

    async def _completed(
        self, tenant: str, gathered: RecallMaterial, result: SearchResult, outcome: Outcome
    ) -> RecallMaterial:
        """Return the candidates with their rows and signals, and what the best of them lead to."""
        plan = gathered.plan
        if self.points_are_missing():
            outcome.degraded.add(Degradation.VECTORS)
        if result.fallback is not None:
            plan = plan.analysed(replace(plan.analysis, fallback=result.fallback))
        gathered = replace(gathered, plan=plan)
        with outcome.part("rank"):
            result = await self.search.completed(tenant, plan, result)
            gathered = replace(gathered, result=result, is_exhausted=len(result.candidates) < FEWEST)
            if not result.candidates or Degradation.ROWS in outcome.degraded:
                return replace(gathered, is_ranked=Degradation.ROWS not in outcome.degraded)
            rows = await self._shown(tenant, plan, list(result.candidates))
            vector = plan.question.vectors.get(self.statements.model)
            boosts = await key_topic_boosts(self.statements, rows, vector)
            groups = candidate_groups(plan, result, rows, boosts)
            if isinstance(plan.ranking, HumanProfile):
                telling, leading = _leading(groups, plan.ranking)
                connected = ConnectedMemories()
                # What names somebody is found by that name; to look further costs a fifth of a recall.
                if not result.unfocused and not plan.analysis.entities:
                    with outcome.part():
                        connected = await self.connections(tenant, plan, result, telling, leading)
                if connected.joined:
                    result = result.merged_with(connected.joined)
                    rows = [*rows, *await self._shown(tenant, plan, list(connected.joined))]
                    groups = candidate_groups(plan, result, rows, boosts)
                ties = connected.ties or {row.id: {} for row in telling[:leading]}
                groups = [group.connected(plan.question.text, plan.ranking, ties) for group in groups]
                gathered = replace(gathered, result=result, connected=connected)
            return replace(gathered, rows=rows, groups=groups, is_ranked=True)
        return gathered

    async def _shown(self, tenant: str, plan: RecallPlan, ids: Sequence[UUID]) -> list[RankingRow]:
        """Return the rows of candidates that may be shown."""
        rows = await self.queries.ranking_rows(
            tenant, plan.request.user_id, ids, plan.question.now, floors=self.floors
        )
        return [
            row
            for row in rows
            if (plan.scope.include_archived or not row.archived)
            and (plan.scope.include_uninformative or row.informative)
            and (plan.summaries or row.kind not in SUMMARISING)
        ]


def _leading(groups: Sequence[CandidateGroup], profile: HumanProfile) -> tuple[list[RankingRow], int]:
    """Return the candidates that come first before connections count, best first, nothing said twice.

    Returns:
        The candidates, and how many of them are so near to the best that they lead to others.
    """
    scored: list[tuple[float, RankingRow]] = []
    for group in groups:
        scored += zip(np.nan_to_num(group.logits(profile)).tolist(), group.columns.rows, strict=True)
    first: dict[Hashable, tuple[float, RankingRow]] = {}
    for logit, row in sorted(scored, key=itemgetter(0), reverse=True):
        first.setdefault(candidate_text(row)[1:], (logit, row))
        if len(first) == TELLING:
            break
    telling = list(first.values())
    leading = sum(logit >= telling[0][0] - FARTHEST for logit, _ in telling[:LEADING])
    return [row for _, row in telling], leading

"""How a recall is answered: analyse, plan, gather, rank, reply."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Final
from uuid import uuid4

import structlog
from cachetools import LRUCache

from ricordo.memory.facts.fact_model import Fact
from ricordo.memory.ranking import DEFAULT, find_profile, load_profiles
from ricordo.memory.ranking.human import load_human
from ricordo.memory.ranking.signals import RankingProfile, Signals
from ricordo.messages.queries import RecallRequest
from ricordo.runtime.handling import QueryResult
from ricordo.store.memory_queries import MemoryQueries
from ricordo.store.recall_queries import UserProfile
from ricordo_services.retrieval.connections import LEADING
from ricordo_services.retrieval.follow_ups import FollowUps
from ricordo_services.retrieval.question import EarlierTalk, Outcome, QuestionReader
from ricordo_services.retrieval.recall_material import SHOWN_FACTS, Gathering, RecallMaterial
from ricordo_services.retrieval.recall_plan import plan_recall
from ricordo_services.retrieval.recall_ranking import Ranking, rank_candidates
from ricordo_services.retrieval.recall_result import (
    RecalledMemory,
    RecallResult,
    accessed,
    has_constraint,
    reply,
)
from ricordo_services.retrieval.related_memories import RelatedMemories

_log = structlog.stdlib.get_logger(__name__)

_FURTHER: Final = 10  # times as many candidates, where what was said over and over leaves too few results
_TELLING: Final = 5  # memories whose facts are shown where a question asks for none
_USERS: Final = 1_000  # whose profiles are kept


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallService:
    """Recalls; parts that are unavailable are missing from the result and named in it.

    Attributes:
        profile: the name of the usual ranking profile.
    """

    analyse: QuestionReader
    gather: Gathering
    memories: MemoryQueries
    related: RelatedMemories
    follow_ups: FollowUps | None = None
    profile: str = DEFAULT
    profiles: Mapping[str, RankingProfile] = field(default_factory=load_profiles)
    _users: LRUCache[tuple[str, str], UserProfile] = field(default_factory=lambda: LRUCache(_USERS))

    async def __call__(self, tenant: str, request: RecallRequest, *, summaries: bool = False) -> RecallResult:
        """Return the `limit` best memories for `request`, and its facts.

        The profile of the user, by which the question is analysed, is that of the recall before; where
        it has changed since, the recall begins anew, once, with the one that was read beside the facts.

        Args:
            summaries: whether summaries and syntheses join where no filter names them.
        """
        began, outcome = perf_counter(), Outcome()
        earlier = EarlierTalk() if self.follow_ups is None else await self.follow_ups.earlier(tenant, request)
        ranking = find_profile(request.profile.value if request.profile else self.profile, self.profiles)
        user = self._users.get((tenant, request.user_id), UserProfile())
        is_first = True
        while True:
            question = await self.analyse(request, earlier, user, outcome)
            plan = plan_recall(request, question, ranking, summaries=summaries)
            gathered = await self.gather(tenant, plan, outcome, user if is_first else None)
            if not is_first or gathered.user in (None, user):
                break  # begun anew once: during an import the profile changes all the time
            is_first, user = False, gathered.user
            self._users[tenant, request.user_id] = user
        best = rank_candidates(gathered)
        if best.repetitions and not gathered.is_exhausted and len(best.ranked) < request.limit:
            gathered = await self.gather.further(tenant, gathered, _FURTHER, outcome)
            best = rank_candidates(gathered)
        recalled = await self._read(tenant, gathered, best, outcome)
        outcome.timings_ms["total"] = round((perf_counter() - began) * 1000, 3)
        return recalled

    async def answer(self, tenant: str, request: RecallRequest, /) -> QueryResult:
        """Answer `query.recall`: ranked memories and related facts."""
        recalled = await self(tenant, request)
        recalled = await self.relate(tenant, request.user_id, recalled)
        events = accessed(request, recalled)
        return QueryResult(reply(recalled, explain=request.explain), events, recalled.recall_id)

    async def relate(self, tenant: str, user_id: str, recalled: RecallResult) -> RecallResult:
        """Return the same with what the strongest memories are related to, if the index answers."""
        strongest = [recalled_memory.memory.id for recalled_memory in recalled.memories[:LEADING]]
        related = {key: near for key, near in recalled.related.items() if key in strongest}
        if missing := [key for key in strongest if key not in related]:
            with recalled.outcome.part("related"):
                nearest = await self.related.nearest(tenant, user_id, missing)
                related |= {key: [each.id for each in near] for key, near in nearest.items()}
        return replace(recalled, related=related)

    async def _read(
        self, tenant: str, gathered: RecallMaterial, best: Ranking, outcome: Outcome
    ) -> RecallResult:
        """Read the best memories; without a relevant one, count matches in the archive."""
        plan, question = gathered.plan, gathered.plan.question
        recalled = RecallResult(
            recall_id=uuid4(),
            question=question,
            outcome=outcome,
            bearers=gathered.bearers,
            relatives=gathered.relatives,
            facts=gathered.facts,
            related=gathered.connected.related,
        )
        if not gathered.is_ranked:
            return recalled
        with outcome.part("rows"):
            ids = [candidate.id for candidate in best.ranked]
            rows = await self.memories.memories(tenant, plan.request.user_id, ids) if ids else ()
            by_id = {memory.id: memory for memory in rows}
            memories = [
                RecalledMemory(
                    by_id[key], score, best.signals.get(key, Signals()), best.repetitions.get(key, ())
                )
                for key, score in best.ranked
                if key in by_id
            ]
            is_free = bool(question.search_text) and not has_constraint(
                question.analysis, plan.request.filters
            )
            recalled = replace(
                recalled,
                memories=memories,
                confidence=best.confidence if memories else 0.0,
                relevance_floor=plan.ranking.relevance_floor if is_free else 0.0,
            )
            recalled = replace(recalled, facts=_with_told(recalled, gathered.connected.facts))
            if not recalled.relevant_memories:
                archived = await self.gather.archived_matches(tenant, plan)
                recalled = replace(recalled, archived_matches=archived)
        return recalled


def _with_told(recalled: RecallResult, facts: Sequence[Fact]) -> Sequence[Fact]:
    """Return the facts of a recall and behind them those of its first memories, which are near in meaning.

    Args:
        facts: current ones, some of which these memories tell.
    """
    question = recalled.question
    if question.analysis.requested.names or question.analysis.entities or question.relative is not None:
        return recalled.facts  # the question says which facts it asks for
    messages = [shown.memory.message_id for shown in recalled.relevant_memories[:_TELLING]]
    told = [fact for message in messages for fact in facts if message in fact.message_ids]
    return list(dict.fromkeys((*recalled.facts, *told)))[:SHOWN_FACTS]


def profiles_for(model: str, changes: Mapping[str, Mapping[str, float]]) -> Mapping[str, RankingProfile]:
    """Return the profiles by name; warns if the learned one was not fitted to the vectors of a model.

    Raises:
        UnknownProfile: there is no such profile.
        UnknownWeight: a profile has no such weight.
        ValueError: a weight is out of range.
    """
    learned_on = load_human().model
    if learned_on != model:
        _log.warning("human ranks by weights of another model", learned_on=learned_on, model=model)
    return load_profiles(changes)

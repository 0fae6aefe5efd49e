"""Answers `query.context`: a recall, the last turns and the working memory, assembled for a prompt."""

import asyncio
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, NamedTuple, TypeVar

from ricordo.clock import Clock
from ricordo.language.annotations import MemoryType, Role
from ricordo.language.detection import detect, shows_language
from ricordo.memory.context.assembly import assemble
from ricordo.memory.context.material import AssembledContext as Assembled
from ricordo.memory.context.material import Material
from ricordo.memory.context.selection import substitute_syntheses
from ricordo.memory.facts.fact_model import PROFILE, Fact, core_profile
from ricordo.memory.model import Memory
from ricordo.memory.ranking.fixed_profiles import ContextAdmission, admission
from ricordo.memory.spoken_turns import SpokenTurn
from ricordo.memory.style import Habit, describe_habits
from ricordo.memory.working_memory import WorkingMemory
from ricordo.messages.enumerations import Degradation, Profile
from ricordo.messages.queries import ContextReply, ContextRequest, RecallRequest
from ricordo.runtime.handling import QueryResult
from ricordo.runtime.tasks import unwrap_exception_group
from ricordo.store.database import StoreUnavailable
from ricordo.store.memory_queries import MemoryQueries
from ricordo_services.retrieval.cached_readers import (
    SKEW,
    UserPatterns,
    WorkingMemoryReader,
    pattern_view,
    working_view,
)
from ricordo_services.retrieval.follow_ups import KEY
from ricordo_services.retrieval.recall import RecallService
from ricordo_services.retrieval.recall_result import (
    RecalledMemory,
    RecallResult,
    accessed,
    has_constraint,
    reply,
)
from ricordo_services.retrieval.reply_views import history_view, saying_times

_CONSIDERED: Final = 16  # memories that a context may show, where the bot does not say how many
_MOST_CORE_FACTS: Final = 40

T = TypeVar("T")


async def _if_available(work: Awaitable[T]) -> T | None:
    """Return what `work` returns; None while the store does not answer."""
    try:
        return await work
    except StoreUnavailable:
        return None


class _Around(NamedTuple):
    """The parts of a context besides recalled memories; empty if unavailable."""

    recent: tuple[SpokenTurn, ...]
    working: WorkingMemory
    habits: tuple[Habit, ...]
    facts: Sequence[Fact]


@dataclass(frozen=True, slots=True)
class Context:
    """Answers `query.context`."""

    recall: RecallService
    memories: MemoryQueries
    working_memory: WorkingMemoryReader
    patterns: UserPatterns
    clock: Clock

    async def __call__(self, tenant: str, request: ContextRequest, /) -> QueryResult:
        """Recall, and assemble the memories with the last turns into a text within the token budget."""
        # Short memories leave room for more than a recall returns, unless the bot sets a limit.
        limit = request.limit if "limit" in request.model_fields_set else max(request.limit, _CONSIDERED)
        wide = request.model_copy(update={"limit": limit})
        with unwrap_exception_group():
            async with asyncio.TaskGroup() as group:
                recall_task = group.create_task(self.recall(tenant, wide, summaries=True))
                turns_task = group.create_task(_if_available(self._recent(tenant, request)))
                working_task = group.create_task(_if_available(self._working(tenant, request)))
                habits_task = group.create_task(_if_available(self.patterns.read(tenant, request.user_id)))
                facts_task = group.create_task(
                    _if_available(
                        self.recall.gather.facts.about_user(
                            tenant, request.user_id, predicates=PROFILE, limit=_MOST_CORE_FACTS
                        )
                    )
                )
        recalled, recent, working = recall_task.result(), turns_task.result(), working_task.result()
        habits, facts = habits_task.result(), facts_task.result()
        recalled = replace(recalled, memories=_with_syntheses(wide, recalled))
        if recent is None or working is None or habits is None or facts is None:
            recalled.outcome.degraded.add(Degradation.ROWS)
        around = _Around(recent or (), working or WorkingMemory(), habits or (), core_profile(facts or ()))
        with recalled.outcome.part("assemble"):
            # In a thread: a large budget would block the event loop.
            context = await asyncio.to_thread(self._assembled, request, recalled, around)
        recalled = replace(recalled, memories=recalled.memories[: request.limit])
        recalled = await self.recall.relate(tenant, request.user_id, recalled)
        answer = ContextReply(
            **dict(reply(recalled, explain=request.explain)),
            recent=tuple(history_view(request.user_id, turn) for turn in around.recent),
            working=working_view(around.working),
            patterns=tuple(map(pattern_view, around.habits)),
            context=context.text,
            tokens=context.tokens,
            marks=dict(context.marks),
        )
        return QueryResult(answer, accessed(request, recalled), recalled.recall_id)

    async def _recent(self, tenant: str, request: ContextRequest) -> tuple[SpokenTurn, ...]:
        """Return the last turns.

        A turn dated in the future must not stay the last until then; if all are, the bot's clock is fast.
        """
        if request.recent_limit == 0:
            return ()
        present = self.clock.now()
        until = max(present, request.now or present) + SKEW
        history = partial(
            self.memories.history,
            tenant,
            request.user_id,
            conversation_id=request.conversation_id,
            limit=request.recent_limit,
        )
        return tuple(await history(before=(until, "")) or await history(before=None))

    async def _working(self, tenant: str, request: ContextRequest) -> WorkingMemory:
        """Return the working memory of the conversation."""
        if request.conversation_id is None:
            return WorkingMemory()
        return await self.working_memory.read(
            tenant, request.user_id, request.conversation_id, now=request.now
        )

    def _assembled(self, request: ContextRequest, recalled: RecallResult, around: _Around) -> Assembled:
        admitted, language = (
            self._admitted(request, recalled),
            language_of_reply(request, recalled, around.recent),
        )
        material = Material(
            now=recalled.question.now.astimezone(recalled.question.zone),
            profile=around.facts,
            memories=[one.memory for one, when in admitted if when is not ContextAdmission.ON_REQUEST],
            always=frozenset(one.memory.id for one, when in admitted if when is ContextAdmission.ALWAYS),
            minor=sum(when is ContextAdmission.ON_REQUEST for _, when in admitted),
            uncertain=bool(recalled.memories)
            and not recalled.relevant_memories
            and not recalled.requested_facts,
            whole=frozenset(
                one.memory.id
                for one in recalled.memories
                if recalled.question.analysis.asks_how and one.memory.type is MemoryType.PROCEDURAL
            ),
            superseded=frozenset(one.memory.id for one, _ in admitted if one.memory.corrected_by),
            repetitions={
                candidate.memory.id: (len(times), times[0].astimezone(recalled.question.zone).date())
                for candidate, _ in admitted
                if len(times := saying_times(candidate.memory, candidate.repetitions)) > 1
            },
            facts=recalled.facts,
            recent=around.recent,
            decisions=around.working.decisions,
            notes={key: value for key, value in around.working.notes.items() if key != KEY},
            entities=around.working.entities,
            habits=describe_habits(around.habits, language),
            archived_matches=recalled.archived_matches,
            degraded=sorted(recalled.outcome.degraded),
            about=request.query,
            subject=", ".join(recalled.question.analysis.entities or recalled.question.analysis.topics[:1]),
        )
        return assemble(
            material, token_budget=request.token_budget, count=self.working_memory.count, language=language
        )

    def _admitted(
        self, request: ContextRequest, recalled: RecallResult
    ) -> Sequence[tuple[RecalledMemory, ContextAdmission]]:
        """Decide when each memory is included: under the profile `budget` by its score, else if it fits."""
        profile = self.recall.profile if request.profile is None else request.profile.value
        if profile != Profile.BUDGET.value:
            return [(one, ContextAdmission.IF_ROOM) for one in recalled.memories]
        admitted = [(one, admission(one.score)) for one in recalled.memories]
        if not has_constraint(recalled.question.analysis, request.filters):
            return admitted
        return [
            (one, ContextAdmission.IF_ROOM if when is ContextAdmission.ON_REQUEST else when)
            for one, when in admitted
        ]


def _with_syntheses(request: ContextRequest, recalled: RecallResult) -> Sequence[RecalledMemory]:
    """Return the recalled memories, with syntheses in place of their sources, at most `request.limit`."""
    if request.filters is not None and request.filters.kinds:  # the kinds were requested explicitly
        return recalled.memories[: request.limit]
    by_id = {one.memory.id: one for one in recalled.memories}
    ranked = [one.memory for one in recalled.memories]
    return [by_id[one.id] for one in substitute_syntheses(ranked, request.query, request.limit)]


def language_of_reply(
    request: RecallRequest, recalled: RecallResult, recent: Sequence[SpokenTurn] = ()
) -> str:
    """Return the language of the question; if that is only a noun or name, of the user's last message.

    Without a message whose language is certain, it is that of the best memory with a certain one.
    """
    if request.language:
        return request.language
    if shows_language(request.query) and (detected := detect(request.query, default="")):
        return detected
    texts: Sequence[SpokenTurn | Memory] = [*reversed(recent), *(one.memory for one in recalled.memories)]
    of_user = [one for one in texts if one.language and one.role == Role.USER]
    certain = (one.language for one in of_user if shows_language(one.content))
    return next(certain, of_user[0].language if of_user else recalled.question.analysis.language)

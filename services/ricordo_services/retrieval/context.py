"""What a bot puts into its prompt: a recall, the last turns, what is at hand, and all of it as text."""

import asyncio
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, NamedTuple, TypeVar

from ricordo.clock import Clock
from ricordo.language.annotations import MemoryType, Role
from ricordo.language.detection import detect, shows_language
from ricordo.memory.context import AssembledContext as Assembled
from ricordo.memory.context import Material, assemble, substitute_syntheses
from ricordo.memory.facts import PROFILE, Fact, core_profile
from ricordo.memory.model import Memory
from ricordo.memory.ranking.fixed_profiles import ContextAdmission, admission
from ricordo.memory.style import Habit, describe_habits
from ricordo.memory.working_memory import WorkingMemory
from ricordo.messages.enumerations import Degradation, Profile
from ricordo.messages.queries import ContextReply, ContextRequest
from ricordo.runtime.replies import QueryResult
from ricordo.store.database import StoreUnavailable
from ricordo.store.memory_queries import HistoryTurn, MemoryQueries
from ricordo_services.retrieval.recall import RecallService
from ricordo_services.retrieval.recall_result import (
    RecalledMemory,
    RecallResult,
    accessed,
    in_particular,
    reply,
)
from ricordo_services.retrieval.reply_views import history_view
from ricordo_services.retrieval.task_concurrency import ungrouped
from ricordo_services.retrieval.user_patterns import UserPatterns, pattern_view
from ricordo_services.retrieval.working_memory_reader import SKEW, WorkingMemoryReader, working_view

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
    """What stands in a context beside what was recalled; empty where it cannot be asked now."""

    recent: tuple[HistoryTurn, ...]
    working: WorkingMemory
    habits: tuple[Habit, ...]
    known: Sequence[Fact]


@dataclass(frozen=True, slots=True)
class Context:
    """Answers `query.context`."""

    remember: RecallService
    recollection: MemoryQueries
    at_hand: WorkingMemoryReader
    patterns: UserPatterns
    clock: Clock

    async def __call__(self, tenant: str, request: ContextRequest, /) -> QueryResult:
        """Recall, and assemble what was recalled with the last turns into a text within the budget."""
        # Short memories leave room for more than a recall returns, unless the bot says how many it wants.
        limit = request.limit if "limit" in request.model_fields_set else max(request.limit, _CONSIDERED)
        wide = request.model_copy(update={"limit": limit})
        with ungrouped():
            async with asyncio.TaskGroup() as group:
                recalling = group.create_task(self.remember(tenant, wide, summaries=True))
                turns = group.create_task(_if_available(self._recent(tenant, request)))
                at_hand = group.create_task(_if_available(self._working(tenant, request)))
                counting = group.create_task(_if_available(self.patterns.read(tenant, request.user_id)))
                reading = group.create_task(
                    _if_available(
                        self.remember.ledger.about_user(
                            tenant, request.user_id, predicates=PROFILE, limit=_MOST_CORE_FACTS
                        )
                    )
                )
        recalled, recent, working = recalling.result(), turns.result(), at_hand.result()
        habits, known = counting.result(), reading.result()
        recalled.memories = _in_their_place(wide, recalled)
        if recent is None or working is None or habits is None or known is None:
            recalled.degraded.add(Degradation.ROWS)
        around = _Around(recent or (), working or WorkingMemory(), habits or (), core_profile(known or ()))
        with recalled.timing("assemble"):
            # A thread of its own: a large budget takes longer than others should wait for the event loop.
            context = await asyncio.to_thread(self._assembled, request, recalled, around)
        recalled.memories = recalled.memories[: request.limit]
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

    async def _recent(self, tenant: str, request: ContextRequest) -> tuple[HistoryTurn, ...]:
        """Return the last turns.

        A turn dated in the future must not stay the last one until then; if all are, the bot's clock is fast.
        """
        if request.recent_limit == 0:
            return ()
        present = self.clock.now()
        until = max(present, request.now or present) + SKEW
        history = partial(
            self.recollection.history,
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
        return await self.at_hand.read(tenant, request.user_id, request.conversation_id, now=request.now)

    def _assembled(self, request: ContextRequest, recalled: RecallResult, around: _Around) -> Assembled:
        admitted, language = self._admitted(request, recalled), _language(request, recalled, around.recent)
        material = Material(
            now=recalled.now.astimezone(recalled.zone),
            profile=around.known,
            memories=[one.memory for one, when in admitted if when is not ContextAdmission.ON_REQUEST],
            always=frozenset(one.memory.id for one, when in admitted if when is ContextAdmission.ALWAYS),
            minor=sum(when is ContextAdmission.ON_REQUEST for _, when in admitted),
            uncertain=bool(recalled.memories) and not recalled.asked_for and not recalled.sought_facts,
            whole=frozenset(
                one.memory.id
                for one in recalled.memories
                if recalled.analysis.asks_how and one.memory.type is MemoryType.PROCEDURAL
            ),
            superseded=frozenset(one.memory.id for one, _ in admitted if one.memory.corrected_by),
            facts=recalled.facts,
            recent=around.recent,
            decisions=around.working.decisions,
            notes=around.working.notes,
            entities=around.working.entities,
            habits=describe_habits(around.habits, language),
            archived_matches=recalled.archived_matches,
            degraded=sorted(recalled.degraded),
            about=request.query,
            subject=", ".join(recalled.analysis.entities or recalled.analysis.topics[:1]),
        )
        return assemble(
            material, token_budget=request.token_budget, count=self.at_hand.count, language=language
        )

    def _admitted(
        self, request: ContextRequest, recalled: RecallResult
    ) -> Sequence[tuple[RecalledMemory, ContextAdmission]]:
        """Say when each memory enters: under the profile `budget` by its score, else if there is room."""
        profile = self.remember.profile if request.profile is None else request.profile.value
        if profile != Profile.BUDGET.value:
            return [(one, ContextAdmission.IF_ROOM) for one in recalled.memories]
        admitted = [(one, admission(one.score)) for one in recalled.memories]
        if not in_particular(recalled.analysis, request.filters):
            return admitted
        return [
            (one, ContextAdmission.IF_ROOM if when is ContextAdmission.ON_REQUEST else when)
            for one, when in admitted
        ]


def _in_their_place(request: ContextRequest, recalled: RecallResult) -> Sequence[RecalledMemory]:
    """Return what was recalled, with syntheses in the place of their sources; as many as were asked for."""
    if request.filters is not None and request.filters.kinds:  # these were asked for as they are
        return recalled.memories[: request.limit]
    by_id = {one.memory.id: one for one in recalled.memories}
    ranked = [one.memory for one in recalled.memories]
    return [by_id[one.id] for one in substitute_syntheses(ranked, request.query, request.limit)]


def _language(request: ContextRequest, recalled: RecallResult, recent: Sequence[HistoryTurn]) -> str:
    """Return the language of the question; where that is a bare noun or name, of what the user said last.

    Without turns that tell theirs, it is that of the best memory that does.
    """
    if request.language:
        return request.language
    if shows_language(request.query) and (spoken := detect(request.query, default="")):
        return spoken
    texts: Sequence[HistoryTurn | Memory] = [*reversed(recent), *(one.memory for one in recalled.memories)]
    own = [one for one in texts if one.language and one.role == Role.USER]
    telling = (one.language for one in own if shows_language(one.content))
    return next(telling, own[0].language if own else recalled.analysis.language)

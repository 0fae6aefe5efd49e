"""What a bot puts into its prompt: a recall, the last turns, what is at hand, and all of it as text."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from ricordo.domain.context import Context as Assembled
from ricordo.domain.context import Material, assemble
from ricordo.domain.working import LIFETIME, MAX_LINES, WorkingMemory, working_memory
from ricordo.messages.queries import ContextReply, ContextRequest, WorkingReply, WorkingRequest
from ricordo.messages.vocabulary import Degradation
from ricordo.ports.clock import Clock
from ricordo.ports.memories import StoreUnavailable
from ricordo.ports.models import TokenCounter
from ricordo.ports.recollection import Recollection, Turn
from ricordo.runtime.replies import Answer
from ricordo_services.retrieval.alone import alone
from ricordo_services.retrieval.recall import Recalled, Remember, accessed, reply
from ricordo_services.retrieval.views import history_view


@dataclass(frozen=True, slots=True)
class AtHand:
    """Reads working memory: a view of a conversation's last turns."""

    recollection: Recollection
    tokens: TokenCounter
    clock: Clock

    async def read(
        self,
        tenant: str,
        user_id: str,
        conversation_id: str,
        *,
        language: str = "",
        now: datetime | None = None,
        known_names: Sequence[str] | None = None,
    ) -> WorkingMemory:
        """Return what is at hand in the conversation; nothing when that is older than a day.

        Args:
            tenant: whose store.
            user_id: whose conversation.
            conversation_id: which one.
            language: of the notes; by default that of the last turn.
            now: when; by default now.
            known_names: those that the user has named so far; they are asked for where they are not given.

        Raises:
            StoreUnavailable: the history cannot be asked now.
        """
        moment = now or self.clock.now()
        turns = await self.recollection.history(
            tenant, user_id, conversation_id=conversation_id, before=(moment, ""), limit=MAX_LINES
        )
        if not turns or turns[-1].timestamp < moment - LIFETIME:
            return WorkingMemory()
        if known_names is None:
            known_names = (await self.recollection.profile(tenant, user_id)).names
        return working_memory(
            turns,
            now=moment,
            count=self.tokens.count,
            language=language or turns[-1].language,
            known_names=known_names,
        )


@dataclass(frozen=True, slots=True)
class Working:
    """Answers `query.working`."""

    at_hand: AtHand

    async def __call__(self, tenant: str, request: WorkingRequest, /) -> WorkingReply:
        """Return what is at hand in the conversation."""
        memory = await self.at_hand.read(tenant, request.user_id, request.conversation_id)
        return working_view(memory)


@dataclass(frozen=True, slots=True)
class Context:
    """Answers `query.context`."""

    remember: Remember
    at_hand: AtHand

    async def __call__(self, tenant: str, request: ContextRequest, /) -> Answer:
        """Recall, and assemble what was recalled with the last turns into a text within the budget."""
        with alone():
            async with asyncio.TaskGroup() as group:
                remembering = group.create_task(self.remember(tenant, request))
                reading = group.create_task(self._recent(tenant, request))
        recalled, recent = remembering.result(), reading.result()
        if recent is None:
            recalled.degraded.add(Degradation.ROWS)
            recent = ()
        language = recalled.analysis.language
        working = await self._working(tenant, request, recalled, language)
        context = self._assembled(request, recalled, recent, working, language)
        answer = ContextReply(
            **dict(reply(recalled, explain=request.explain)),
            recent=tuple(history_view(request.user_id, turn) for turn in recent),
            working=working_view(working),
            context=context.text,
            tokens=context.tokens,
        )
        return Answer(answer, accessed(request, recalled), recalled.recall_id)

    async def _recent(self, tenant: str, request: ContextRequest) -> tuple[Turn, ...] | None:
        """Return the last turns; None when they cannot be asked now."""
        if request.recent_limit == 0:
            return ()
        try:
            return tuple(
                await self.at_hand.recollection.history(
                    tenant,
                    request.user_id,
                    conversation_id=request.conversation_id,
                    before=None,
                    limit=request.recent_limit,
                )
            )
        except StoreUnavailable:
            return None

    async def _working(
        self, tenant: str, request: ContextRequest, recalled: Recalled, language: str
    ) -> WorkingMemory:
        if request.conversation_id is None:
            return WorkingMemory()
        try:
            return await self.at_hand.read(
                tenant,
                request.user_id,
                request.conversation_id,
                language=language,
                now=recalled.now,
                known_names=recalled.known_names,
            )
        except StoreUnavailable:
            recalled.degraded.add(Degradation.ROWS)
            return WorkingMemory()

    def _assembled(
        self,
        request: ContextRequest,
        recalled: Recalled,
        recent: tuple[Turn, ...],
        working: WorkingMemory,
        language: str,
    ) -> Assembled:
        material = Material(
            memories=[one.memory for one in recalled.memories],
            facts=recalled.facts,
            recent=recent,
            notes=working.notes,
            entities=working.entities,
            archived_matches=recalled.archived_matches,
            degraded=sorted(recalled.degraded),
            about=request.query,
        )
        return assemble(
            material,
            token_budget=request.token_budget,
            count=self.at_hand.tokens.count,
            language=language,
        )


def working_view(memory: WorkingMemory) -> WorkingReply:
    """Show what is at hand on the wire."""
    return WorkingReply.model_validate(
        {"lines": memory.lines, "entities": memory.entities, "notes": dict(memory.notes)}
    )

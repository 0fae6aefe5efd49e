"""Follows the talk: finds what a question leans on, and notes what an answer concluded.

The note stands in the working memory of the conversation and lives as long. Of what was said it holds ids and
places only, so that it outlives no message.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final
from uuid import UUID

from pydantic import BaseModel, ConfigDict, ValidationError

from ricordo.clock import Clock
from ricordo.language.detection import detect
from ricordo.language.query_analysis.search_terms import leans
from ricordo.memory.answers import JudgedPassage
from ricordo.memory.working_memory import LIFETIME, MAX_NOTES
from ricordo.messages.queries import RecallRequest
from ricordo.models.encoder import Encoder, ModelUnavailable
from ricordo.store.database import StoreUnavailable
from ricordo.store.memory_queries import MemoryQueries
from ricordo.store.working_memory_store import NoteStore, TombstoneExists, TooManyNotes, WorkingNote
from ricordo_services.retrieval.cached_readers import WorkingMemoryReader
from ricordo_services.retrieval.question import EarlierTalk
from ricordo_services.retrieval.recall_result import RecallResult

KEY: Final = "last_answer"
"""The key of the note; a bot's own of that key is replaced."""

_LONGEST: Final = 300  # characters of questions that are noted
_PATIENCE_S: Final = 0.5


class Conclusion(BaseModel):
    """What was asked last, and what answered it.

    Attributes:
        sources: ids of the memories that answered, best first.
        words: the characters of the first of them that did.
    """

    model_config = ConfigDict(frozen=True)

    question: str
    sources: tuple[UUID, ...] = ()
    words: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class FollowUps:
    """Reads and writes what a conversation concluded.

    Without the store or the encoder, questions stand for themselves.

    Attributes:
        encoder: the model whose vectors the head reads; None where it is not installed.
    """

    working: WorkingMemoryReader
    notes: NoteStore
    memories: MemoryQueries
    clock: Clock
    encoder: Encoder | None
    lifetime: timedelta = LIFETIME

    async def earlier(self, tenant: str, request: RecallRequest) -> EarlierTalk:
        """Return what a question leans on."""
        if request.conversation_id is None or self.encoder is None:
            return EarlierTalk()
        try:
            scope = request.user_id, request.conversation_id
            working = await self.working.read(tenant, *scope, now=request.now)
            last = _conclusion(working.notes.get(KEY))
            if last is None and not working.entities:
                return EarlierTalk()
            (vector,) = await self.encoder.encode([request.query])
            if not leans(request.query, request.language or detect(request.query), vector):
                return EarlierTalk()
            if last is None:
                return EarlierTalk(told=working.entities[0])
            rows = await self.memories.memories(tenant, request.user_id, last.sources[:1])
        except (StoreUnavailable, ModelUnavailable):
            return EarlierTalk()
        return EarlierTalk(last.question, rows[0].content[slice(*last.words)] if rows else "")

    async def conclude(
        self, tenant: str, request: RecallRequest, recalled: RecallResult, passages: Sequence[JudgedPassage]
    ) -> None:
        """Note what was asked, and what answered it, where the request names a conversation."""
        if request.conversation_id is None:
            return
        conclusion = Conclusion(
            question=recalled.question.text[:_LONGEST],
            sources=tuple(one.memory.id for one in passages),
            words=passages[0].words if passages else (0, 0),
        )
        note = WorkingNote(
            user_id=request.user_id,
            conversation_id=request.conversation_id,
            key=KEY,
            value=conclusion.model_dump(mode="json"),
        )
        now = self.clock.now()
        try:
            # No answer waits for those who write to the conversation: without its note the next question
            # stands for itself.
            async with asyncio.timeout(_PATIENCE_S):
                await self.notes.note(tenant, note, now, live_since=now - self.lifetime, limit=MAX_NOTES + 1)
        except (StoreUnavailable, TombstoneExists, TooManyNotes, TimeoutError):
            return


def _conclusion(note: object) -> Conclusion | None:
    """Return what a note says; None where there is none, or a bot has set another of that key."""
    try:
        return Conclusion.model_validate(note)
    except ValidationError:
        return None

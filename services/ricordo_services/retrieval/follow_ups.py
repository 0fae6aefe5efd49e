"""Follows the talk: completes questions by the one before, and notes what an answer concluded.

The note stands in the working memory of the conversation and lives as long. Of what was said it holds ids and
places only, so that it outlives no message.
"""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final
from uuid import UUID

from pydantic import BaseModel, ConfigDict, ValidationError

from ricordo.clock import Clock
from ricordo.language.detection import detect
from ricordo.language.query_analysis.follow_ups import EarlierQuestion, FollowUp, completed, leans
from ricordo.memory.answers import JudgedPassage
from ricordo.memory.working_memory import LIFETIME, MAX_NOTES
from ricordo.messages.queries import RecallRequest
from ricordo.store.database import StoreUnavailable
from ricordo.store.memory_queries import MemoryQueries
from ricordo.store.working_memory_store import NoteStore, TombstoneExists, TooManyNotes, WorkingNote
from ricordo_services.retrieval.cached_readers import WorkingMemoryReader
from ricordo_services.retrieval.recall_result import RecallResult

KEY: Final = "last_answer"
"""The key of the note; a bot's own of that key is replaced."""

_LONGEST: Final = 300  # characters of a question that is noted
_PATIENCE_S: Final = 0.5


class Conclusion(BaseModel):
    """What was asked last, and what answered it.

    Attributes:
        about: whom or what the question names.
        sources: ids of the memories that answered, best first.
        words: the characters of the first of them that did.
    """

    model_config = ConfigDict(frozen=True)

    question: str
    about: tuple[str, ...] = ()
    sources: tuple[UUID, ...] = ()
    words: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class AskedInFull:
    """A question in full; `kept` is what of it may be noted, `beside` are memories known not to answer it."""

    question: str
    kept: str
    beside: Sequence[UUID] = ()


@dataclass(frozen=True, slots=True)
class FollowUps:
    """Reads and writes what a conversation concluded; without the store, questions stand for themselves."""

    working: WorkingMemoryReader
    notes: NoteStore
    memories: MemoryQueries
    clock: Clock
    lifetime: timedelta = LIFETIME

    async def in_full(self, tenant: str, request: RecallRequest) -> AskedInFull:
        """Return the question of a request in words that say all of it."""
        asked = AskedInFull(request.query, request.query)
        if request.conversation_id is None or not leans(request.query):
            return asked
        try:
            scope = request.user_id, request.conversation_id
            working = await self.working.read(tenant, *scope, now=request.now)
            last = _conclusion(working.notes.get(KEY))
            names = (await self.memories.profile(tenant, request.user_id)).names
            if last is None:
                earlier = EarlierQuestion("", working.entities[:1])
                found = self._completed(request, earlier, names)
                return AskedInFull(found.text, found.kept)
            rows = await self.memories.memories(tenant, request.user_id, last.sources)
        except StoreUnavailable:
            return asked
        contents = {one.id: one.content for one in rows}
        told = contents.get(last.sources[0], "")[slice(*last.words)] if last.sources else ""
        found = self._completed(request, EarlierQuestion(last.question, last.about, told), names)
        if found.of_another_time:
            return AskedInFull(found.text, found.kept, last.sources)
        # What told of one tells of another only where it names that one, too.
        name = found.instead.casefold().split()[-1:]
        beside = [one for one, said in contents.items() if name and name[0] not in said.casefold()]
        return AskedInFull(found.text, found.kept, beside)

    def _completed(self, request: RecallRequest, earlier: EarlierQuestion, names: Sequence[str]) -> FollowUp:
        low = request.query.casefold()
        named = any(re.search(rf"(?<!\w){re.escape(name.casefold())}(?!\w)", low) for name in names)
        language = request.language or detect(f"{earlier.text} {request.query}")
        return completed(request.query, earlier, language, named=named)

    async def conclude(
        self, tenant: str, request: RecallRequest, recalled: RecallResult, passages: Sequence[JudgedPassage]
    ) -> None:
        """Note what was asked, and what answered it, where the request names a conversation."""
        if request.conversation_id is None or len(recalled.kept_question) > _LONGEST:
            return
        tied = (recalled.relative.words,) if recalled.relative and recalled.relative.words else ()
        named = (*tied, *recalled.analysis.entities)
        conclusion = Conclusion(
            question=recalled.kept_question,
            about=tuple(one for one in named if one.casefold() in recalled.kept_question.casefold()),
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

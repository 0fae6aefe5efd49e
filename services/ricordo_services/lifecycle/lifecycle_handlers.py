"""Handlers of lifecycle: events of recalls and of ends of sessions, and the user's commands on memories."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from uuid import NAMESPACE_OID, UUID, uuid5

from ricordo.clock import Clock
from ricordo.language.detection import identify
from ricordo.language.text import collapse
from ricordo.memory.context.recalled_tags import strip_recalled
from ricordo.memory.working_memory import LIFETIME, MAX_NOTES
from ricordo.messages.commands import (
    Correct,
    CorrectReply,
    Edit,
    EditReply,
    Feedback,
    FeedbackReply,
    Note,
    NoteReply,
    Pin,
    PinReply,
    Verify,
    VerifyReply,
)
from ricordo.messages.errors import ErrorCode
from ricordo.messages.event_items import DerivedEvent
from ricordo.messages.events import MemoryAccessed, MemoryChanged, ReadingRequested, SessionEnded
from ricordo.runtime.handling import Done, Envelope, Outcome, QueryResult, RequestError
from ricordo.store.curation_store import (
    CorrectionResult,
    CurationRequest,
    CurationStore,
    FixedKind,
    Flag,
    UnknownMemories,
)
from ricordo.store.lifecycle_store import LifecycleStore, RecallUse
from ricordo.store.session_store import SessionStore
from ricordo.store.working_memory_store import NoteStore, TombstoneExists, TooManyNotes, WorkingNote
from ricordo_services.lifecycle.derived_events import removal_events
from ricordo_services.stage_events import requests

REINFORCED_FIELDS = ("access_count", "last_accessed", "reinforcement", "importance")
OnMemories = Feedback | Pin | Edit | Verify | Correct


@dataclass(frozen=True, slots=True)
class Reinforce:
    """Handles `memory.accessed`: each recall reinforces a memory exactly once."""

    lifecycle_store: LifecycleStore

    async def __call__(self, tenant: str, events: Sequence[Envelope[MemoryAccessed]]) -> Sequence[Outcome]:
        """Reinforce the recalled memories; one outcome each."""
        uses = [
            RecallUse(
                event.body.user_id, event.body.memory_id, event.body.recall_id, event.at, accessed_at=event.at
            )
            for event in events
        ]
        await self.lifecycle_store.reinforce(tenant, uses)
        return [
            Done((MemoryChanged(user_id=one.user_id, memory_id=one.memory_id, fields=REINFORCED_FIELDS),))
            for one in uses
        ]


@dataclass(frozen=True, slots=True)
class SessionEndHandler:
    """Handles `session.ended`: records the end; the next pass summarises the session."""

    sessions: SessionStore
    clock: Clock

    async def __call__(self, tenant: str, events: Sequence[Envelope[SessionEnded]]) -> Sequence[Outcome]:
        """Record the ends; one outcome each."""
        now = self.clock.now()
        for event in events:
            body = event.body
            await self.sessions.end(tenant, body.user_id, body.conversation_id, body.timestamp, now)
        return [Done()] * len(events)


@dataclass(frozen=True, slots=True)
class MemoryCommands:
    """Answers commands on memories."""

    curation: CurationStore
    clock: Clock

    async def feedback(self, tenant: str, command: Feedback, /) -> QueryResult:
        """Reinforce the used memories, and undo the reinforcement of irrelevant ones."""
        with _translate_errors(command):
            result = await self.curation.feedback(
                tenant,
                _request(tenant, command),
                command.recall_id,
                used=command.used,
                irrelevant=command.irrelevant,
                at=self.clock.now(),
            )
        reply = FeedbackReply(used=result.used, irrelevant=result.irrelevant)
        events = _changed(command, result.changed, REINFORCED_FIELDS)
        return QueryResult(reply, events, _cause(tenant, command))

    async def pin(self, tenant: str, command: Pin, /) -> QueryResult:
        """Exempt a memory from decay, or end the exemption."""
        events = await self._set(tenant, command, command.memory_id, "pinned", value=command.pinned)
        return QueryResult(PinReply(pinned=command.pinned), events, _cause(tenant, command))

    async def edit(self, tenant: str, command: Edit, /) -> QueryResult:
        """Change the kind, importance, tags or expiry of a memory."""
        request = _request(tenant, command)
        with _translate_errors(command):
            fields = await self.curation.edit(
                tenant, request, command.memory_id, command.changes, at=self.clock.now()
            )
        return QueryResult(
            EditReply(), _changed(command, (command.memory_id,), fields), _cause(tenant, command)
        )

    async def verify(self, tenant: str, command: Verify, memory_id: UUID, /) -> QueryResult:
        """Confirm a memory, or revoke the confirmation."""
        events = await self._set(tenant, command, memory_id, "verified", value=command.verified)
        return QueryResult(VerifyReply(verified=command.verified), events, _cause(tenant, command))

    async def _set(
        self, tenant: str, command: OnMemories, memory_id: UUID, column: Flag, *, value: bool
    ) -> tuple[DerivedEvent, ...]:
        request = _request(tenant, command)
        with _translate_errors(command):
            fields = await self.curation.set_flag(
                tenant, request, memory_id, column, value=value, at=self.clock.now()
            )
        return _changed(command, (memory_id,), fields)

    async def correct(self, tenant: str, command: Correct, memory_id: UUID, /) -> QueryResult:
        """Replace the content of a memory.

        The same transaction clears its processing stages, so that reconciliation finds it if a crash loses
        the event.
        """
        content = strip_recalled(command.content or "")
        if not collapse(content):
            reason = "content must hold something else than what was recalled"
            raise RequestError(ErrorCode.INVALID_REQUEST, reason, "content")
        # In a thread: loading the language detector takes a second, once.
        language = await asyncio.to_thread(identify, content)
        with _translate_errors(command):
            corrected = await self.curation.correct(
                tenant,
                _request(tenant, command),
                memory_id,
                content=content,
                language=language,
                at=self.clock.now(),
            )
        events = _changed(command, (memory_id,), corrected.fields) + _processing_events(corrected)
        events += removal_events(command.user_id, corrected.withdrawn)
        return QueryResult(CorrectReply(memory_id=memory_id), events, _cause(tenant, command))


def _processing_events(corrected: CorrectionResult) -> tuple[DerivedEvent, ...]:
    """Return the event that starts the processing of a corrected memory, unless it is complete."""
    if "content" not in corrected.fields or corrected.progress is None or corrected.progress.remembered:
        return ()
    return requests(ReadingRequested, [corrected.progress], "its text was corrected")


def _request(tenant: str, command: OnMemories) -> CurationRequest:
    """Return the request of a command."""
    return CurationRequest(command.user_id, command.effect_key(tenant), command.digest)


def _cause(tenant: str, command: OnMemories) -> UUID | None:
    """Return the id from which event ids are derived, so that a repeated request emits the same ids."""
    key = command.effect_key(tenant)
    return None if key is None else uuid5(NAMESPACE_OID, key)


def _changed(
    command: OnMemories, memory_ids: Sequence[UUID], fields: Sequence[str]
) -> tuple[DerivedEvent, ...]:
    """Return the events of a change, if there is one."""
    changed = memory_ids if fields else ()
    return tuple(
        MemoryChanged(user_id=command.user_id, memory_id=one, fields=tuple(fields)) for one in changed
    )


@contextmanager
def _translate_errors(command: OnMemories) -> Iterator[None]:
    """Raise errors of the store as `RequestError`."""
    try:
        yield
    except UnknownMemories as unknown:
        raise RequestError(ErrorCode.NOT_FOUND, _unknown_reason(unknown), _field(command, unknown)) from None
    except FixedKind:
        reason = "kind must not be given for what was derived: a summary stays one"
        raise RequestError(ErrorCode.INVALID_REQUEST, reason, "kind") from None


def _unknown_reason(unknown: UnknownMemories) -> str:
    first, more = unknown.memory_ids[0], len(unknown.memory_ids) - 1
    rest = f", nor {more} more of those named" if more else ""
    return (
        f"this user has no memory of the id {first}{rest}: query.recall and query.timeline show those that "
        "there are, each with its id; nothing was changed"
    )


def _field(command: OnMemories, unknown: UnknownMemories) -> str:
    if not isinstance(command, Feedback):
        return "memory_id"
    return "used" if set(unknown.memory_ids) & set(command.used) else "irrelevant"


@dataclass(frozen=True, slots=True)
class NoteHandler:
    """Answers `command.note`."""

    store: NoteStore
    clock: Clock
    lifetime: timedelta = LIFETIME

    async def __call__(self, tenant: str, command: Note, /) -> NoteReply:
        """Set a value, or remove it; without a request id, repeats are not recognised."""
        now = self.clock.now()
        note = WorkingNote(
            user_id=command.user_id,
            conversation_id=command.conversation_id,
            key=command.key,
            value=command.value,
            request_id=command.effect_key(tenant),
        )
        try:
            await self.store.note(tenant, note, now, live_since=now - self.lifetime, limit=MAX_NOTES)
        except TombstoneExists as forgotten:
            reason = f"this {forgotten.scope} was forgotten: nothing is noted of it any more"
            raise RequestError(ErrorCode.NOT_FOUND, reason, f"{forgotten.scope}_id") from None
        except TooManyNotes:
            reason = f"key must be one of the {MAX_NOTES} that this conversation has, which is the most"
            raise RequestError(ErrorCode.INVALID_REQUEST, reason, "key") from None
        return NoteReply()

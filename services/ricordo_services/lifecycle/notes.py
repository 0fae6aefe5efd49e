"""The command that puts a value into a conversation's working memory, and what empties it."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from ricordo.clock import Clock
from ricordo.memory.working_memory import LIFETIME, MAX_NOTES
from ricordo.messages.commands import Note, NoteReply
from ricordo.messages.errors import ErrorCode
from ricordo.messages.ids import request_key
from ricordo.runtime.replies import RequestError
from ricordo.store.lifecycle_store import LifecycleStore
from ricordo.store.working_memory_store import (
    NoteConflict,
    NoteStore,
    TombstoneExists,
    TooManyNotes,
    WorkingNote,
)
from ricordo_services.lifecycle.passes.slices import IsolatedItems


@dataclass(frozen=True, slots=True)
class NoteHandler:
    """Answers `command.note`."""

    notebook: NoteStore
    clock: Clock
    lifetime: timedelta = LIFETIME

    async def __call__(self, tenant: str, command: Note, /) -> NoteReply:
        """Keep a value, or take it away."""
        now = self.clock.now()
        try:
            await self.notebook.note(
                tenant, _kept(tenant, command), now, live_since=now - self.lifetime, limit=MAX_NOTES
            )
        except TombstoneExists as forgotten:
            reason = f"this {forgotten.scope} was forgotten: nothing is noted of it any more"
            raise RequestError(ErrorCode.NOT_FOUND, reason, f"{forgotten.scope}_id") from None
        except TooManyNotes:
            reason = f"key must be one of the {MAX_NOTES} that this conversation has, which is the most"
            raise RequestError(ErrorCode.INVALID_REQUEST, reason, "key") from None
        except NoteConflict:
            reason = "request_id must be a new one: under this one something else was noted"
            raise RequestError(ErrorCode.INVALID_REQUEST, reason, "request_id") from None
        return NoteReply()


async def tidy_notes(life: LifecycleStore, notebook: NoteStore, now: datetime, lifetime: timedelta) -> None:
    """Drop, for all tenants, notes that are at hand no more; those too that a clock ahead of time has set.

    Raises:
        StoreUnavailable: PostgreSQL does not answer; what fails for one tenant otherwise is logged.
    """
    trials = IsolatedItems("tidy notes")
    for tenant in await life.tenants():
        with trials.guard(now, tenant):
            await notebook.tidy(tenant, before=now - lifetime, after=now + lifetime)


def _kept(tenant: str, command: Note) -> WorkingNote:
    """Return what is kept. Without a request id each request counts."""
    return WorkingNote(
        user_id=command.user_id,
        conversation_id=command.conversation_id,
        key=command.key,
        value=command.value,
        request_id=None
        if command.request_id is None
        else request_key(tenant, command.user_id, command.name, command.request_id),
    )

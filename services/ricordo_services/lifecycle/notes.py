"""Answers `command.note`, which sets a value in working memory."""

from dataclasses import dataclass
from datetime import timedelta

from ricordo.clock import Clock
from ricordo.memory.working_memory import LIFETIME, MAX_NOTES
from ricordo.messages.commands import Note, NoteReply
from ricordo.messages.errors import ErrorCode
from ricordo.messages.ids import request_key
from ricordo.runtime.replies import RequestError
from ricordo.store.database import RequestConflict
from ricordo.store.working_memory_store import (
    NoteStore,
    TombstoneExists,
    TooManyNotes,
    WorkingNote,
)


@dataclass(frozen=True, slots=True)
class NoteHandler:
    """Answers `command.note`."""

    store: NoteStore
    clock: Clock
    lifetime: timedelta = LIFETIME

    async def __call__(self, tenant: str, command: Note, /) -> NoteReply:
        """Set a value, or remove it."""
        now = self.clock.now()
        try:
            await self.store.note(
                tenant, _note(tenant, command), now, live_since=now - self.lifetime, limit=MAX_NOTES
            )
        except TombstoneExists as forgotten:
            reason = f"this {forgotten.scope} was forgotten: nothing is noted of it any more"
            raise RequestError(ErrorCode.NOT_FOUND, reason, f"{forgotten.scope}_id") from None
        except TooManyNotes:
            reason = f"key must be one of the {MAX_NOTES} that this conversation has, which is the most"
            raise RequestError(ErrorCode.INVALID_REQUEST, reason, "key") from None
        except RequestConflict:
            reason = "this request_id was already used for another request"
            raise RequestError(ErrorCode.INVALID_REQUEST, reason, "request_id") from None
        return NoteReply()


def _note(tenant: str, command: Note) -> WorkingNote:
    """Return the note of a command; without a request id, repeats are not recognised."""
    return WorkingNote(
        user_id=command.user_id,
        conversation_id=command.conversation_id,
        key=command.key,
        value=command.value,
        request_id=None
        if command.request_id is None
        else request_key(tenant, command.user_id, command.name, command.request_id),
    )

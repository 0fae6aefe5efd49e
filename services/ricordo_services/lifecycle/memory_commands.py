"""The commands that take a user's word on memories: which were of use, what stays, and what is so."""

import asyncio
import hashlib
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from typing import TypeVar
from uuid import NAMESPACE_OID, UUID, uuid5

from ricordo.clock import Clock
from ricordo.language.detection import identify
from ricordo.language.text import collapse
from ricordo.memory.context.recalled_tags import strip_recalled
from ricordo.messages.commands import (
    Correct,
    CorrectReply,
    Feedback,
    FeedbackReply,
    Pin,
    PinReply,
    Verify,
    VerifyReply,
)
from ricordo.messages.errors import ErrorCode
from ricordo.messages.events import DerivedEvent, MemoryChanged, MemoryCreated
from ricordo.messages.ids import request_key
from ricordo.runtime.replies import QueryResult, RequestError
from ricordo.store.curation_store import CorrectionResult, CurationRequest, CurationStore, UnknownMemories
from ricordo.store.database import RequestConflict
from ricordo_services.lifecycle.derived_events import removal_events
from ricordo_services.lifecycle.lifecycle_handlers import STRENGTHENED

R = TypeVar("R")
OnMemories = Feedback | Pin | Verify | Correct


@dataclass(frozen=True, slots=True)
class FeedbackOnRecall:
    """Answers `command.feedback`."""

    curating: CurationStore
    clock: Clock

    async def __call__(self, tenant: str, command: Feedback, /) -> QueryResult:
        """Count what was used, and take back what was irrelevant."""
        weighed = await granted(
            self.curating.feedback(
                tenant,
                wish(tenant, command),
                command.recall_id,
                used=command.used,
                irrelevant=command.irrelevant,
                at=self.clock.now(),
            ),
            command,
        )
        reply = FeedbackReply(used=weighed.used, irrelevant=weighed.irrelevant)
        return QueryResult(reply, changed(command, weighed.changed, STRENGTHENED), cause(tenant, command))


@dataclass(frozen=True, slots=True)
class PinMemory:
    """Answers `command.pin`."""

    curating: CurationStore
    clock: Clock

    async def __call__(self, tenant: str, command: Pin, /) -> QueryResult:
        """Keep a memory from fading, or let it fade again."""
        fields = await granted(
            self.curating.pin(
                tenant, wish(tenant, command), command.memory_id, pinned=command.pinned, at=self.clock.now()
            ),
            command,
        )
        told = changed(command, (command.memory_id,), fields)
        return QueryResult(PinReply(pinned=command.pinned), told, cause(tenant, command))


@dataclass(frozen=True, slots=True)
class VerifyMemory:
    """Answers `command.verify` of a memory."""

    curating: CurationStore
    clock: Clock

    async def __call__(self, tenant: str, command: Verify, /) -> QueryResult:
        """Confirm a memory, or take that back."""
        memory_id = of_memory(command.memory_id)
        fields = await granted(
            self.curating.verify(
                tenant, wish(tenant, command), memory_id, verified=command.verified, at=self.clock.now()
            ),
            command,
        )
        told = changed(command, (memory_id,), fields)
        return QueryResult(VerifyReply(verified=command.verified), told, cause(tenant, command))


@dataclass(frozen=True, slots=True)
class CorrectMemory:
    """Answers `command.correct` of a memory.

    What follows from its words is made anew by the workers that made it: the memory lacks their stages, in
    the same transaction, so that it is found by reconciliation where a crash takes the event.
    """

    curating: CurationStore
    clock: Clock

    async def __call__(self, tenant: str, command: Correct, /) -> QueryResult:
        """Let a memory say something else."""
        memory_id = of_memory(command.memory_id)
        content = strip_recalled(command.content or "")
        if not collapse(content):
            reason = "content must hold something else than what was recalled"
            raise RequestError(ErrorCode.INVALID_REQUEST, reason, "content")
        # Beside the loop: what finds out the language takes a second to be read, once.
        language = await asyncio.to_thread(identify, content)
        corrected = await granted(
            self.curating.correct(
                tenant,
                wish(tenant, command),
                memory_id,
                content=content,
                language=language,
                at=self.clock.now(),
            ),
            command,
        )
        told = changed(command, (memory_id,), corrected.fields) + _begun(corrected)
        told += removal_events(command.user_id, corrected.withdrawn)
        return QueryResult(CorrectReply(memory_id=memory_id), told, cause(tenant, command))


def _begun(corrected: CorrectionResult) -> tuple[DerivedEvent, ...]:
    """Return the event that sends a corrected memory on its way; none of one that has come to its end."""
    if "content" not in corrected.fields or corrected.progress is None or corrected.progress.remembered:
        return ()
    return (MemoryCreated(**corrected.progress.ids),)


def wish(tenant: str, command: OnMemories) -> CurationRequest:
    """Return who asks for what."""
    key = _key(tenant, command)
    asked = command.model_dump_json(exclude={"request_id"})
    return CurationRequest(command.user_id, key, hashlib.sha256(asked.encode()).digest())


def cause(tenant: str, command: OnMemories) -> UUID | None:
    """Return from what the ids of events follow: a request that is repeated emits the same ones again."""
    key = _key(tenant, command)
    return None if key is None else uuid5(NAMESPACE_OID, key)


def changed(
    command: OnMemories, memory_ids: Sequence[UUID], fields: Sequence[str]
) -> tuple[DerivedEvent, ...]:
    """Return the event of a change; none of no change."""
    if not memory_ids or not fields:
        return ()
    return (MemoryChanged(user_id=command.user_id, memory_ids=tuple(memory_ids), fields=tuple(fields)),)


async def granted(doing: Awaitable[R], command: OnMemories) -> R:
    """Return what `doing` does.

    Raises:
        RequestError: there are no such memories of the user, or the request is known for something else.
    """
    try:
        return await doing
    except UnknownMemories as unknown:
        raise RequestError(ErrorCode.NOT_FOUND, _nothing_of(unknown), _field(command, unknown)) from None
    except RequestConflict:
        reason = "request_id must be a new one: under this one something else was asked"
        raise RequestError(ErrorCode.INVALID_REQUEST, reason, "request_id") from None


def of_memory(memory_id: UUID | None) -> UUID:
    """Return the id of the memory that a command names, as its route sees to it."""
    if memory_id is None:
        raise ValueError("a command on a fact was routed to the memories")
    return memory_id


def _nothing_of(unknown: UnknownMemories) -> str:
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


def _key(tenant: str, command: OnMemories) -> str | None:
    if command.request_id is None:
        return None
    return request_key(tenant, command.user_id, command.name, command.request_id)

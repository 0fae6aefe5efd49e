"""Erasure on request: writes a tombstone, then erases the data and all that derives from it, slice by slice.

The command waits for the end up to its timeout, and the erasure goes on without it; after a crash any process
resumes it.
"""

import asyncio
import json
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final, Self

import structlog

from ricordo.bus.nats.nats_bus import NatsBus
from ricordo.bus.port import StoredMessage
from ricordo.clock import Clock
from ricordo.documents.records import document_key
from ricordo.messages.codec import owner_of
from ricordo.messages.commands import Discard, Erased, Forget, ForgetReply
from ricordo.messages.enumerations import ForgetScope
from ricordo.messages.errors import DEAD_LETTER_SEQUENCE
from ricordo.messages.event_items import DerivedEvent
from ricordo.messages.events import FactsRequested, IndexRequested, MemoryForgotten, ReadingRequested
from ricordo.messages.subjects import DEAD_LETTER_PREFIX, STREAM_DEAD_LETTERS
from ricordo.runtime.backoff import ItemBackoff
from ricordo.runtime.event_publishing import Emitter
from ricordo.runtime.tasks import cancel_and_wait
from ricordo.store.erasure import (
    DeadLetterPosition,
    ErasureRequest,
    ErasureSlice,
    ErasureStore,
)
from ricordo.store.lifecycle_store import LifecycleStore
from ricordo.unavailable import DependencyUnavailable
from ricordo_services.knowledge.graph_projector import GraphProjector
from ricordo_services.stage_events import requests

_log = structlog.stdlib.get_logger(__name__)

# Messages in one transaction: some hundred milliseconds, in which others of the user wait.
_SLICE: Final = 200
_PATIENCE_S: Final = 2.5  # for the end of one
_NAMED: Final = 1_000  # memory ids in one event
_LEFT: Final = timedelta(seconds=10)  # after which an erasure that is not done may have been cut off
_NAMES: Final = {
    ForgetScope.MESSAGE: ("id", "message_id"),  # of a message, and of an event about it
    ForgetScope.MEMORY: ("memory_id",),
    ForgetScope.CONVERSATION: ("conversation_id",),
    ForgetScope.USER: ("user_id",),
}


def _position(letter: StoredMessage) -> DeadLetterPosition:
    consumer, _, subject = letter.subject.removeprefix(f"{DEAD_LETTER_PREFIX}.").partition(".")
    return DeadLetterPosition(consumer, subject, int(letter.headers.get(DEAD_LETTER_SEQUENCE, 0)))


def _is_newer(letter: StoredMessage, erasure: ErasureRequest) -> bool:
    """Return whether a dead letter is newer than the erasure: a user may return after it."""
    if erasure.scope in (ForgetScope.MESSAGE, ForgetScope.MEMORY):
        return False
    words = owner_of(_position(letter).subject, letter.body)
    return words is not None and words.said_at is not None and words.said_at > erasure.at


def _belongs_to(body: bytes, erasure: ErasureRequest) -> bool:
    """Return whether a body belongs to the erasure; if it is no JSON object, whether it contains the ids."""
    names, user_id = _NAMES[erasure.scope], erasure.user_id
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):  # also of no valid UTF-8
        content = None
    if not isinstance(content, dict):
        return all(json.dumps(name).encode() in body for name in (user_id, erasure.key))
    items = content.get("items")
    # Of a letter with items of others too: these lose nothing, as reconciliation finds what they lack.
    return any(
        isinstance(one, dict) and one.get("user_id") == user_id and erasure.key in map(one.get, names)
        for one in (items if isinstance(items, list) else [content])
    )


class BeingErased(DependencyUnavailable):
    """The tombstone hides the data, but not all of it is erased yet."""

    server = "the erasure"
    state = "is under way"


@dataclass(frozen=True, slots=True)
class Erasure:
    """Carries out an erasure in all stores, and in the dead letters, which contain message bodies."""

    erasing: ErasureStore
    projector: GraphProjector
    emitter: Emitter
    streams: NatsBus

    async def __call__(self, tenant: str, erasure: ErasureRequest) -> Erased:
        """Erase everything; safe to repeat. Returns the total counts.

        Raises:
            DependencyUnavailable: a server is unavailable; the erasure can be resumed.
        """
        more = True
        while more:
            erased = await self.erasing.erase(tenant, erasure, _SLICE)
            await self.emitter.emit(tenant, _events(erasure, erased))
            more = erased.more
        await self.projector.project(tenant, erasure.user_id)
        await self._delete_dead_letters(tenant, erasure)
        counts = await self.erasing.finish(tenant, erasure)
        _log.info("forgotten", tenant=tenant, scope=erasure.scope.value, **dict(counts))
        return counts

    async def _delete_dead_letters(self, tenant: str, erasure: ErasureRequest) -> None:
        """Delete the dead letters that an erasure covers, each once it is counted."""
        subject, sequence = f"{DEAD_LETTER_PREFIX}.*.memory.*.{tenant}.>", 0
        while (letter := await self.streams.after(STREAM_DEAD_LETTERS, sequence, subject)) is not None:
            sequence = letter.sequence
            if _belongs_to(letter.body, erasure) and not _is_newer(letter, erasure):
                position = replace(_position(letter), object_key=document_key(tenant, letter.body))
                await self.erasing.count_dead_letter(tenant, erasure, position)
                await self.streams.remove(STREAM_DEAD_LETTERS, sequence)


class Erasures:
    """The running erasures of a process; an async context manager that cancels the rest at its end."""

    def __init__(self, erase: Erasure, lifecycle_store: LifecycleStore, clock: Clock) -> None:
        """Create with the erasure to run, and the store that lists tenants."""
        self._erase = erase
        self._life = lifecycle_store
        self._clock = clock
        self._backoff = ItemBackoff("forget")
        self._running: dict[tuple[str, ErasureRequest], asyncio.Task[Erased]] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await cancel_and_wait(*self._running.values())

    async def done(self, tenant: str, erasure: ErasureRequest, patience: float) -> Erased:
        """Run an erasure, once however many callers wait for it; return the total counts.

        Raises:
            BeingErased: it takes longer than `patience` seconds, and goes on.
            DependencyUnavailable: a server is away; it is taken up again.
        """
        task = self._running.get((tenant, erasure)) or self._begin(tenant, erasure)
        await asyncio.wait({task}, timeout=patience)
        if not task.done() or task.cancelled():
            raise BeingErased("what is to be forgotten is being erased, and that goes on")
        return task.result()

    def _begin(self, tenant: str, erasure: ErasureRequest) -> asyncio.Task[Erased]:
        task = self._running[tenant, erasure] = asyncio.create_task(self._erase(tenant, erasure))
        task.add_done_callback(lambda ended: self._end(tenant, erasure, ended))
        return task

    def _end(self, tenant: str, erasure: ErasureRequest, task: asyncio.Task[Erased]) -> None:
        del self._running[tenant, erasure]
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.warning("an erasure is not done yet", of=repr((tenant, erasure)), exc_info=error)

    async def resume(self) -> None:
        """Resume unfinished erasures of all tenants; one that fails or takes long does not block others.

        Raises:
            DependencyUnavailable: a server is away.
        """
        now = self._clock.now()
        for tenant in await self._life.tenants():
            for erasure in await self._erase.erasing.unfinished(tenant, now - _LEFT):
                ids = {"user_id": erasure.user_id, "scope": erasure.scope.value, "key": erasure.key}
                if not self._backoff.in_cooldown(now, tenant, **ids):
                    with self._backoff.guard(now, tenant, **ids), suppress(BeingErased):
                        await self.done(tenant, erasure, _PATIENCE_S)


@dataclass(frozen=True, slots=True)
class ForgetOnRequest:
    """Answers `command.forget` and `command.discard`.

    Attributes:
        patience: timeout of the reply in seconds.
    """

    erasing: ErasureStore
    erasures: Erasures
    clock: Clock
    patience: float = _PATIENCE_S

    async def __call__(self, tenant: str, command: Forget | Discard, /) -> ForgetReply:
        """Erase, and return the counts by store."""
        request, now = command.effect_key(tenant), self.clock.now()
        if isinstance(command, Forget):
            erasure = _erasure_request(command, now)
        else:
            erasure = await self.erasing.of_memory(tenant, command.user_id, command.memory_id, now, request)
        outcome = await self.erasing.put_tombstone(tenant, erasure, request=request, asked=command.digest)
        if isinstance(outcome, ErasureRequest):
            outcome = await self.erasures.done(tenant, outcome, self.patience)
        return ForgetReply(erased=outcome)


def _erasure_request(command: Forget, now: datetime) -> ErasureRequest:
    named = ((ForgetScope.MESSAGE, command.message_id), (ForgetScope.CONVERSATION, command.conversation_id))
    whole = (ForgetScope.USER, command.user_id)
    scope, key = next(((scope, key) for scope, key in named if key is not None), whole)
    return ErasureRequest(command.user_id, scope, key, now)


def _events(erasure: ErasureRequest, erased: ErasureSlice) -> list[DerivedEvent]:
    """Return the events of a slice: points to delete and to update, and messages to read again."""
    gone, events = list(erased.memory_ids), list[DerivedEvent]()
    for start in range(0, len(gone), _NAMED):
        ids = tuple(gone[start : start + _NAMED])
        events.append(MemoryForgotten(user_id=erasure.user_id, scope=erasure.scope, memory_ids=ids))
    # What was read after a turn that is gone is read again, and its own facts with it.
    reason = "the turn before it was erased"
    return [
        *events,
        *requests(IndexRequested, erased.behind, reason),
        *requests(ReadingRequested, erased.behind, reason),
        *requests(FactsRequested, erased.unread, "what it corrects or is corrected by was erased"),
    ]

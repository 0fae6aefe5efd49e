"""Deletes the dead letters of forgotten messages."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Final

from ricordo.bus.port import StoredMessage, StreamAccess
from ricordo.documents.records import document_key
from ricordo.messages.codec import owner_of
from ricordo.messages.enumerations import ForgetScope
from ricordo.messages.errors import DEAD_LETTER_SEQUENCE
from ricordo.messages.subjects import DEAD_LETTER_PREFIX, STREAM_DEAD_LETTERS
from ricordo.store.erasure import DeadLetterPosition, ErasureRequest

_NAMES: Final = {
    ForgetScope.MESSAGE: ("id", "message_id"),  # of a message, and of an event about it
    ForgetScope.CONVERSATION: ("conversation_id",),
    ForgetScope.USER: ("user_id",),
}


@dataclass(frozen=True, slots=True)
class DeadLetterErasure:
    """Deletes the dead letters that an erasure covers."""

    streams: StreamAccess

    async def delete(
        self, tenant: str, erasure: ErasureRequest, before: Callable[[DeadLetterPosition], Awaitable[None]]
    ) -> None:
        """Delete the dead letters of an erasure, each once `before` has returned.

        Raises:
            BusUnavailable: some may still be there.
            Exception: of `before`.
        """
        subject, sequence = f"{DEAD_LETTER_PREFIX}.*.memory.*.{tenant}.>", 0
        while (letter := await self.streams.after(STREAM_DEAD_LETTERS, sequence, subject)) is not None:
            sequence = letter.sequence
            if _belongs_to(letter.body, erasure) and not _is_newer(letter, erasure):
                await before(replace(_position(letter), object_key=document_key(tenant, letter.body)))
                await self.streams.remove(STREAM_DEAD_LETTERS, sequence)


def _position(letter: StoredMessage) -> DeadLetterPosition:
    consumer, _, subject = letter.subject.removeprefix(f"{DEAD_LETTER_PREFIX}.").partition(".")
    return DeadLetterPosition(consumer, subject, int(letter.headers.get(DEAD_LETTER_SEQUENCE, 0)))


def _is_newer(letter: StoredMessage, erasure: ErasureRequest) -> bool:
    """Return whether a dead letter is newer than the erasure: a user may return after it."""
    if erasure.scope is ForgetScope.MESSAGE:
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
    return content.get("user_id") == user_id and erasure.key in map(content.get, names)

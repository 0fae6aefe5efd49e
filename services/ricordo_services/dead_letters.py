"""The stream of dead letters: reads, replays and discards them, for the command line and the gateway."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import Annotated, Final, Self

import nats.js.errors
from nats.js import JetStreamContext
from nats.js.api import RawStreamMsg
from pydantic import BaseModel, Field
from pydantic.json_schema import SkipJsonSchema

from ricordo.client import NotFound, Unavailable
from ricordo.messages import errors
from ricordo.messages.subjects import (
    MESSAGE_ID,
    REPLAYED_FOR,
    STREAM_DEAD_LETTERS,
    InvalidSubject,
    parse_dead_letter,
)
from ricordo.runtime.decoding import references
from ricordo_services.ingest_watch import stream_errors

_AT_ONCE: Final = 50
_OWN_HEADERS: Final = frozenset(
    {
        errors.DEAD_LETTER_ATTEMPTS,
        errors.DEAD_LETTER_REASON,
        errors.DEAD_LETTER_SEQUENCE,
        MESSAGE_ID,
        REPLAYED_FOR,
    }
)
_MESSAGE_NOT_FOUND: Final = 10043  # JetStream: no message has that sequence


class DeadLetter(BaseModel):
    """A message that was given up.

    Attributes:
        sequence: its number; a replayed message that fails again gets a new one.
        consumer: that gave it up; empty if its subject cannot be read.
        subject: on which the message was published; it names the tenant.
        code: the reason, as the wire contract lists them.
    """

    sequence: int
    at: datetime
    consumer: str
    subject: str
    message_id: str | None
    code: str
    reason: str
    attempts: int | None


class WholeDeadLetter(DeadLetter):
    """A message that was given up, with its headers and its body as text."""

    headers: dict[str, str]
    text: str
    body: Annotated[SkipJsonSchema[bytes], Field(exclude=True)]

    @classmethod
    def read(cls, raw: RawStreamMsg) -> Self:
        """Read a message of the stream."""
        headers = dict(raw.headers or {})
        consumer, subject, body = "", raw.subject or "", raw.data or b""
        with suppress(InvalidSubject):
            consumer, subject = parse_dead_letter(subject)
        code, reason = errors.dead_letter_reason(headers)
        attempts = headers.get(errors.DEAD_LETTER_ATTEMPTS, "")
        return cls(
            sequence=raw.seq or 0,
            at=raw.time or datetime.fromtimestamp(0, UTC),
            consumer=consumer,
            subject=subject,
            message_id=references(subject, body).message_id,
            code=code,
            reason=reason,
            attempts=int(attempts) if attempts.isdigit() else None,
            headers={name: value for name, value in headers.items() if name not in _OWN_HEADERS},
            text=body.decode("utf-8", "replace"),
            body=body,
        )

    def summary(self) -> dict[str, object]:
        """Return the fields that a list shows."""
        return {**self.model_dump(exclude={"headers", "text"}), "at": self.at.isoformat()}


@contextmanager
def _translated() -> Iterator[None]:
    """Raise errors of NATS as `RicordoError`."""
    try:
        with stream_errors(STREAM_DEAD_LETTERS):
            yield
    except nats.js.errors.NotFoundError:
        raise Unavailable(
            f"the stream {STREAM_DEAD_LETTERS} is not there yet: workers make it when they start, "
            "and `ricordo up` starts them"
        ) from None


async def newest(streams: JetStreamContext, limit: int | None) -> list[WholeDeadLetter]:
    """Return the last `limit` dead letters, or all, oldest first.

    Raises:
        Timeout: JetStream is slow, or the credentials do not allow to ask it.
        Unavailable: it does not answer, or has no such stream.
    """
    with _translated():
        state = (await streams.stream_info(STREAM_DEAD_LETTERS)).state
        wanted = state.messages if limit is None else min(limit, state.messages)
        letters: list[WholeDeadLetter] = []
        last = state.last_seq
        while len(letters) < wanted and last >= max(state.first_seq, 1):
            first = max(last - _AT_ONCE, state.first_seq - 1, 0)
            read = await asyncio.gather(*(_read(streams, each) for each in range(last, first, -1)))
            letters += [letter for letter in read if letter is not None]
            last = first
    return letters[:wanted][::-1]


async def find(streams: JetStreamContext, sequence: int) -> WholeDeadLetter:
    """Return a dead letter by its number.

    Raises:
        NotFound: there is none.
        Timeout, Unavailable: as of `newest`.
    """
    with _translated():
        letter = await _read(streams, sequence) if sequence > 0 else None
    if letter is None:
        raise NotFound(f"there is no dead letter {sequence}: `ricordo dlq list` shows those there are")
    return letter


async def replay(streams: JetStreamContext, letter: WholeDeadLetter) -> None:
    """Send the event again to the consumer that gave it up, and take the letter out.

    If this is interrupted between the two, the letter stays: consumers handle a repeated event once.

    Raises:
        Timeout, Unavailable: as of `newest`; the letter is still there.
    """
    headers = {**letter.headers, REPLAYED_FOR: letter.consumer}
    headers[MESSAGE_ID] = f"replay:{letter.sequence}:{datetime.now(UTC).timestamp()}"
    with _translated():
        await streams.publish(letter.subject, letter.body, headers=headers)
        await _remove(streams, letter.sequence)


async def discard(streams: JetStreamContext, letter: WholeDeadLetter) -> None:
    """Delete a dead letter for good; nothing becomes of its event.

    Raises:
        Timeout, Unavailable: as of `newest`.
    """
    with _translated():
        await _remove(streams, letter.sequence)


async def _read(streams: JetStreamContext, sequence: int) -> WholeDeadLetter | None:
    """Return a letter; None if it was taken out."""
    try:
        return WholeDeadLetter.read(await streams.get_msg(STREAM_DEAD_LETTERS, sequence))
    except nats.js.errors.NotFoundError:
        return None


async def _remove(streams: JetStreamContext, sequence: int) -> None:
    try:
        await streams.delete_msg(STREAM_DEAD_LETTERS, sequence)
    except nats.js.errors.APIError as error:  # somebody else may have taken it out meanwhile
        if error.err_code != _MESSAGE_NOT_FOUND:
            raise

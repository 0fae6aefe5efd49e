"""Publish methods of the client."""

import asyncio
import hashlib
import re
from collections import deque
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, Unpack
from uuid import uuid4

from ricordo.client.connection import ConnectionMethods, built, read, written
from ricordo.client.exceptions import InvalidRequest, RicordoError
from ricordo.client.options import MessageFields, When
from ricordo.messages.events import MessageImported, MessageReceived, SessionEnded
from ricordo.messages.ids import session_ended_id
from ricordo.messages.message_types import format_instant
from ricordo.messages.subjects import event_headers

AnyMessage = MessageReceived | Mapping[str, object]
_TRACE_PARENT: Final = re.compile(r"[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}")
_MAX_WINDOW: Final = 4000


@dataclass(frozen=True, slots=True)
class Published:
    """Acknowledgement of a message: the stream has it on disk.

    Attributes:
        message_id: id for `status` and `remembered`.
        stream: stream that stores it until it is ingested.
        sequence: its sequence number in the stream.
        duplicate: whether JetStream dropped it as a duplicate.
    """

    message_id: str
    stream: str
    sequence: int
    duplicate: bool


@dataclass(frozen=True, slots=True)
class _Outgoing:
    name: str
    id: str
    body: bytes
    time: datetime
    dedup_id: str
    traceparent: str | None = None


class PublishMethods(ConnectionMethods):
    """Publish methods."""

    async def publish(
        self,
        message: AnyMessage | None = None,
        /,
        *,
        bulk: bool = False,
        traceparent: str | None = None,
        timeout: float | None = None,
        **fields: Unpack[MessageFields],
    ) -> Published:
        """Publish a message, and wait until the stream has it on disk.

        Args:
            message: a model or a mapping; or pass its fields as keyword arguments, with `id` and
                `timestamp` optional.
            bulk: use the lane of imports, which does not delay other messages.
            traceparent: the W3C trace context to continue.
            timeout: seconds to wait for the acknowledgement.

        Returns:
            The acknowledgement.

        Raises:
            TypeError: both or neither of `message` and fields, or an unknown field.
            InvalidRequest: a field is missing or wrong, or the message too large; nothing was sent.
            StreamFull: the stream is full; nothing was stored.
            Unavailable: no stream, or no connection.
            Timeout: no acknowledgement in time; publishing the same id again is safe.
        """
        if (message is None) == (not fields):
            raise TypeError("give either a message or its fields")
        drawn = {"id": uuid4().hex, "timestamp": datetime.now(UTC)}
        model = built(MessageReceived, {**drawn, **fields}) if message is None else _read(message)
        outgoing = self._message(model, traceparent, bulk=bulk)
        return await self._send(outgoing, timeout)

    async def end_session(
        self,
        user_id: str,
        conversation_id: str,
        timestamp: When | None = None,
        *,
        timeout: float | None = None,
    ) -> Published:
        """End the session of a conversation, at `timestamp` or now.

        Raises:
            RicordoError: as `publish`.
        """
        moment = datetime.now(UTC) if timestamp is None else timestamp
        ended = built(
            SessionEnded, {"user_id": user_id, "conversation_id": conversation_id, "timestamp": moment}
        )
        instant = format_instant(ended.timestamp)
        event_id = str(session_ended_id(self._connection.tenant, conversation_id, instant))
        outgoing = _Outgoing(SessionEnded.name, event_id, written(ended), ended.timestamp, event_id)
        return await self._send(outgoing, timeout)

    async def publish_many(
        self,
        messages: Iterable[AnyMessage] | AsyncIterable[AnyMessage],
        *,
        window: int = 256,
        bulk: bool = False,
        timeout: float | None = None,
    ) -> list[Published]:
        """Publish many messages with up to `window` outstanding acknowledgements.

        Args:
            messages: models or mappings, read lazily.
            window: 1 to 4,000.
            bulk: use the lane of imports, which does not delay other messages.
            timeout: seconds to wait for each acknowledgement.

        Returns:
            An acknowledgement per message, in order.

        Raises:
            RicordoError: as `publish`, for the first failure; a note gives the number of acknowledged ones.
                Publishing all of them again is safe.
        """
        if not 1 <= window <= _MAX_WINDOW:
            raise InvalidRequest(f"window must be 1 to {_MAX_WINDOW:,}, not {window}", "window")
        done: list[Published] = []
        flying: deque[asyncio.Task[Published]] = deque()
        try:
            async for message in _each(messages):
                outgoing = self._message(_read(message), None, bulk=bulk)
                if len(flying) >= window:
                    done.append(await flying.popleft())
                flying.append(asyncio.create_task(self._send(outgoing, timeout)))
            while flying:
                done.append(await flying.popleft())
        except RicordoError as error:
            settled = await asyncio.gather(*flying, return_exceptions=True)
            error.add_note(acknowledged(len(done) + sum(isinstance(item, Published) for item in settled)))
            raise
        finally:
            for task in flying:
                task.cancel()
        return done

    async def _send(self, outgoing: _Outgoing, timeout: float | None) -> Published:
        headers = event_headers(
            outgoing.name,
            event_id=outgoing.id,
            source=self._connection.source,
            time=outgoing.time,
            dedup_id=outgoing.dedup_id,
            traceparent=outgoing.traceparent,
        )
        ack = await self._connection.publish(outgoing.name, outgoing.body, headers, timeout)
        return Published(outgoing.id, ack.stream, ack.seq, bool(ack.duplicate))

    def _message(self, message: MessageReceived, traceparent: str | None, *, bulk: bool) -> _Outgoing:
        if traceparent is not None and _TRACE_PARENT.fullmatch(traceparent) is None:
            raise InvalidRequest("traceparent must be a W3C trace context", "traceparent")
        name = MessageImported.name if bulk else message.name
        body = written(message)
        # Deduplication is stream-wide: the tenant keeps tenants apart, and the digest lets another content
        # under the same id through, which ingest must see to report the conflict.
        digest = hashlib.sha256(body).hexdigest()[:16]
        dedup_id = f"{self._connection.tenant}/{message.id}/{digest}"
        return _Outgoing(name, message.id, body, message.timestamp, dedup_id, traceparent)


def acknowledged(number: int) -> str:
    """Say how many messages were acknowledged."""
    return "1 message was acknowledged" if number == 1 else f"{number} messages were acknowledged"


def _read(message: AnyMessage) -> MessageReceived:
    return message if isinstance(message, MessageReceived) else read(MessageReceived, message)


async def _each(messages: Iterable[AnyMessage] | AsyncIterable[AnyMessage]) -> AsyncIterator[AnyMessage]:
    if isinstance(messages, AsyncIterable):
        async for message in messages:
            yield message
    else:
        for message in messages:
            yield message

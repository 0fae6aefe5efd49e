"""Reading many messages of a stream with one request and without a consumer.

This is JetStream's batched direct get, of NATS 2.11, for which nats-py has no call. The server sends each
message to the inbox of the request, what it knows of it in headers, and ends with a status.
"""

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Final

from nats.aio.msg import Msg

from ricordo.bus.nats.connection import Connection
from ricordo.bus.port import BusUnavailable, StoredMessage

_END: Final = "204"
_NOTHING: Final = "404"
_SUBJECT: Final = "Nats-Subject"
_SEQUENCE: Final = "Nats-Sequence"
_TOLD: Final = frozenset(
    {_SUBJECT, _SEQUENCE, "Nats-Stream", "Nats-Time-Stamp", "Nats-Num-Pending", "Nats-Last-Sequence"}
)
"""Headers that are the server's; all others are the message's own."""
_MOST_BYTES: Final = 8 * 1024 * 1024


async def read_page(
    connection: Connection, stream: str, sequence: int, subject: str, limit: int
) -> Sequence[StoredMessage]:
    """Read messages behind a position; see `StreamPages.page`. At most some eight megabytes of them come.

    Raises:
        BusUnavailable: the server refuses or does not answer, or the stream is not one that is read so.
        nats.errors.Error: there is no connection.
    """
    found: list[StoredMessage] = []
    ended: asyncio.Future[Mapping[str, str]] = asyncio.get_running_loop().create_future()

    async def arrived(message: Msg) -> None:
        headers = message.headers or {}
        if _SEQUENCE in headers:
            found.append(_stored(stream, message.data, headers))
        elif not ended.done():
            ended.set_result(headers)

    client = connection.client
    inbox = client.new_inbox()
    asked = {"seq": sequence + 1, "next_by_subj": subject, "batch": limit, "max_bytes": _MOST_BYTES}
    listening = await client.subscribe(inbox, cb=arrived)
    try:
        await client.publish(f"$JS.API.DIRECT.GET.{stream}", json.dumps(asked).encode(), reply=inbox)
        async with asyncio.timeout(connection.settings.request_timeout):
            headers = await ended
    except TimeoutError:
        why = connection.denied or "the server does not answer"
        raise BusUnavailable(f"{stream} cannot be read in pages: {why}") from None
    finally:
        await listening.unsubscribe()
    if headers.get("Status") not in (_END, _NOTHING):
        why = headers.get("Description") or "it is not declared so"
        raise BusUnavailable(f"{stream} cannot be read in pages: {why}")
    return found


def _stored(stream: str, body: bytes, headers: Mapping[str, str]) -> StoredMessage:
    return StoredMessage(
        subject=headers[_SUBJECT],
        body=body,
        headers={name: value for name, value in headers.items() if name not in _TOLD},
        stream=stream,
        sequence=int(headers[_SEQUENCE]),
    )

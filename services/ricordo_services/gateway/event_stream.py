"""Server-sent events: what was remembered, changed, forgotten and recalled, and answers in parts."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing, suppress
from typing import Annotated, Any, Final, Literal

import nats.errors
from fastapi import APIRouter, Header, Request
from fastapi.responses import StreamingResponse
from nats.aio.msg import Msg
from nats.js import JetStreamContext
from nats.js.api import ConsumerConfig, DeliverPolicy
from starlette.types import Receive, Scope, Send

from ricordo.client import RicordoError
from ricordo.client.connection import PartsOfReply
from ricordo.messages.subjects import REPLAYED_FOR, STREAM_DERIVED, Subject
from ricordo.runtime.tasks import cancel_and_wait
from ricordo_services.api_keys import translated
from ricordo_services.gateway.nats_clients import NatsClients
from ricordo_services.gateway.problems import GatewayError, documented, problem_response
from ricordo_services.gateway.scopes import key_of

router = APIRouter(responses=documented())

_KEEP_ALIVE_S: Final = 15.0
_RETRY_AFTER_S: Final = "10"
MOST_WAITING: Final = 1_000
"""How many events wait for a listener who reads slowly."""
MEDIA_TYPE: Final = "text/event-stream"
_HEADERS: Final = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
EventType = Literal["remembered", "changed", "forgotten", "surfaced"]
SUBJECT_NAMES: Final[Mapping[EventType, str]] = {
    "remembered": "memory.remembered",
    "changed": "memory.changed",
    "forgotten": "memory.forgotten",
    "surfaced": "memory.accessed",
}
_TYPES: Final = {name: event_type for event_type, name in SUBJECT_NAMES.items()}


def type_of(message: Msg) -> EventType:
    """Return what an event is called over HTTP."""
    return _TYPES[Subject.parse(message.subject).name]


def _event_text(event_type: str, data: str) -> str:
    """Return an event as it is sent; its data are one line of JSON."""
    return f"event: {event_type}\ndata: {data}\n\n"


def is_repeated(message: Msg) -> bool:
    """Return whether it repeats an item for one consumer: all others have had it."""
    return REPLAYED_FOR in (message.headers or {})


def visible_to(user_id: str | None, event: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return an event with the items of a user alone; None if there is nothing of that user.

    Args:
        user_id: None for all users of the tenant.
    """
    if user_id is None:
        return event
    if "items" not in event:
        return event if event.get("user_id") == user_id else None
    items = [item for item in event["items"] if item["user_id"] == user_id]
    return {**event, "items": items} if items else None


class Listener:
    """The events that wait for one listener.

    Attributes:
        is_ended: whether no more come: they were too many, the subscription failed, or the gateway stops. The
            listener may resume behind its last event.
    """

    def __init__(self) -> None:
        self.is_ended = False
        self._waiting = asyncio.Queue[Msg | None]()

    def put(self, message: Msg) -> None:
        """Add an event; end the listener where there is no room."""
        if self._waiting.qsize() >= MOST_WAITING:
            self.end()
        elif not self.is_ended:
            self._waiting.put_nowait(message)

    def end(self) -> None:
        """Add no more."""
        if not self.is_ended:
            self.is_ended = True
            self._waiting.put_nowait(None)

    async def next(self, within: float) -> Msg | None:
        """Return the next event; None if none came in `within` seconds, or it is ended."""
        with suppress(TimeoutError):
            async with asyncio.timeout(within):
                return await self._waiting.get()
        return None


class _Feed:
    """A subscription and its listeners."""

    def __init__(self, subscription: JetStreamContext.PushSubscription) -> None:
        self.listeners: set[Listener] = set()
        self._subscription = subscription
        self.task = asyncio.ensure_future(self._pass_on())

    async def close(self) -> None:
        """End the subscription."""
        await cancel_and_wait(self.task)
        with suppress(nats.errors.Error):  # the connection has gone, and with it the subscription
            await self._subscription.unsubscribe()

    async def _pass_on(self) -> None:
        try:
            async for message in self._subscription.messages:
                if is_repeated(message):
                    continue
                for listener in self.listeners:
                    listener.put(message)
        finally:
            for listener in self.listeners:
                listener.end()


class EventFeeds:
    """Feeds events to their listeners: those who begin now share one subscription per tenant.

    Args:
        most: listeners of a key at a time.
    """

    def __init__(self, clients: NatsClients, most: int) -> None:
        self._clients = clients
        self._most = most
        self._of_key: Counter[str] = Counter()
        self._shared: dict[str, _Feed] = {}
        self._of: dict[Listener, tuple[str, str, _Feed]] = {}
        self._joining = asyncio.Lock()
        self._closing: set[asyncio.Task[None]] = set()

    async def listen(self, tenant: str, after: int | None, key_id: str) -> Listener:
        """Return a listener to the events of a tenant, behind a sequence number if one is given.

        Raises:
            GatewayError: the key has as many as it may.
        """
        if self._of_key[key_id] >= self._most:
            detail = f"this key has {self._most} event streams, as many as it may: close one"
            raise GatewayError(429, detail, headers={"Retry-After": _RETRY_AFTER_S})
        self._of_key[key_id] += 1
        try:
            feed = await self._joined(tenant, after)
        except BaseException:
            self._of_key[key_id] -= 1
            raise
        listener = Listener()
        feed.listeners.add(listener)
        self._of[listener] = tenant, key_id, feed
        return listener

    def leave(self, listener: Listener) -> None:
        """Forget a listener; the subscription of the last one is ended in the background."""
        tenant, key_id, feed = self._of.pop(listener)
        self._of_key[key_id] -= 1
        feed.listeners.discard(listener)
        if not feed.listeners:
            if self._shared.get(tenant) is feed:
                del self._shared[tenant]
            closing = asyncio.create_task(feed.close())
            self._closing.add(closing)
            closing.add_done_callback(self._closing.discard)

    def end(self) -> None:
        """End all listeners."""
        for listener in self._of:
            listener.end()

    async def closed(self) -> None:
        """Wait until the subscriptions of listeners that have left are ended."""
        await asyncio.gather(*self._closing)

    async def _joined(self, tenant: str, after: int | None) -> _Feed:
        """Return the feed of a tenant; it is made by the first listener, and anew where it has failed."""
        if after is not None:  # which nobody else shares
            return _Feed(await self._subscribed(tenant, after))
        async with self._joining:
            feed = self._shared.get(tenant)
            if feed is None or feed.task.done():
                feed = self._shared[tenant] = _Feed(await self._subscribed(tenant, None))
            return feed

    async def _subscribed(self, tenant: str, after: int | None) -> JetStreamContext.PushSubscription:
        """Return an ordered consumer of JetStream, which begins again after a loss."""
        subjects = [str(Subject(tenant, name)) for name in SUBJECT_NAMES.values()]
        config = ConsumerConfig(filter_subjects=subjects, deliver_policy=DeliverPolicy.NEW)
        if after is not None:
            config.deliver_policy, config.opt_start_seq = DeliverPolicy.BY_START_SEQUENCE, after + 1
        streams = self._clients.streams
        return await streams.subscribe("", stream=STREAM_DERIVED, ordered_consumer=True, config=config)


@router.get(
    "/v1/events",
    summary="Stream what is remembered, changed, forgotten and surfaced (server-sent events).",
    responses={200: {"content": {MEDIA_TYPE: {}}, "description": "Events without end."}, **documented()},
    response_class=StreamingResponse,
)
async def events(
    request: Request,
    last_event_id: Annotated[
        str | None, Header(alias="Last-Event-ID", description="Go on behind this event.")
    ] = None,
) -> StreamingResponse:
    """Stream events of the tenant, or of the user that the key is bound to."""
    if last_event_id is not None and not (last_event_id.isascii() and last_event_id.isdigit()):
        raise GatewayError(422, "Last-Event-ID: must be the id of an event", field="Last-Event-ID")
    feeds: EventFeeds = request.app.state.feeds
    key = key_of(request)
    with translated():  # before the answer begins, so that it can be an error
        after = None if last_event_id is None else int(last_event_id[:18])
        listener = await feeds.listen(key.tenant, after, key.id)
    return _EventResponse(feeds, listener, key.user_id)


class _EventResponse(StreamingResponse):
    """Sends the events of a listener, who leaves with it, also when nothing could be sent."""

    def __init__(self, feeds: EventFeeds, listener: Listener, user_id: str | None) -> None:
        super().__init__(_lines(listener, user_id), media_type=MEDIA_TYPE, headers=_HEADERS)
        self._feeds, self._listener = feeds, listener

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._feeds.leave(self._listener)


async def _lines(listener: Listener, user_id: str | None) -> AsyncIterator[str]:
    """Yield events as lines, until the listener is ended."""
    yield ": connected\n\n"
    loop = asyncio.get_running_loop()
    sent_at = loop.time()
    while True:
        message = await listener.next(_KEEP_ALIVE_S)
        if message is None and listener.is_ended:
            return
        line = None if message is None else _event(message, user_id)
        # A key of one user hears nothing of others' events, but of the connection.
        if message is None or (line is None and loop.time() - sent_at >= _KEEP_ALIVE_S):
            line = ": keep-alive\n\n"
        if line is not None:
            sent_at = loop.time()
            yield line


def _event(message: Msg, user_id: str | None) -> str | None:
    """Return an event as lines; None if it is of another user than the key's."""
    body = visible_to(user_id, json.loads(message.data))
    if body is None:
        return None
    return f"id: {message.metadata.sequence.stream}\n{_event_text(type_of(message), json.dumps(body))}"


class AnswerStream(StreamingResponse):
    """Sends the parts of a reply as `sentence`, and the reply as `answer`; ends with the client.

    What fails before the first of them is answered as for any other request, and later with an event `error`.
    """

    def __init__(self, parts: PartsOfReply) -> None:
        super().__init__(self._events(), media_type=MEDIA_TYPE, headers=_HEADERS)
        self._parts = parts

    async def stream_response(self, send: Send) -> None:
        """Send status and events, once there is the first."""
        async with aclosing(self._parts):
            self._first = await anext(self._parts)
            await super().stream_response(send)

    async def _events(self) -> AsyncIterator[str]:
        yield _part(*self._first)
        try:
            async for each in self._parts:
                yield _part(*each)
        except RicordoError as error:
            yield _event_text("error", bytes(problem_response(error).body).decode())


def _part(is_part: bool, body: bytes) -> str:  # noqa: FBT001 - of a pair
    return _event_text("sentence" if is_part else "answer", body.decode())

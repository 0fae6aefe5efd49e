"""Tells a page what happens to the memories of its user while it is open."""

import asyncio
import json
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final

import structlog
from nats.errors import Error as NatsError
from nats.js.errors import Error as StreamError
from nicegui import background_tasks, context

from ricordo_services.album.visit import Visit, run_in_browser
from ricordo_services.gateway.event_stream import EventType, Listener, type_of, visible_to
from ricordo_services.gateway.problems import GatewayError

_log = structlog.stdlib.get_logger(__name__)
Event = tuple[EventType, Mapping[str, Any]]
_GATHER_S: Final = 1.0
"""How long what follows an event is waited for, so that a page changes once a second at most."""
_REMEMBERED: Final = 256
"""Of how many events the ids are kept, as an event may be repeated under its id."""
_AGAIN_S: Final = 5.0
_IDLE_S: Final = 60.0


def on_events(
    visit: Visit,
    callback: Callable[[Sequence[Event]], Awaitable[None]],
    tell: Callable[[bool], None] = lambda _: None,
) -> None:
    """Call back with the events of the user, in their order, until the page is closed.

    Args:
        callback: given what came within a second, each with the body of its event; it may change the page.
        tell: told whether events are listened to, when that may have changed.
    """
    client = context.client

    async def listen() -> None:
        while True:
            try:
                listener = await visit.feeds.listen(visit.key.tenant, None, visit.key.id)
            except (GatewayError, NatsError, StreamError):
                pass
            else:
                try:
                    with client:
                        tell(True)  # noqa: FBT003 - of a callback
                        await _pass_on(visit, listener, callback)
                finally:
                    visit.feeds.leave(listener)
            with client:
                tell(False)  # noqa: FBT003 - of a callback
            await asyncio.sleep(_AGAIN_S)

    task = background_tasks.create(listen(), name=f"events of {client.id}")
    client.on_delete(task.cancel)


def withdraw_forgotten(events: Sequence[Event]) -> None:
    """Take lines of memories that were erased meanwhile out of the page: those with `data-memory`."""
    erased = [event for kind, event in events if kind == "forgotten"]
    ids = [one for event in erased for one in event.get("memory_ids", ())]
    if erased:
        any_of_them = any(not event.get("memory_ids") for event in erased)
        run_in_browser("withdraw", None if any_of_them else ids)


async def _pass_on(
    visit: Visit, listener: Listener, callback: Callable[[Sequence[Event]], Awaitable[None]]
) -> None:
    """Pass on what a listener gets, until it is ended."""
    loop, seen = asyncio.get_running_loop(), deque[str](maxlen=_REMEMBERED)
    while not listener.is_ended:
        message = await listener.next(_IDLE_S)
        events: list[Event] = []
        until = loop.time() + _GATHER_S
        while message is not None:
            try:
                body = visible_to(visit.user_id, json.loads(message.data))
                if body is not None and body["id"] not in seen:
                    seen.append(body["id"])
                    events.append((type_of(message), body))
            except Exception:  # noqa: BLE001 - one event of another form must not end the page's listening
                _log.exception("an event could not be shown", subject=message.subject)
            message = await listener.next(until - loop.time()) if until > loop.time() else None
        if events:
            await visit.attempt(callback(events))

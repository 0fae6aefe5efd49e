"""Server-sent events: what was remembered, changed and forgotten, from now on or from an event on."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Annotated, Final

import nats.errors
from fastapi import APIRouter, Header, Request
from fastapi.responses import StreamingResponse
from nats.aio.msg import Msg
from nats.js import JetStreamContext
from nats.js.api import ConsumerConfig, DeliverPolicy

from ricordo.messages.subjects import STREAM_DERIVED, Subject
from ricordo_services.api_keys import translated
from ricordo_services.gateway.nats_clients import NatsClients
from ricordo_services.gateway.problems import GatewayError, documented
from ricordo_services.gateway.scopes import key_of

router = APIRouter()

_NAMES: Final = ("memory.remembered", "memory.changed", "memory.forgotten")
_KEEP_ALIVE_S: Final = 15.0
MEDIA_TYPE: Final = "text/event-stream"


@router.get(
    "/v1/events",
    operation_id="events",
    summary="Stream what is remembered, changed and forgotten (server-sent events).",
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
    clients: NatsClients = request.app.state.clients
    key = key_of(request)
    after = None if last_event_id is None else int(last_event_id[:18])
    with translated():  # before the answer begins, so that it can be an error
        subscription = await _subscribed(clients, key.tenant, after)
    lines = _lines(subscription, key.user_id)
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(lines, media_type=MEDIA_TYPE, headers=headers)


async def _subscribed(
    clients: NatsClients, tenant: str, after: int | None
) -> JetStreamContext.PushSubscription:
    """Return an ordered consumer of JetStream, which begins again after a loss."""
    subjects = [str(Subject(tenant, name)) for name in _NAMES]
    config = ConsumerConfig(filter_subjects=subjects, deliver_policy=DeliverPolicy.NEW)
    if after is not None:
        config.deliver_policy, config.opt_start_seq = DeliverPolicy.BY_START_SEQUENCE, after + 1
    return await clients.streams.subscribe("", stream=STREAM_DERIVED, ordered_consumer=True, config=config)


async def _lines(subscription: JetStreamContext.PushSubscription, user_id: str | None) -> AsyncIterator[str]:
    """Yield events as lines."""
    try:
        yield ": connected\n\n"
        while True:
            try:
                message = await subscription.next_msg(timeout=_KEEP_ALIVE_S)
            except (TimeoutError, nats.errors.TimeoutError):
                yield ": keep-alive\n\n"
                continue
            if (line := _event(message, user_id)) is not None:
                yield line
    finally:
        await asyncio.shield(subscription.unsubscribe())


def _event(message: Msg, user_id: str | None) -> str | None:
    """Return an event as lines; None if it is of another user than the key's."""
    body = json.loads(message.data)
    if user_id is not None and body.get("user_id") != user_id:
        return None
    name = Subject.parse(message.subject).name.removeprefix("memory.")
    return f"id: {message.metadata.sequence.stream}\nevent: {name}\ndata: {json.dumps(body)}\n\n"

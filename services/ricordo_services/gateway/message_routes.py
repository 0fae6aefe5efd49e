"""Routes of messages: publish one or many, ask for the state, erase, export."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime
from typing import Annotated, Final, Literal
from uuid import UUID, uuid4

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response, StreamingResponse
from pydantic import BaseModel, ConfigDict, Field

from ricordo.client import MemoryClient, Timeout
from ricordo.client.connection import read
from ricordo.messages import commands, queries
from ricordo.messages.errors import DeadLetterCode
from ricordo.messages.events import MessageReceived
from ricordo.messages.inputs import StrictMessage
from ricordo.messages.message_types import Id, LocalInstant
from ricordo.runtime.tasks import run_until
from ricordo_services.export_stream import exported_items
from ricordo_services.gateway import import_routes, upload_routes
from ricordo_services.gateway.problems import GatewayError, documented, problem
from ricordo_services.gateway.scopes import (
    JSON,
    NDJSON,
    IdempotencyKey,
    OptionalUser,
    ask,
    client_of,
    connection_of,
    key_of,
    user_of,
)

router = APIRouter(responses=documented())
router.include_router(import_routes.router)
router.include_router(upload_routes.router)

_MOST: Final = 500
_TAKEN: Final = (DeadLetterCode.ID_CONFLICT, "forgotten")
"""Why a message cannot have its id: another one has it, or one that was deleted had it."""
_ERASED_WITHIN_S: Final = 120.0


class MessageBody(StrictMessage, MessageReceived):
    """A message. Without `id` one is drawn: give one to be able to repeat the request safely."""

    model_config = ConfigDict(title="Message", defer_build=False)

    id: Id | None = None  # type: ignore[assignment]
    timestamp: LocalInstant | None = None  # type: ignore[assignment]
    user_id: OptionalUser = None  # type: ignore[assignment]


class Accepted(BaseModel):
    """The state of a message.

    Attributes:
        state: received, remembered, or failed with the reason in `error`.
    """

    id: str
    state: Literal["received", "remembered", "failed", "unknown"] = "received"
    error: str | None = None


class AcceptedMessages(BaseModel):
    """Messages that are stored: none is lost from here on."""

    messages: list[Accepted]


@router.post(
    "/v1/messages",
    summary="Publish one message, or an array of up to 500.",
    status_code=202,
    response_model=AcceptedMessages,
    responses={200: {"model": AcceptedMessages, "description": "All are finished."}, **documented(409)},
)
async def publish(
    request: Request,
    body: MessageBody | Annotated[list[MessageBody], Field(min_length=1, max_length=_MOST)],
    wait: Annotated[
        Literal["remembered"] | None, Query(description="Answer once all are remembered.")
    ] = None,
    timeout: Annotated[float, Query(gt=0, le=120, description="Seconds to wait at most.")] = 30.0,
) -> Response:
    """Publish messages; the answer is 202 once they are stored, and 200 once they are finished.

    A gateway that stops waits no longer, and answers 202.
    """
    bodies = body if isinstance(body, list) else [body]
    messages = [_to_message(one, user_of(request, one.user_id)) for one in bodies]
    _check_ids(messages)
    client = client_of(request)
    await client.publish_many(messages)
    stopping: asyncio.Event = request.app.state.stopping
    finished = None if wait is None else await run_until(stopping, _finished(client, messages, timeout))
    if finished is None:
        return _accepted([Accepted(id=one.id) for one in messages], 202)
    code, _, reason = (finished[0].error or "").partition(": ")
    if body is bodies or finished[0].state == "remembered" or code not in _TAKEN:
        return _accepted(finished, 200)
    return problem(409, reason, code=code, field="id")


def _to_message(body: MessageBody, user_id: str) -> MessageReceived:
    """Return the message of a user, with an id and a time."""
    drawn = {"id": uuid4().hex, "timestamp": datetime.now(UTC)}
    return read(MessageReceived, {**drawn, **body.model_dump(exclude_unset=True), "user_id": user_id})


def _check_ids(messages: Sequence[MessageReceived]) -> None:
    """Refuse different messages under one id, of which no more than one could be kept."""
    digests: dict[str, str] = {}
    for position, one in enumerate(messages):
        if digests.setdefault(one.id, one.digest) != one.digest:
            field = f"{position}.id"
            raise GatewayError(422, f"{field} is that of another message of this request", field=field)


async def _finished(
    client: MemoryClient, messages: Sequence[MessageReceived], timeout: float
) -> list[Accepted] | None:
    """Return what became of messages once all are remembered or have failed; None if that takes longer."""
    try:
        receipts = await client.remembered(messages, timeout)
    except Timeout:
        return None
    found = [receipts[one.id] for one in messages]
    return [Accepted(id=one.message_id, state=one.state.value, error=one.error) for one in found]


def _accepted(messages: list[Accepted], status: int) -> Response:
    body = AcceptedMessages(messages=messages).model_dump_json(exclude_none=True)
    return Response(body, status, media_type=JSON)


@router.get(
    "/v1/messages/{message_id:path}",
    summary="Return the state of a message.",
    response_model=queries.StatusReply,
)
async def status(request: Request, message_id: Id, user_id: Id | None = None) -> Response:
    """Return the state of a message; `unknown` also for one of another user than asked for, or the key's."""
    user = user_of(request, user_id) if user_id else key_of(request).user_id
    fields = {"message_id": message_id, "user_id": user}
    found = await connection_of(request).ask_raw(queries.StatusRequest, fields, None)
    return Response(found, media_type=JSON)


async def _forget(request: Request, user_id: str | None, key: str | None, **scope: str) -> Response:
    fields = {"user_id": user_id, "request_id": key, **scope}
    return await ask(request, commands.Forget, fields, _ERASED_WITHIN_S)


@router.delete(
    "/v1/messages/{message_id:path}",
    summary="Erase a message and all that rests on it.",
    response_model=commands.ForgetReply,
)
async def forget_message(
    request: Request, message_id: Id, user_id: Id | None = None, idempotency_key: IdempotencyKey = None
) -> Response:
    """Erase a message."""
    return await _forget(request, user_id, idempotency_key, message_id=message_id)


@router.delete(
    "/v1/memories/{memory_id}",
    summary="Erase a memory: of a message, with that; a derived one alone.",
    response_model=commands.ForgetReply,
)
async def forget_memory(
    request: Request, memory_id: UUID, user_id: Id | None = None, idempotency_key: IdempotencyKey = None
) -> Response:
    """Erase a memory."""
    fields = {"user_id": user_id, "request_id": idempotency_key, "memory_id": str(memory_id)}
    return await ask(request, commands.Discard, fields, _ERASED_WITHIN_S)


@router.delete(
    "/v1/conversations/{conversation_id:path}",
    summary="Erase a conversation of a user.",
    response_model=commands.ForgetReply,
)
async def forget_conversation(
    request: Request, conversation_id: Id, user_id: Id | None = None, idempotency_key: IdempotencyKey = None
) -> Response:
    """Erase a conversation."""
    return await _forget(request, user_id, idempotency_key, conversation_id=conversation_id)


@router.delete(
    "/v1/users/{user_id:path}", summary="Erase all data of a user.", response_model=commands.ForgetReply
)
async def forget_user(request: Request, user_id: Id, idempotency_key: IdempotencyKey = None) -> Response:
    """Erase a user."""
    return await _forget(request, user_id, idempotency_key)


@router.get(
    "/v1/users/{user_id:path}/export",
    summary="Return all data of a user, one JSON object a line.",
    responses={200: {"content": {NDJSON: {}}, "description": "Every item."}, **documented()},
    response_class=StreamingResponse,
)
async def export(request: Request, user_id: Id) -> Response:
    """Return all data of a user as it is read; the last line is the end of a complete export."""
    items = exported_items(client_of(request), user_of(request, user_id), _ERASED_WITHIN_S)
    first = await anext(items)  # before the answer begins, so that it can be an error

    async def lines() -> AsyncIterator[str]:
        yield f"{json.dumps(first, ensure_ascii=False)}\n"
        async for item in items:
            yield f"{json.dumps(item, ensure_ascii=False)}\n"

    return StreamingResponse(lines(), media_type=NDJSON)

"""The route of imports: publishes past messages, a line each, and tells which were refused."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any, Final

from fastapi import APIRouter, Request
from fastapi.responses import Response
from pydantic import BaseModel, Field

from ricordo.client import InvalidRequest, RicordoError
from ricordo.client.connection import read
from ricordo.messages.events import MessageReceived
from ricordo.runtime.tasks import run_until
from ricordo_services.bulk_publication import BulkPublication
from ricordo_services.gateway.access_control import BODY_WITHIN_S
from ricordo_services.gateway.problems import GatewayError, documented
from ricordo_services.gateway.scopes import NDJSON, as_json, client_of, key_of, user_of
from ricordo_services.ingest_watch import IngestWatch

router = APIRouter(responses=documented())

_LINES_AT_ONCE: Final = 500
_BYTES_AT_ONCE: Final = 8 << 20
"""A chunk of fewer lines ends with the line that reaches this: it is in memory as a whole."""
_LONGEST_LINE: Final = 1 << 20


class LineError(BaseModel):
    """Why a line was not imported."""

    line: int
    detail: str


class Imported(BaseModel):
    """The result of an import; lines that are wrong are left out."""

    accepted: int = 0
    rejected: int = 0
    conflicts: int = Field(0, description="Lines whose id another message has, which stays.")
    unchecked: int = Field(0, description="Accepted lines that were not taken in yet: they may be conflicts.")
    errors: list[LineError] = Field(
        default_factory=list, description="The first 100 of what was rejected, or is a conflict."
    )


@router.post(
    "/v1/imports",
    operation_id="import",
    summary="Import past messages: one JSON object a line, of any number.",
    response_model=Imported,
    openapi_extra={"requestBody": {"content": {NDJSON: {"schema": {"type": "string"}}}}},
)
async def import_lines(request: Request) -> Response:
    """Publish each line on the bulk lane; a repeat of the same lines adds nothing.

    A gateway that stops waits for ingest no longer, and answers with what it knows.
    """
    streams = request.app.state.clients.streams
    work = BulkPublication[int](client_of(request), await IngestWatch.open(streams, key_of(request).tenant))
    chunk: list[tuple[int, MessageReceived]] = []
    number = size = 0
    async for line in _lines(request):
        number += 1
        if not line.strip():
            continue
        try:
            chunk.append((number, _imported(request, line)))
        except (RicordoError, GatewayError) as error:
            work.reject(number, str(error))
            continue
        size += len(line)
        if len(chunk) >= _LINES_AT_ONCE or size >= _BYTES_AT_ONCE:
            await work.publish(chunk)
            chunk, size = [], 0
    await work.publish(chunk)
    stopping: asyncio.Event = request.app.state.stopping
    await run_until(stopping, work.finish())
    errors = [LineError(line=line, detail=detail) for line, detail in sorted(work.faults)]
    return as_json(Imported.model_validate(work, from_attributes=True).model_copy(update={"errors": errors}))


def _imported(request: Request, line: bytes) -> MessageReceived:
    if len(line) > _LONGEST_LINE:
        raise InvalidRequest(f"is longer than {_LONGEST_LINE:,} bytes")
    try:
        fields: Any = json.loads(line)
    except (ValueError, RecursionError):
        raise InvalidRequest("is no JSON") from None
    if not isinstance(fields, dict):
        raise InvalidRequest("must be a JSON object")
    bound = key_of(request).user_id
    return read(MessageReceived, {**fields, "user_id": user_of(request, fields.get("user_id", bound))})


async def body_parts(request: Request) -> AsyncIterator[bytes]:
    """Yield the parts of a body of any length; a body that pauses for too long is an error."""
    parts = request.stream()
    while True:
        try:
            async with asyncio.timeout(BODY_WITHIN_S):
                part = await anext(parts, None)
        except TimeoutError:
            raise GatewayError(408, f"nothing more came within {BODY_WITHIN_S:g} s") from None
        if part is None:
            return
        yield part


async def _lines(request: Request) -> AsyncIterator[bytes]:
    """Yield the lines of the body; of one that is too long, no more than shows it."""
    rest = b""
    async for part in body_parts(request):
        *lines, rest = (rest + part).split(b"\n")
        for line in lines:
            yield line
        rest = rest[: _LONGEST_LINE + 1]
    yield rest

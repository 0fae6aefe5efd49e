"""The route of imports: publishes past messages, a line each, and tells which were refused."""

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

from fastapi import APIRouter, Request
from fastapi.responses import Response
from pydantic import BaseModel, Field

from ricordo.client import InvalidRequest, MemoryClient, RicordoError, Timeout, Unavailable
from ricordo.client.connection import read
from ricordo.messages.errors import DeadLetterCode
from ricordo.messages.events import MessageReceived
from ricordo.runtime.tasks import run_until
from ricordo_services.gateway.access_control import BODY_WITHIN_S
from ricordo_services.gateway.problems import GatewayError, documented
from ricordo_services.gateway.scopes import NDJSON, as_json, client_of, key_of, user_of
from ricordo_services.ingest_watch import IngestWatch

router = APIRouter(responses=documented())

_LINES_AT_ONCE: Final = 500
_BYTES_AT_ONCE: Final = 8 << 20
"""A chunk of fewer lines ends with the line that reaches this: it is in memory as a whole."""
_LONGEST_LINE: Final = 1 << 20
_ERRORS_SHOWN: Final = 100
_MOST_WAITING: Final = 200
"""Chunks whose fate is looked after while ingest lags behind."""
_INGEST_WITHIN_S: Final = 30.0
_LOOK_WITHIN_S: Final = 0.1
"""How long a chunk may be held up by looking what became of those before it."""


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


@dataclass(slots=True)
class _Import:
    """Publishes messages in chunks, and looks what became of the chunks that were taken in meanwhile.

    Attributes:
        watch: None if nobody can tell.
    """

    client: MemoryClient
    watch: IngestWatch | None
    result: Imported = field(default_factory=Imported)
    _waiting: deque[dict[int, int]] = field(default_factory=deque)
    """Of each chunk that is not checked, oldest first, the lines by their number in the stream."""

    async def publish(self, chunk: Sequence[tuple[int, MessageReceived]]) -> None:
        """Publish messages, each with its line."""
        publishing = (self.client.publish(message, bulk=True) for _, message in chunk)
        acks = await asyncio.gather(*publishing, return_exceptions=True)
        lines: dict[int, int] = {}
        for (line, _), ack in zip(chunk, acks, strict=True):
            if isinstance(ack, InvalidRequest):  # too large for this NATS server
                self.reject(line, str(ack))
            elif isinstance(ack, BaseException):
                raise ack
            else:
                self.result.accepted += 1
                lines[ack.sequence] = line
        self._waiting.append(lines)
        self.result.unchecked += len(lines)
        if len(self._waiting) > _MOST_WAITING:
            self._waiting.popleft()
        await self._check(_LOOK_WITHIN_S, patience=0)

    async def finish(self) -> None:
        """Count apart what ingest has refused, until it is done with everything or the time is over.

        Messages of others that come first are no reason to give up earlier, so there is no other patience.
        """
        await self._check(_INGEST_WITHIN_S, patience=_INGEST_WITHIN_S)

    async def _check(self, within: float, patience: float) -> None:
        """Count apart what ingest has refused, for so many seconds; the next call goes on where it ends."""
        clock = asyncio.get_running_loop()
        until = clock.time() + within
        with suppress(Timeout, Unavailable):
            while self.watch is not None and self._waiting and clock.time() < until:
                refused = await self.watch.refusals(self._waiting[0], patience, until=until)
                lines = self._waiting.popleft()
                self.result.unchecked -= len(lines)
                self.result.accepted -= len(refused)
                for sequence, reason in refused.items():
                    self.reject(lines[sequence], reason)

    def reject(self, line: int, detail: str) -> None:
        """Count a line that is left out."""
        if detail.startswith(DeadLetterCode.ID_CONFLICT):
            self.result.conflicts += 1
        else:
            self.result.rejected += 1
        if len(self.result.errors) < _ERRORS_SHOWN:
            self.result.errors.append(LineError(line=line, detail=detail))


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
    work = _Import(client_of(request), await IngestWatch.open(streams, key_of(request).tenant))
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
    work.result.errors.sort(key=lambda error: error.line)
    return as_json(work.result)


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


async def _lines(request: Request) -> AsyncIterator[bytes]:
    """Yield the lines of the body; of one that is too long, no more than shows it."""
    rest, parts = b"", request.stream()
    while True:
        try:
            async with asyncio.timeout(BODY_WITHIN_S):
                part = await anext(parts, None)
        except TimeoutError:
            raise GatewayError(408, f"nothing more came within {BODY_WITHIN_S:g} s") from None
        if part is None:
            break
        *lines, rest = (rest + part).split(b"\n")
        for line in lines:
            yield line
        rest = rest[: _LONGEST_LINE + 1]
    yield rest

"""The route of exports of other services: the file is the body, read as `ricordo import --from` reads it."""

import asyncio
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Annotated, Final

from fastapi import APIRouter, Query, Request
from fastapi import Path as PathParameter
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field

from ricordo.client import NotFound, Unavailable
from ricordo.messages.inputs import StrictMessage
from ricordo.messages.message_types import Id, TimeZone
from ricordo.runtime.tasks import run_until
from ricordo_services.gateway.import_routes import body_parts
from ricordo_services.gateway.problems import GatewayError, documented
from ricordo_services.gateway.scopes import as_json, client_of, key_of, user_of
from ricordo_services.importers import PARSERS
from ricordo_services.importers.archive import UnreadableExport, open_export
from ricordo_services.importers.entries import DateOrder
from ricordo_services.ingest_watch import IngestWatch
from ricordo_services.past_import import PastImport, Preview

router = APIRouter(responses=documented())

MAX_UPLOAD_BYTES: Final = 1 << 30
_AT_ONCE: Final = 2
"""Uploads of a process: each takes room on the disk, and JSON several times its size in memory."""
_BODY_WITHIN_S: Final = 600.0
_uploading: Final[set[str]] = set()
"""The ids of the keys whose uploads are under way in this process: one of a key."""
_OPTION: Final = re.compile(r"--([a-z-]+)")
_NAMES: Final = {"from": "/v1/imports/SERVICE"}
_ANY: Final = "application/octet-stream"


class UploadOptions(StrictMessage):
    """How an export is read; a key of one user needs no `user_id`."""

    model_config = ConfigDict(title="UploadOptions", defer_build=False)

    user_id: Id | None = None
    dry_run: bool = Field(default=False, description="Count, and publish nothing.")
    name: str = Field(
        "upload", max_length=255, description="The name of the file: that of a WhatsApp chat follows from it."
    )
    me: list[str] = Field(default_factory=list, description="The user's names in the export.")
    timezone: TimeZone = Field(
        None,
        description="The user's, and that of times without any; else the gateway's is.",
    )
    date_order: DateOrder | None = Field(None, description="Of WhatsApp, where both orders fit.")
    conversation: str | None = Field(None, description="The name of a WhatsApp chat whose file has none.")
    prefix: str | None = Field(
        None,
        pattern=r"^[\x21-\x7e]{0,128}$",
        description="Begins the ids of other speakers: `USER:SERVICE:`. Not for a key of one user.",
    )


class RefusedMessage(BaseModel):
    """Why a message was not imported."""

    place: str
    detail: str


class PastImported(Preview):
    """What an export contains, and what became of it: the counts are null after a dry run."""

    accepted: int | None = None
    rejected: int | None = None
    conflicts: int | None = Field(None, description="Messages whose id another message has, which stays.")
    unchecked: int | None = Field(
        None, description="Accepted messages that were not taken in yet: they may be conflicts."
    )
    known: int | None = Field(None, description="Messages that were stored before, about; null if unknown.")
    errors: list[RefusedMessage] = Field(default_factory=list, description="The first 100.")


@router.post(
    "/v1/imports/{service}",
    operation_id="import_from",
    summary="Import what another service exports, or count what an import would bring.",
    response_model=PastImported,
    openapi_extra={"requestBody": {"content": {_ANY: {"schema": {"type": "string", "format": "binary"}}}}},
)
async def import_from(
    request: Request,
    service: Annotated[str, PathParameter(json_schema_extra={"enum": list(PARSERS)})],
    options: Annotated[UploadOptions, Query()],
) -> Response:
    """Keep the body in a file of mode 600 for as long as it is read; a repeat adds nothing."""
    if service not in PARSERS:
        raise NotFound(f"there is no service {service}: name one of {', '.join(PARSERS)}")
    user_of(request, options.user_id)  # refuses before the body comes
    if options.prefix is not None and key_of(request).user_id is not None:
        raise GatewayError(422, "prefix is not for a key of one user", field="prefix")
    try:
        with upload_slot(key_of(request).id), tempfile.NamedTemporaryFile(prefix="ricordo-") as file:
            await _save(request, file)
            return as_json(await _read(request, Path(file.name), service, options))
    except UnreadableExport as error:
        raise GatewayError(422, _renamed(str(error))) from None


@contextmanager
def upload_slot(key_id: str) -> Iterator[None]:
    """Count an upload of a key, or of a session of the album, while it is read.

    Raises:
        GatewayError: it has one under way.
        Unavailable: the process has as many as it may.
    """
    again = "send this one again in a minute"
    if key_id in _uploading:
        detail = f"another export of this key is being imported: {again}"
        raise GatewayError(429, detail, headers={"Retry-After": "60"})
    if len(_uploading) >= _AT_ONCE:
        raise Unavailable(f"other exports are being imported: {again}")
    _uploading.add(key_id)
    try:
        yield
    finally:
        _uploading.remove(key_id)


async def _save(request: Request, file: IO[bytes]) -> None:
    """Write the body to a file, up to the limits of its size and its time."""
    too_large = GatewayError(413, f"an export may have at most {MAX_UPLOAD_BYTES:,} bytes: export less")
    length = request.headers.get("content-length", "0")
    if length.isdecimal() and int(length) > MAX_UPLOAD_BYTES:
        raise too_large
    size = 0
    try:
        async with asyncio.timeout(_BODY_WITHIN_S):
            async for part in body_parts(request):
                size += len(part)
                if size > MAX_UPLOAD_BYTES:
                    raise too_large
                await asyncio.to_thread(file.write, part)
    except TimeoutError:
        raise GatewayError(
            408, f"the export did not come within {_BODY_WITHIN_S:g} s: send it zipped, or export less"
        ) from None
    await asyncio.to_thread(file.flush)


async def _read(request: Request, path: Path, service: str, options: UploadOptions) -> PastImported:
    """Count what an export contains and, unless it is a dry run, import it."""
    user_id = user_of(request, options.user_id)
    with open_export(path, Path(options.name).name or "upload") as export:
        past = PastImport.of(
            service,
            user_id,
            export,
            me=options.me,
            timezone=options.timezone,
            date_order=options.date_order,
            conversation=options.conversation,
            prefix=options.prefix,
        )
        survey = await asyncio.to_thread(past.survey)
        preview = past.preview(survey, me="`me`")
        if options.dry_run:
            return PastImported(**dict(preview))
        if preview.unclear is not None:
            raise GatewayError(422, preview.unclear, field="me")
        client, streams = client_of(request), request.app.state.clients.streams
        known = await past.count_known(client, survey)
        watch = await IngestWatch.open(streams, key_of(request).tenant)
        work = await past.publish(client, watch, survey.messages)
    await run_until(request.app.state.stopping, work.finish())
    errors = [RefusedMessage(place=place, detail=detail) for place, detail in work.faults]
    counts = {name: getattr(work, name) for name in ("accepted", "rejected", "conflicts", "unchecked")}
    return PastImported(**dict(preview), **counts, known=known, errors=errors)


def _renamed(text: str) -> str:
    """Return a text of the command line with its options called as here."""
    return _OPTION.sub(lambda found: f"`{_NAMES.get(found[1], found[1].replace('-', '_'))}`", text)

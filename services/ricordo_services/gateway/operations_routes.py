"""Routes of operators: the state of the installation, dead letters, and keys."""

from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Final

from fastapi import APIRouter, Depends, Path, Query, Request
from fastapi.responses import Response
from nats.js import JetStreamContext
from pydantic import BaseModel, BeforeValidator, ConfigDict

from ricordo.client import NotFound
from ricordo.messages.inputs import StrictMessage
from ricordo.messages.message_types import Flag, Id, Label
from ricordo_services import dead_letters
from ricordo_services.api_keys import KeyStore
from ricordo_services.dead_letters import DeadLetter, WholeDeadLetter
from ricordo_services.gateway import operations
from ricordo_services.gateway.problems import GatewayError, documented
from ricordo_services.gateway.scopes import as_json, key_of


def check_operator(request: Request) -> None:
    """Refuse a request whose key is none of an operator.

    Raises:
        GatewayError: 403.
    """
    if not key_of(request).operator:
        raise GatewayError(
            403, "this is for operators: `ricordo key create NAME --operator` makes a key of one"
        )


router = APIRouter(prefix="/v1/operations", dependencies=[Depends(check_operator)], responses=documented(403))

_MOST: Final = 500
LetterNumber = Annotated[int, Path(ge=1, lt=1 << 63, description="Its number in the list.")]


class DeadLetters(BaseModel):
    """Dead letters, newest first."""

    dead_letters: tuple[DeadLetter, ...]


class KeyBody(StrictMessage):
    """A key to make.

    Attributes:
        name: what it is for.
        user_id: the only user that it opens; all users of the tenant without.
        operator: whether it may use these routes, too; not with a `user_id`.
    """

    model_config = ConfigDict(title="KeyRequest", defer_build=False)

    name: Label
    user_id: Id | None = None
    operator: Flag = False


class KeyInfo(BaseModel):
    """A key, or the session of a browser, without its text."""

    id: str
    name: str
    user_id: str | None
    use: str
    operator: bool
    created_at: datetime
    expires_at: Annotated[datetime | None, BeforeValidator(lambda time: time or None)]


class NewKey(KeyInfo):
    """A key, with its text, which is not shown again."""

    key: str


class Keys(BaseModel):
    """The keys of a tenant, oldest first."""

    keys: tuple[KeyInfo, ...]


@router.get("", summary="Tell how the installation is, and how fast.", response_model=operations.Operations)
async def state(request: Request) -> Response:
    """Return consumers, streams, findings, and the last two minutes of throughput."""
    return as_json(await operations.state(_streams(request), request.app.state.throughput))


@router.get("/dead-letters", summary="List the newest dead letters.", response_model=DeadLetters)
async def list_dead_letters(request: Request, limit: Annotated[int, Query(ge=1, le=_MOST)] = 50) -> Response:
    """List the newest dead letters of all tenants, newest first."""
    letters = await dead_letters.newest(_streams(request), limit)
    return as_json(DeadLetters(dead_letters=tuple(letters[::-1])))  # each without its body


@router.get("/dead-letters/{sequence}", summary="Return a dead letter.", response_model=WholeDeadLetter)
async def dead_letter(request: Request, sequence: LetterNumber) -> Response:
    """Return a dead letter with its headers and body."""
    return as_json(await dead_letters.find(_streams(request), sequence))


@router.post(
    "/dead-letters/{sequence}/replay",
    summary="Send a message again to the consumer that gave it up.",
    status_code=202,
)
async def replay_dead_letter(request: Request, sequence: LetterNumber) -> DeadLetter:
    """Send a message again, and take its dead letter out."""
    letter = await dead_letters.find(_streams(request), sequence)
    await dead_letters.replay(_streams(request), letter)
    return letter


@router.delete(
    "/dead-letters/{sequence}",
    summary="Delete a dead letter for good.",
    status_code=204,
    response_class=Response,
)
async def discard_dead_letter(request: Request, sequence: LetterNumber) -> Response:
    """Delete a dead letter; nothing becomes of its message."""
    await dead_letters.discard(_streams(request), await dead_letters.find(_streams(request), sequence))
    return Response(status_code=204)


@router.get("/keys", summary="List the keys of the tenant, without their texts.", response_model=Keys)
async def list_keys(request: Request) -> Response:
    """List the keys and sessions of the tenant of this key."""
    found = await _keys(request).all(key_of(request).tenant)
    return as_json(Keys.model_validate({"keys": found}, from_attributes=True))


@router.post("/keys", summary="Make a key of the tenant.", status_code=201)
async def add_key(request: Request, body: KeyBody) -> NewKey:
    """Make a key; its text is in this answer only."""
    tenant = key_of(request).tenant
    key, text = await _keys(request).create(tenant, body.user_id, body.name, operator=body.operator)
    return NewKey(**asdict(key), key=text)


@router.delete(
    "/keys/{key_id}", summary="Revoke a key of the tenant.", status_code=204, response_class=Response
)
async def revoke_key(request: Request, key_id: str) -> Response:
    """Revoke a key or a session: it is refused everywhere within five seconds."""
    if not await _keys(request).revoke(key_of(request).tenant, key_id):
        raise NotFound("there is no such key; GET /v1/operations/keys lists those there are")
    return Response(status_code=204)


def _streams(request: Request) -> JetStreamContext:
    streams: JetStreamContext = request.app.state.clients.streams
    return streams


def _keys(request: Request) -> KeyStore:
    keys: KeyStore = request.app.state.keys
    return keys

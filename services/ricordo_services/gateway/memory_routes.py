"""Routes that change a memory or a fact: pin, edit, verify, correct, reject."""

from functools import partial
from uuid import NAMESPACE_OID, UUID, uuid5

from fastapi import APIRouter, Request
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, model_validator

from ricordo.client import NotFound
from ricordo.messages import listings, queries
from ricordo.messages.commands import FactTimes, StatedFields
from ricordo.messages.inputs import StrictMessage
from ricordo.messages.message_types import Content, Flag, Id, Label, refused
from ricordo_services.gateway.problems import documented
from ricordo_services.gateway.scopes import (
    IdempotencyKey,
    as_json,
    ask,
    client_of,
    from_query,
    key_of,
    parameters,
    user_of,
)

router = APIRouter(responses=documented())


class _Change(StrictMessage):
    model_config = ConfigDict(defer_build=False)

    @model_validator(mode="after")
    def _something(self) -> "_Change":
        if not self.model_fields_set - {"user_id"}:
            raise refused("must name at least one field to change")
        return self


class MemoryChange(StatedFields, _Change):
    """What to change in a memory."""

    user_id: Id | None = None
    pinned: Flag | None = None
    verified: Flag | None = None
    content: Content | None = None


class FactChange(FactTimes, _Change):
    """What to change in a fact; `rejected` deletes it, and the same words do not produce it again."""

    user_id: Id | None = None
    verified: Flag | None = None
    object: Label | None = None
    rejected: Flag = False


class Changed(BaseModel):
    """The change is made."""

    ok: bool = True


@router.patch(
    "/v1/memories/{memory_id}", summary="Pin, edit, verify or correct a memory.", response_model=Changed
)
async def change_memory(
    request: Request, memory_id: UUID, body: MemoryChange, idempotency_key: IdempotencyKey = None
) -> Response:
    """Make the changes in the order pin, edit, verify, correct; a repeat completes what an error left."""
    user, client = user_of(request, body.user_id), client_of(request)
    key = partial(_part, idempotency_key)
    if body.pinned is not None:
        await client.pin(user, memory_id, pinned=body.pinned, request_id=key("pin"))
    if body.changes:
        await client.edit(user, memory_id, **body.changes, request_id=key("edit"))
    if body.verified is not None:
        await client.verify(user, verified=body.verified, memory_id=memory_id, request_id=key("verify"))
    if body.content is not None:
        await client.correct(user, memory_id=memory_id, content=body.content, request_id=key("correct"))
    return as_json(Changed())


@router.patch("/v1/facts/{fact_id}", summary="Verify, correct or reject a fact.", response_model=Changed)
async def change_fact(
    request: Request, fact_id: UUID, body: FactChange, idempotency_key: IdempotencyKey = None
) -> Response:
    """Make the changes in the order correct, verify, reject."""
    user, client = user_of(request, body.user_id), client_of(request)
    key = partial(_part, idempotency_key)
    if body.object is not None or body.times:
        corrected = await client.correct(
            user, fact_id=fact_id, object=body.object, **body.times, request_id=key("correct")
        )
        fact_id = corrected.fact_id or fact_id  # the former value has ended
    if body.verified is not None:
        await client.verify(user, verified=body.verified, fact_id=fact_id, request_id=key("verify"))
    if body.rejected:
        await client.reject(user, fact_id, request_id=key("reject"))
    return as_json(Changed())


@router.get(
    "/v1/memories/{memory_id}",
    summary="Return a memory with its neighbours, facts and history.",
    response_model=listings.MemoryReply,
)
async def memory(request: Request, memory_id: UUID, user_id: Id | None = None) -> Response:
    """Return a memory in full."""
    fields = {"user_id": user_id, "memory_id": memory_id}
    return await ask(request, listings.MemoryRequest, fields)


@router.get(
    "/v1/users",
    summary="List the users of the tenant, page by page.",
    response_model=listings.UsersReply,
    openapi_extra={"parameters": parameters(listings.UsersRequest)},
)
async def users(request: Request) -> Response:
    """List users, for a key of all users."""
    if key_of(request).user_id is not None:
        raise NotFound("a key of one user lists no others")
    wanted = from_query(listings.UsersRequest, request.query_params)
    found = await client_of(request).users(cursor=wanted.cursor, limit=wanted.limit)
    return as_json(found)


@router.get(
    "/v1/memories/{memory_id}/sources",
    operation_id="expand",
    summary="Return the memories that a summary, reflection or synthesis was made of.",
    response_model=queries.ExpandReply,
)
async def sources(request: Request, memory_id: UUID, user_id: Id | None = None) -> Response:
    """Return the sources of a memory."""
    fields = {"user_id": user_id, "memory_id": memory_id}
    return await ask(request, queries.ExpandRequest, fields)


def _part(key: str | None, name: str) -> str | None:
    """Return the idempotency key of one of several commands."""
    return None if key is None else str(uuid5(NAMESPACE_OID, f"{name}/{key}"))

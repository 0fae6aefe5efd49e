"""Requests with an id take effect once: a repeat changes nothing, and another one of its id is refused.

`claim_request` is for those whose reply tells what came of them (an erasure's counts) and is told again;
`is_new_request` for those whose reply is the same whether they are new or not. The former go with their user.
"""

import json
from datetime import datetime
from typing import Final
from uuid import NAMESPACE_OID, uuid5

import asyncpg

from ricordo.messages.errors import ErrorCode
from ricordo.runtime.handling import RequestError
from ricordo.store.database import Connection, Database

_SQL: Final = Database.queries("idempotency")


class RequestConflict(RequestError):
    """The request id is known for another request."""

    def __init__(self) -> None:
        reason = "this request_id was already used for another request"
        super().__init__(ErrorCode.INVALID_REQUEST, reason, "request_id")


async def claim_request(
    connection: Connection, tenant: str, user_id: str, request_id: str, *, asked: bytes, at: datetime
) -> asyncpg.Record | None:
    """Record a request; return None if it is new, else its `outcome` as JSON and its time (`handled_at`).

    Args:
        asked: a hash of its content.

    Raises:
        RequestConflict: it had another content before, or settled a fact.
    """
    if await connection.fetchval(_SQL["claim"], tenant, request_id, user_id, asked, at) is not None:
        return None
    known = await connection.fetchrow(_SQL["known"], tenant, request_id, user_id)
    if known is None or known["request_hash"] != asked:
        raise RequestConflict
    return known


async def keep_outcome(connection: Connection, tenant: str, request_id: str, outcome: str) -> None:
    """Store what came of a claimed request, as JSON."""
    await connection.execute(_SQL["keep_outcome"], tenant, request_id, outcome)


async def is_new_request(
    connection: Connection, about: str, tenant: str, request_id: str | None, *content: object
) -> bool:
    """Record a request without an outcome; return whether it is new, as one without an id always is.

    Raises:
        RequestConflict: it had another content before.
    """
    if request_id is None:
        return True
    whole = json.dumps([request_id, *content], sort_keys=True)
    ids = [uuid5(NAMESPACE_OID, one) for one in (request_id, whole)]
    new = await connection.fetch(_SQL["record"], tenant, about, ids)
    if len(new) == 1:
        raise RequestConflict
    return bool(new)

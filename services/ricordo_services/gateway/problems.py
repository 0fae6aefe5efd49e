"""Errors over HTTP: `application/problem+json` (RFC 9457) with the code of the wire contract."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from ricordo.client import RicordoError
from ricordo.client.exceptions import StreamFull, Unavailable
from ricordo.messages.errors import reason

_log = structlog.stdlib.get_logger(__name__)

MEDIA_TYPE: Final = "application/problem+json"
_OTHER_SHAPE: Final = frozenset({"model_type", "model_attributes_type", "list_type"})
RETRY_AFTER: Final = {"Retry-After": "2"}
_CODES: Final = {
    401: "unauthorized",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    408: "timeout",
    409: "conflict",
    413: "too_large",
    421: "wrong_host",
    422: "invalid_request",
    429: "too_many_requests",
}


class Problem(BaseModel):
    """An error.

    Attributes:
        code: as on the wire, or of HTTP.
        field: the invalid field, such as `filters.start`.
    """

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    code: str
    field: str | None = None


class GatewayError(Exception):
    """The gateway refuses a request."""

    def __init__(
        self, status: int, detail: str, *, field: str | None = None, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.field = field
        self.headers = headers or {}


def problem(
    status: int,
    detail: str,
    *,
    code: str = "",
    field: str | None = None,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """Return a problem document.

    Args:
        code: the default is that of the status.
    """
    body = Problem(
        title=HTTPStatus(status).phrase,
        status=status,
        detail=detail,
        code=code or _CODES.get(status, "invalid_request"),
        field=field,
    )
    return JSONResponse(body.model_dump(exclude_none=True), status, dict(headers or {}), MEDIA_TYPE)


def problem_response(error: GatewayError | RicordoError) -> Response:
    """Return the response for a refusal of the gateway, or for an error of the bus."""
    if isinstance(error, GatewayError):
        return problem(error.status, str(error), field=error.field, headers=error.headers)
    headers = RETRY_AFTER if isinstance(error, Unavailable) else None
    code = "stream_full" if isinstance(error, StreamFull) else error.code.value
    return problem(error.code.number, error.message, code=code, field=error.field, headers=headers)


def invalid(errors: Sequence[Any], beneath: int = 0) -> GatewayError:
    """Return the refusal of fields that a model does not accept.

    Args:
        errors: of pydantic.
        beneath: how many parts of each path lead to the fields.
    """
    # Of a union, the branch that was meant.
    first = max(errors, key=lambda one: (len(one["loc"]), one["type"] not in _OTHER_SHAPE))
    if first["type"] == "json_invalid":
        return GatewayError(422, f"the body is not JSON: {first['ctx']['error']}")
    blamed = first.get("ctx", {}).get("field")
    parts = (*first["loc"][beneath:], *([blamed] if isinstance(blamed, str) else ()))
    names = [str(part) for part in parts if part != "MessageBody" and "[" not in str(part)]  # of a union
    field = ".".join(names)
    return GatewayError(422, f"{field or 'the body'} {reason(first)}", field=field or None)


def _not_json(request: Request) -> GatewayError:
    sent = request.headers.get("content-type", "none")
    return GatewayError(
        422,
        f"the body must be JSON, with the header Content-Type: application/json, not {sent[:80]}; "
        "with curl, send it by --json instead of -d",
    )


def documented(*besides: int) -> dict[int | str, dict[str, Any]]:
    """Return the problems that any route may answer, and those `besides`, for OpenAPI."""
    statuses = (400, 401, 404, 408, *besides, 413, 421, 422, 429, 500, 503, 504)
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {status: {"description": HTTPStatus(status).phrase, "content": content} for status in statuses}


def add_handlers(app: FastAPI) -> None:
    """Have `app` answer every error with a problem document."""

    async def refuse(request: Request, error: Exception) -> Response:
        match error:
            case GatewayError() | RicordoError():
                return problem_response(error)
            case RequestValidationError(body=bytes()):  # FastAPI parses a body that says it is JSON only
                return problem_response(_not_json(request))
            case RequestValidationError():
                return problem_response(invalid(error.errors(), beneath=1))
            case HTTPException():
                return problem(error.status_code, str(error.detail), headers=error.headers)
            case _:
                _log.error("a request failed", path=request.url.path, exc_info=error)
                return problem(500, "the gateway failed; its log says why", code="internal")

    for kind in (RicordoError, GatewayError, RequestValidationError, HTTPException, Exception):
        app.add_exception_handler(kind, refuse)

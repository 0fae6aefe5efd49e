"""Routes of queries, made from a table."""

from collections.abc import Mapping
from typing import Any, Final, cast

from fastapi import APIRouter, Request
from fastapi.responses import Response

from ricordo.messages.inputs import Request as BusRequest
from ricordo.messages.routing import CONTRACTS, Contract
from ricordo_services.gateway.event_stream import MEDIA_TYPE, AnswerStream
from ricordo_services.gateway.problems import documented
from ricordo_services.gateway.scopes import (
    IdempotencyKey,
    ask,
    ask_parts,
    from_query,
    given,
    parameters,
    with_body,
)

router = APIRouter()

_ASKED_BY_BODY: Final[Mapping[str, str]] = {
    "recall": "Return ranked memories, and related facts.",
    "context": "Return a text for a prompt, and its sources.",
    "answer": "Answer a question, or say that it cannot be.",
}
_ASKED_BY_URL: Final[Mapping[str, str]] = {
    "facts": "Return facts, most confident first.",
    "memories": "List memories, page by page.",
    "periods": "Return how many memories there are of each day, week, month or year, and how they feel.",
    "entities": "List entities, most mentioned first.",
    "graph": "Return what is around an entity, or connects two.",
    "timeline": "Return memories of a time, oldest first.",
    "history": "Return the last messages, oldest first.",
    "working": "Return the working memory of a conversation.",
    "stats": "Count the memories, facts and messages of a user.",
}
"""Summaries by the names of the queries, which are those of the paths."""
_COMMANDS: Final = (
    ("PUT", "notes", "note", "Keep a value for a conversation."),
    ("POST", "facts", "assert", "Hand in facts that a bot's model has read."),
    ("POST", "feedback", "feedback", "Report which memories were useful."),
    ("POST", "identities", "identify", "Tell that two names mean one, or two."),
)
"""Method, path, name and summary of the commands that a body gives."""


def _add_by_body(method: str, path: str, contract: Contract, summary: str) -> None:
    wire = cast("type[BusRequest]", contract.body)
    is_command = "request_id" in wire.model_fields

    async def endpoint(request: Request, body: Any, idempotency_key: IdempotencyKey = None) -> Response:  # noqa: ANN401
        fields = given(body)
        if is_command and idempotency_key is not None:
            fields.setdefault("request_id", idempotency_key)
        if fields.get("stream"):
            return AnswerStream(ask_parts(request, wire, fields))
        return await ask(request, wire, fields)

    router.add_api_route(
        f"/v1/{path}",
        with_body(endpoint, wire),
        methods=[method],
        summary=summary,
        operation_id=f"assert_{path}" if path in _ASKED_BY_URL else path,
        response_model=contract.reply,
        responses=documented() | ({200: {"content": {MEDIA_TYPE: {}}}} if path == "answer" else {}),
    )


def _add_by_url(path: str, contract: Contract, summary: str) -> None:
    wire = cast("type[BusRequest]", contract.body)

    async def endpoint(request: Request) -> Response:
        return await ask(request, wire, given(from_query(wire, request.query_params)))

    router.add_api_route(
        f"/v1/{path}",
        endpoint,
        methods=["GET"],
        summary=summary,
        operation_id=path,
        response_model=contract.reply,
        responses=documented(),
        openapi_extra={"parameters": parameters(wire)},
    )


for _name, _summary in _ASKED_BY_BODY.items():
    _add_by_body("POST", _name, CONTRACTS[f"query.{_name}"], _summary)
for _name, _summary in _ASKED_BY_URL.items():
    _add_by_url(_name, CONTRACTS[f"query.{_name}"], _summary)
for _method, _path, _name, _summary in _COMMANDS:
    _add_by_body(_method, _path, CONTRACTS[f"command.{_name}"], _summary)

"""Routes of queries, made from a table."""

from collections.abc import Mapping
from typing import Any, Final

from fastapi import APIRouter, Request
from fastapi.responses import Response

from ricordo.messages import answers, commands, entities, listings, queries
from ricordo.messages.inputs import Request as BusRequest
from ricordo.messages.message_types import Message
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

_Route = tuple[type[BusRequest], type[Message], str]
"""Request, reply and summary."""

_ASKED_BY_BODY: Final[Mapping[str, _Route]] = {
    "recall": (queries.RecallRequest, queries.RecallReply, "Return ranked memories, and related facts."),
    "context": (queries.ContextRequest, queries.ContextReply, "Return a text for a prompt, and its sources."),
    "answer": (answers.AnswerRequest, answers.AnswerReply, "Answer a question, or say that it cannot be."),
}
_ASKED_BY_URL: Final[Mapping[str, _Route]] = {
    "facts": (queries.FactsRequest, queries.FactsReply, "Return facts, most confident first."),
    "memories": (listings.MemoriesRequest, listings.MemoriesReply, "List memories, page by page."),
    "entities": (entities.EntitiesRequest, entities.EntitiesReply, "List entities, most mentioned first."),
    "graph": (
        entities.GraphRequest,
        entities.GraphReply,
        "Return what is around an entity, or connects two.",
    ),
    "timeline": (queries.TimelineRequest, queries.TimelineReply, "Return memories of a time, oldest first."),
    "history": (queries.HistoryRequest, queries.HistoryReply, "Return the last messages, oldest first."),
    "working": (queries.WorkingRequest, queries.WorkingReply, "Return the working memory of a conversation."),
    "stats": (queries.StatsRequest, queries.StatsReply, "Count the memories, facts and messages of a user."),
}
_COMMANDS: Final[Mapping[tuple[str, str], _Route]] = {
    ("PUT", "notes"): (commands.Note, commands.NoteReply, "Keep a value for a conversation."),
    ("POST", "facts"): (commands.Assert, commands.AssertReply, "Hand in facts that a bot's model has read."),
    ("POST", "feedback"): (commands.Feedback, commands.FeedbackReply, "Report which memories were useful."),
}


def _add_by_body(method: str, path: str, wire: type[BusRequest], reply: type[Message], summary: str) -> None:
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
        response_model=reply,
        responses=documented() | ({200: {"content": {MEDIA_TYPE: {}}}} if path == "answer" else {}),
    )


def _add_by_url(path: str, wire: type[BusRequest], reply: type[Message], summary: str) -> None:
    async def endpoint(request: Request) -> Response:
        return await ask(request, wire, given(from_query(wire, request.query_params)))

    router.add_api_route(
        f"/v1/{path}",
        endpoint,
        methods=["GET"],
        summary=summary,
        operation_id=path,
        response_model=reply,
        responses=documented(),
        openapi_extra={"parameters": parameters(wire)},
    )


for _path, _query in _ASKED_BY_BODY.items():
    _add_by_body("POST", _path, *_query)
for _path, _query in _ASKED_BY_URL.items():
    _add_by_url(_path, *_query)
for (_method, _path), _command in _COMMANDS.items():
    _add_by_body(_method, _path, *_command)

"""What a route needs of a request: the connection of the key's tenant, and the user that it may ask about."""

import json
import re
from collections.abc import Callable, Mapping
from functools import cache
from types import new_class
from typing import Annotated, Any, Final, TypeVar, cast

from fastapi import Header, Request
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.datastructures import QueryParams

from ricordo.client import MemoryClient, NotFound
from ricordo.client.connection import Connection, PartsOfReply
from ricordo.messages.filters import Filters
from ricordo.messages.inputs import Request as BusRequest
from ricordo.messages.inputs import StrictMessage, meant
from ricordo.messages.message_types import Id, Message
from ricordo_services.api_keys import ApiKey
from ricordo_services.gateway.nats_clients import NatsClients
from ricordo_services.gateway.problems import GatewayError, invalid

M = TypeVar("M", bound=Message)

_LIST: Final = re.compile(r"\btuple\b")
_LITERAL: Final = re.compile(r"\b(?:bool|int|float)\b")
JSON: Final = "application/json"
NDJSON: Final = "application/x-ndjson"
IdempotencyKey = Annotated[
    Id | None, Header(alias="Idempotency-Key", description="Repeating a request with it changes nothing.")
]
OptionalUser = Annotated[
    Id | None, Field(description="The user; it may be left out where the key is bound to one.")
]


def key_of(request: Request) -> ApiKey:
    """Return the key of a request."""
    return cast("ApiKey", request.scope["state"]["key"])


def connection_of(request: Request) -> Connection:
    """Return the connection of the tenant of the key."""
    clients: NatsClients = request.app.state.clients
    return clients.connection(key_of(request).tenant)


def client_of(request: Request) -> MemoryClient:
    """Return the client of the tenant of the key."""
    clients: NatsClients = request.app.state.clients
    return clients.memory(key_of(request).tenant)


def user_of(request: Request, named: str | None) -> str:
    """Return the user of a request.

    Raises:
        NotFound: the key is of another user.
        GatewayError: neither the request nor its key names one.
    """
    bound = key_of(request).user_id
    if bound is None and named is None:
        raise GatewayError(422, "user_id is required", field="user_id")
    if bound is not None and named is not None and named != bound:
        raise NotFound("there is no such user")
    return cast("str", bound or named)


async def ask(
    request: Request, wire: type[BusRequest], fields: Mapping[str, object], timeout: float | None = None
) -> Response:
    """Send a request of the key's user to the bus; return its reply as it came."""
    user = user_of(request, cast("str | None", fields.get("user_id")))
    found = await connection_of(request).ask_raw(wire, {**fields, "user_id": user}, timeout)
    return Response(found, media_type=JSON)


def ask_parts(request: Request, wire: type[BusRequest], fields: Mapping[str, object]) -> PartsOfReply:
    """Send a request of the key's user to the bus; return the parts of its reply, and the reply."""
    user = user_of(request, cast("str | None", fields.get("user_id")))
    return connection_of(request).ask_parts(wire, {**fields, "user_id": user}, None)


def as_json(message: BaseModel) -> Response:
    """Return a message as a response."""
    return Response(message.model_dump_json(), media_type=JSON)


@cache
def strict(model: type[Message]) -> type[Message]:
    """Return a model that refuses unknown fields and may lack the user."""
    fields = {"user_id": OptionalUser} if "user_id" in model.model_fields else {}
    # FastAPI builds the schema at once, for the description.
    config = ConfigDict(title=model.__name__, defer_build=False)
    namespace: dict[str, Any] = {"__annotations__": fields, "__module__": __name__, "__doc__": model.__doc__}
    namespace |= {"model_config": config, **dict.fromkeys(fields)}
    bases = (model,) if issubclass(model, StrictMessage) else (StrictMessage, model)
    made = new_class(model.__name__, bases, exec_body=lambda own: own.update(namespace))
    return cast("type[Message]", made)


def given(message: BaseModel) -> dict[str, Any]:
    """Return the fields that a request sets as JSON, which a model can always read again."""
    return message.model_dump(mode="json", exclude_unset=True)


def from_query(model: type[M], query: QueryParams) -> M:
    """Read a model from the parameters of a URL; those of its filters stand beside the others.

    Raises:
        GatewayError: a parameter is unknown, given twice, or wrong.
    """
    filters = Filters.model_fields if "filters" in model.model_fields else {}
    both = model.model_fields | filters
    known = {field.alias or name: field for name, field in both.items() if name != "filters"}
    fields: dict[str, Any] = {}
    for name in dict.fromkeys(query):
        values = query.getlist(name)
        field = known.get(name)
        if field is None:
            raise GatewayError(422, f"{name} is unknown: {meant(name, [*known], 'parameters')}", field=name)
        is_list = _LIST.search(str(field.annotation)) is not None
        if len(values) > 1 and not is_list:
            raise GatewayError(422, f"{name} is given twice", field=name)
        value = values if is_list else _read(values[0], str(field.annotation))
        (fields.setdefault("filters", {}) if name in filters else fields)[name] = value
    try:
        return cast("M", strict(model).model_validate(fields))
    except ValidationError as error:
        raise invalid(error.errors()) from None


def _read(value: str, annotation: str) -> object:
    """Return the number or the boolean that a parameter of such a type spells, else its text."""
    if _LITERAL.search(annotation) is None:
        return value
    try:
        return cast("object", json.loads(value))
    except (ValueError, RecursionError):
        return value


def parameters(model: type[Message]) -> list[dict[str, object]]:
    """Return the fields of a model, and those of its filters, as parameters of OpenAPI."""
    found = []
    for each in (model, *([Filters] if "filters" in model.model_fields else [])):
        schema = strict(each).model_json_schema(ref_template="#/components/schemas/{model}")
        required = schema.get("required", [])
        found += [
            {"name": name, "in": "query", "required": name in required, "schema": _inlined(field, schema)}
            for name, field in schema["properties"].items()
            if name != "filters"
        ]
    return found


def _inlined(schema: Any, whole: Mapping[str, Any]) -> Any:  # noqa: ANN401 - JSON
    """Return a schema with its references replaced by what they refer to."""
    if isinstance(schema, list):
        return [_inlined(one, whole) for one in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _inlined(whole["$defs"][schema["$ref"].rpartition("/")[2]], whole)
    return {name: _inlined(value, whole) for name, value in schema.items()}


def with_body(endpoint: Callable[..., Any], model: type[Message]) -> Callable[..., Any]:
    """Declare the type of the parameter `body` of an endpoint."""
    endpoint.__annotations__["body"] = strict(model)
    return endpoint

"""The table of tools for agents: name, description, JSON Schema, and a call that returns text for a model."""

import inspect
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError
from pydantic_core import ArgsKwargs, to_json

from ricordo.client import MemoryClient, RicordoError
from ricordo.integrations.caller import Caller, CallerSource
from ricordo.integrations.memory_tools import MemoryTools
from ricordo.messages.inputs import meant

TOOLS: Final = (
    "remember",
    "recall",
    "context",
    "answer",
    "facts",
    "remember_fact",
    "timeline",
    "correct",
    "forget",
)
_UNKNOWN: Final = frozenset({"unexpected_keyword_argument", "extra_forbidden"})
_SUBJECT: Final = re.compile(r"\b(?:memory\.v1\.[a-z0-9-]+\.)?(?:query|command)\.[a-z]+\b")


class DefinitionFormat(StrEnum):
    """Which API the definitions are for."""

    OPENAI = "openai"
    """Chat completions of OpenAI, and of the many servers that have the same API."""
    ANTHROPIC = "anthropic"
    JSON = "json"
    """Name, description and JSON Schema."""


@dataclass(frozen=True, slots=True)
class MemoryTool:
    """A tool for the memory of one user.

    Attributes:
        parameters: JSON Schema of its arguments; the user is none of them.
    """

    name: str
    description: str
    parameters: dict[str, Any]
    _function: TypeAdapter[Any]

    async def call(self, arguments: Mapping[str, Any] | str) -> str:
        """Call it with arguments as a mapping or as JSON.

        Returns:
            The result as JSON, in which the words of memories stand in `<recalled>` spans; or an object with
            `error`, a sentence for the model: arguments are wrong, or the memory does not answer.
        """
        try:
            given = json.loads(arguments or "{}") if isinstance(arguments, str) else dict(arguments)
            if not isinstance(given, dict):
                return _failure("the arguments must be a JSON object")
            result = await self._function.validate_python(ArgsKwargs((), given))
        except json.JSONDecodeError as error:
            return _failure(f"the arguments are not JSON: {error}")
        except (RicordoError, ValidationError) as error:
            return _failure(sentence_of(error, self.name, list(self.parameters["properties"])))
        return to_json(result).decode()


def memory_tools(client: MemoryClient, user_id: str, names: Sequence[str] = TOOLS) -> list[MemoryTool]:
    """Return tools for the memory of one user.

    Args:
        client: the connected client; it must stay open as long as the tools are used.
        user_id: whose memory it is; no argument of a tool changes that.
        names: some of `TOOLS`.

    Raises:
        ValueError: there is no tool of such a name.
    """
    caller = Caller(client, user_id, "agent")
    return _tools(lambda: caller, names)


def tool_definitions(format: DefinitionFormat) -> list[dict[str, Any]]:  # noqa: A002 - as the option is named
    """Return the definitions of all tools as an API expects them; nothing is connected."""
    schema = "input_schema" if format is DefinitionFormat.ANTHROPIC else "parameters"
    definitions: list[dict[str, Any]] = [
        {"name": tool.name, "description": tool.description, schema: tool.parameters}
        for tool in _tools(_nobody, TOOLS)
    ]
    if format is DefinitionFormat.OPENAI:
        return [{"type": "function", "function": each} for each in definitions]
    return definitions


def sentence_of(error: Exception, called: str, arguments: Sequence[str] = ()) -> str:
    """Return what a model is told of an error.

    Args:
        called: what the reader knows instead of the query that failed: the tool.
        arguments: all that the tool takes.
    """
    if not isinstance(error, ValidationError):
        return _SUBJECT.sub(called, str(error))
    faults = ((".".join(map(str, each["loc"])), each) for each in error.errors())
    return "; ".join(
        f"{field}: unknown; {meant(field, arguments, 'arguments')}"
        if fault["type"] in _UNKNOWN
        else f"{field}: {fault['msg']}"
        for field, fault in faults
    )


def _tools(caller: CallerSource, names: Sequence[str]) -> list[MemoryTool]:
    if unknown := [name for name in names if name not in TOOLS]:
        raise ValueError(f"no tool is named {unknown[0]}: there are {', '.join(TOOLS)}")
    tools, made = MemoryTools(caller), []
    for name in names:
        method = getattr(tools, name)
        function: TypeAdapter[Any] = TypeAdapter(method)
        schema = plain_schema(function.json_schema())
        made.append(MemoryTool(name, inspect.getdoc(method) or "", schema, function))
    return made


def plain_schema(schema: Mapping[str, Any], *, is_result: bool = False) -> dict[str, Any]:
    """Return a schema without references and, for what may be null, `anyOf`: some clients know neither.

    Args:
        is_result: of what is returned, which may be null; an argument is left out instead.
    """
    definitions = schema.get("$defs", {})

    def plain(part: Any) -> Any:  # noqa: ANN401 - a part of a JSON document
        if isinstance(part, list):
            return [plain(one) for one in part]
        if not isinstance(part, Mapping):
            return part
        if "$ref" in part:
            part = {**definitions[part["$ref"].rpartition("/")[2]], **part}
        found = {name: plain(one) for name, one in part.items() if name not in ("$ref", "$defs", "anyOf")}
        kinds = [plain(one) for one in part.get("anyOf", ()) if one.get("type") != "null"]
        if len(kinds) > 1:
            return {**found, "anyOf": kinds}
        if kinds and is_result:
            null = {"type": [kinds[0]["type"], "null"]}
            return (
                kinds[0] | found | null | ({"enum": [*kinds[0]["enum"], None]} if "enum" in kinds[0] else {})
            )
        if kinds and found.get("default", found) is None:
            del found["default"]
        return {**kinds[0], **found} if kinds else found

    return plain(schema)  # type: ignore[no-any-return]


def _failure(sentence: str) -> str:
    return json.dumps({"error": sentence}, ensure_ascii=False)


def _nobody() -> Caller:
    raise AssertionError("definitions are not called")

"""A model of the OpenAI Agents SDK that answers by a script."""

import json
from collections.abc import AsyncIterator
from typing import Any

from agents import Usage
from agents.items import ModelResponse
from agents.models.interface import Model
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText
from tests.fixtures.wire import Json


class ScriptedModel(Model):
    """Makes these calls one after the other, then says the last result."""

    def __init__(self, *calls: tuple[str, Json]) -> None:
        self._calls = iter(calls)
        self.offered: list[Any] = []
        self.results: list[Json] = []

    async def get_response(
        self,
        system_instructions: str | None,
        input: str | list[Any],  # noqa: A002 - as the SDK names it
        model_settings: object,
        tools: list[Any],
        *_: object,
        **__: object,
    ) -> ModelResponse:
        self.offered = tools
        outputs = [item["output"] for item in input if isinstance(item, dict) and "output" in item]
        self.results = [json.loads(output) for output in outputs]
        output: Any
        if (call := next(self._calls, None)) is not None:
            name, arguments = call
            output = ResponseFunctionToolCall(
                type="function_call",
                name=name,
                arguments=json.dumps(arguments),
                call_id=f"call-{len(outputs)}",
            )
        else:
            text = ResponseOutputText(type="output_text", text=outputs[-1], annotations=[])
            output = ResponseOutputMessage(
                id="said", type="message", role="assistant", status="completed", content=[text]
            )
        return ModelResponse(output=[output], usage=Usage(), response_id=None)

    def stream_response(self, *_: object, **__: object) -> AsyncIterator[Any]:
        raise NotImplementedError("nothing here streams")

"""The table of tools for agents, as `ricordo tools` prints it and as a program calls it."""

import json
from typing import Any

import jsonschema
import pytest
from nats.aio.client import Client
from tests.fixtures.sentence_tables import table

from ricordo.client import MemoryClient
from ricordo.integrations.memory_tools import MemoryTools
from ricordo.integrations.tool_table import TOOLS, memory_tools
from ricordo_services.cli.application import run


@pytest.fixture
def memory() -> MemoryClient:
    """Return a client that is not connected: nothing here gets as far as the bus."""
    return MemoryClient.over(Client())


def printed(capsys: pytest.CaptureFixture[str], *options: str) -> list[dict[str, Any]]:
    assert run(["tools", *options]) == 0
    definitions = json.loads(capsys.readouterr().out)
    assert isinstance(definitions, list)
    return definitions


def test_the_command_prints_what_each_api_expects(capsys: pytest.CaptureFixture[str]) -> None:
    plain = printed(capsys, "--format", "json")
    assert [tool["name"] for tool in plain] == list(TOOLS)
    assert printed(capsys) == [{"type": "function", "function": tool} for tool in plain]
    assert printed(capsys, "--format", "anthropic") == [
        {"name": tool["name"], "description": tool["description"], "input_schema": tool["parameters"]}
        for tool in plain
    ]
    assert run(["tools", "--format", "xml"]) == 2


def test_the_schemas_hold_and_name_no_user(capsys: pytest.CaptureFixture[str]) -> None:
    for tool in printed(capsys, "--format", "json"):
        schema = tool["parameters"]
        jsonschema.Draft202012Validator.check_schema(schema)
        assert (schema["type"], schema["additionalProperties"]) == ("object", False)
        assert not [name for name in schema["properties"] if "user" in name or "tenant" in name]
        assert (
            tool["description"]
            == (MemoryTools.__dict__[tool["name"]].__doc__ or "").replace("\n        ", "\n").strip()
        )


@pytest.mark.parametrize(("arguments", "sentence"), table(__file__, "wrong_arguments"))
async def test_wrong_arguments_are_a_sentence_for_the_model(
    memory: MemoryClient, arguments: dict[str, Any] | str, sentence: str
) -> None:
    [recall] = memory_tools(memory, "ada", ["recall"])
    assert json.loads(await recall.call(arguments))["error"].startswith(sentence)


async def test_an_unknown_tool_is_refused(memory: MemoryClient) -> None:
    with pytest.raises(ValueError, match="no tool is named delete_all"):
        memory_tools(memory, "ada", ["recall", "delete_all"])

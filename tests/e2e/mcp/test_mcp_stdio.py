"""`ricordo mcp` over standard input and output, by the official client and by one of our own."""

import asyncio
import json
import os
import re
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from unittest import mock
from uuid import uuid4

import jsonschema
from mcp import Client, StdioServerParameters
from mcp_types import CallToolResult
from tests.fixtures.commands import COMMAND, PYTHONPATH, run_command, start_command
from tests.fixtures.documents import blocks
from tests.fixtures.system import System
from tests.fixtures.wire import Bot, Json

SPAN = re.compile(r"<recalled>.*?</recalled>", re.DOTALL)
TOOLS = set(
    "remember recall context answer facts remember_fact timeline correct forget status search fetch".split()
)
WORDS = {"text": "My sister Nora lives in Dublin.", "id": "n-1"}
SHOWN = "<recalled>user: My sister Nora lives in Dublin.</recalled>"
QUESTION = {"query": "Where does my sister live?"}
READING = TOOLS - {"remember", "remember_fact", "correct", "forget"}


def server(system: System, *options: str) -> StdioServerParameters:
    command, *words = COMMAND
    arguments = [*words, "mcp", "--nats", system.endpoints.nats_url, *options]
    return StdioServerParameters(
        command=command, args=arguments, env={"PYTHONPATH": PYTHONPATH, "PATH": os.environ["PATH"]}
    )


class Assistant:
    """Calls tools by the official client, and holds each result against the schema of its tool."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.schemas: dict[str, Json] = {}
        self.called: set[str] = set()

    async def __call__(self, tool: str, **arguments: object) -> Json:
        result = await self.client.call_tool(tool, arguments)
        assert not result.is_error, result.content
        self.called.add(tool)
        jsonschema.validate(result.structured_content, self.schemas[tool], jsonschema.Draft202012Validator)
        assert json.loads(text_of(result)) == result.structured_content
        assert isinstance(result.structured_content, dict)
        return result.structured_content

    async def failure(self, tool: str, **arguments: object) -> str:
        result = await self.client.call_tool(tool, arguments)
        assert result.is_error, result.structured_content
        return text_of(result)


def text_of(result: CallToolResult) -> str:
    (content,) = result.content
    assert content.type == "text"
    return content.text


INITIALIZE: Json = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "lines", "version": "1"},
}


class LineClient:
    """Speaks to `ricordo mcp` in a process; every line that it reads must be JSON-RPC."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.notifications: list[Json] = []

    async def request(self, method: str, **params: object) -> Json:
        number = uuid4().hex
        await self.send(id=number, method=method, params=params)
        assert self.process.stdout is not None
        async with asyncio.timeout(60):
            while True:
                message: Json = json.loads(await self.process.stdout.readline())
                assert message["jsonrpc"] == "2.0"
                if message.get("id") == number:
                    return message
                self.notifications.append(message)

    async def send(self, **message: object) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        await self.process.stdin.drain()


@asynccontextmanager
async def line_client(system: System, *options: str) -> AsyncIterator[LineClient]:
    """Run `ricordo mcp` with these options, and kill it if it still runs at the end."""
    command = ("mcp", "--nats", system.endpoints.nats_url, *options)
    process = await start_command(system.settings, *command, stdin=asyncio.subprocess.PIPE)
    try:
        yield LineClient(process)
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def test_every_tool_resource_and_prompt_does_its_work(system: System, bot: Bot) -> None:
    reported: list[float] = []

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        reported.append(progress)

    async with Client(server(system, "--user", "ada", "--tenant", bot.tenant)) as client:
        assistant = Assistant(client)
        await lists_tools(assistant)
        first = await client.call_tool("remember", WORDS, progress_callback=on_progress)
        assert first.structured_content is not None
        assert reported == sorted(reported)
        assert reported
        memory, message = first.structured_content["memory_id"], first.structured_content["message_id"]
        again = await assistant("remember", **WORDS)
        assert again == {"message_id": message, "memory_id": memory, "state": "remembered", "repeated": True}
        assert (await assistant("remember", text="Another text", id="n-1"))["memory_id"] == memory
        assert (await assistant("status", message_id=message))["state"] == "remembered"
        await asks(assistant, memory)
        await reads_resources_and_prompts(client, memory)
        await corrects(assistant, memory)
        assert (await assistant("forget", id=memory))["erased"]["rows"] > 0
        assert await assistant("search", **QUESTION) == {"results": []}
        for gone in ("fetch", "forget"):
            assert memory in await assistant.failure(gone, id=memory)
        assert "forgotten: " in await assistant.failure("remember", **WORDS)
        told = await assistant("remember", text="I like figs.")
        await assistant("forget", id=told["memory_id"])
        retold = [await assistant("remember", text="I like figs.") for _ in range(2)]
        assert told["memory_id"] != retold[0]["memory_id"] == retold[1]["memory_id"]
        await assistant("forget", id=retold[0]["memory_id"])
        long = await assistant("remember", text=f"I like old maps. {'Very ' * 600}old maps.", id="n-2")
        (cut,) = (await assistant("recall", query="old maps"))["memories"]
        assert (cut["truncated"], len(cut["text"]) < 2_100) == (True, True)
        assert "old maps." in (await assistant("fetch", id=long["memory_id"]))["text"]
        assert assistant.called == TOOLS


async def lists_tools(assistant: Assistant) -> None:
    tools = (await assistant.client.list_tools()).tools
    assert {tool.name for tool in tools} == TOOLS
    for tool in tools:
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint is (tool.name in READING), tool.name
        assert tool.annotations.destructive_hint is (tool.name in {"correct", "forget"}), tool.name
        assert tool.input_schema["additionalProperties"] is False, tool.name
        assert not any(odd in json.dumps(tool.input_schema) for odd in ("$ref", "anyOf")), tool.name
        assert not any(odd in json.dumps(tool.output_schema) for odd in ("$ref", "anyOf")), tool.name
        assert not [name for name in tool.input_schema["properties"] if "user" in name]
        assistant.schemas[tool.name] = tool.output_schema or {}


async def asks(assistant: Assistant, memory: str) -> None:
    (found,) = (await assistant("recall", **QUESTION))["memories"]
    assert (found["id"], found["text"]) == (memory, SHOWN)
    context = await assistant("context", token_budget=300, **QUESTION)
    assert "Nora lives in Dublin" in SPAN.findall(context["context"])[0]
    assert context["ids"]
    assert all(f"{mark} " in context["context"] for mark in context["ids"])
    answer = await assistant("answer", style="full", **QUESTION)
    assert (answer["answered"], SPAN.findall(answer["answer"])) == (True, [answer["answer"]])
    assert memory in answer["sources"]
    facts = (await assistant("facts", entity="Nora"))["facts"]
    assert "<recalled>Nora lives in Dublin</recalled>" in [fact["text"] for fact in facts]
    kept = await assistant("remember_fact", predicate="plays", object="chess")
    assert kept["fact_id"] in [fact["id"] for fact in (await assistant("facts", predicate="plays"))["facts"]]
    hour_ago = (datetime.now(UTC) - timedelta(hours=1)).isoformat()
    listed = await assistant("timeline", start=hour_ago)
    assert ([one["id"] for one in listed["memories"]], listed["more"]) == ([memory], False)
    title = "<recalled>My sister Nora lives in Dublin</recalled>"
    hit = {"id": memory, "title": title, "url": f"memory://{memory}"}
    assert await assistant("search", **QUESTION) == {"results": [hit]}
    fetched = await assistant("fetch", id=memory)
    assert set(fetched) == {"id", "title", "text", "url", "metadata"}
    assert (fetched["text"], fetched["url"]) == (SHOWN, hit["url"])


async def reads_resources_and_prompts(client: Client, memory: str) -> None:
    (resource,) = (await client.list_resources()).resources
    assert resource.uri == "memory://today"
    (template,) = (await client.list_resource_templates()).resource_templates
    assert template.uri_template == "memory://{memory_id}"
    for uri in ("memory://today", f"memory://{memory}"):
        (content,) = (await client.read_resource(uri)).contents
        assert SHOWN in content.model_dump(mode="json")["text"], uri
    prompts = {one.name for one in (await client.list_prompts()).prompts}
    assert prompts == {"what_do_you_know_about_me", "cosa_sai_di_me"}
    for name, phrase in (("what_do_you_know_about_me", "in English"), ("cosa_sai_di_me", "in italiano")):
        (prompt,) = (await client.get_prompt(name)).messages
        assert prompt.content.type == "text"
        assert phrase in prompt.content.text
        assert "Dublin" in SPAN.findall(prompt.content.text)[0]


async def corrects(assistant: Assistant, memory: str) -> None:
    facts = (await assistant("facts", entity="Nora", predicate="lives_in"))["facts"]
    words = {"fact_id": facts[0]["id"], "text": "Cork", "id": "k-1"}
    right = await assistant("correct", **words)
    assert await assistant("correct", **words) == right
    assert any("Cork" in fact["text"] for fact in (await assistant("facts", entity="Nora"))["facts"])
    corrected = await assistant("correct", memory_id=memory, text="My sister Nora lives in Cork.")
    assert corrected == {"memory_id": memory, "fact_id": None}
    assert "Cork" in (await assistant("fetch", id=memory))["text"]


async def test_lines_of_json_are_all_that_a_client_needs(system: System, bot: Bot) -> None:
    async with line_client(system, "--user", "ugo", "--tenant", bot.tenant) as client:
        answer = await client.request("initialize", **INITIALIZE)
        await client.send(method="notifications/initialized")
        assert answer["result"]["serverInfo"]["name"] == "ricordo"
        assert "<recalled>" in answer["result"]["instructions"]
        assert {tool["name"] for tool in (await client.request("tools/list"))["result"]["tools"]} == TOOLS
        said = {"text": "Ieri ho adottato un cane, si chiama Max!"}
        meta = {"progressToken": "of-remember"}
        done = await client.request("tools/call", name="remember", arguments=said, _meta=meta)
        assert done["result"]["structuredContent"]["state"] == "remembered"
        assert {one["method"] for one in client.notifications} == {"notifications/progress"}
        for tool, arguments, sentence in (
            ("nothing", {}, "nothing"),
            ("recall", {"query": "cane", "limit": 0}, "limit: Input should be greater than or equal to 1"),
            ("answer", {"query": "cane", "styl": "full"}, "styl: unknown; did you mean style?"),
            ("recall", {"query": "cane", "start": "yesterday"}, "RFC 3339"),
        ):
            wrong = (await client.request("tools/call", name=tool, arguments=arguments))["result"]
            assert wrong["isError"]
            assert sentence in wrong["content"][0]["text"]
        wrong = await client.request("tools/call", name="recall", arguments={"query": "caf\ud800"})
        assert "surrogate" in wrong["error"]["message"]
        client.process.send_signal(signal.SIGTERM)
        out, errors = await client.process.communicate()
        assert (client.process.returncode, out, errors) == (0, b"", b"")


async def test_it_runs_as_the_documents_say_and_ends_with_its_input(system: System) -> None:
    documented = [json.loads(block.text) for block in blocks("jsonc") if block.path == "docs/mcp.md"]
    commands = {tuple(entry["args"]) for servers in documented for entry in _entries(servers)}
    assert len(documented) == 3
    ((_, *options),) = commands
    async with line_client(system, *options) as client:
        assert await client.process.communicate(b"") == (b"", b"")
        assert client.process.returncode == 0


def _entries(document: Json) -> list[Json]:
    return [entry for servers in document.values() for entry in servers.values()]


async def test_what_is_missing_is_named(system: System) -> None:
    code, out_text, error = await run_command(system.settings, "mcp", "--user", "u g o")
    assert (code, out_text) == (2, "")
    assert "--user" in error
    with mock.patch.dict(sys.modules, {"mcp": None}):
        code, out_text, error = await run_command(system.settings, "mcp", "--user", "ugo")
    assert (code, out_text) == (2, "")
    assert "pip install 'ricordo[gateway]'" in error

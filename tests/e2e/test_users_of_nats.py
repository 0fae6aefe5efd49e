"""The whole system with a NATS user for each worker and for each tenant's bots: each may do what it needs."""

import asyncio
import json
from ipaddress import IPv4Network
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import httpx
import pytest
from tests.fixtures.gateway import GatewayAccess
from tests.fixtures.scraping import free_port
from tests.fixtures.secure_system import SecureSystem
from tests.fixtures.system import System
from tests.fixtures.wire import Bot, Json, ago, msg, wait_for

from ricordo.bus.nats.nats_bus import open_bus
from ricordo.bus.nats.topology import ricordo_topology
from ricordo_services.cli.application import run

pytestmark = pytest.mark.slow

U = {"user_id": "u-1"}


async def test_a_bot_uses_everything_and_no_worker_lacks_a_permission(secure: SecureSystem) -> None:
    async with secure.bot("alpha") as bot, bot.subscribed("memory.remembered") as remembered:
        await bot.remember(
            msg("m-1", "My sister Nora lives in Dublin.", timestamp=ago(hours=3)),
            msg("m-2", "Ieri sono stato a Dublino!", timestamp=ago(hours=2)),
        )
        assert len(await remembered.bodies_until(["m-1", "m-2"])) >= 2
        await bot.publish(U | {"conversation_id": "c-1", "timestamp": ago()}, name="session.ended")
        await bot.publish(msg("m-3", "Adoro Dublino.", conversation_id="c-2"), name="message.imported")
        await bot.final_states(["m-3"])
        await _use_queries_and_commands(bot)
        await bot.publish(msg("m-4", ""))  # becomes a dead letter
        assert await bot.final_states(["m-4"]) == {"m-4": "failed"}
        forgotten = await bot.request("command.forget", U, within=30)
        assert forgotten.body["ok"], forgotten
        assert (await bot.query("stats", **U))["memories"] == 0
    assert [line for line in secure.users.violations() if "worker-" in line] == []


async def _use_queries_and_commands(bot: Bot) -> None:
    recalled = await bot.recall("Where does my sister live?", reinforce=True)
    assert "Dublin" in str(recalled["memories"])
    memory = {"memory_id": recalled["memories"][0]["id"]}
    for query, fields in (
        ("context", {"query": "Nora", "conversation_id": "c-1", "now": ago()}),
        ("history", {}),
        ("facts", {}),
        ("timeline", {"start": ago(days=9), "end": ago()}),
        ("working", {"conversation_id": "c-1"}),
        ("expand", memory),
        ("memory", memory),
        ("memories", {"order": "important", "limit": 1}),
        ("entities", {}),
        ("graph", {"entity": "Nora"}),
        ("users", {}),
    ):
        assert "error" not in (await bot.request(f"query.{query}", U | fields)).body
    for name, words in (
        ("pin", memory | {"pinned": True}),
        ("verify", memory | {"verified": True}),
        ("correct", memory | {"content": "My sister Nora lives in Cork."}),
        ("note", {"conversation_id": "c-1", "key": "mood", "value": "fine"}),
    ):
        reply = await bot.request(f"command.{name}", U | words, within=20)
        assert reply.body.get("ok"), (name, reply)


async def test_the_gateway_lacks_no_permission(secure: SecureSystem) -> None:
    settings = secure.workers.settings.model_copy(update={"bus": secure.users.bus("worker-gateway")})
    apart = SimpleNamespace(settings=settings, connection=lambda: secure.users.connection("operator"))
    run_here = GatewayAccess.running(cast("System", apart), webhook_networks=(IPv4Network("127.0.0.0/8"),))
    async with run_here as gateway, gateway.client() as client:
        hook = {"url": f"http://127.0.0.1:{free_port()}/", "events": ["remembered"]}
        assert (await client.post("/v1/webhooks", json=hook)).status_code == 201
        assert len((await client.get("/v1/webhooks")).json()["webhooks"]) == 1
        async with client.stream("GET", "/v1/events") as events:
            sent = msg("g-1", "Amo il mare.", user_id="u-9")
            posted = await client.post("/v1/messages?wait=remembered", json=sent)
            assert posted.status_code == 200, posted.text
            assert "g-1" in await anext(line async for line in events.aiter_lines() if "data:" in line)
        imported = await client.post("/v1/imports", content=json.dumps(sent | {"content": "Amo la pioggia."}))
        assert (imported.json()["conflicts"], imported.json()["unchecked"]) == (1, 0)
        found = await client.post("/v1/recall", json={"user_id": "u-9", "query": "mare"})
        assert "mare" in found.text
        await _operate(client)
    assert [line for line in secure.users.violations() if "worker-gateway" in line] == []
    refused = asyncio.Event()
    async with secure.users.connection("worker-gateway", lambda _: refused.set()) as intruder:
        await intruder.publish("$JS.API.STREAM.PURGE.RICORDO_DLQ", b"{}")
        await asyncio.wait_for(refused.wait(), 5)


async def _operate(client: httpx.AsyncClient) -> None:
    """Look at the installation, have a message given up twice, and delete its dead letter."""
    letters = "/v1/operations/dead-letters"

    async def newest() -> Json:
        found: Json = (await client.get(letters, params={"limit": 1})).json()["dead_letters"][0]
        return found

    refused = await client.post(
        "/v1/messages?wait=remembered", json=[msg("g-1", "Odio il mare.", user_id="u-9")]
    )
    assert refused.json()["messages"][0]["state"] == "failed"
    first = await wait_for(newest, lambda letter: letter["consumer"] == "ingest", within=30)
    assert first["code"] == "id_conflict"
    assert (await client.post(f"{letters}/{first['sequence']}/replay")).status_code == 202
    second = await wait_for(newest, lambda letter: letter["sequence"] > first["sequence"], within=30)
    assert (await client.delete(f"{letters}/{second['sequence']}")).status_code == 204
    seen = (await client.get("/v1/operations")).json()
    assert [finding for finding in seen["findings"] if finding["state"] == "missing"] == []


async def test_lifecycle_and_knowledge_read_and_remove_single_messages(secure: SecureSystem) -> None:
    for user, stream, subject in (
        ("worker-lifecycle", "RICORDO_IN", "memory.v1.gamma.session.ended"),
        ("worker-knowledge", "RICORDO_DLQ", "dlq.ingest.memory.v1.gamma.message.received"),
    ):
        async with secure.users.connection("operator") as operator:
            sequence = (await operator.jetstream().publish(subject, b"{}")).seq
        async with open_bus(secure.users.nats_settings(user, timeout=5.0), ricordo_topology()) as bus:
            await bus.read(stream, sequence)
            await bus.remove(stream, sequence)
            assert await bus.read(stream, sequence) is None


def test_the_commands_of_a_bot_work_in_its_own_tenant_only(
    secure: SecureSystem, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = tmp_path / "chat.jsonl"
    lines.write_text(json.dumps(msg("cli-1", "Mia zia Ada vive a Trieste.", user_id="u-cli")) + "\n")
    bot = ("--nats", secure.users.url("bot-beta"), "--tenant", "beta")
    assert run([*bot, "publish", str(lines), "--wait"]) == 0
    capsys.readouterr()
    assert run([*bot, "recall", "Dove vive Ada?", "--user", "u-cli", "--json"]) == 0
    assert "Trieste" in capsys.readouterr().out
    assert run([*bot[:2], "--tenant", "alpha", "recall", "x", "--user", "u-1"]) == 1
    assert "do not allow" in capsys.readouterr().err
    assert run([*bot, "doctor", "--json"]) in {0, 1}
    shown = capsys.readouterr().out
    assert "cannot be looked at with these credentials" in shown
    assert "are not told of to these credentials" in shown
    assert "does not answer" not in shown.partition("postgres")[0]


def test_the_commands_of_the_operator_see_everything(
    secure: SecureSystem, capsys: pytest.CaptureFixture[str]
) -> None:
    url = secure.users.url("operator")
    assert run(["--nats", url, "dlq", "list", "--json"]) == 0
    capsys.readouterr()
    run(["--nats", url, "doctor", "--json"])
    shown = capsys.readouterr().out
    assert "retrieval" in shown
    assert "does not answer" not in shown.partition("postgres")[0]

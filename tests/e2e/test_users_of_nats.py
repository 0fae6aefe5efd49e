"""The whole system with a user for each worker and for each tenant's bots: what each needs, and no more."""

import json

import pytest
from tests.fixtures.users_of_nats import RunningApart, apart
from tests.fixtures.wire import Bot, at, said

from ricordo.bus.nats import open_bus, ricordo_topology
from ricordo.client import MemoryClient

__all__ = ["apart"]

pytestmark = pytest.mark.e2e


async def test_all_that_a_bot_does_works_and_no_worker_lacks_a_permission(apart: RunningApart) -> None:
    async with apart.bot("alpha") as bot, bot.hearing("memory.remembered") as remembered:
        await bot.remember(
            said("m-1", "My sister Nora lives in Dublin.", timestamp=at(hours=3)),
            said("m-2", "Ieri sono stato a Dublino!", timestamp=at(hours=2)),
        )
        assert len(await remembered.bodies_until(["m-1", "m-2"])) >= 2
        await bot.publish(
            {"user_id": "u-1", "conversation_id": "c-1", "timestamp": at()}, name="session.ended"
        )
        await bot.publish(said("m-3", "Adoro Dublino.", conversation_id="c-2"), name="message.imported")
        await bot.settled(["m-3"])
        await _asks(bot)
        await _commands(bot)
        await bot.publish(said("m-4", ""))  # becomes a dead letter
        assert await bot.settled(["m-4"]) == {"m-4": "failed"}
        forgotten = await bot.request("command.forget", {"user_id": "u-1"}, within=30)
        assert forgotten.body["ok"], forgotten
        assert (await bot.ask("stats", user_id="u-1"))["memories"] == 0
    assert [line for line in apart.users.violations() if "worker-" in line] == []


async def _asks(bot: Bot) -> None:
    recalled = await bot.recall("Where does my sister live?", reinforce=True)
    assert "Dublin" in str(recalled["memories"])
    context = await bot.ask("context", user_id="u-1", query="Nora", conversation_id="c-1", now=at())
    assert "Dublin" in context["context"]
    for query, more in (
        ("history", {}),
        ("facts", {}),
        ("timeline", {"start": at(days=9), "end": at()}),
        ("working", {"conversation_id": "c-1"}),
        ("expand", {"memory_id": recalled["memories"][0]["id"]}),
    ):
        assert "error" not in await bot.ask(query, user_id="u-1", **more)


async def _commands(bot: Bot) -> None:
    memory = (await bot.recall("Nora"))["memories"][0]["id"]
    for name, more in (
        ("pin", {"memory_id": memory, "pinned": True}),
        ("verify", {"memory_id": memory, "verified": True}),
        ("correct", {"memory_id": memory, "content": "My sister Nora lives in Cork."}),
        ("note", {"conversation_id": "c-1", "key": "mood", "value": "fine"}),
    ):
        reply = await bot.request(f"command.{name}", {"user_id": "u-1", **more}, within=20)
        assert reply.body.get("ok"), (name, reply)


async def test_the_client_works_with_a_bots_user_as_it_stands(apart: RunningApart) -> None:
    async with MemoryClient.connect(apart.users.url("bot-beta"), "beta") as memory:
        done = await memory.publish(user_id="u-7", conversation_id="c-7", role="user", content="Amo il mare.")
        assert (await memory.remembered([done.message_id]))[done.message_id].state == "remembered"
        assert "mare" in str((await memory.recall("u-7", "mare")).memories)


async def test_the_operator_sees_the_health_of_every_worker(apart: RunningApart) -> None:
    async with apart.users.connection("operator") as operator:
        for worker in (
            "ingest",
            "encode",
            "index",
            "enrichment",
            "knowledge",
            "retrieval",
            "reinforce",
            "sweeper",
        ):
            answer = await operator.request(f"ricordo.health.{worker}", b"", timeout=5)
            # `degraded` where other tests have left memories of a model that this one does not have
            assert json.loads(answer.data)["state"] in {"ready", "starting", "degraded"}, answer.data


async def test_who_sweeps_and_who_forgets_read_and_remove_single_messages(apart: RunningApart) -> None:
    topology = ricordo_topology()
    for user, stream, subject in (
        ("worker-lifecycle", "RICORDO_IN", "memory.v1.gamma.session.ended"),
        ("worker-knowledge", "RICORDO_DLQ", "dlq.ingest.memory.v1.gamma.message.received"),
    ):
        async with apart.users.connection("operator") as operator:
            sequence = (await operator.jetstream().publish(subject, b"{}")).seq
        async with open_bus(apart.users.nats_settings(user, timeout=5.0), topology) as bus:
            await bus.read(stream, sequence)
            await bus.remove(stream, sequence)
            assert await bus.read(stream, sequence) is None

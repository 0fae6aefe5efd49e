"""A real NATS server with the users of `ricordo auth`: who comes in, who goes out, what is said to whom."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import nats.errors
import pytest
from nats.aio.msg import Msg
from tests.fixtures.certificates import make_certificate
from tests.fixtures.eventually import eventually
from tests.fixtures.secure_system import NatsUsers

from ricordo.bus.nats.nats_bus import open_bus
from ricordo.bus.nats.topology import ricordo_topology
from ricordo.bus.port import NotAllowed, Outgoing
from ricordo.client import Forbidden, InvalidRequest, MemoryClient, Unavailable
from ricordo.messages.answers import MOST_PARTS

TOPOLOGY = ricordo_topology(incoming_bytes=1_000_000, derived_bytes=1_000_000, dead_letter_bytes=1_000_000)


@pytest.fixture
async def users(tmp_path: Path) -> AsyncIterator[NatsUsers]:
    """Yield a server with the users of one tenant, and with all streams."""
    made = NatsUsers(tmp_path, "acme")
    async with made.server:
        async with open_bus(made.nats_settings("operator", timeout=5.0), TOPOLOGY) as bus:
            await bus.provision()
        yield made


async def tell(url: str, tenant: str = "acme") -> None:
    async with MemoryClient.connect(url, tenant, timeout=3) as memory:
        await memory.publish(user_id="u-1", conversation_id="c-1", role="user", content="ciao")


async def test_users_come_and_go_while_the_server_runs(users: NatsUsers) -> None:
    """Nobody else notices a new tenant; a former password is good until the server has read the new one."""
    former = users.url("bot-acme")
    async with MemoryClient.connect(former, "acme") as memory:
        users.auth("add-bot", "beta")
        users.auth("add-bot", "acme", "--name", "telegram")
        await users.read_again()
        await tell(users.url("bot-acme.telegram"))
        await users.read_again()  # the first makes the account, the second what it imports
        await tell(users.url("bot-beta"), "beta")
        await memory.publish(user_id="u-1", conversation_id="c-1", role="user", content="ciao")
    users.auth("rotate", "bot-acme")
    await tell(former)
    await users.read_again()
    with pytest.raises(Forbidden):
        await tell(former)
    now = users.url("bot-acme")
    async with users.connection("bot-acme") as connection:
        users.auth("remove", "bot-acme")
        await users.read_again()
        await eventually(lambda: not connection.is_connected)
    with pytest.raises(Forbidden):
        await tell(now)
    await tell(users.url("bot-acme.telegram"))


async def test_a_bot_hears_that_nobody_answers(users: NatsUsers) -> None:
    """Its request goes from one account to another: it does not have to time out."""
    async with MemoryClient.connect(users.url("bot-acme"), "acme", timeout=5) as memory:
        with pytest.raises(Unavailable, match=r"nobody|no worker"):
            await memory.recall("u-1", "ciao")


async def test_only_an_answer_comes_in_parts_and_in_no_more_than_allowed(users: NatsUsers) -> None:
    async with users.connection("worker-retrieval") as worker, users.connection("bot-acme") as bot:
        answered: asyncio.Queue[str] = asyncio.Queue()

        async def answer(request: Msg) -> None:
            for _ in range(MOST_PARTS + 3):
                await worker.publish(request.reply, b"{}")
            await worker.flush()
            answered.put_nowait(request.subject)

        await worker.subscribe("memory.v1.*.query.>", "retrieval", cb=answer)
        await worker.flush()
        replies = {query: await bot.subscribe(f"_INBOX.{query}") for query in ("answer", "recall")}
        for query in replies:
            await bot.publish(f"memory.v1.acme.query.{query}", b"{}", reply=f"_INBOX.{query}")
        await bot.flush()
        async with asyncio.timeout(10):
            assert {await answered.get() for _ in replies} == {
                f"memory.v1.acme.query.{one}" for one in replies
            }
        await bot.flush()
        assert [one.pending_msgs for one in replies.values()] == [MOST_PARTS + 1, 1]
        await eventually(lambda: len(users.violations()) >= 4)  # two of eleven, twice


async def test_a_worker_finds_all_as_declared_and_may_not_change_it(users: NatsUsers) -> None:
    settings = users.nats_settings("worker-ingest", timeout=1.0)
    async with open_bus(settings, TOPOLOGY) as bus:
        assert await bus.provision() == []
    larger = ricordo_topology(incoming_bytes=2_000_000, derived_bytes=1_000_000, dead_letter_bytes=1_000_000)
    async with open_bus(settings, larger) as bus:
        with pytest.raises(NotAllowed, match=r"ricordo migrate.* with those of the operator"):
            await bus.provision()


async def test_a_worker_may_not_do_anothers_work(users: NatsUsers) -> None:
    async with open_bus(users.nats_settings("worker-ingest"), TOPOLOGY) as bus:
        (refused,) = await bus.publish(
            [Outgoing(subject="memory.v1.acme.memory.indexed", body=b"{}", headers={})]
        )
        assert refused is not None
        (accepted,) = await bus.publish(
            [Outgoing(subject="memory.v1.acme.memory.created", body=b"{}", headers={})]
        )
        assert accepted is None
    async with users.connection("worker-ingest") as connection:
        for call in ("STREAM.PURGE.RICORDO_IN", "CONSUMER.MSG.NEXT.RICORDO.encode", "STREAM.MSG.GET.RICORDO"):
            with pytest.raises((nats.errors.TimeoutError, nats.errors.NoRespondersError)):
                await connection.request(f"$JS.API.{call}", b"{}", timeout=0.3)
            assert any(f'"$JS.API.{call}"' in line for line in users.violations())


@pytest.mark.slow
async def test_on_an_encrypted_server_clients_check_whom_they_speak_to(tmp_path: Path) -> None:
    for name in ("server", "stranger"):
        await asyncio.to_thread(make_certificate, tmp_path / name)
    certificate, key = tmp_path / "server.pem", tmp_path / "server.key"
    options = ("--tls-cert", str(certificate), "--tls-key", str(key), "--tls-ca", str(certificate))
    users = NatsUsers(tmp_path, "acme", options=options)
    async with users.server:
        url, ca = users.url("bot-acme"), Path(users.settings("bot-acme")["RICORDO_NATS_CA"])
        assert url.startswith("tls://")
        operator = replace(users.nats_settings("operator", timeout=5.0), tls_ca=users.bus("operator").tls_ca)
        async with open_bus(operator, TOPOLOGY) as bus:
            await bus.provision()
        async with MemoryClient.connect(url, "acme", tls_ca=ca) as memory:
            await memory.publish(user_id="u-1", conversation_id="c-1", role="user", content="ciao")
        for trusted in (None, tmp_path / "stranger.pem"):
            with pytest.raises(Unavailable, match=r"(?i)certificate"):
                async with MemoryClient.connect(url, "acme", tls_ca=trusted, timeout=3):
                    pass
        with pytest.raises(InvalidRequest, match="certificate"):
            async with MemoryClient.connect(url, "acme", tls_ca=tmp_path / "none.pem"):
                pass

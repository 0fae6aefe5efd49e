"""Connecting: credentials in the address, and clear words when it fails."""

import socket
from pathlib import Path

import pytest
from nats.aio.client import Client
from tests.unit.client.conftest import Server

from ricordo.client import Forbidden, InvalidRequest, MemoryClient, Unavailable


@pytest.mark.parametrize("credentials", ["bot:wrong", "nobody:b0t"])
async def test_wrong_credentials_are_forbidden_and_not_repeated(server: Server, credentials: str) -> None:
    with pytest.raises(Forbidden) as caught:
        async with MemoryClient.connect(server.url_of(credentials), timeout=30):
            pass

    assert credentials.split(":")[1] not in str(caught.value)
    assert server.address in str(caught.value)


async def test_no_server_is_unavailable_with_advice(server: Server) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

        with pytest.raises(Unavailable, match="ricordo up") as caught:
            async with MemoryClient.connect(f"nats://bot:b0t@127.0.0.1:{port}", timeout=0.2):
                pass

    assert "b0t" not in str(caught.value)


@pytest.mark.parametrize(
    "url",
    [
        *("", "foo", "nats://", "nats://:4222", "nats://user:b0t@", "nats://two words:4222", "nats://[::1"),
        *("nats://127.0.0.1:no-port", "nats://127.0.0.1:70000", "nats://127.0.0.1:0", "foo:bar"),
        *("http://user:b0t@127.0.0.1:1", "nats://127.0.0.1:4222,foo", "nats://user:b0t?b0t@127.0.0.1:x"),
    ],
)
async def test_what_is_no_address_is_refused_before_anything_is_tried(url: str) -> None:
    with pytest.raises(InvalidRequest, match="is not an address of NATS") as caught:
        async with MemoryClient.connect(url, timeout=30):
            pass

    assert "b0t" not in str(caught.value)


@pytest.mark.parametrize("several", ["{0}", "nats://{0}", "nats://127.0.0.1:1, nats://{0}"])
async def test_an_address_may_be_short_or_one_of_several(server: Server, several: str) -> None:
    address = f"admin:s3cret@{server.address}"
    async with MemoryClient.connect(several.format(address), tenant="acme", timeout=10) as memory:
        assert memory.tenant == "acme"


async def test_when_the_server_goes_away_calls_say_so_and_the_client_closes(tmp_path: Path) -> None:
    async with (
        Server(tmp_path) as server,
        MemoryClient.connect(server.url_of(), tenant="acme", timeout=5) as memory,
    ):
        with pytest.raises(Unavailable, match="nobody answers"):
            await memory.stats("u-1")
        server.kill()

        with pytest.raises(Unavailable, match="keeps reconnecting"):
            await memory.stats("u-1", timeout=0.2)
        with pytest.raises(Unavailable, match="keeps reconnecting"):
            await memory.publish(
                user_id="u-1", conversation_id="c-1", role="user", content="Ciao", timeout=0.2
            )


async def test_a_client_speaks_over_a_connection_of_the_callers_and_leaves_it_open(nc: Client) -> None:
    memory = MemoryClient.over(nc, "acme", timeout=1)

    with pytest.raises(Unavailable, match="nobody answers"):
        await memory.stats("u-1")

    assert nc.is_connected

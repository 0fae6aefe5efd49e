"""Connecting with clear words, and publishing: what is acknowledged is on disk."""

import json
import socket
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from nats.aio.client import Client
from nats.aio.msg import Msg
from tests.unit.client.conftest import Server, Worker

from ricordo.client import Forbidden, InvalidRequest, MemoryClient, Timeout, Unavailable
from ricordo.messages.codec import decode_as
from ricordo.messages.events import MessageImported, MessageReceived


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


MESSAGE: dict[str, object] = {
    "id": "m-1",
    "user_id": "u-1",
    "conversation_id": "c-1",
    "role": "user",
    "content": "Ieri ho adottato un cane!",
    "timestamp": "2026-02-01T14:30:00+01:00",
}


def numbered(count: int, **fields: object) -> Iterator[dict[str, object]]:
    return (MESSAGE | {"id": f"m-{number}"} | fields for number in range(count))


async def kept(
    nc: Client, stream: str, sequence: int
) -> tuple[str | None, dict[str, str], dict[str, object]]:
    raw = await nc.jetstream().get_msg(stream, sequence)
    assert raw.data is not None
    return raw.subject, raw.headers or {}, json.loads(raw.data)


async def test_headers_follow_cloud_events(memory: MemoryClient, stream: str, nc: Client) -> None:
    trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    done = await memory.publish(MESSAGE, traceparent=trace)
    _, headers, _ = await kept(nc, stream, done.sequence)
    assert headers["ce-specversion"] == "1.0"
    assert headers["ce-id"] == "m-1"
    assert headers["ce-source"] == "/bots/acme"
    assert headers["ce-type"] == "memory.v1.message.received"
    assert headers["ce-time"] == "2026-02-01T13:30:00Z"
    assert headers["traceparent"] == trace
    assert headers["Nats-Msg-Id"].startswith("acme/m-1/")


async def test_fields_are_enough_for_a_bot(memory: MemoryClient, stream: str, nc: Client) -> None:
    before = datetime.now(UTC)
    done = await memory.publish(user_id="u-1", conversation_id="c-1", role="user", content="Ciao")
    _, headers, body = await kept(nc, stream, done.sequence)
    message = decode_as(MessageReceived, json.dumps(body).encode())
    assert message.id == done.message_id
    assert before <= message.timestamp <= datetime.now(UTC)
    assert "traceparent" not in headers


async def test_imports_take_their_own_lane(memory: MemoryClient, stream: str, nc: Client) -> None:
    by_flag = await memory.publish(MESSAGE, bulk=True)
    by_model = await memory.publish(MessageImported.model_validate(MESSAGE | {"id": "m-2"}))
    for done in (by_flag, by_model):
        assert (await kept(nc, stream, done.sequence))[0] == "memory.v1.acme.message.imported"


async def test_the_end_of_a_session_is_told(memory: MemoryClient, stream: str, nc: Client) -> None:
    done = await memory.end_session("u-1", "c-1", "2026-02-01T15:00:00+01:00")
    subject, _, body = await kept(nc, stream, done.sequence)
    assert subject == "memory.v1.acme.session.ended"
    assert body == {"user_id": "u-1", "conversation_id": "c-1", "timestamp": "2026-02-01T14:00:00Z"}


async def test_another_content_under_an_id_reaches_the_stream(memory: MemoryClient, stream: str) -> None:
    first = await memory.publish(MESSAGE)
    other = await memory.publish(MESSAGE | {"content": "Un gatto"})
    again = await memory.publish(MESSAGE)
    assert not other.duplicate
    assert other.sequence != first.sequence
    assert again.sequence == first.sequence or not again.duplicate


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"content": "\ud800"}, "content"),
        ({"timestamp": datetime(2026, 2, 1)}, "timestamp"),  # noqa: DTZ001 - naive on purpose
        ({"metadata": {"a": float("nan")}}, "metadata"),
    ],
)
async def test_a_wrong_field_is_refused_before_sending(
    memory: MemoryClient, fields: dict[str, object], field: str
) -> None:
    with pytest.raises(InvalidRequest) as caught:
        await memory.publish(MESSAGE | fields)
    assert caught.value.field == field


async def test_a_misspelt_field_is_a_mistake_of_the_caller(memory: MemoryClient) -> None:
    with pytest.raises(TypeError, match="'conversation'"):
        await memory.publish(user_id="u-1", conversation="c-1", role="user", content="Ciao")  # type: ignore[call-arg] # the mistake under test
    with pytest.raises(TypeError, match="either"):
        await memory.publish()


async def test_a_message_over_the_servers_limit_is_refused_and_the_connection_lives(
    memory: MemoryClient, stream: str
) -> None:
    data = "A" * (1024 * 1024 - 400)
    document = {"name": "a.bin", "media_type": "application/octet-stream", "data": data[: len(data) // 4 * 4]}
    with pytest.raises(InvalidRequest, match="the server allows 1,048,576"):
        await memory.publish(MESSAGE | {"document": document})
    assert (await memory.publish(MESSAGE)).stream == stream


async def test_without_a_stream_publishing_is_unavailable(memory: MemoryClient) -> None:
    with pytest.raises(Unavailable, match=r"no stream keeps .* `ricordo up`"):
        await memory.publish(MESSAGE)
    with pytest.raises(Unavailable, match="no stream keeps"):
        await memory.publish_many(numbered(3))


async def test_without_permission_publishing_is_forbidden_at_once(server: Server, stream: str) -> None:
    async with MemoryClient.connect(server.url_of("bot:b0t"), tenant="acme", timeout=30) as memory:
        assert (await memory.publish(MESSAGE)).stream == stream
        with pytest.raises(Forbidden, match=r"memory\.v1\.acme\.message\.imported"):
            await memory.publish(MESSAGE, bulk=True)
        with pytest.raises(Forbidden):
            await memory.publish_many(numbered(20), bulk=True, window=4)
    async with MemoryClient.connect(server.url_of("bot:b0t"), tenant="acme2", timeout=0.5) as stranger:
        with pytest.raises((Forbidden, Timeout)):
            await stranger.publish(MESSAGE)


async def test_a_silent_stream_is_a_timeout(memory: MemoryClient, worker: Worker) -> None:
    async def swallow(message: Msg) -> None:
        assert message.data

    await worker.listen("message.received", swallow)
    with pytest.raises(Timeout, match=r"within 0\.05 s"):
        await memory.publish(MESSAGE, timeout=0.05)
    with pytest.raises(Timeout):
        await memory.publish_many(numbered(5), window=2, timeout=0.05)


async def test_many_messages_are_acknowledged_in_order(memory: MemoryClient, stream: str, nc: Client) -> None:
    done = await memory.publish_many(numbered(1000), window=64)
    assert [one.message_id for one in done] == [f"m-{number}" for number in range(1000)]
    assert sorted({one.sequence for one in done}) == list(range(1, 1001))
    assert (await nc.jetstream().stream_info(stream)).state.messages == 1000

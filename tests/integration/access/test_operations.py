"""What an operator sees and does over HTTP, at a gateway with its own NATS user and no others' rights."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from tests.fixtures.commands import command_output
from tests.fixtures.eventually import eventually
from tests.fixtures.gateway import LoneGateway, lone_gateway
from tests.fixtures.secure_system import NatsUsers
from tests.fixtures.wire import Json

from ricordo.bus.nats.nats_bus import open_bus
from ricordo.bus.nats.topology import ricordo_topology
from ricordo.messages.errors import dead_letter_headers
from ricordo.messages.subjects import REPLAYED_FOR
from ricordo.settings import Settings
from ricordo_services.api_keys import KeyStore
from ricordo_services.gateway import throughput
from ricordo_services.gateway.nats_clients import connected

TOPOLOGY = ricordo_topology(incoming_bytes=1_000_000, derived_bytes=1_000_000, dead_letter_bytes=1_000_000)
CREATED = "memory.v1.acme.memory.created"
LETTERS = "/v1/operations/dead-letters"
KEYS = "/v1/operations/keys"


@pytest.fixture
async def users(tmp_path: Path) -> AsyncIterator[NatsUsers]:
    """Yield a server with the users of one tenant, and with all streams."""
    made = NatsUsers(tmp_path, "acme")
    async with made.server:
        async with open_bus(made.nats_settings("operator", timeout=5.0), TOPOLOGY) as bus:
            await bus.provision()
        yield made


@pytest.fixture
async def gateway(users: NatsUsers) -> AsyncIterator[LoneGateway]:
    """Yield a gateway with the user of one, whose fixed key is an operator's; it may do all that it tries."""
    async with lone_gateway(users.server.url, "acme", bus=users.bus("worker-gateway")) as running:
        yield running
    assert users.violations() == []


async def _give_up(users: NatsUsers, *bodies: bytes) -> None:
    """Store dead letters of the consumer `encode`."""
    async with users.connection("operator") as operator:
        for body in bodies:
            headers = {"traceparent": "00-1", **dead_letter_headers("invalid", "id is required", 1, 7)}
            await operator.jetstream().publish(f"dlq.encode.{CREATED}", body, headers=headers)


async def _numbers(http: httpx.AsyncClient) -> list[int]:
    return [letter["sequence"] for letter in (await http.get(LETTERS)).json()["dead_letters"]]


async def test_what_waits_is_seen_and_that_nobody_works(users: NatsUsers, gateway: LoneGateway) -> None:
    await _give_up(users, b"{}")
    async with users.connection("operator") as operator:
        await operator.jetstream().publish("memory.v1.acme.message.imported", b"{}")
    found: Json = (await gateway.http.get("/v1/operations")).json()
    consumers = {one["name"]: one for one in found["consumers"]}
    imports = consumers["ingest-bulk"]
    assert (imports["worker"], imports["lane"], imports["waiting"]) == ("ingest", "bulk", 1)
    assert (imports["in_work"], imports["redelivered"]) == (0, 0)
    assert (consumers["index-changes"]["worker"], consumers["index-changes"]["lane"]) == ("embedding", "live")
    streams = {one["name"]: (one["messages"], one["max_bytes"]) for one in found["streams"]}
    assert streams == {"RICORDO_IN": (1, 1e6), "RICORDO": (0, 1e6), "RICORDO_DLQ": (1, 1e6)}
    assert found["dead_letters"] == 1
    findings = {one["name"]: one for one in found["findings"]}
    assert findings["RICORDO_DLQ"]["state"] == "noted"
    assert findings["worker encode"]["detail"] == "does not answer"
    assert findings["consumer ingest-bulk"]["state"] == "missing"
    assert "1 messages wait" in findings["consumer ingest-bulk"]["detail"]
    assert "`ricordo worker ingest`" in findings["consumer ingest-bulk"]["advice"]


async def test_a_dead_letter_is_read_and_replayed_once(users: NatsUsers, gateway: LoneGateway) -> None:
    await _give_up(users, b'{"n": 1}', b"\xff", b"{}")
    listed = (await gateway.http.get(LETTERS, params={"limit": 2})).json()["dead_letters"]
    assert [one["sequence"] for one in listed] == [3, 2]
    assert (listed[0]["consumer"], listed[0]["subject"], listed[0]["code"]) == ("encode", CREATED, "invalid")
    assert (listed[0]["reason"], listed[0]["attempts"]) == ("id is required", 1)
    shown = (await gateway.http.get(f"{LETTERS}/1")).json()
    assert (shown["text"], shown["headers"]) == ('{"n": 1}', {"traceparent": "00-1"})
    assert (await gateway.http.get(f"{LETTERS}/2")).json()["text"] == "�"
    answers = [await gateway.http.post(f"{LETTERS}/1/replay") for _ in range(2)]
    assert [one.status_code for one in answers] == [202, 404]
    assert answers[0].json().keys() == listed[0].keys() == shown.keys() - {"text", "headers"}
    assert "no dead letter 1" in answers[1].json()["detail"]
    async with users.connection("operator") as operator:
        replayed = await operator.jetstream().get_last_msg("RICORDO", CREATED)
    assert (replayed.data, (replayed.headers or {})[REPLAYED_FOR]) == (b'{"n": 1}', "encode")
    assert await _numbers(gateway.http) == [3, 2]


async def test_a_dead_letter_is_deleted_for_good(users: NatsUsers, gateway: LoneGateway) -> None:
    await _give_up(users, *(b"%d" % n for n in range(60)))
    for sequence in range(2, 60):
        assert (await gateway.http.delete(f"{LETTERS}/{sequence}")).status_code == 204
    assert (await gateway.http.delete(f"{LETTERS}/2")).status_code == 404
    assert (await gateway.http.delete(f"{LETTERS}/0")).status_code == 422
    assert await _numbers(gateway.http) == [60, 1]
    settings = Settings(bus=users.bus("operator"))
    (discarded,) = await command_output(settings, "dlq", "discard", "60")
    assert discarded["sequence"] == 60
    assert await _numbers(gateway.http) == [1]
    async with users.connection("operator") as operator:
        assert (await operator.jetstream().stream_info("RICORDO")).state.last_seq == 0


async def test_who_has_not_looked_for_a_minute_is_not_sampled_for(
    users: NatsUsers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(throughput, "_LOOKED_AT_FOR_S", 0.1)
    async with connected(users.bus("worker-gateway")) as clients:
        await clients.streams.stream_info("RICORDO")  # the first request has begun to wait for replies
        without = asyncio.all_tasks()
        sampler = throughput.Throughput(clients)
        for _ in range(2):
            sampler.look()
            assert asyncio.all_tasks() > without
            await eventually(lambda: asyncio.all_tasks() <= without)
            assert sampler.reports == {}
        assert users.violations() == []


async def test_a_consumer_that_is_not_there_stops_no_sampling(users: NatsUsers) -> None:
    async with users.connection("operator") as operator:
        await operator.jetstream().delete_consumer("RICORDO", "encode")
    async with connected(users.bus("worker-gateway")) as clients:
        sampler = throughput.Throughput(clients)
        sampler.look()
        await eventually(lambda: len(sampler.remembered) > 0)
        await sampler.stop()
    assert {len(rates) for rates in sampler.rates.values()} == {1}


async def test_keys_are_made_listed_and_revoked_within_a_tenant(
    users: NatsUsers, gateway: LoneGateway
) -> None:
    assert (await gateway.http.get(KEYS)).json() == {"keys": []}
    made = await gateway.http.post(KEYS, json={"name": "phone", "user_id": "mira"})
    assert made.status_code == 201, made.text
    async with users.connection("operator") as operator:
        other, _ = await KeyStore(operator.jetstream()).create("beta", None, "of another tenant")
    (listed,) = (await gateway.http.get(KEYS)).json()["keys"]
    text = made.json().pop("key")
    assert made.json() == listed | {"key": text}
    assert (listed["name"], listed["user_id"], listed["operator"]) == ("phone", "mira", False)
    assert (listed["use"], listed["expires_at"]) == ("api", None)
    theirs = {"headers": {"Authorization": f"Bearer {text}"}}
    for method, path in (
        ("GET", "/v1/operations"),
        ("GET", LETTERS),
        ("GET", f"{LETTERS}/1"),
        ("POST", f"{LETTERS}/1/replay"),
        ("DELETE", f"{LETTERS}/1"),
        ("GET", KEYS),
        ("POST", KEYS),
        ("DELETE", f"{KEYS}/{listed['id']}"),
    ):
        refused = await gateway.http.request(method, path, headers=theirs["headers"])
        assert (refused.status_code, refused.json()["code"]) == (403, "forbidden"), path
        assert "--operator" in refused.json()["detail"]
    for wrong in ({"name": " "}, {"name": "n", "operator": 0}, {"name": "n", "tenant": "beta"}):
        assert (await gateway.http.post(KEYS, json=wrong)).status_code == 422
    refused = await gateway.http.post(KEYS, json={"name": "n", "user_id": "mira", "operator": True})
    assert (refused.status_code, refused.json()["field"]) == (400, "operator")
    for unknown in (other.id, "a%20b", "*", "é"):
        assert (await gateway.http.delete(f"{KEYS}/{unknown}")).status_code == 404
    assert [(await gateway.http.delete(f"{KEYS}/{listed['id']}")).status_code for _ in range(2)] == [204, 404]
    assert (await gateway.http.get(KEYS, headers=theirs["headers"])).status_code == 401

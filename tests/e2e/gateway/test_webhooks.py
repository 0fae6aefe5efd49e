"""Webhooks: signed events arrive at least once, at their receivers alone, and nowhere inside the network."""

import asyncio
import contextlib
import json
import os
import ssl
import sys
from collections.abc import AsyncIterator
from ipaddress import IPv4Network
from pathlib import Path

import httpx
import pytest
from nats.aio.client import Client
from nats.js.errors import NotFoundError
from standardwebhooks import Webhook
from tests.fixtures.certificates import make_certificate
from tests.fixtures.documents import ROOT, blocks_of
from tests.fixtures.gateway import GatewayAccess, gateway_process, remember
from tests.fixtures.scraping import free_port
from tests.fixtures.sentence_tables import table
from tests.fixtures.system import System
from tests.fixtures.webhook_receiver import Delivery, WebhookReceiver
from tests.fixtures.wire import Json, msg, new_tenant, wait_for

from ricordo_services.gateway.webhook_delivery import DeliveryFailed, WebhookSender
from ricordo_services.gateway.webhook_store import Webhook as StoredWebhook

LOOPBACK = (IPv4Network("127.0.0.0/8"),)
HOOKS = "/v1/webhooks"
TRIESTE = "Vivo a Trieste."


@pytest.fixture
async def local(system: System) -> AsyncIterator[GatewayAccess]:
    """A gateway that delivers to this machine, and tries again at once."""
    async with GatewayAccess.running(
        system,
        webhook_networks=LOOPBACK,
        webhook_retries_s=(0.1, 0.2),
        webhook_timeout_s=5,
        webhooks_per_tenant=3,
    ) as running:
        yield running


async def add(http: httpx.AsyncClient, body: Json) -> Json:
    answer = await http.post(HOOKS, json=body)
    assert answer.status_code == 201, answer.text
    made: Json = answer.json()
    return made


async def listed(http: httpx.AsyncClient) -> list[Json]:
    found: list[Json] = (await http.get(HOOKS)).json()["webhooks"]
    return found


def verified(delivery: Delivery, made: Json) -> Json:
    """Return the body of a delivery, once the reference library has verified its signature."""
    event: Json = Webhook(made["secret"]).verify(delivery.body, delivery.headers)
    assert delivery.headers["webhook-id"] == event["id"]
    return event


async def test_events_arrive_signed_at_the_webhooks_that_want_them(
    local: GatewayAccess, client: Client
) -> None:
    async with (
        WebhookReceiver.listening() as of_all,
        WebhookReceiver.listening() as of_one,
        WebhookReceiver.listening() as of_recalls,
        local.client() as http,
    ):
        recalls = await add(http, of_recalls.hook(events=["surfaced"]))
        everything = await add(http, of_all.hook())
        one_user = await add(http, of_one.hook(events=["remembered"], user_id="u-2"))
        await remember(http, msg("m-1", TRIESTE))
        await remember(http, msg("m-2", TRIESTE, user_id="u-2"))
        event = verified((await of_one.deliveries(1))[0], one_user)
        assert (event["type"], event["message_id"], event["user_id"]) == ("remembered", "m-2", "u-2")
        recalled = (await http.post("/v1/recall", json={"user_id": "u-1", "query": "Dove vivo?"})).json()
        surfaced = verified((await of_recalls.deliveries(1))[0], recalls)
        assert surfaced["type"] == "surfaced"
        assert {one["recall_id"] for one in surfaced["items"]} == {recalled["recall_id"]}
        await http.delete("/v1/messages/m-1?user_id=u-1")
        await wait_for(
            lambda: of_all.deliveries(3), lambda found: any(b'"forgotten"' in one.body for one in found)
        )
        events = [verified(one, everything) for one in of_all.received]
        assert {one["message_id"] for one in events if one["type"] == "remembered"} == {"m-1", "m-2"}
        assert {verified(one, one_user)["message_id"] for one in of_one.received} == {"m-2"}
        shown = await listed(http)
        assert [one["id"] for one in shown] == [recalls["id"], everything["id"], one_user["id"]]
        assert shown[1] == {name: value for name, value in everything.items() if name != "secret"}
        await wait_for(
            lambda: client.request("ricordo.health.gateway", b"", timeout=5),
            lambda health: json.loads(health.data)["webhooks_delivered"] >= len(events),
        )


async def test_the_receiver_of_the_page_verifies_what_it_gets(local: GatewayAccess, tmp_path: Path) -> None:
    [block] = [one for one in blocks_of(ROOT / "docs/http.md") if one.notes == ("receiver.py",)]
    port = free_port()
    program = tmp_path / "receiver.py"
    program.write_text(block.text.replace("7481", str(port)), encoding="utf-8")
    async with local.client() as http:
        made = await add(http, {"url": f"http://127.0.0.1:{port}/ricordo"})
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-u",
            program,
            env={**os.environ, "WEBHOOK_SECRET": made["secret"]},
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
        try:
            async with asyncio.timeout(30):
                while True:  # until it listens
                    with contextlib.suppress(httpx.TransportError):
                        await http.get(f"http://127.0.0.1:{port}/")
                        break
            await remember(http, msg("m-1", TRIESTE))
            assert process.stdout is not None
            async with asyncio.timeout(30):
                assert await process.stdout.readline() == b"remembered u-1\n"
        finally:
            process.terminate()
            await process.wait()


async def test_a_receiver_that_fails_gets_the_event_again_and_delays_no_other(local: GatewayAccess) -> None:
    async with (
        WebhookReceiver.listening(500, 307) as failing,
        WebhookReceiver.listening(otherwise=0) as silent,
        WebhookReceiver.listening() as quick,
        local.client() as http,
    ):
        made = await add(http, failing.hook(events=["remembered"]))
        for receiver in (silent, quick):
            await add(http, receiver.hook(events=["remembered"]))
        await remember(http, msg("m-1", TRIESTE))
        await silent.deliveries(1)
        await remember(http, msg("m-2", TRIESTE))
        await quick.deliveries(2)
        tries = await failing.deliveries(4)
        assert sorted(verified(one, made)["message_id"] for one in tries) in (
            ["m-1", "m-1", "m-1", "m-2"],
            ["m-1", "m-1", "m-2", "m-2"],
        )
        assert len({one.headers["webhook-id"] for one in tries}) == 2
        assert {one["disabled_at"] for one in await listed(http)} == {None}


async def test_a_receiver_that_wants_no_more_is_removed(local: GatewayAccess) -> None:
    async with WebhookReceiver.listening(otherwise=410) as gone, local.client() as http:
        await add(http, gone.hook())
        await remember(http, msg("m-1", TRIESTE))
        await gone.deliveries(1)
        await wait_for(lambda: listed(http), lambda found: not found)


async def test_a_key_sees_no_webhooks_of_others_and_a_tenant_has_so_many(local: GatewayAccess) -> None:
    async with (
        local.client() as http,
        await local.client_of("u-1") as own,
        await local.client_of("u-2") as of_another,
        await local.client_of(None, new_tenant()) as elsewhere,
    ):
        made = await add(own, {"url": "https://1.1.1.1/hook"})
        assert made["user_id"] == "u-1"
        stolen = await of_another.post(HOOKS, json={"url": "https://1.1.1.1/hook", "user_id": "u-1"})
        assert stolen.status_code == 404
        for stranger in (of_another, elsewhere):
            assert await listed(stranger) == []
            assert (await stranger.delete(f"{HOOKS}/{made['id']}")).status_code == 404
        assert [one["id"] for one in await listed(http)] == [made["id"]]
        for _ in range(2):
            await add(http, {"url": "https://1.1.1.1/hook"})
        full = await http.post(HOOKS, json={"url": "https://1.1.1.1/hook"})
        assert (full.status_code, full.json()["code"]) == (409, "conflict")
        assert (await own.delete(f"{HOOKS}/{made['id']}")).status_code == 204
        assert (await own.delete(f"{HOOKS}/{made['id']}")).status_code == 404
        assert len(await listed(http)) == 2


async def test_a_list_of_webhooks_leaves_nothing_in_nats(local: GatewayAccess, client: Client) -> None:
    async def consumers() -> int:
        return (await client.jetstream().stream_info("KV_ricordo-webhooks")).state.consumer_count

    async with local.client() as http:
        made = await add(http, {"url": "https://1.1.1.1/hook"})
        before = await consumers()
        for _ in range(20):
            assert [one["id"] for one in await listed(http)] == [made["id"]]
        assert await consumers() <= before + 1  # the gateway itself may have begun to watch anew


async def test_what_no_webhook_can_be_is_refused(system: System) -> None:
    wrong: list[tuple[Json, str]] = [
        *(({"url": url}, "url") for url in table(__file__, "no_webhook_is_at")),
        ({"url": "https://1.1.1.1/", "events": []}, "events"),
        ({"url": "https://1.1.1.1/", "events": ["said"]}, "events.0"),
        ({"url": "https://1.1.1.1/", "secret": "x"}, "secret"),
    ]
    async with GatewayAccess.running(system) as gateway, gateway.client() as http:
        for body, field in wrong:
            answer = await http.post(HOOKS, json=body)
            assert (answer.status_code, answer.json()["field"]) == (422, field), body
        assert await listed(http) == []


async def test_an_address_is_checked_again_at_delivery_and_the_webhook_disabled_at_last(
    system: System,
) -> None:
    async with WebhookReceiver.listening() as receiver:
        async with (
            GatewayAccess.running(system, webhook_networks=LOOPBACK) as before,
            before.client() as http,
        ):
            await add(http, receiver.hook())
        async with (
            GatewayAccess.running(system, webhook_retries_s=(0.1,)) as strict,
            await strict.client_of(None, before.tenant) as http,
        ):
            await remember(http, msg("m-1", TRIESTE))
            [disabled] = await wait_for(
                lambda: listed(http), lambda found: found[0]["disabled_at"] is not None
            )
            assert "failed 2 times" in disabled["disabled_reason"]
            assert "no public address" in disabled["disabled_reason"]
        assert receiver.received == []


async def test_a_webhook_that_one_gateway_disables_ends_in_the_others_that_read_it(
    system: System, local: GatewayAccess, client: Client
) -> None:
    other = GatewayAccess.running(system, webhook_networks=LOOPBACK, webhook_retries_s=(0.1, 0.2))
    async with (
        other,
        WebhookReceiver.listening(otherwise=500) as failing,
        WebhookReceiver.listening() as quick,
        local.client() as http,
    ):
        made = await add(http, failing.hook(events=["remembered"]))
        await add(http, quick.hook(events=["remembered"]))
        await asyncio.gather(*(remember(http, msg(f"m-{n}", TRIESTE)) for n in range(20)))
        [disabled, active] = await wait_for(lambda: listed(http), lambda found: found[0]["disabled_at"])
        assert (disabled["id"], active["disabled_at"]) == (made["id"], None)
        await remember(http, msg("late", TRIESTE))
        await wait_for(
            lambda: quick.deliveries(21), lambda found: any(b'"late"' in one.body for one in found)
        )
        assert not any(b'"late"' in one.body for one in failing.received)
        with pytest.raises(NotFoundError):
            await client.jetstream().consumer_info("RICORDO", f"webhook-{made['id']}")


async def test_a_certificate_has_to_be_of_the_name_though_an_address_is_contacted(tmp_path: Path) -> None:
    await asyncio.to_thread(make_certificate, tmp_path / "server", "DNS:localhost")
    certificate, key = tmp_path / "server.pem", tmp_path / "server.key"
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate, key)
    trust = ssl.create_default_context(cafile=certificate)
    async with (
        WebhookReceiver.listening(tls=tls) as receiver,
        httpx.AsyncClient(verify=trust, trust_env=False) as client,
    ):
        sender = WebhookSender(client, 5, LOOPBACK)
        by_name = receiver.url.replace("127.0.0.1", "localhost")
        await sender.send(StoredWebhook.draw("t", None, by_name, ("changed",)), "e-1", "{}")
        assert receiver.received[0].headers["host"].startswith("localhost:")
        with pytest.raises(DeliveryFailed, match="certificate"):
            await sender.send(StoredWebhook.draw("t", None, receiver.url, ("changed",)), "e-2", "{}")


@pytest.mark.slow
async def test_what_a_killed_gateway_has_not_delivered_the_next_one_delivers(
    system: System, tmp_path: Path
) -> None:
    hasty = {"webhook_networks": '["127.0.0.0/8"]', "webhook_timeout_s": "2", "webhook_retries_s": "[3, 3]"}
    async with (
        gateway_process(system, tmp_path, **hasty) as gateway,
        WebhookReceiver.listening(500, otherwise=0) as receiver,
    ):
        made = await add(gateway.http, receiver.hook(events=["remembered"]))
        await remember(gateway.http, msg("m-1", TRIESTE))  # refused, to be tried again
        await receiver.deliveries(1)
        await remember(gateway.http, msg("m-2", TRIESTE))  # in flight
        await receiver.deliveries(2)
        await gateway.kill()
        receiver.otherwise = 204
        await gateway.start()
        events = [verified(one, made) for one in (await receiver.deliveries(4))[2:]]
        assert {one["message_id"] for one in events} == {"m-1", "m-2"}

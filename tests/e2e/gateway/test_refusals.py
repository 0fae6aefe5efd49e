"""Whoever asks for too much over HTTP is refused with a problem document, and learns nothing."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from uuid import UUID

import httpx
import pytest
from pydantic import ValidationError
from tests.fixtures.gateway import FIXED_KEY, GatewayAccess, lone_gateway, remember
from tests.fixtures.nats_server import NatsServerProcess
from tests.fixtures.sentence_tables import table
from tests.fixtures.system import System
from tests.fixtures.wire import Json, msg, new_tenant

from ricordo.settings import GatewaySettings

ASKED = {"user_id": "u-1", "query": "Dove vivo?"}
SECRET = {"user_id": "u-1", "query": "segreto"}


def problem(answer: httpx.Response) -> Json:
    assert answer.headers["content-type"] == "application/problem+json", answer.text
    found: Json = answer.json()
    assert found["status"] == answer.status_code
    assert found["detail"]
    return found


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Authorization": f"Basic {FIXED_KEY}"}, 401),
        ({"Authorization": "Bearer ricordo_0123456789ab_" + "x" * 43}, 401),
        ({"Authorization": f"Bearer {FIXED_KEY}", "Host": "evil.example"}, 421),
        ({"Authorization": f"Bearer {FIXED_KEY}", "Origin": "https://evil.example"}, 421),
        ({"Authorization": f"Bearer {FIXED_KEY}", "Origin": "null"}, 421),
        ({"Authorization": f"Bearer {FIXED_KEY}", "Origin": "http://localhost:3000"}, 200),
    ],
)
async def test_a_key_a_host_and_an_origin_are_asked_for(
    gateway: GatewayAccess, headers: dict[str, str], status: int
) -> None:
    async with httpx.AsyncClient(base_url=gateway.url, timeout=60) as http:
        answer = await http.post("/v1/recall", json=ASKED, headers=headers)
        in_url = await http.get("/v1/facts", params={"user_id": "u-1", "api_key": FIXED_KEY})
    assert answer.status_code == status
    if status != 200:
        is_sent = headers.get("Authorization", "").startswith("Bearer ")
        detail = problem(answer)["detail"]
        assert status != 401 or detail.startswith(f"the key is {'not known' if is_sent else 'missing'}: ")
    assert problem(in_url)["status"] == 400


async def test_what_is_wrong_is_named(gateway: GatewayAccess) -> None:
    wrong: tuple[tuple[str, str, object, str | None], ...] = (
        *(("POST", "/v1/recall", ASKED | fields, field) for fields, field in table(__file__, "questions")),
        *(("GET", f"/v1/facts?{asked}", None, field) for asked, field in table(__file__, "facts")),
        ("POST", "/v1/recall", {"query": "x"}, "user_id"),
        ("POST", "/v1/messages", msg("m", "x", role="king"), "role"),
        ("POST", "/v1/messages", [msg("m", "")], "0.content"),
        ("POST", "/v1/messages", [], None),
        ("PATCH", "/v1/memories/7", {"pinned": True}, "memory_id"),
        ("PATCH", f"/v1/facts/{UUID(int=1)}", {"user_id": "u-1", "rejected": None}, None),
    )
    async with gateway.client() as http:
        for method, path, body, field in wrong:
            found = problem(await http.request(method, path, json=body))
            assert (found["status"], found["code"], found.get("field")) == (422, "invalid_request", field), (
                path
            )
            assert found["detail"].startswith(f"{field or 'the body'} ")
            assert not {"tuple", "dictionary", "Input", "Value"} & set(found["detail"].split()), found[
                "detail"
            ]


async def test_what_was_probably_meant_is_named(gateway: GatewayAccess) -> None:
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    meant = (
        ("/v1/users?after=x", "after is unknown: did you mean cursor?"),
        ("/v1/memories?user_id=u-1&after=x", "after is unknown: did you mean cursor?"),
        ("/v1/memories?user_id=u-1&topic=x", "topic is unknown: did you mean topics?"),
        ("/v1/facts?user_id=u-1&limt=1", "limt is unknown: did you mean limit?"),
        (
            "/v1/timeline?user_id=u-1&after=x",
            "after is unknown: the parameters are user_id, start, end, limit",
        ),
        ("/v1/graph?user_id=u-1&from_entity=x", "from_entity is unknown: did you mean "),
    )
    async with gateway.client() as http:
        for path, detail in meant:
            assert problem(await http.get(path))["detail"].startswith(detail)
        asked = problem(await http.post("/v1/answer", json={"user_id": "u-1", "question": "Dove vivo?"}))
        assert asked["detail"] == "question is unknown: did you mean query?"
        for path in ("/v1/recall", "/v1/messages", "/v1/webhooks"):
            found = problem(await http.post(path, content=json.dumps(ASKED), headers=form))
            assert "Content-Type: application/json, not application/x-www-form-urlencoded" in found["detail"]
            assert "--json instead of -d" in found["detail"]
            assert "not none" in problem(await http.post(path, content=json.dumps(ASKED)))["detail"]


async def test_bodies_end_and_are_no_larger_than_allowed(gateway: GatewayAccess) -> None:
    async def endless() -> AsyncIterator[bytes]:
        for _ in range(100):
            yield b"x" * 65_536

    async with gateway.client() as http:
        for content in (b"x" * (1 << 20) + b"x", endless()):
            try:
                answer = await http.post("/v1/recall", content=content)
            except httpx.WriteError:
                continue  # it was refused before all was sent
            assert problem(answer)["status"] == 413
        assert problem(await http.post("/v1/recall", content=b"{"))["status"] == 422
        assert problem(await http.post("/v1/recall", content=b"[" * 100_000))["status"] == 422
        assert problem(await http.get("/v1/nothing"))["status"] == 404
        assert problem(await http.put("/v1/recall", json=ASKED))["status"] == 405


async def test_a_key_reaches_no_other_user_and_no_other_tenant(
    gateway: GatewayAccess,
) -> None:
    other = new_tenant()
    async with (
        gateway.client() as http,
        await gateway.client_of("u-2") as of_another,
        await gateway.client_of(None, other) as of_other_tenant,
    ):
        await remember(http, msg("m-1", "Il segreto è Xanthippe."))
        memory = (await http.post("/v1/recall", json=SECRET)).json()["memories"][0]["id"]
        for path in ("/v1/facts?user_id=u-1", "/v1/stats?user_id=u-1", "/v1/users/u-1/export"):
            assert problem(await of_another.get(path))["status"] == 404
        for path, body in (
            ("/v1/recall", SECRET),
            ("/v1/messages", msg("m-9", "Ciao")),
        ):
            assert problem(await of_another.post(path, json=body))["status"] == 404
        line = json.dumps(msg("m-9", "Ciao"))
        lines = f'{line}\n{{"user_id": []}}\n{{"user_id": {{}}}}\n[]'
        assert (await of_another.post("/v1/imports", content=lines)).json()["rejected"] == 4
        pin = await of_another.patch(f"/v1/memories/{memory}", json={"pinned": True})
        assert problem(pin)["status"] == 404
        assert (await of_another.get("/v1/messages/m-1")).json()["state"] == "unknown"
        assert (await http.get("/v1/messages/m-1?user_id=u-2")).json()["state"] == "unknown"
        assert problem(await of_another.get("/v1/messages/m-1?user_id=u-1"))["status"] == 404
        assert (await of_another.delete("/v1/messages/m-1")).json()["erased"]["rows"] == 0
        for stranger in (of_another, of_other_tenant):
            own = {"query": "segreto", **({} if stranger is of_another else {"user_id": "u-1"})}
            assert "Xanthippe" not in (await stranger.post("/v1/recall", json=own)).text
        assert (await of_other_tenant.get("/v1/messages/m-1")).json()["state"] == "unknown"
        assert "Xanthippe" in (await http.post("/v1/recall", json=SECRET)).text


async def test_a_revoked_key_is_refused_and_the_list_holds_no_key(gateway: GatewayAccess) -> None:
    key, text = await gateway.keys.create(gateway.tenant, "u-1", "phone")
    async with gateway.client(text) as http:
        assert (await http.get("/v1/stats")).status_code == 200
        assert text.rpartition("_")[2] not in str(await gateway.keys.all(gateway.tenant))
        assert not await gateway.keys.revoke(new_tenant(), key.id)
        assert await gateway.keys.revoke(gateway.tenant, key.id)
        async with asyncio.timeout(20):
            while (await http.get("/v1/stats")).status_code != 401:  # noqa: ASYNC110 - no event
                await asyncio.sleep(0.2)
    assert key.id not in [one.id for one in await gateway.keys.all(gateway.tenant)]


async def test_who_asks_too_often_is_told_to_wait_and_answered_then(system: System) -> None:
    """At the lowest rate: with less no request would ever fit."""
    with pytest.raises(ValidationError, match="greater than or equal to 1"):
        GatewaySettings(requests_per_second=0.5)
    async with GatewayAccess.running(system, requests_per_second=1) as slow, slow.client() as http:
        assert (await http.get("/v1/stats?user_id=u-1")).status_code == 200
        answers = await asyncio.gather(*(http.get("/v1/stats?user_id=u-1") for _ in range(20)))
        refused = [one for one in answers if one.status_code == 429]
        assert len(refused) >= 10
        assert problem(refused[0])
        assert refused[0].headers["retry-after"]
        async with asyncio.timeout(30):
            while (await http.get("/v1/stats?user_id=u-1")).status_code == 429:  # noqa: ASYNC110 - no event
                await asyncio.sleep(0.1)


async def test_a_key_has_so_many_event_streams_and_one_less_when_a_listener_leaves(system: System) -> None:
    async with (
        GatewayAccess.running(system, event_streams_per_key=2) as few,
        few.client() as http,
        await few.client_of("u-1") as of_another,
        AsyncExitStack() as streams,
    ):
        first, *_ = [await streams.enter_async_context(http.stream("GET", "/v1/events")) for _ in range(2)]
        for headers in ({}, {"Last-Event-ID": "1"}):
            refused = await http.get("/v1/events", headers=headers)
            assert (problem(refused)["code"], refused.headers["retry-after"]) == ("too_many_requests", "10")
        async with of_another.stream("GET", "/v1/events") as others:
            assert others.status_code == 200
        await first.aclose()  # ends the connection
        async with asyncio.timeout(30):
            status = 429
            while status == 429:
                async with http.stream("GET", "/v1/events") as again:
                    status = again.status_code
        assert status == 200


@pytest.mark.slow
async def test_a_gateway_without_nats_says_that_it_is_unavailable(tmp_path: Path) -> None:
    """Its key is the fixed one: with another it is the reading of the key that fails."""
    async with NatsServerProcess(tmp_path) as server, lone_gateway(server.url) as (http, _, _):
        assert (await http.get("/healthz")).status_code == 200
        server.stop()
        other = "ricordo_0123456789ab_" + "x" * 43
        asked = ((FIXED_KEY, "stats?user_id=u-1"), (FIXED_KEY, "events"), (other, "events"))
        answers = await asyncio.gather(
            *(http.get(f"/v1/{path}", headers={"Authorization": f"Bearer {key}"}) for key, path in asked)
        )
        for answer in answers:
            assert (problem(answer)["status"], "retry-after" in answer.headers) == (503, True), answer.url


async def test_who_sends_no_request_or_reads_no_answer_is_disconnected_and_hinders_nobody(
    tmp_path: Path,
) -> None:
    def is_ended(client: socket.socket) -> bool:
        """Whether the gateway ended the connection; one more byte is what shows it."""
        try:
            client.send(b"X")
            return client.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) != 0
        except BlockingIOError:
            return False
        except OSError:
            return True

    asked = b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n"
    async with (
        NatsServerProcess(tmp_path) as server,
        lone_gateway(server.url, patience_s=0.5) as (http, _, _),
    ):
        assert (await http.get("/healthz")).status_code == 200
        there = ("127.0.0.1", http.base_url.port or 0)
        clients = [socket.create_connection(there) for _ in range(40)]
        sent = 10 * (b"", b"GET /x HTTP/1.1\r\nX-Slow: ", asked + b"GET /", 200 * asked)
        for client, said in zip(clients, sent, strict=True):
            client.sendall(said)
            client.settimeout(0)
        async with asyncio.timeout(60):
            while clients:
                assert (await http.get("/healthz")).status_code == 200
                await asyncio.sleep(2)  # what a client sends puts its end off
                for client in [one for one in clients if is_ended(one)]:
                    client.close()
                    clients.remove(client)

"""A bot that speaks HTTP alone: it publishes, asks, changes, erases and listens."""

import asyncio
import json
from contextlib import AsyncExitStack
from uuid import UUID

import httpx
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from tests.fixtures.gateway import GatewayAccess, remember
from tests.fixtures.system import System
from tests.fixtures.wire import Json, ago, msg, wait_for

EVENTS = ("GET", "/v1/events")
TRIESTE = "Mi chiamo Davide e vivo a Trieste."


async def _homes(http: httpx.AsyncClient) -> list[Json]:
    wanted = {"user_id": "u-1", "predicate": "lives_in"}
    found: list[Json] = (await http.get("/v1/facts", params=wanted)).json()["facts"]
    return found


async def test_what_is_posted_is_remembered_found_and_erased(gateway: GatewayAccess) -> None:
    async with gateway.client() as http:
        await remember(http, msg("m-1", TRIESTE), msg("m-2", "Il mio cane si chiama Max."))
        unset = {"limit": None, "explain": None, "filters": {"topics": None, "include_archived": None}}
        asked = {"user_id": "u-1", "query": "Dove vivo?", **unset}
        recalled = (await http.post("/v1/recall", json=asked)).json()
        assert recalled["memories"][0]["content"] == TRIESTE
        context = await http.post("/v1/context", json={"user_id": "u-1", "query": "Dove vivo?"})
        assert "Trieste" in context.json()["context"]
        assert [one["object"] for one in await _homes(http)] == ["Trieste"]
        counted = (await http.get("/v1/stats", params={"user_id": "u-1"})).json()
        assert counted["memories"] == 2
        between = {"user_id": "u-1", "start": ago(days=2), "end": ago(days=-1)}
        assert len((await http.get("/v1/timeline", params=between)).json()["memories"]) == 2
        history = (await http.get("/v1/history", params={"user_id": "u-1", "limit": 1})).json()
        assert [one["id"] for one in history["messages"]] == ["m-2"]
        exported = await http.get("/v1/users/u-1/export")
        assert any(TRIESTE in line for line in exported.text.splitlines())
        assert all(json.loads(line) for line in exported.text.splitlines())
        erased = await http.delete("/v1/messages/m-1", params={"user_id": "u-1"})
        assert erased.json()["erased"]["rows"]
        again = (await http.post("/v1/recall", json={"user_id": "u-1", "query": "Dove vivo?"})).json()
        assert TRIESTE not in str(again["memories"])
        assert (await http.delete("/v1/users/u-1")).json()["ok"]
        assert (await http.get("/v1/stats", params={"user_id": "u-1"})).json()["memories"] == 0


async def test_an_id_is_drawn_where_none_is_given_and_a_repeated_one_is_one_message(
    gateway: GatewayAccess,
) -> None:
    async with gateway.client() as http:
        unset = dict.fromkeys(("id", "timestamp", "importance", "memorize", "tags"))
        body = msg("", "Buongiorno a tutti!") | unset
        drawn = (await http.post("/v1/messages", json=body)).json()["messages"][0]["id"]
        for _ in range(2):
            await remember(http, msg("m-1", TRIESTE))
        state = await wait_for(
            lambda: _state(http, drawn), lambda found: found["state"] == "remembered", within=60
        )
        assert state["stages"]["indexed"]
        history = (await http.get("/v1/history", params={"user_id": "u-1"})).json()["messages"]
        assert sorted(one["id"] for one in history) == sorted([drawn, "m-1"])


async def test_an_id_that_another_message_has_is_a_conflict(gateway: GatewayAccess) -> None:
    """Also if the other one is remembered at that very moment, and by whatever route it is asked."""
    other = "Vivo a Gorizia."
    async with gateway.client() as http:
        for n in range(5):
            first = http.post("/v1/messages", params={"wait": "remembered"}, json=msg(f"m-{n}", TRIESTE))
            second = http.post("/v1/messages", params={"wait": "remembered"}, json=msg(f"m-{n}", other))
            answers = await asyncio.gather(first, second)
            assert sorted(one.status_code for one in answers) == [200, 409], [one.text for one in answers]
        refused = await http.post("/v1/messages?wait=remembered", json=msg("m-0", "Vivo a Udine."))
        found = refused.json()
        assert (found["status"], found["code"], found["field"]) == (409, "id_conflict", "id")
        many = [msg("m-0", "Vivo a Udine."), msg("m-9", TRIESTE)]
        states = (await http.post("/v1/messages?wait=remembered", json=many)).json()["messages"]
        assert [one["state"] for one in states] == ["failed", "remembered"]
        assert states[0]["error"].startswith("id_conflict: ")
        twice = await http.post("/v1/messages", json=[msg("n-1", TRIESTE), msg("n-1", other)])
        assert (twice.status_code, twice.json()["field"]) == (422, "1.id")
        assert len((await http.get("/v1/history", params={"user_id": "u-1"})).json()["messages"]) == 6
        await http.delete("/v1/messages/m-9?user_id=u-1")
        again = await http.post("/v1/messages?wait=remembered", json=msg("m-9", TRIESTE))
        assert (again.status_code, again.json()["code"]) == (409, "forgotten")
        await http.delete("/v1/messages/n-2?user_id=u-2")
        kept = await http.post("/v1/messages?wait=remembered", json=msg("n-2", TRIESTE))
        assert kept.status_code == 200, "what another user has deleted was none of this user's"


async def _state(http: httpx.AsyncClient, message_id: str) -> Json:
    found: Json = (await http.get(f"/v1/messages/{message_id}")).json()
    return found


async def test_memories_and_facts_are_changed(gateway: GatewayAccess) -> None:
    async with gateway.client() as http:
        await remember(http, msg("m-1", TRIESTE))
        asked = {"user_id": "u-1", "query": "Dove vivo?"}
        memory = (await http.post("/v1/recall", json=asked)).json()["memories"][0]
        changed = await http.patch(
            f"/v1/memories/{memory['id']}", json={"user_id": "u-1", "pinned": True, "verified": True}
        )
        assert changed.json() == {"ok": True}
        edit = {"user_id": "u-1", "kind": "decision", "importance": 0.9, "tags": ["star", "category/home"]}
        path = f"/v1/memories/{memory['id']}"
        for _ in range(2):
            assert (await http.patch(path, json=edit, headers={"Idempotency-Key": "e-1"})).status_code == 200
        assert (await http.patch(path, json={"user_id": "u-1", "expires_at": ago(days=-9)})).is_success
        assert (await http.patch(path, json={"user_id": "u-1", "expires_at": None})).is_success
        whole = (await http.get(path, params={"user_id": "u-1"})).json()["memory"]
        assert (whole["kind"], whole["tags"], whole["expires_at"]) == ("decision", edit["tags"], None)
        assert whole["pinned"]
        assert whole["importance"] >= 0.9
        starred = {"user_id": "u-1", "query": "Dove vivo?", "filters": {"tags": ["star"]}}
        assert [one["id"] for one in (await http.post("/v1/recall", json=starred)).json()["memories"]] == [
            memory["id"]
        ]
        for wrong in ({"kind": "summary"}, {"importance": 2}, {"tag": ["star"]}, {"tags": None}):
            assert (await http.patch(path, json={"user_id": "u-1"} | wrong)).status_code == 422, wrong
        [fact] = await _homes(http)
        body = {"user_id": "u-1", "object": "Udine", "verified": True}
        assert (await http.patch(f"/v1/facts/{fact['id']}", json=body)).status_code == 200
        [fact] = await _homes(http)
        assert (fact["object"], fact["verified"]) == ("Udine", True)
        where_fact, since = f"/v1/facts/{fact['id']}", "2020-05-01T00:00:00Z"
        times = {"user_id": "u-1", "valid_from": since, "valid_to": None}
        for _ in range(2):
            assert (await http.patch(where_fact, json=times, headers={"Idempotency-Key": "t-1"})).is_success
        [dated] = await _homes(http)
        assert (dated["id"], dated["valid_from"], dated["valid_to"]) == (fact["id"], since, None)
        backwards = await http.patch(where_fact, json=times | {"valid_to": "2019-01-01T00:00:00Z"})
        assert (backwards.status_code, backwards.json()["field"]) == (422, "valid_from")
        theirs = await http.patch(where_fact, json=times | {"user_id": "u-2"})
        assert theirs.status_code == 404
        note = {"user_id": "u-1", "conversation_id": "c-1", "key": "mood", "value": "calm"}
        assert (await http.put("/v1/notes", json=note)).status_code == 200
        where = {"user_id": "u-1", "conversation_id": "c-1"}
        assert (await http.get("/v1/working", params=where)).json()["notes"] == {"mood": "calm"}
        for _ in range(2):  # as often as it is asked, what it erased
            erased = await http.delete(path, params={"user_id": "u-1"}, headers={"Idempotency-Key": "d-1"})
            assert erased.json()["erased"]["rows"] == 2
        assert (await http.get(path, params={"user_id": "u-1"})).status_code == 404
        assert (await http.delete("/v1/memories/m-1", params={"user_id": "u-1"})).status_code == 422
        missing = await http.patch(f"/v1/memories/{UUID(int=1)}", json={"user_id": "u-1", "pinned": True})
        assert (missing.status_code, missing.json()["code"]) == (404, "not_found")


async def test_memories_and_users_are_listed(gateway: GatewayAccess) -> None:
    async with gateway.client() as http, await gateway.client_of("u-1") as of_one:
        await remember(http, msg("m-1", TRIESTE), msg("m-2", "Adoro il mare."))
        await remember(http, msg("n-1", "Ciao, sono Ada.", user_id="u-2"))
        assert (await of_one.get("/v1/memories", params={"limit": "[" * 20_000})).status_code == 422
        found = (await of_one.get("/v1/memories?kinds=message&kinds=summary")).json()["memories"]
        assert sorted(one["content"] for one in found) == ["Adoro il mare.", TRIESTE]
        [memory] = [one for one in found if one["content"] == TRIESTE]
        await of_one.patch(f"/v1/memories/{memory['id']}", json={"pinned": True, "verified": True})
        whole = (await of_one.get(f"/v1/memories/{memory['id']}")).json()
        assert (whole["memory"]["pinned"], whole["memory"]["verified"]) == (True, True)
        listed = (await http.get("/v1/users")).json()["users"]
        assert [one["user_id"] for one in listed] == ["u-1", "u-2"]
        assert (await of_one.get("/v1/users")).status_code == 404


async def test_entities_and_their_graph_are_read(gateway: GatewayAccess) -> None:
    async with gateway.client() as http, await gateway.client_of("u-1") as of_one:
        await remember(http, msg("m-1", TRIESTE), msg("m-2", "Ho un cane, si chiama Max."))
        page = (await of_one.get("/v1/entities", params={"kind": "animal"})).json()
        assert [one["name"] for one in page["entities"]] == ["Max"]
        between: dict[str, str | int] = {"from": "Max", "to": "Trieste", "min_confidence": 1}
        found = await wait_for(
            lambda: of_one.get("/v1/graph", params=between), lambda found: found.json()["paths"]
        )
        assert found.json()["paths"][0]["nodes"] == ["Max", "user", "Trieste"]
        around = (await of_one.get("/v1/graph", params={"entity": "max", "min_confidence": 1})).json()
        assert [one["name"] for one in around["nodes"]] == ["Max", "user"]
        refused = await of_one.get("/v1/graph", params={"from": "Max"})
        assert (refused.status_code, refused.json()["field"]) == (422, "entity")
        assert (await of_one.get("/v1/graph", params={"entity": "Max", "user_id": "u-2"})).status_code == 404


async def test_an_assistant_remembers_and_recalls_by_mcp(gateway: GatewayAccess) -> None:
    key = (await gateway.keys.create(gateway.tenant, "u-1", "assistant"))[1]
    async with (
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {key}"}, timeout=60) as transport,
        Client(streamable_http_client(f"{gateway.url}/mcp", http_client=transport)) as assistant,
    ):
        assert {"remember", "recall", "forget"} <= {one.name for one in (await assistant.list_tools()).tools}
        await assistant.call_tool("remember", {"text": TRIESTE})
        answer = await assistant.call_tool("recall", {"query": "Dove vivo?"})
        assert "Trieste" in str(answer.structured_content)
    async with gateway.client() as of_all:
        assert (await of_all.post("/mcp", json={})).status_code == 422
        elsewhere = await of_all.post("/mcp", json={}, headers={"Origin": "https://evil.example"})
        assert elsewhere.status_code == 421


async def test_an_import_counts_conflicts_apart_and_goes_on_behind_a_line_that_is_too_long(
    gateway: GatewayAccess,
) -> None:
    past = [msg(f"old-{n}", f"Nel 19{n % 100:02} ero a Gorizia.") for n in range(1_500)]
    taken = {0: "Ero a Udine.", 700: "Ero a Trieste.", 1_499: "Ero a Pordenone."}
    lines = [json.dumps(one).encode() for one in past]
    lines[1_300] = lines[1_300] + b" " * (1 << 20)  # more than a part of the body, and than a line may have
    lines[800:800] = [b"x" * (3 << 20), json.dumps(past[2] | {"content": "Mai stato."}).encode()]
    async with gateway.client() as http:
        await remember(http, *(past[n] | {"content": text} for n, text in taken.items()))
        found = (await http.post("/v1/imports", content=b"\n".join(lines))).json()
    assert (found["accepted"], found["rejected"], found["conflicts"]) == (1_496, 2, 4)
    assert found["unchecked"] == 0
    wrong = {one["line"]: one["detail"] for one in found["errors"]}
    assert list(wrong) == [1, 701, 801, 802, 1_303, 1_502]
    too_long = "is longer than 1,048,576 bytes"
    assert (wrong.pop(801), wrong.pop(1_303)) == (too_long, too_long)
    assert all(detail.startswith("id_conflict: ") for detail in wrong.values())


async def test_events_are_streamed_and_resumed(gateway: GatewayAccess) -> None:
    async with gateway.client() as http, await gateway.client_of("u-2") as of_another:
        async with (
            http.stream(*EVENTS) as stream,
            of_another.stream(*EVENTS) as other,
        ):
            lines, others = stream.aiter_lines(), other.aiter_lines()
            assert [await anext(lines), await anext(others)] == [": connected", ": connected"]
            await remember(http, msg("m-1", TRIESTE))
            first = await _next_event(lines)
            await remember(http, msg("m-2", "Adoro il mare."), msg("n-1", "Ciao!", user_id="u-2"))
            assert (await _next_event(others))["message_id"] == "n-1"
        assert (first["event"], first["message_id"]) == ("remembered", "m-1")
        async with http.stream(*EVENTS, headers={"Last-Event-ID": first["id"]}) as stream:
            lines = stream.aiter_lines()
            seen = {(await _next_event(lines))["message_id"] for _ in range(2)}
            recalled = (await http.post("/v1/recall", json={"user_id": "u-1", "query": "Dove vivo?"})).json()
            surfaced = await _next_event(lines, "surfaced")
            shown = [one["memory_id"] for one in surfaced["items"]]
            assert shown == [one["id"] for one in recalled["memories"]]
        assert seen == {"m-2", "n-1"}


async def test_listeners_of_a_tenant_share_a_subscription_and_end_with_the_gateway(system: System) -> None:
    async with system.connection() as connection, AsyncExitStack() as exits:
        streams = connection.jetstream()
        async with GatewayAccess.running(system) as gateway:
            http = await exits.enter_async_context(gateway.client())
            before = (await streams.stream_info("RICORDO")).state.consumer_count
            open_streams = [await exits.enter_async_context(http.stream(*EVENTS)) for _ in range(20)]
            listeners = [stream.aiter_lines() for stream in open_streams]
            assert {await anext(lines) for lines in listeners} == {": connected"}
            assert (await streams.stream_info("RICORDO")).state.consumer_count == before + 1
            await remember(http, msg("m-1", TRIESTE))
            assert {(await _next_event(lines))["message_id"] for lines in listeners} == {"m-1"}
        rest = [[line async for line in lines] for lines in listeners]
        assert not any("remembered" in line for lines in rest for line in lines)


async def _next_event(lines: object, wanted: str = "remembered") -> Json:
    """Return the next event of a name, with its id."""
    found: Json = {}
    async with asyncio.timeout(30):
        async for line in lines:  # type: ignore[attr-defined]
            name, _, value = line.partition(": ")
            found |= json.loads(value) | {"id": found["id"]} if name == "data" else {name: value}
            if not line and found.get("event") == wanted:
                return found
            if not line:
                found = {}
    pytest.fail("the stream ended")

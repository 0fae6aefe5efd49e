"""The export of another service is counted and imported over HTTP, once however often it is sent."""

import asyncio
import io
import tempfile
import zipfile
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from tests.fixtures.gateway import GatewayAccess
from tests.fixtures.wire import Json, wait_for

from ricordo_services.gateway import upload_routes

EXPORTS = Path(__file__).parents[2] / "unit/importers/exports"
CHAT = EXPORTS / "whatsapp/WhatsApp Chat with Nora.txt"
WHATSAPP = "/v1/imports/whatsapp"
ASKED = {"user_id": "dave", "name": CHAT.name, "timezone": "Europe/Rome"}
NORA = "dave:whatsapp:nora"


@pytest.fixture
def spool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of the gateway's temporary files."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


async def counted(http: httpx.AsyncClient, user: str) -> int:
    found: Json = (await http.get("/v1/history", params={"user_id": user})).json()
    return len(found["messages"])


async def test_an_export_is_looked_at_and_then_imported_once(gateway: GatewayAccess, spool: Path) -> None:
    body = CHAT.read_bytes()
    async with gateway.client() as http:
        looked = await http.post(WHATSAPP, params=ASKED | {"dry_run": "true"}, content=body)
        assert looked.status_code == 200, looked.text
        seen = looked.json()
        assert (seen["messages"], seen["conversations"]) == (3, 1)
        assert (seen["first"], seen["last"]) == ("2024-01-05T14:04:00Z", "2024-01-13T08:00:00Z")
        assert seen["skipped"] == {"system lines": 1, "messages without text": 1}
        assert {one["name"]: one["user_id"] for one in seen["speakers"]}["Nora"] == NORA
        assert "add `me` with your name" in seen["unclear"]
        assert seen["accepted"] is None
        refused = await http.post(WHATSAPP, params=ASKED, content=body)
        assert (refused.status_code, refused.json()["field"]) == (422, "me")
        assert await counted(http, "dave") == 0
        for known in (0, 3):
            done = (await http.post(WHATSAPP, params=ASKED | {"me": "Dave"}, content=body)).json()
            assert (done["accepted"], done["known"], done["unchecked"], done["errors"]) == (3, known, 0, [])
            assert [one["name"] for one in done["speakers"] if one["is_user"]] == ["Dave"]
            assert (await counted(http, "dave"), await counted(http, NORA)) == (2, 1)
    assert list(spool.iterdir()) == []


async def test_a_zip_and_what_is_malformed_in_it(gateway: GatewayAccess, spool: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.write(EXPORTS / "claude/conversations_2024.json", "conversations.json")
    async with gateway.client() as http:
        asked = {"user_id": "petra"}
        done = (await http.post("/v1/imports/claude", params=asked, content=packed.getvalue())).json()
        assert (done["accepted"], done["unclear"]) == (2, None)
        [wrong] = done["malformed"]
        assert "[0].chat_messages[3]" in wrong["place"]
        assert "created_at" in wrong["detail"]


async def test_what_cannot_be_read_is_refused_and_leaves_nothing(
    gateway: GatewayAccess, spool: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    body, mine = CHAT.read_bytes(), ASKED | {"me": "Dave"}
    async with gateway.client() as http, await gateway.client_of("dave") as bound:
        wrong = (
            (http, "icq", mine, body, 404, "name one of chatgpt, claude"),
            (http, "whatsapp", mine | {"dryrun": "true"}, body, 422, "dryrun"),
            (http, "whatsapp", mine | {"timezone": "Nowhere"}, body, 422, "timezone"),
            (http, "whatsapp", mine | {"prefix": "a b"}, body, 422, "prefix"),
            (http, "whatsapp", mine, b"", 422, "export the chat again"),
            (http, "whatsapp", mine | {"name": "_chat.txt"}, body, 422, "name it with `conversation`"),
            (http, "telegram", mine, b"PK\x03\x04 and then nothing", 422, "broken zip"),
            (http, "chatgpt", mine, b'{"a": ', 422, "/v1/imports/SERVICE"),
            (bound, "whatsapp", mine | {"prefix": ""}, body, 422, "prefix"),
            (bound, "whatsapp", mine | {"user_id": "petra"}, body, 404, "no such user"),
        )
        for client, service, asked, content, status, detail in wrong:
            answer = await client.post(f"/v1/imports/{service}", params=asked, content=content)
            assert (answer.status_code, detail in answer.json()["detail"]) == (status, True), answer.text
        monkeypatch.setattr(upload_routes, "MAX_UPLOAD_BYTES", 100)

        async def unannounced() -> AsyncIterator[bytes]:
            yield body

        for large in (body, unannounced()):
            answer = await http.post(WHATSAPP, params=mine, content=large)
            assert answer.status_code == 413
        assert await counted(bound, "dave") == 0
    assert list(spool.iterdir()) == []


async def test_a_gateway_reads_two_exports_at_a_time_of_two_keys(gateway: GatewayAccess, spool: Path) -> None:
    rest = asyncio.Event()

    async def slow() -> AsyncIterator[bytes]:
        yield CHAT.read_bytes()
        await rest.wait()

    asked = ASKED | {"me": "Dave", "dry_run": "true"}
    body = CHAT.read_bytes()
    async with (
        gateway.client() as http,
        await gateway.client_of("dave") as bound,
        await gateway.client_of("dave") as third,
    ):
        sending = [
            asyncio.create_task(one.post(WHATSAPP, params=asked, content=slow())) for one in (http, bound)
        ]
        await wait_for(lambda: asyncio.to_thread(lambda: len(list(spool.iterdir()))), len(sending).__eq__)
        assert {file.stat().st_mode & 0o777 for file in spool.iterdir()} == {0o600}
        for one, status in ((third, 503), (bound, 429)):
            other = await one.post(WHATSAPP, params=asked, content=body)
            assert (other.status_code, "Retry-After" in other.headers) == (status, True)
        rest.set()
        assert [(await one).status_code for one in sending] == [200, 200]
        again = await http.post(WHATSAPP, params=asked, content=body)
        assert again.status_code == 200


async def test_an_export_must_come_in_time(
    gateway: GatewayAccess, spool: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upload_routes, "_BODY_WITHIN_S", 2.0)
    rest = asyncio.Event()

    async def slow() -> AsyncIterator[bytes]:
        yield CHAT.read_bytes()
        await rest.wait()

    async with gateway.client() as http:
        sending = asyncio.create_task(http.post(WHATSAPP, params=ASKED, content=slow()))
        for files in (1, 0):
            await wait_for(lambda: asyncio.to_thread(lambda: len(list(spool.iterdir()))), files.__eq__)
        rest.set()  # the client reads no answer before
        assert (await sending).status_code == 408

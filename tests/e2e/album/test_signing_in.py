"""Who sees the album: by a link that works once, or a key; a session that nobody else's page can use."""

import re
from collections.abc import AsyncIterator
from datetime import timedelta

import aiohttp
import httpx
import pytest
import socketio
from tests.fixtures.gateway import FIXED_KEY, GatewayAccess, lone_gateway
from tests.fixtures.system import System
from tests.fixtures.wire import new_tenant

_FORM = {"Origin": "http://127.0.0.1", "Sec-Fetch-Site": "same-origin"}


async def signed_in(http: httpx.AsyncClient, token: str) -> httpx.Response:
    return await http.post("/album/sign-in", data={"token": token}, headers=_FORM)


@pytest.fixture
async def http(gateway: GatewayAccess) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=gateway.url, timeout=30) as client:
        yield client


async def test_the_front_door_leads_to_the_album(http: httpx.AsyncClient) -> None:
    front = await http.get("/")
    assert (front.status_code, front.headers["location"]) == (303, "/album/")
    inside = await http.get("/album/timeline")
    assert (inside.status_code, inside.headers["location"]) == (303, "/album/sign-in")
    door = await http.get("/album/sign-in", headers={"Accept-Language": "it-IT,it;q=0.9,en;q=0.5"})
    assert '<html lang="it">' in door.text


async def test_a_link_opens_the_album_once(http: httpx.AsyncClient, gateway: GatewayAccess) -> None:
    _, token = await gateway.keys.create(
        gateway.tenant, "ann", "link", use="link", lifetime=timedelta(minutes=1)
    )
    first = await signed_in(http, token)
    assert (first.status_code, first.headers["location"]) == (303, "/album/")
    cookie = first.headers["set-cookie"]
    assert all(part in cookie for part in ("HttpOnly", "SameSite=strict", "Path=/album"))
    assert token not in cookie
    assert (await http.get("/album/timeline")).status_code == 200
    http.cookies.clear()
    assert (await signed_in(http, token)).status_code == 403
    assert (await http.get("/album/timeline")).status_code == 303


async def test_a_session_opens_nothing_but_the_album(http: httpx.AsyncClient, gateway: GatewayAccess) -> None:
    await signed_in(http, gateway.key)
    session = http.cookies["ricordo_album"]
    for headers in ({}, {"Authorization": f"Bearer {session}"}):
        assert (await http.get("/v1/stats?user_id=ann", headers=headers)).status_code == 401
    assert (await signed_in(http, session)).status_code == 403


async def test_who_signs_out_is_out(http: httpx.AsyncClient, gateway: GatewayAccess) -> None:
    await signed_in(http, gateway.key)
    session = http.cookies["ricordo_album"]
    await http.post("/album/sign-out", headers=_FORM)
    http.cookies.set("ricordo_album", session, path="/album")
    assert (await http.get("/album/timeline")).status_code == 303


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "http://127.0.0.1", "Sec-Fetch-Site": "cross-site"},
        {"Origin": "null"},
        {},
    ],
)
async def test_another_page_changes_nothing(
    http: httpx.AsyncClient, gateway: GatewayAccess, headers: dict[str, str]
) -> None:
    for path, form in (
        ("sign-in", {"token": gateway.key}),
        ("sign-out", {}),
        ("preferences", {"ricordo_user": "x"}),
    ):
        answer = await http.post(f"/album/{path}", data=form, headers=headers)
        assert answer.status_code in (403, 421), path
        assert "set-cookie" not in answer.headers


async def test_every_answer_protects_its_page(http: httpx.AsyncClient, gateway: GatewayAccess) -> None:
    await signed_in(http, gateway.key)
    for path in ("/album/sign-in", "/album/timeline", "/album/static/album.css", "/album/nothing-here"):
        answer = await http.get(path)
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "http" not in policy  # no other origin
        assert answer.headers["x-frame-options"] == "DENY"
        nonces = set(re.findall(r'<script nonce="([^"]+)"', answer.text))
        assert len(nonces) <= 1
        assert all(f"'nonce-{one}'" in policy for one in nonces)
        assert "<script>" not in answer.text


async def page_of(http: httpx.AsyncClient) -> str:
    """Return the id of a page that is opened, under which its sockets speak."""
    found = re.search(r"'client_id': '([0-9a-f-]{36})'", (await http.get("/album/users")).text)
    assert found is not None
    return found[1]


async def heard(url: str, page_id: str, session: str, **headers: str) -> bool:
    """Return whether a socket for a page is accepted."""
    asked = f"{url}?client_id={page_id}&implicit_handshake=true&tab_id=t&document_id=d&next_message_id=0"
    sent = {"Cookie": f"ricordo_album={session}", "Origin": url, **headers}
    async with aiohttp.ClientSession() as session_of_http:
        socket = socketio.AsyncClient(reconnection=False, http_session=session_of_http)
        path = "/album/_nicegui_ws/socket.io"
        try:
            await socket.connect(asked, headers=sent, transports=["websocket"], socketio_path=path)
        except socketio.exceptions.ConnectionError:
            return False
        await socket.disconnect()
        return True


async def test_a_socket_speaks_for_a_page_of_its_own_session(gateway: GatewayAccess) -> None:
    sessions, pages = [], []
    for user in ("ann", "eve"):
        async with httpx.AsyncClient(base_url=gateway.url, timeout=30) as http:
            _, key = await gateway.keys.create(gateway.tenant, user, "key")
            await signed_in(http, key)
            sessions.append(http.cookies["ricordo_album"])
            pages.append(await page_of(http))
    assert await heard(gateway.url, pages[0], sessions[0])
    assert not await heard(gateway.url, pages[0], sessions[1])
    assert not await heard(gateway.url, pages[1], "")
    assert not await heard(gateway.url, pages[1], sessions[1], Origin="https://evil.example")
    assert await heard(gateway.url, pages[1], sessions[1])


async def test_an_odd_cookie_or_zone_locks_nobody_out(
    http: httpx.AsyncClient, gateway: GatewayAccess
) -> None:
    signed = await http.post(
        "/album/sign-in", data={"token": gateway.key, "zone": "Atlantis/Nowhere"}, headers=_FORM
    )
    cookies = "; ".join(one.partition(";")[0] for one in signed.headers.get_list("set-cookie"))
    http.cookies.clear()
    inside = await http.get("/album/users", headers={"Cookie": f"x=a b, c; {cookies}"})
    assert inside.status_code == 200
    upload = await http.post("/album/_nicegui/client/x/upload/1", headers=_FORM, content=b"x")
    assert (upload.status_code, upload.headers["location"]) == (303, "/album/sign-in")


async def test_a_page_says_that_the_workers_are_away(system: System) -> None:
    async with lone_gateway(system.endpoints.nats_url, new_tenant()) as alone:
        async with system.workers.stopped():
            await signed_in(alone.http, FIXED_KEY)
            alone.http.cookies.set("ricordo_user", "ann", path="/album")
            shown = await alone.http.get("/album/timeline", headers={"Accept-Language": "en"})
        assert "The memory does not answer just now" in shown.text
        assert "default-src 'none'" in shown.headers["content-security-policy"]

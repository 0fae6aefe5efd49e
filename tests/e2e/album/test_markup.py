"""Text of people never becomes markup, whatever field it comes by."""

import base64

import pytest
from tests.fixtures.browser import visiting
from tests.fixtures.gateway import FIXED_KEY, GatewayProcess, remember

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

_RUN = "globalThis.hacked=1"
_PAYLOADS = (
    f"<script>{_RUN}</script>",
    f"<img src=x onerror={_RUN}>",
    f'"><svg onload={_RUN}>',
    f"</textarea><iframe srcdoc='<script>parent.{_RUN.removeprefix('globalThis.')}</script>'>",
    "{{ constructor.constructor('globalThis.hacked=1')() }}",
    f"`${{{_RUN}}}`</script><script>{_RUN}</script>",
    f"javascript:{_RUN}",
)


async def test_markup_in_every_field_stays_text(album: GatewayProcess) -> None:
    user, url = "mallory", str(album.http.base_url).rstrip("/")
    text = base64.b64encode(_PAYLOADS[0].encode()).decode()
    document = {"name": f"{_PAYLOADS[1]}.txt", "media_type": "text/plain", "data": text}
    await remember(
        album.http,
        *(
            {
                "id": f"x{number}",
                "user_id": user,
                "conversation_id": "talk",
                "role": "user",
                "content": f"My friend {payload} lives in Rome. I love {payload}!",
                "speaker": payload[:100],
                "participants": [payload[:100]],
                "location": payload[:100],
                "tags": [payload[:60], "star", f"category/{payload[:40]}"],
                **({"document": document} if number == 0 else {}),
            }
            for number, payload in enumerate(_PAYLOADS)
        ),
    )
    facts = [{"subject": "user", "predicate": "likes", "object": payload[:100]} for payload in _PAYLOADS]
    facts += [{"subject": payload[:100], "predicate": "lives_in", "object": "Rome"} for payload in _PAYLOADS]
    assert (await album.http.post("/v1/facts", json={"user_id": user, "facts": facts})).status_code == 200
    listed = (await album.http.get("/v1/memories", params={"user_id": user})).json()["memories"]
    for one in listed:
        pinned = {"user_id": user, "pinned": True}
        assert (await album.http.patch(f"/v1/memories/{one['id']}", json=pinned)).status_code == 200
    places = ["", *"timeline kept people people/user graph search?q=friend journey chat".split()]
    places += [f"memory/{one['id']}" for one in listed[:3]]
    places += [f"search?q={_PAYLOADS[1]}", f"people/{_PAYLOADS[0]}", f"kept?category={_PAYLOADS[2]}"]
    async with visiting(url, FIXED_KEY, user) as visitor:
        for path in places:
            await visitor.go(path)
            assert await visitor.page.evaluate("globalThis.hacked") is None, path
            made = await visitor.page.query_selector("main img[src=x], main iframe, main script")
            assert made is None, path
            assert not await visitor.page.query_selector_all("a[href^='javascript:']"), path
        assert not [one for one in visitor.troubles if "404" not in one]

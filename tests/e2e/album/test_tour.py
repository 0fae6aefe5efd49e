"""Every page as a person sees it, in both languages, on phone and desktop, and as axe checks it."""

from typing import Any

import pytest
from tests.fixtures.album import USER
from tests.fixtures.browser import Visitor, picture_of, visiting
from tests.fixtures.gateway import FIXED_KEY, GatewayProcess

PAGES = (
    *("", "timeline", "timeline?by=month", "kept", "journey", "feelings", "search?q=sister", "people"),
    *("people/Nora", "people/user", "graph", "sleep", "chat", "live", "take", "users", "operations"),
    *("back?by=week", "back?by=month"),
)
SURFACES = [
    pytest.param({"language": "en"}, id="desktop"),
    pytest.param({"language": "it", "is_phone": True, "is_dark": True}, id="phone"),
]
_AXE = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"],
    "resultTypes": ["violations"],
}

_RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]


async def violations(visitor: Visitor) -> list[str]:
    """Return what axe finds wrong on the page."""
    axe = pytest.importorskip("axe_playwright_python.async_playwright")
    found: Any = await axe.Axe().run(visitor.page, options={"runOnly": _RULES, "resultTypes": ["violations"]})
    return [
        f"{one['id']}: {node['html'][:160]} {node.get('failureSummary', '')[:200]}"
        for one in found.response["violations"]
        for node in one["nodes"]
    ]


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("surface", SURFACES)
async def test_every_page_is_whole_and_accessible(album: GatewayProcess, surface: dict[str, Any]) -> None:
    url = str(album.http.base_url).rstrip("/")
    found = (await album.http.get("/v1/memories", params={"user_id": USER, "order": "important"})).json()
    one = found["memories"][0]["id"]
    async with visiting(url, FIXED_KEY, USER, **surface) as visitor:
        faults: list[str] = []
        for path in (*PAGES, f"memory/{one}"):
            await visitor.go(path)
            name = path.partition("?")[0].replace("/", "_")[:20] or "today"
            faults += [
                f"{path}: {each}" for each in await faults_of(visitor, f"{name}-{surface['language']}")
            ]
        assert not faults, "\n".join(faults)


async def faults_of(visitor: Visitor, name: str) -> list[str]:
    """Return what is wrong with the page that is shown; keep its picture if that is wished."""
    page = visitor.page
    await page.wait_for_timeout(300)
    if (picture := picture_of(name)) is not None:
        await page.screenshot(path=picture, full_page=True)
    shown = len(await visitor.text()) > 40 and await page.query_selector(".empty[role=alert]") is None
    width = await page.evaluate("document.documentElement.scrollWidth - innerWidth")
    faults = [*([] if shown else ["shows trouble"]), *([f"is {width} px too wide"] if width > 0 else [])]
    faults += [*await violations(visitor), *visitor.troubles]
    visitor.troubles.clear()
    return faults

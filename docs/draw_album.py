#!/usr/bin/env python3
"""Take the pictures of docs/album.md and README.md: `ricordo demo --album` in a real browser.

Needs `make browser`. .venv/bin/python docs/draw_album.py
"""

import asyncio
import os
import re
import shutil
import sys
from pathlib import Path
from typing import Any, Final

from playwright.async_api import async_playwright

_FOLDER: Final = Path(__file__).with_name("album")
_PHONE: Final = {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark", "locale": "it-IT"}
_PICTURES: Final[tuple[tuple[str, str, dict[str, Any]], ...]] = (
    ("today", "", {}),
    ("journey", "journey", {}),
    ("graph", "graph", {}),
    (
        "phone",
        "timeline",
        {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark", "locale": "it-IT"},
    ),
)
"""The name of a picture, the page, and what the browser is."""
_KEEP: Final = ("violin", "oceano", "presa!!!")
"""Words of memories that are kept first, so that there are moments."""
_DESKTOP: Final = {
    "viewport": {"width": 1200, "height": 760},
    "locale": "en-GB",
    "timezone_id": "Europe/Rome",
}


async def main() -> int:
    """Play the life, and take all pictures; return 1 without a browser."""
    chromium = os.environ.get("RICORDO_TEST_BROWSER") or shutil.which("chromium")
    if chromium is None:
        sys.stderr.write("there is no Chromium: `make browser` brings it where apt may\n")
        return 1
    command = Path(sys.executable).with_name("ricordo")
    demo = await asyncio.create_subprocess_exec(command, "demo", "--album", "--no-open", stdout=-1, stderr=-2)
    try:
        link = await _link(demo)
        _FOLDER.mkdir(exist_ok=True)
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            state = await _signed_in(browser, link)
            for name, path, options in _PICTURES:
                context = await browser.new_context(**{**_DESKTOP, **options}, storage_state=state)
                page = await context.new_page()
                await page.goto(f"{link.partition('/sign-in')[0]}/{path}")
                await page.wait_for_selector("#content")
                await page.wait_for_timeout(1_500)
                await page.screenshot(path=_FOLDER / f"{name}.png")
                await context.close()
            await browser.close()
    finally:
        demo.terminate()
        await demo.wait()
    return 0


async def _link(demo: asyncio.subprocess.Process) -> str:
    """Return the link that the demo prints."""
    assert demo.stdout is not None  # noqa: S101 - a pipe
    async for line in demo.stdout:
        if found := re.search(r"http://\S+/album/sign-in#\S+", line.decode()):
            return found[0]
    raise SystemExit("the demo ended without a link")


async def _signed_in(browser: Any, link: str) -> Any:  # noqa: ANN401 - of Playwright
    """Open the link, keep some moments, and return the cookies."""
    context = await browser.new_context(**_DESKTOP)
    page = await context.new_page()
    await page.goto(link)
    await page.wait_for_selector("#content")
    for words in _KEEP:
        await page.goto(f"{link.partition('/sign-in')[0]}/search?q={words}")
        await page.wait_for_selector("#content")
        await page.locator('button[data-act="keep"]').first.click()
        await page.wait_for_selector('button[data-act="keep"][aria-pressed="true"]')
    return await context.storage_state()


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))

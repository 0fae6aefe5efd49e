"""What a person does in the album: keeps, notes, corrects, confirms, forgets; nobody else sees it."""

import pytest
from tests.fixtures.album import USER
from tests.fixtures.browser import Visitor, visiting
from tests.fixtures.eventually import eventually
from tests.fixtures.gateway import FIXED_KEY, GatewayProcess
from tests.fixtures.wire import Json

pytestmark = pytest.mark.slow


async def memory_of(album: GatewayProcess, message: str) -> Json:
    """Return the memory of a message of the life."""
    reply = await album.http.get("/v1/memories", params={"user_id": USER, "include_uninformative": "true"})
    (found,) = [one for one in reply.json()["memories"] if one["message_ids"][0] == message]
    return dict(found)


def url_of(album: GatewayProcess) -> str:
    return str(album.http.base_url).rstrip("/")


async def filled(visitor: Visitor, **fields: str) -> None:
    """Fill the form that is open, by labels, and save it."""
    for label, value in fields.items():
        await visitor.page.get_by_label(label.replace("_", " ")).fill(value)
    await visitor.page.get_by_role("button", name="Save").click()


async def test_a_memory_is_kept_and_gets_a_note_and_a_star(album: GatewayProcess) -> None:
    one = await memory_of(album, "m2")
    async with visiting(url_of(album), FIXED_KEY, USER) as visitor:
        await visitor.go("timeline")
        await visitor.page.click(f'button[data-act="keep"][data-id="{one["id"]}"]')
        await visitor.page.wait_for_selector(f'button[data-id="{one["id"]}"][aria-pressed="true"]')
        await visitor.go(f"memory/{one['id']}")
        await visitor.page.click('button[data-act="note"]')
        await filled(visitor, Your_note="We still laugh about the seagull.")
        await visitor.page.wait_for_selector("p.note:has-text('seagull')")
        await visitor.page.click('button[data-act="star"]')
        await visitor.page.wait_for_selector('button[data-act="star"][aria-pressed="true"]')
        await visitor.go("kept?star=1")
        assert "sailed to Grado" in await visitor.text()
        await visitor.go("search?q=the+seagull")
        assert "We still laugh about the seagull." in await visitor.text()
        assert not visitor.troubles
    assert (await memory_of(album, "m2"))["pinned"]


async def test_a_text_is_corrected_and_a_fact_confirmed(album: GatewayProcess) -> None:
    one = await memory_of(album, "m5")
    async with visiting(url_of(album), FIXED_KEY, USER) as visitor:
        await visitor.go(f"memory/{one['id']}")
        await visitor.page.click('button[data-act="correct"]')
        await filled(visitor, What_it_says="I am allergic to hazelnuts, and I love plum dumplings.")
        await visitor.page.wait_for_selector("blockquote:has-text('hazelnuts')")
        await visitor.go("people/user")
        await visitor.page.locator('button[data-act="confirm_fact"]').first.click()
        await visitor.page.wait_for_selector('button[data-act="confirm_fact"][aria-pressed="true"]')
        assert not visitor.troubles


async def test_what_is_forgotten_can_be_undone_for_a_while_on_any_page(album: GatewayProcess) -> None:
    one = await memory_of(album, "m4")
    async with visiting(url_of(album), FIXED_KEY, USER) as visitor:
        await visitor.go(f"memory/{one['id']}")
        await visitor.page.click('button[data-act="forget"]:not([data-scope])')
        await visitor.page.wait_for_url("**/timeline")
        await visitor.page.get_by_role("button", name="Undo").click()
        await visitor.page.wait_for_selector(".undo:has-text('Nothing was forgotten')")
        await visitor.go(f"memory/{one['id']}")
        await visitor.page.click('button[data-act="forget"]:not([data-scope])')
        await visitor.page.wait_for_url("**/timeline")
        await visitor.page.wait_for_selector(".undo:has-text('Erased were')", timeout=20_000)
        assert "records: " in await visitor.page.inner_text(".undo")

    async def is_gone() -> bool:
        reply = await album.http.get(f"/v1/memories/{one['id']}", params={"user_id": USER})
        return reply.status_code == 404

    await eventually(is_gone)


async def test_a_session_of_one_user_shows_nothing_of_another(album: GatewayProcess) -> None:
    one = await memory_of(album, "m3")
    made = await album.http.post("/v1/operations/keys", json={"name": "eve", "user_id": "eve"})
    async with visiting(url_of(album), made.json()["key"], USER) as visitor:
        for path in ("timeline", "people", "search?q=grandmother", "kept", f"memory/{one['id']}", "users"):
            await visitor.go(path)
            shown = await visitor.text()
            assert "Ida" not in shown, path
            assert "Grado" not in shown, path
        await visitor.go("operations")
        assert "operator" in await visitor.text()


async def test_a_page_whose_session_is_revoked_is_left(album: GatewayProcess) -> None:
    async with visiting(url_of(album), FIXED_KEY, USER) as visitor:
        await visitor.go("timeline")
        keys = (await album.http.get("/v1/operations/keys")).json()["keys"]
        (session,) = [one["id"] for one in keys if one["use"] == "session"]
        assert (await album.http.delete(f"/v1/operations/keys/{session}")).status_code == 204
        await visitor.page.wait_for_url("**/album/sign-in", timeout=30_000)

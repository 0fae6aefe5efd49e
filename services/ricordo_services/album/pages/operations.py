"""For operators: workers and lanes, how fast, what is degraded, what was given up, and keys."""

import asyncio
from collections.abc import Mapping
from typing import Any, Final

from nicegui import ui
from pydantic import ValidationError

from ricordo.client import Forbidden, InvalidRequest, RicordoError
from ricordo_services import dead_letters
from ricordo_services.album.actions import Field, dialog, form
from ricordo_services.album.drawings import draw_sparkline
from ricordo_services.album.texts import sentence_of
from ricordo_services.album.visit import Visit, page
from ricordo_services.gateway import operations as gateway_operations
from ricordo_services.gateway.operations_routes import KeyBody

_LETTERS: Final = 50
_EVERY_S: Final = 4.0


@page("/operations", "operations")
async def operations(visit: Visit) -> None:
    """Show how the installation is, and handle dead letters and keys."""
    if not visit.key.operator:
        raise Forbidden(visit.t("operations.not_yours"))
    visit.show("operations.html")
    trouble = ui.label().props('role="status"')
    state, others = ui.element("div").classes("full"), ui.element("div").classes("full")

    async def show_state() -> None:
        found = await gateway_operations.state(visit.clients.streams, visit.gateway.throughput)
        state.clear()
        with state:
            visit.show("operations_state.html", state=found, draw=draw_sparkline)

    async def show_others() -> None:
        letters, keys = await asyncio.gather(
            dead_letters.newest(visit.clients.streams, _LETTERS), visit.gateway.keys.all(visit.key.tenant)
        )
        others.clear()
        with others:
            visit.show("operations_others.html", letters=letters[::-1], keys=keys)

    await show_state()
    await show_others()
    visit.on(**_acts(visit, show_others))

    async def look_again() -> None:
        try:
            await show_state()
        except RicordoError as error:  # what was shown stays
            trouble.text = sentence_of(error, visit.t)
        else:
            trouble.text = ""

    ui.timer(_EVERY_S, look_again)


def number_of(data: Mapping[str, Any]) -> int:
    """Return the number of a dead letter that a button names; 0, which none has, for another text."""
    text = str(data.get("sequence"))
    return int(text) if text.isascii() and text.isdigit() else 0


def _acts(visit: Visit, reload: Any) -> dict[str, Any]:  # noqa: ANN401 - a coroutine function
    streams, keys, t = visit.clients.streams, visit.gateway.keys, visit.t

    async def replay(data: Mapping[str, Any]) -> None:
        await dead_letters.replay(streams, await dead_letters.find(streams, number_of(data)))
        ui.notify(t("operations.replayed"), type="positive")
        await reload()

    async def discard(data: Mapping[str, Any]) -> None:
        await dead_letters.discard(streams, await dead_letters.find(streams, number_of(data)))
        await reload()

    async def make_key(_: Mapping[str, Any]) -> None:
        fields = Field("name", t("operations.key_name")), Field("user", t("operations.key_user"))
        values = await form(visit, t("operations.make_key"), *fields)
        if values and values["name"].strip():
            try:
                asked = KeyBody(name=values["name"].strip(), user_id=values["user"].strip() or None)
            except ValidationError as error:
                raise InvalidRequest(
                    "; ".join(f"{one['loc'][0]}: {one['msg']}" for one in error.errors())
                ) from None
            _, text = await keys.create(visit.key.tenant, asked.user_id, asked.name)
            with dialog(visit, t("operations.key_made")) as shown:
                visit.show("operations_key.html", text=text)
                ui.button(t("acts.done"), on_click=shown.close).props("unelevated")
                await shown
            await reload()

    async def revoke(data: Mapping[str, Any]) -> None:
        await keys.revoke(visit.key.tenant, str(data["id"]))
        await reload()

    return {"replay": replay, "discard": discard, "make_key": make_key, "revoke": revoke}

"""What comes in just now: remembered, changed, forgotten and surfaced, a line each, the latest first."""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from nicegui import ui

from ricordo.client import NotFound, RicordoError
from ricordo.messages.queries import Stages
from ricordo_services.album.live import Event, on_events, withdraw_forgotten
from ricordo_services.album.visit import Visit, page, run_in_browser
from ricordo_services.gateway.event_stream import EventType

MOST_LINES: Final = 100
_BY_USE: Final = "access_count"
"""A column that changes by recalls only."""
_MOST_TEXTS: Final = 20
"""How many lines of one second have their text; a flood is counted only."""


@page("/live", "live")
async def live(visit: Visit) -> None:
    """Listen to what happens to the memories of the user."""
    t = visit.t
    visit.show("live.html")
    state = ui.label(t("live.connecting")).classes("quiet").props('role="status"')
    heard = ui.label().classes("unseen").props('role="status"')
    visit.show("live_list.html")

    def tell(is_so: bool) -> None:  # noqa: FBT001 - told by a callback
        state.text = t("live.listening") if is_so else t("live.lost")

    async def show(events: Sequence[Event]) -> None:
        withdraw_forgotten(events)
        items = [(kind, item) for kind, body in events for item in items_of(kind, body)]
        latest = items[: -_MOST_TEXTS - 1 : -1]
        lines = await asyncio.gather(*(_line(visit, kind, item) for kind, item in latest))
        html = visit.html("live_lines.html", lines=lines, left=len(items) - len(latest))
        run_in_browser("prepend", "#live", str(html), MOST_LINES)
        counts = Counter(kind for kind, _ in items)
        heard.text = ", ".join(t(f"live.heard_{kind}", n=count) for kind, count in counts.items())

    on_events(visit, show, tell)


def items_of(kind: EventType, body: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """Return the items of an event, each with its instant; an event without items is its own.

    What a recall changed is left out: that it surfaced was told.
    """
    items = body.get("items", (body,))
    return [
        {"at": body["at"], **item}
        for item in items
        if kind != "changed" or _BY_USE not in item.get("fields", ())
    ]


async def _line(visit: Visit, kind: EventType, item: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a line shows."""
    memory_id, message_id = item.get("memory_id"), item.get("message_id")
    text, stages = "", Stages()
    if kind != "forgotten" and memory_id is not None:
        try:
            memory = (await visit.client.memory(visit.user_id, memory_id)).memory
            text = memory.content or memory.title or ""
            if kind == "remembered" and message_id is not None:
                stages = (await visit.client.status(message_id)).stages
        except NotFound:
            memory_id = None  # erased meanwhile
        except RicordoError:  # a line without its text: the memory itself leads to it
            pass
    return {
        "kind": kind,
        "at": datetime.fromisoformat(item["at"]),
        "id": memory_id,
        "text": text,
        "fields": [name for name in item.get("fields", ()) if visit.t.has(f"live.fields.{name}")],
        "stages": [(name, at) for name, at in stages if at is not None],
        "gone": len(item.get("memory_ids", ())),
        "scope": item.get("scope", ""),
    }

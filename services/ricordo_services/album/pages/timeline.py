"""What was said, day by day, endlessly, the latest first."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from itertools import groupby
from typing import Any, Final

from nicegui import ui

from ricordo.messages.listings import MemoriesReply
from ricordo.messages.views import MemoryView
from ricordo_services.album.actions import acts_of, instant
from ricordo_services.album.live import Event, on_events
from ricordo_services.album.spans import first_day
from ricordo_services.album.visit import Visit, page

_PAGE: Final = 40
_BY: Final = ("day", "week", "month")


@page("/timeline", "timeline")
async def timeline(visit: Visit) -> None:
    """Show the timeline, up to a day if the URL names one (`until`), by day, week or month (`by`)."""
    by = visit.query.get("by", "day")
    by = by if by in _BY else "day"
    until = instant(visit, visit.query.get("until"))
    filters = {"end": until + timedelta(days=1)} if until else None
    own: dict[str, Any] = {} if filters is None else {"filters": filters}

    async def more(data: Mapping[str, Any]) -> None:
        reply = await visit.client.memories(visit.user_id, limit=_PAGE, cursor=str(data["cursor"]), **own)
        last = str(data.get("last", ""))
        visit.append("#timeline", "timeline_page.html", **_shown(visit, reply, by, last))

    reply = await visit.client.memories(visit.user_id, limit=_PAGE, **own)
    visit.show("timeline.html", kinds=_BY, until=until, total=reply.total, **_shown(visit, reply, by, ""))
    visit.on(**acts_of(visit), more=more)
    if until is None:
        tell_new(visit, reply.total)


def tell_new(visit: Visit, total: int) -> None:
    """Offer to show what is remembered while the page is open.

    Args:
        total: how many memories there were when it was made.
    """
    button = ui.button(on_click=ui.navigate.reload).classes("news")
    button.set_visibility(False)

    async def count(events: Sequence[Event]) -> None:
        if any(kind == "remembered" for kind, _ in events):
            new = (await visit.client.memories(visit.user_id, limit=1)).total - total
            button.text = visit.t("live.new", n=new)
            button.set_visibility(new > 0)

    on_events(visit, count)


def _shown(visit: Visit, reply: MemoriesReply, by: str, last: str) -> dict[str, object]:
    """Return the memories of a page in groups; the first has no heading where it goes on with `last`."""
    groups: list[tuple[str, str, Sequence[MemoryView]]] = []
    for start, memories in groupby(
        reply.memories, lambda one: first_day(one.created_at.astimezone(visit.zone).date(), by)
    ):
        name = start.isoformat()
        heading = visit.t.day(start, today=visit.now) if by == "day" else visit.t.period(start, by)
        groups.append((name, "" if name == last else heading, list(memories)))
    return {"by": by, "groups": groups, "next": reply.next, "last": groups[-1][0] if groups else ""}

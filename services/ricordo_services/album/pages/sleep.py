"""What was made in sleep, and from what: summaries of sessions, reflections, condensed small things."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from ricordo_services.album.actions import acts_of
from ricordo_services.album.live import Event, on_events, withdraw_forgotten
from ricordo_services.album.pages.memory import SUMMED
from ricordo_services.album.undo import forget_later
from ricordo_services.album.visit import Visit, page, uuid_of

_PAGE: Final = 20


@page("/sleep", "sleep")
async def sleep(visit: Visit) -> None:
    """Show what was derived of one kind (`kind` of the URL), the latest first."""
    kind = visit.query.get("kind", SUMMED[0])
    kind = kind if kind in SUMMED else SUMMED[0]
    client, user = visit.client, visit.user_id
    filters = {"kinds": [kind], "include_archived": True}

    async def more(data: Mapping[str, Any]) -> None:
        derived = uuid_of(data.get("sources"))
        if derived is not None:  # a `details` was opened
            made_of = (await client.expand(user, derived)).memories
            visit.append(f"#from-{derived}", "sleep_sources.html", sources=made_of)
        else:
            reply = await client.memories(user, filters=filters, limit=_PAGE, cursor=str(data["cursor"]))
            visit.append("#made", "sleep_page.html", reply=reply)

    async def forget(data: Mapping[str, Any]) -> None:
        derived = uuid_of(data.get("id"))
        if derived is not None:
            label = str(data.get("label", ""))[:60]
            forget_later(visit, label, lambda: client.forget(user, memory_id=derived))

    reply = await client.memories(user, filters=filters, limit=_PAGE)
    visit.show("sleep.html", kind=kind, kinds=SUMMED, reply=reply)
    visit.on(**acts_of(visit), more=more, forget=forget)

    async def withdraw(events: Sequence[Event]) -> None:
        withdraw_forgotten(events)

    on_events(visit, withdraw)

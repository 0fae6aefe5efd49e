"""Whose memories are looked at; and for a tenant of nobody yet how to tell it something."""

from collections.abc import Mapping
from typing import Any, Final

from nicegui import context

from ricordo_services.album.visit import Visit, page

_PAGE: Final = 60


@page("/users", "users")
async def users(visit: Visit) -> None:
    """Show the users of the tenant to choose from; to a session of one user say whose it is."""
    if visit.key.user_id:
        visit.show("users_one.html", stats=await visit.client.stats(visit.user_id))
        return

    async def more(data: Mapping[str, Any]) -> None:
        reply = await visit.client.users(limit=_PAGE, cursor=str(data["cursor"]))
        visit.append("#users", "users_page.html", reply=reply)

    reply = await visit.client.users(limit=_PAGE)
    if reply.users:
        visit.show("users.html", reply=reply)
        visit.on(more=more)
    else:
        request = context.client.request
        visit.show("users_first.html", address=str(request.base_url).rstrip("/"), tenant=visit.key.tenant)

"""The moments that a person keeps, as a grid; and the same on paper."""

from collections.abc import Mapping
from typing import Any, Final

from ricordo.messages.listings import MemoriesReply
from ricordo_services.album.actions import acts_of
from ricordo_services.album.pages.memory import CATEGORY, STAR, category_of
from ricordo_services.album.visit import Visit, page

ORDERS: Final = ("recent", "oldest", "used", "feeling", "important")
_PAGE: Final = 60
_MOST: Final = 200


def moments_asked(visit: Visit) -> dict[str, Any]:
    """Return the options of `client.memories` for what the URL asks for by `order`, `star`, `category`."""
    order, category = visit.query.get("order", ""), visit.query.get("category", "")
    tags = [STAR] if visit.query.get("star") else [f"{CATEGORY}{category}"] if category else []
    filters = {"tags": tags, "include_archived": True, "include_uninformative": True}
    return {"pinned": True, "order": order if order in ORDERS else ORDERS[0], "filters": filters}


@page("/kept", "kept")
async def kept(visit: Visit) -> None:
    """Show the moments, in the order and of the category that the URL names."""
    asked = moments_asked(visit)

    async def more(data: Mapping[str, Any]) -> None:
        found = await visit.client.memories(visit.user_id, limit=_PAGE, cursor=str(data["cursor"]), **asked)
        visit.append("#moments", "kept_page.html", **_shown(found))

    reply = await visit.client.memories(visit.user_id, limit=_PAGE, **asked)
    everything = {"pinned": True, "filters": {"include_archived": True, "include_uninformative": True}}
    tagged = await visit.client.memories(visit.user_id, limit=_MOST, **everything)  # type: ignore[arg-type]
    categories = sorted({name for one in tagged.memories if (name := category_of(one))})
    visit.show(
        "kept.html",
        orders=ORDERS,
        order=asked["order"],
        starred=bool(visit.query.get("star")),
        category=visit.query.get("category", ""),
        categories=categories,
        total=reply.total,
        **_shown(reply),
    )
    visit.on(**acts_of(visit), more=more)


def _shown(reply: MemoriesReply) -> dict[str, object]:
    return {"moments": reply.memories, "next": reply.next, "star": STAR, "category_of": category_of}

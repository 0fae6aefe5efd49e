"""The first page: this day in other years, what was strong lately, a kept moment, ways to look back."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from datetime import date, datetime, timedelta
from typing import Any, Final, NamedTuple

from ricordo.client import RicordoError
from ricordo.messages.views import MemoryView
from ricordo_services.album.actions import acts_of
from ricordo_services.album.pages.memory import TOLD
from ricordo_services.album.spans import midnight
from ricordo_services.album.visit import Visit, page

_YEARS: Final = 30
_OF_A_DAY: Final = 4
_AT_ONCE: Final = 6
_LATELY: Final = timedelta(days=14)


class _Day(NamedTuple):
    """An earlier day that today reminds of, and what was strong then."""

    ago: str
    memories: Sequence[MemoryView]


@page("/", "today")
async def today(visit: Visit) -> None:
    """Show what today reminds of."""
    client, user, now = visit.client, visit.user_id, visit.now
    stats, oldest, name, kept = await asyncio.gather(
        client.stats(user),
        client.memories(user, order="oldest", limit=1, filters={"include_archived": True}),
        client.facts(user, entity="user", predicate="name", limit=1),
        client.memories(user, pinned=True, limit=200),
    )
    first = oldest.memories[0].created_at.astimezone(visit.zone) if oldest.memories else now
    slots = asyncio.Semaphore(_AT_ONCE)
    days, lately = await asyncio.gather(
        asyncio.gather(*(_on(visit, slots, *one) for one in earlier_days(now.date(), first.date(), visit))),
        client.memories(user, order="important", limit=5, filters={"start": now - _LATELY, "kinds": TOLD}),
    )
    # One of the kept moments each day, in turn.
    again = kept.memories[now.date().toordinal() % len(kept.memories)] if kept.memories else None
    visit.show(
        "today.html",
        greeting=f"today.{_part_of_day(now)}",
        called=name.facts[0].object if name.facts else "",
        stats=stats,
        first=first,
        days=[one for one in days if one.memories],
        lately=lately.memories,
        again=again,
    )
    visit.on(**acts_of(visit))


def earlier_days(today: date, first: date, visit: Visit) -> list[tuple[date, str]]:
    """Return the days that today reminds of, with their distance in words: years, a month, a week."""
    found = []
    for years in range(1, min(_YEARS, today.year - first.year) + 1):
        with suppress(ValueError):  # 29 February
            found.append((today.replace(year=today.year - years), visit.t("ago.years", n=years)))
    last = today.replace(day=1) - timedelta(days=1)  # of the month before
    if today.day <= last.day:
        found.append((last.replace(day=today.day), visit.t("ago.months", n=1)))
    return [*found, (today - timedelta(days=7), visit.t("today.week_ago"))]


async def _on(visit: Visit, slots: asyncio.Semaphore, day: date, ago: str) -> _Day:
    """Return the strongest memories of a day; none of one that cannot be asked for just now."""
    start = midnight(day, visit.zone)
    within = {"start": start, "end": start + timedelta(days=1), "kinds": TOLD, "include_archived": True}
    asked: dict[str, Any] = {"order": "important", "limit": 3 * _OF_A_DAY, "filters": within}
    try:
        async with slots:
            found = await visit.client.memories(visit.user_id, **asked)
    except RicordoError:
        return _Day(ago, ())
    told = [one for one in found.memories if one.created_at >= start and one.role != "assistant"]
    return _Day(ago, told[:_OF_A_DAY])


def _part_of_day(now: datetime) -> str:
    """Return the part of the day: night until 6, morning until 12, afternoon until 18, evening until 23."""
    for until, name in ((6, "night"), (12, "morning"), (18, "afternoon"), (23, "evening")):
        if now.hour < until:
            return name
    return "night"

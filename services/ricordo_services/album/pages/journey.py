"""A life from afar: years, months, days; chapters, turns and anniversaries; feelings over the months."""

import asyncio
from collections.abc import Sequence
from datetime import date, datetime, tzinfo
from typing import Any, Final

from ricordo.messages.listings import PeriodView
from ricordo_services.album.drawings import MonthFeeling, draw_feelings, draw_journey
from ricordo_services.album.facts import sentence
from ricordo_services.album.life_story import chapters, milestones
from ricordo_services.album.pages.memory import TOLD
from ricordo_services.album.spans import day_of, midnight, next_first_day
from ricordo_services.album.visit import Visit, page

_ZOOM: Final = {"year": "month", "month": "day"}
"""How finely a year and a month are drawn."""
_TURNS: Final = frozenset({"lives_in", "works_at", "partner", "studies_at", "has_child", "has_pet"})
_MOST_MONTHS: Final = 54
"""Of a life that is drawn by months; a longer one is drawn by years."""
_NOTHING_MORE: Final[dict[str, object]] = {"chapters": (), "turns": (), "milestones": ()}
_STRONG: Final = 8


@page("/journey", "journey")
async def journey(visit: Visit) -> None:
    """Show the whole life by years or months, or the months of a `year`, or the days of a `month`."""
    asked = next(((by, visit.query[by]) for by in _ZOOM if by in visit.query), None)
    span = None if asked is None else span_of(*asked)
    if asked is None or span is None:
        await _whole(visit)
    else:
        await _closer(visit, asked, span)


async def _closer(visit: Visit, asked: tuple[str, str], span: tuple[date, date]) -> None:
    """Show a year or a month, and what was strong in it."""
    within = {"start": midnight(span[0], visit.zone), "end": midnight(span[1], visit.zone)}
    told: dict[str, Any] = {"order": "important", "limit": _STRONG, "filters": {**within, "kinds": TOLD}}
    finer = _ZOOM[asked[0]]
    shown, strong = await asyncio.gather(
        _periods(visit, finer, **within), visit.client.memories(visit.user_id, **told)
    )
    name = visit.t.period(span[0], asked[0])
    drawn = _drawn(visit, shown, finer)
    visit.show("journey.html", asked=asked, name=name, strong=strong.memories, **{**_NOTHING_MORE, **drawn})


async def _whole(visit: Visit) -> None:
    """Show the whole life, with its chapters, turns and milestones."""
    months, days, facts = await asyncio.gather(
        _periods(visit, "month"),
        _periods(visit, "day"),
        visit.client.facts(visit.user_id, history=True, min_confidence=0, limit=1000),
    )
    shown, by = filled(months, visit.zone), "month"
    if len(shown) > _MOST_MONTHS:
        shown, by = list(await _periods(visit, "year")), "year"
    turns = [one for one in facts.facts if one.subject == "user" and one.predicate in _TURNS]
    turns.sort(key=lambda one: one.valid_from or one.first_seen)
    counts = [(one.start.astimezone(visit.zone).date(), one.memories) for one in days]
    first, today = counts[0][0] if counts else visit.now.date(), visit.now.date()
    more = {
        "chapters": chapters(days, facts.facts),
        "turns": [(one, sentence(one, visit)) for one in turns],
        "milestones": milestones(first, counts, today),
    }
    visit.show("journey.html", asked=None, name="", strong=(), **more, **_drawn(visit, shown, by))


def _drawn(visit: Visit, periods: Sequence[PeriodView], by: str) -> dict[str, object]:
    """Return a drawing of periods, and what its marks say and lead to."""
    return {
        "drawing": draw_journey(periods),
        "by": by,
        "address": lambda one: _address(visit, one.start, by),
        "heading": lambda at: _heading(visit, at, by),
        "short": lambda at: visit.t.short(at.astimezone(visit.zone), by),
        "moment_address": lambda one: f"/album/memory/{one.id}",
        "count": lambda n: visit.t("journey.memories", n=n),
        "moods": moods_of(visit),
    }


@page("/feelings", "feelings")
async def feelings(visit: Visit) -> None:
    """Show the mean feelings of the months, and which feelings they held."""
    months = await _periods(visit, "month")
    means = [
        MonthFeeling(one.start.astimezone(visit.zone).date(), one.valence, one.arousal, one.memories)
        for one in filled(months, visit.zone)
    ]
    counts: dict[str, int] = {}
    for one in months:
        for name, count in one.feelings.items():
            counts[name] = counts.get(name, 0) + count
    mixed = sorted(
        ((name, count) for name, count in counts.items() if name != "neutral"), key=lambda one: -one[1]
    )
    bright, dark = await asyncio.gather(
        visit.client.memories(visit.user_id, limit=3, filters={"emotion": "positive"}, order="important"),
        visit.client.memories(visit.user_id, limit=3, filters={"emotion": "negative"}, order="important"),
    )
    visit.show(
        "feelings.html",
        drawing=draw_feelings(means),
        mixed=mixed[:12],
        most=mixed[0][1] if mixed else 1,
        bright=bright.memories,
        dark=dark.memories,
        address=lambda one: f"/album/journey?month={one.month:%Y-%m}",
        month=lambda day: visit.t.period(day, "month"),
        short=lambda day: visit.t.short(day, "month"),
        number=lambda value: f"{value:+.2f}",
        moods=moods_of(visit),
    )


def moods_of(visit: Visit) -> list[str]:
    """Return the words for moods: of none, and from dark to bright."""
    return [visit.t(f"moods.step_{step}") for step in range(6)]


async def _periods(visit: Visit, by: str, **within: Any) -> Sequence[PeriodView]:  # noqa: ANN401 - instants
    return (await visit.client.periods(visit.user_id, by=by, timezone=visit.zone.key, **within)).periods


def span_of(by: str, name: str) -> tuple[date, date] | None:
    """Return the first day of a year (`2026`) or month (`2026-05`) and of the next; None for another text."""
    start = day_of(f"{name}-01-01" if by == "year" else f"{name}-01")
    return None if start is None else (start, next_first_day(start, by))


def filled(months: Sequence[PeriodView], zone: tzinfo) -> list[PeriodView]:
    """Return months with those between in which nothing was said; all begin in `zone`."""
    found: list[PeriodView] = []
    for one in months:
        while found and found[-1].end < one.start:
            start = found[-1].end
            end = midnight(next_first_day(start.astimezone(zone).date(), "month"), zone)
            found.append(PeriodView.model_construct(start=start, end=end, memories=0))
        found.append(one)
    return found


def _address(visit: Visit, start: datetime, by: str) -> str:
    """Return where a mark leads: a year to its months, a month to its days, a day to the timeline."""
    day = start.astimezone(visit.zone).date()
    match by:
        case "year":
            return f"/album/journey?year={day:%Y}"
        case "month":
            return f"/album/journey?month={day:%Y-%m}"
        case _:
            return f"/album/timeline?until={day}"


def _heading(visit: Visit, at: datetime | date, by: str) -> str:
    day = at.astimezone(visit.zone) if isinstance(at, datetime) else at
    if by == "day":
        return visit.t.day(day, weekday=False)
    return visit.t.period(day, by)

"""A week or a month looked back at: what summaries say of it, its strong moments, and one question."""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any, Final

from nicegui import ui

from ricordo.messages.views import MemoryView
from ricordo_services.album.actions import Field, acts_of, form
from ricordo_services.album.pages.memory import SUMMED, write_note
from ricordo_services.album.spans import day_of, first_day, midnight, next_first_day
from ricordo_services.album.visit import Visit, page

_STRONG: Final = 5
_SENTENCES: Final = 6


@page("/back", "back")
async def back(visit: Visit) -> None:
    """Look back at the week or month (`by`) that holds the day `on`; today by default."""
    by = "month" if visit.query.get("by") == "month" else "week"
    start = first_day(day_of(visit.query.get("on")) or visit.now.date(), by)
    end = next_first_day(start, by)
    within: dict[str, Any] = {"start": midnight(start, visit.zone), "end": midnight(end, visit.zone)}
    client, user, mark = visit.client, visit.user_id, f"{by}:{start}"
    derived, strong, periods = await asyncio.gather(
        client.memories(user, order="oldest", limit=50, filters={**within, "kinds": SUMMED}),
        client.memories(user, order="important", limit=50, filters=within),
        client.periods(user, by=by, timezone=visit.zone.key, **within),
    )
    period = periods.periods[0] if periods.periods else None
    said = [one for one in strong.memories if one.role == "user" and one.created_at >= within["start"]]
    question = question_of(said, start)
    place = ui.element("div").classes("full")

    async def show() -> None:
        asked = {"refs": [{"type": by, "id": str(start)}], "include_uninformative": True}
        answers = await client.memories(user, filters=asked)
        place.clear()
        with place:
            visit.show(
                "back.html",
                by=by,
                name=visit.t.period(start, by),
                earlier=start - timedelta(days=1),
                later=end if end <= visit.now.date() else None,
                sentences=[one for one in derived.memories if one.created_at >= within["start"]][:_SENTENCES],
                period=period,
                feelings=[name for name in period.feelings if name != "neutral"] if period else (),
                strong=said[:_STRONG],
                question=question,
                answers=answers.memories,
            )

    async def answer(_: Mapping[str, Any]) -> None:
        async def save(values: Mapping[str, Any]) -> None:
            about = [mark, *([f"memory:{question.id}"] if question else [])]
            await write_note(visit, values["text"].strip(), about)
            ui.notify(visit.t("back.kept"), type="positive")
            await show()

        field = Field("text", visit.t("back.your_words"), None, "text")
        await form(visit, visit.t("back.answer"), field, save=save)

    await show()
    visit.on(**acts_of(visit), answer=answer)


def question_of(strong: Sequence[MemoryView], start: date) -> MemoryView | None:
    """Return the memory that the question is about: one of the three strongest, another each week."""
    return strong[start.toordinal() // 7 % min(3, len(strong))] if strong else None

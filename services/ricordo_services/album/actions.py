"""What a person does with memories and facts, through the client, and the forms that ask for it."""

from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from nicegui import ui

from ricordo_services.album.spans import day_of, midnight
from ricordo_services.album.visit import Act, Visit, run_in_browser


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a form.

    Attributes:
        kind: `line`, `text`, `date`, `tags`, `number` from 1 to 10, or `choice` among `options`.
        options: values with their labels.
    """

    name: str
    label: str
    value: Any = None
    kind: str = "line"
    options: Mapping[str, str] | None = None


@contextmanager
def dialog(visit: Visit, title: str) -> Iterator[ui.dialog]:
    """Make a dialog with a heading, whose content is added within the `with`; wait for it there, too."""
    with ui.dialog() as made, ui.card():
        made.props["aria-label"] = title
        visit.show("dialog_title.html", title=title)
        try:
            yield made
        finally:
            if not made.is_deleted:  # with its page
                made.delete()


Values = dict[str, Any]
Save = Callable[[Values], Awaitable[None]]


async def form(visit: Visit, title: str, *fields: Field, save: Save | None = None) -> Values | None:
    """Ask for values in a dialog; return those that were given, or None if the person cancels.

    Args:
        save: does something with them; if it fails, that is told, and the dialog stays as it is.
    """
    with dialog(visit, title) as asking:
        made = {one.name: _input(one) for one in fields}

        async def submit() -> None:
            values = {name: one.value for name, one in made.items()}
            if save is None or await visit.attempt(save(values)):
                asking.submit(values)

        with ui.row():
            ui.button(visit.t("acts.save"), on_click=submit).props("unelevated")
            ui.button(visit.t("acts.cancel"), on_click=lambda: asking.submit(None)).props("flat")
        values: Values | None = await asking
    return values


def _input(field: Field) -> Any:  # noqa: ANN401 - an element with a value, of no common class
    match field.kind:
        case "text":
            made: Any = ui.textarea(field.label, value=field.value or "").props("autogrow autofocus")
        case "date":
            made = ui.input(field.label, value=field.value or "").props("type=date stack-label")
        case "tags":
            made = ui.input_chips(field.label, value=list(field.value or ()))
        case "number":
            made = ui.number(field.label, value=field.value, min=1, max=10, step=1)
        case "choice":
            made = ui.select(dict(field.options or {}), label=field.label, value=field.value)
        case _:
            made = ui.input(field.label, value=field.value or "")
    return made.props("outlined").classes("full")


def acts_of(visit: Visit, reload: Callable[[], Awaitable[None]] | None = None) -> dict[str, Act]:
    """Return what buttons of cards and facts do.

    Args:
        reload: shows the page anew after a change; None where the button alone changes.
    """
    client, user, t = visit.client, visit.user_id, visit.t

    async def told(sentence: str) -> None:
        ui.notify(t(sentence), type="positive")
        if reload is not None:
            await reload()

    async def keep(data: Mapping[str, Any]) -> None:
        pinned = not data.get("pinned")
        await client.pin(user, str(data["id"]), pinned=pinned)
        run_in_browser("kept", str(data["id"]), pinned)
        await told("acts.is_kept" if pinned else "acts.is_let_go")

    async def confirm_fact(data: Mapping[str, Any]) -> None:
        await client.verify(user, fact_id=str(data["id"]), verified=not data.get("verified"))
        await told("acts.is_confirmed")

    async def correct_fact(data: Mapping[str, Any]) -> None:
        async def save(values: Mapping[str, Any]) -> None:
            before = {"valid_from": data.get("from") or "", "valid_to": ""}
            new = {name: instant(visit, values[name]) for name in before if values[name] != before[name]}
            changed: dict[str, Any] = {name: value for name, value in new.items() if value is not None}
            if values["object"].strip() != data.get("object"):
                changed["object"] = values["object"].strip()
            if changed:
                await client.correct(user, fact_id=str(data["id"]), **changed)
                await told("acts.saved")

        await form(
            visit,
            t("facts.correct"),
            Field("object", t("facts.object"), data.get("object")),
            Field("valid_from", t("facts.valid_from"), data.get("from"), "date"),
            Field("valid_to", t("facts.valid_to"), None, "date"),
            save=save,
        )

    async def reject_fact(data: Mapping[str, Any]) -> None:
        await client.reject(user, str(data["id"]))
        await told("acts.rejected")

    return {
        "keep": keep,
        "confirm_fact": confirm_fact,
        "correct_fact": correct_fact,
        "reject_fact": reject_fact,
    }


def instant(visit: Visit, day: str | None) -> datetime | None:
    """Return when the day of a date field begins, in the zone of the visit; None for an empty one."""
    found = day_of(day)
    return None if found is None else midnight(found, visit.zone)

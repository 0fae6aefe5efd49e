"""What is taken along, as a file, pages or a picture; and what other services hold, brought in."""

import asyncio
import json
import tempfile
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any, Final

from fastapi import Request
from fastapi.responses import Response, StreamingResponse
from nicegui import app, events, ui

from ricordo.client import InvalidRequest, NotFound, RicordoError, Unavailable
from ricordo.messages.views import MemoryView
from ricordo_services.album.actions import Field, form
from ricordo_services.album.keepsake import Moment, moment_card, moments_pdf
from ricordo_services.album.pages.kept import moments_asked
from ricordo_services.album.pages.memory import CATEGORY, STAR, notes_on
from ricordo_services.album.undo import forget_later
from ricordo_services.album.visit import Visit, page, uuid_of, visit_of
from ricordo_services.export_stream import exported_items
from ricordo_services.gateway.problems import GatewayError
from ricordo_services.gateway.upload_routes import upload_slot
from ricordo_services.importers import PARSERS
from ricordo_services.importers.archive import UnreadableExport, open_export
from ricordo_services.ingest_watch import IngestWatch
from ricordo_services.past_import import PastImport, Preview

_MOST_MOMENTS: Final = 500
_PAGE: Final = 200
_NOTES_AT_ONCE: Final = 16


@page("/take", "take")
async def take(visit: Visit) -> None:
    """Offer the export and the moments, and take in files of other services."""
    stats = await visit.client.stats(visit.user_id)
    visit.show("take.html", stats=stats)
    chosen: dict[str, Any] = {}
    t = visit.t
    with ui.element("section").classes("tile bring"):
        service = ui.select(
            {name: t(f"services.{name}") for name in PARSERS}, label=t("take.service"), value="whatsapp"
        )
        service.props("outlined").classes("full")
        me = ui.input(t("take.me")).props("outlined").classes("full")
        # The uploader itself cannot be reached by a screen reader: a button opens its dialog.
        upload = ui.upload(auto_upload=True, max_files=1).classes("away")
        ui.button(t("take.file"), on_click=lambda: upload.run_method("pickFiles")).props("outline")
        again = ui.button(t("take.look")).props("flat")
        place = ui.element("div").classes("full").props('aria-live="polite"')

    async def look() -> None:
        if "file" in chosen:
            await visit.attempt(
                _look(visit, _Chosen(chosen["file"], chosen["name"], service.value, me.value), place)
            )

    async def receive(event: events.UploadEventArguments) -> None:
        chosen["file"], chosen["name"] = event.file, event.file.name
        upload.reset()
        await look()

    async def forget(_: Mapping[str, Any]) -> None:
        sure = t("take.forget_sure", user=visit.user_id)

        async def save(values: Mapping[str, Any]) -> None:
            if values["name"].strip() != visit.user_id:
                raise InvalidRequest(sure)
            forget_later(visit, t("take.everything"), lambda: visit.client.forget(visit.user_id))

        await form(visit, t("take.forget"), Field("name", sure), save=save)

    visit.show("take_forget.html")
    visit.on(forget=forget)
    upload.on_upload(receive)
    again.on_click(look)


class _Chosen:
    """A file that was uploaded, and how it is to be read."""

    def __init__(self, file: Any, name: str, service: str, me: str) -> None:  # noqa: ANN401 - of NiceGUI
        self.file, self.name, self.service = file, name, service
        self.me = [name.strip() for name in me.split(",") if name.strip()]

    def past(self, visit: Visit, export: Any) -> PastImport:  # noqa: ANN401
        """Return the import of the opened file."""
        zone = visit.browser.timezone
        return PastImport.of(self.service, visit.user_id, export, me=self.me, timezone=zone)


async def _look(visit: Visit, chosen: _Chosen, place: ui.element) -> None:
    """Show what the file would bring, with a button that brings it in."""
    place.clear()
    with place:
        ui.spinner(size="lg")
    try:
        preview: Preview | str = await _opened(visit, chosen, None)
    except UnreadableExport as error:
        preview = f"{visit.t('take.unreadable')} ({error})"
    finally:
        place.clear()
    with place:
        if isinstance(preview, str):
            ui.label(preview).classes("trouble").props('role="alert"')
            return
        visit.show("take_preview.html", preview=preview)
        if preview.messages and preview.unclear is None:
            button = ui.button(visit.t("take.bring", n=preview.messages)).props("unelevated")
            button.on_click(lambda: visit.attempt(_bring(visit, chosen, place, button)))


async def _bring(visit: Visit, chosen: _Chosen, place: ui.element, button: ui.button) -> None:
    """Import the file, and show how far it is and what came of it."""
    button.disable()
    with place:
        bar = ui.linear_progress(0, show_value=False).props(f'aria-label="{visit.t("take.progress")}"')
        label = ui.label().props('role="status"')

    def show(done: int, total: int) -> None:
        bar.value = done / max(total, 1)
        label.text = visit.t("take.so_far", done=visit.t.number(done), total=visit.t.number(total))

    work: Any = await _opened(visit, chosen, show)
    button.delete()
    label.text = visit.t("take.brought", n=work.accepted, rejected=work.rejected, conflicts=work.conflicts)


async def _opened(visit: Visit, chosen: _Chosen, show: Any) -> Any:  # noqa: ANN401
    """Return what the file would bring; with `show`, import it, and return what was published."""
    try:
        with upload_slot(visit.key.id):
            return await _read(visit, chosen, show)
    except GatewayError as error:
        raise Unavailable(str(error)) from None


async def _read(visit: Visit, chosen: _Chosen, show: Any) -> Any:  # noqa: ANN401
    with tempfile.NamedTemporaryFile(prefix="ricordo-") as file:
        await chosen.file.save(file.name)
        with open_export(Path(file.name), chosen.name) as export:
            past = chosen.past(visit, export)
            survey = await asyncio.to_thread(past.survey)
            if show is None:
                return past.preview(survey, me=visit.t("take.me"))
            watch = await IngestWatch.open(visit.clients.streams, visit.key.tenant)
            work = await past.publish(visit.client, watch, survey.messages, show)
            await work.finish()
            return work


@app.get("/export.ndjson", include_in_schema=False)
async def export(request: Request) -> Response:
    """Return all that is held of the user, a JSON object a line."""
    visit = visit_of(request, "take")

    async def lines() -> AsyncIterator[str]:
        async for item in exported_items(visit.client, visit.user_id):
            yield f"{json.dumps(item, ensure_ascii=False)}\n"

    return StreamingResponse(
        lines(), media_type="application/x-ndjson", headers=_download("ricordo-export.ndjson")
    )


@app.get("/moments.pdf", include_in_schema=False)
async def pdf(request: Request) -> Response:
    """Return the moments that the URL asks for, at most 500, as pages."""
    visit = visit_of(request, "kept")
    found, asked, cursor = list[MemoryView](), moments_asked(visit), None
    while len(found) < _MOST_MOMENTS:
        reply = await visit.client.memories(visit.user_id, limit=_PAGE, cursor=cursor, **asked)
        found, cursor = [*found, *reply.memories], reply.next
        if cursor is None:
            break
    slots = asyncio.Semaphore(_NOTES_AT_ONCE)
    moments = await asyncio.gather(*(_moment(visit, one, slots) for one in found[:_MOST_MOMENTS]))
    made = await asyncio.to_thread(moments_pdf, moments, visit.t("kept.title"), visit.t.language)
    return Response(made, media_type="application/pdf", headers=_download("moments.pdf"))


@app.get("/card/{memory_id}.png", include_in_schema=False)
async def card(request: Request) -> Response:
    """Return a memory as a picture."""
    visit, memory_id = visit_of(request, "memory"), uuid_of(request.path_params["memory_id"])
    try:
        if memory_id is None:
            raise NotFound("that is no id of a memory")
        one = (await visit.client.memory(visit.user_id, memory_id)).memory
    except RicordoError as error:
        return Response(error.message, error.code.number, media_type="text/plain")
    moment = await _moment(visit, one, asyncio.Semaphore())
    made = await asyncio.to_thread(moment_card, moment, visit.t.language)
    return Response(made, media_type="image/png", headers=_download("moment.png"))


async def _moment(visit: Visit, one: MemoryView, slot: asyncio.Semaphore) -> Moment:
    """Return a memory as it is drawn, with the notes on it."""
    async with slot:
        notes = await visit.client.memories(visit.user_id, filters=notes_on(one.id), order="oldest")
    emotion = one.emotion
    return Moment(
        text=one.content or one.summary or "",
        at=one.created_at.astimezone(visit.zone),
        title=(one.title or "") if one.kind not in ("message", "note") else "",
        place=one.location or "",
        people=one.participants,
        feeling=visit.t(f"feelings.{emotion.primary}") if emotion and emotion.primary else "",
        valence=emotion.valence if emotion else None,
        note="\n".join(note.content or "" for note in notes.memories),
        tags=tuple(tag.removeprefix(CATEGORY) for tag in one.tags if tag != STAR),
    )


def _download(name: str) -> Mapping[str, str]:
    return {"Content-Disposition": f'attachment; filename="{name}"'}

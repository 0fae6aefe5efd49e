"""One memory: what it says, how vivid it is and why, what it is connected with; what can be done with it."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from nicegui import ui

from ricordo.client import NotFound, Timeout
from ricordo.language.annotations import MemoryKind
from ricordo.messages.commands import ForgetReply
from ricordo.messages.listings import MemoryDetailView
from ricordo.messages.views import MemoryView
from ricordo_services.album.actions import Field, acts_of, form, instant
from ricordo_services.album.facts import sentence
from ricordo_services.album.undo import forget_later
from ricordo_services.album.visit import Visit, page, uuid_of

STAR: Final = "star"
CATEGORY: Final = "category/"
TOLD: Final = ("message", "note", "agreement", "problem", "decision")
"""Kinds of what was told, not derived."""
SUMMED: Final = ("summary", "reflection", "synthesis")
"""Kinds that sum up what was told."""
_DERIVED: Final = frozenset({*SUMMED, "extract"})


@page("/memory/{memory_id}", "memory")
async def memory(visit: Visit) -> None:
    """Show a memory."""
    memory_id = uuid_of(visit.parameters["memory_id"])
    if memory_id is None:
        raise NotFound("that is no id of a memory")
    shown = _Shown(visit, memory_id, ui.element("div").classes("full"))
    await shown.reload()
    own = {"confirm": shown.confirm, "correct": shown.correct, "edit": shown.edit, "star": shown.star}
    visit.on(**acts_of(visit, shown.reload), **own, note=shown.note, forget=shown.forget)


class _Shown:
    """A memory on its page, and what its buttons do."""

    one: MemoryDetailView

    def __init__(self, visit: Visit, memory_id: UUID, place: ui.element) -> None:
        self._visit, self._id, self._place = visit, memory_id, place
        self._about = notes_on(memory_id)

    async def reload(self) -> None:
        """Show it as it is now."""
        visit, client, user = self._visit, self._visit.client, self._visit.user_id
        reply, sources, notes = await asyncio.gather(
            client.memory(user, self._id),
            client.expand(user, self._id),
            client.memories(user, filters=self._about, order="oldest"),
        )
        self.one = reply.memory
        self._place.clear()
        with self._place:
            visit.show(
                "memory.html",
                reply=reply,
                memory=reply.memory,
                facts=[(fact, sentence(fact, visit)) for fact in reply.facts],
                sources=sources.memories,
                notes=notes.memories,
                vivid=why_vivid(reply.memory, visit.now),
                star=STAR,
                category=CATEGORY,
            )

    async def confirm(self, data: Mapping[str, Any]) -> None:
        """Confirm it, or withdraw that."""
        verified = not data.get("verified")
        await self._visit.client.verify(self._visit.user_id, memory_id=self._id, verified=verified)
        await self.reload()

    async def correct(self, _: Mapping[str, Any]) -> None:
        """Ask for another text."""
        t = self._visit.t
        field = Field("content", t("memory.text"), self.one.content, "text")

        async def save(values: Mapping[str, Any]) -> None:
            content = values["content"].strip()
            await self._visit.client.correct(self._visit.user_id, memory_id=self._id, content=content)
            ui.notify(t("acts.saved"), type="positive")
            await self.reload()

        await form(self._visit, t("acts.correct"), field, save=save)

    async def edit(self, _: Mapping[str, Any]) -> None:
        """Ask for tags, category, kind, importance and expiry."""
        one, t = self.one, self._visit.t
        expires = f"{one.expires_at.astimezone(self._visit.zone):%Y-%m-%d}" if one.expires_at else ""
        plain = [tag for tag in one.tags if tag != STAR and not tag.startswith(CATEGORY)]
        kinds = {kind.value: t(f"kinds.{kind}") for kind in MemoryKind if kind not in _DERIVED}
        kind = Field("kind", t("memory.kind"), one.kind.value, "choice", kinds)

        async def save(values: Mapping[str, Any]) -> None:
            changed = changes(one, values)
            if values["expires_at"] != expires:
                changed["expires_at"] = instant(self._visit, values["expires_at"])
            await self._visit.client.edit(self._visit.user_id, self._id, **changed)
            await self.reload()

        await form(
            self._visit,
            t("acts.edit"),
            Field("tags", t("memory.tags"), plain, "tags"),
            Field("category", t("memory.category"), category_of(one)),
            *(() if one.kind in _DERIVED else (kind,)),
            Field("importance", t("memory.importance_10"), of_ten(one), "number"),
            Field("expires_at", t("memory.expires"), expires, "date"),
            save=save,
        )

    async def star(self, _: Mapping[str, Any]) -> None:
        """Give it a star, or take that away."""
        own = [tag for tag in self.one.tags if tag != STAR]
        tags = own if STAR in self.one.tags else [STAR, *own]
        await self._visit.client.edit(self._visit.user_id, self._id, tags=tags)
        await self.reload()

    async def note(self, _: Mapping[str, Any]) -> None:
        """Ask for a note on it."""
        t = self._visit.t

        async def save(values: Mapping[str, Any]) -> None:
            await write_note(self._visit, values["note"].strip(), [f"memory:{self._id}"])
            ui.notify(t("memory.noted"), type="positive")
            await self.reload()

        field = Field("note", t("memory.note"), None, "text")
        await form(self._visit, t("memory.add_note"), field, save=save)

    async def forget(self, data: Mapping[str, Any]) -> None:
        """Forget it, or its conversation, unless that is undone."""
        client, user, conversation = self._visit.client, self._visit.user_id, self.one.conversation_id
        if data.get("scope") == "conversation" and conversation:
            label = self._visit.t("memory.its_conversation")
            forget_later(self._visit, label, lambda: client.forget(user, conversation_id=conversation))
        else:
            label = (self.one.title or self.one.content or "")[:60]
            forget_later(self._visit, label, self._erase)
        ui.navigate.to("/timeline")  # where the undo is shown, too

    async def _erase(self) -> ForgetReply:
        """Erase it and the notes on it, which are messages of their own."""
        client, user = self._visit.client, self._visit.user_id
        while notes := (await client.memories(user, filters=self._about)).memories:
            for note in notes:
                await client.forget(user, memory_id=note.id)
        return await client.forget(user, memory_id=self._id)


def notes_on(memory_id: UUID) -> dict[str, Any]:
    """Return the filters of the notes on a memory."""
    return {"refs": [{"type": "memory", "id": str(memory_id)}], "include_uninformative": True}


def changes(one: MemoryView, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a filled form changes: tags with star and category, kind and importance if they differ."""
    star = [STAR] if STAR in one.tags else []
    category = [f"{CATEGORY}{values['category'].strip()}"] if values["category"].strip() else []
    changed: dict[str, Any] = {"tags": [*dict.fromkeys((*star, *category, *values["tags"]))]}
    if values.get("kind", one.kind) != one.kind:
        changed["kind"] = values["kind"]
    if values["importance"] is not None and values["importance"] != of_ten(one):
        changed["importance"] = (min(10, max(1, values["importance"])) - 1) / 9
    return changed


def why_vivid(one: MemoryDetailView, now: datetime) -> tuple[str, int]:
    """Return why a memory is as vivid as it is: the name of a text, and its number of days or weeks."""
    if one.archived:
        return "vivid.archived", 0
    if one.pinned or one.verified:
        return ("vivid.kept" if one.pinned else "vivid.verified"), 0
    fresh = max(at for at in (one.last_accessed, one.stored_at, one.created_at) if at is not None)
    days = max(0, (now - fresh) // timedelta(days=1))
    if days <= 7:
        return ("vivid.used" if one.last_accessed == fresh else "vivid.fresh"), days
    strong = one.emotion is not None and one.emotion.arousal >= 0.6
    held = "important" if one.importance >= 0.6 else "strong" if strong else "fading"
    return f"vivid.{held}", days // 7


def of_ten(one: MemoryView) -> int:
    """Return the importance from 1 to 10."""
    return round(1 + 9 * one.importance)


def category_of(one: MemoryView) -> str:
    """Return the category that a person gave a memory; empty without one."""
    return next((tag.removeprefix(CATEGORY) for tag in one.tags if tag.startswith(CATEGORY)), "")


async def write_note(visit: Visit, text: str, about: Sequence[str]) -> None:
    """Have what a person wrote in the album remembered as a message of theirs, and wait until it is taken in.

    Args:
        about: what it is about, as `memory:ID` or `week:2026-05-04`.
    """
    published = await visit.client.publish(
        user_id=visit.user_id,
        conversation_id="album",
        role="user",
        content=text,
        kind="note",
        timezone=visit.zone.key,
        refs=[dict(zip(("type", "id"), one.split(":", 1), strict=True)) for one in about],
    )
    with suppress(Timeout):  # it is stored: what is late appears by itself
        await visit.client.remembered([published.message_id], 10.0)

"""A talk with one's memory: answers as they come, how sure they are, and what they rest on."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID, uuid4

from nicegui import ui

from ricordo.messages.answers import AnswerPart, AnswerReply
from ricordo.messages.entities import EntityCard
from ricordo.messages.ids import memory_id
from ricordo.messages.views import FactView, MemoryView
from ricordo_services.album.actions import Field, acts_of, form
from ricordo_services.album.facts import existing_memory, sentence
from ricordo_services.album.texts import Texts
from ricordo_services.album.visit import Visit, page, run_in_browser, uuid_of

MOST_SUGGESTED: Final = 6
_MOST_FACTS: Final = 1000
_LONGEST: Final = 2000
_SURE: Final = ((0.8, "sure"), (0.45, "rather"))
"""From which confidence on an answer is how sure; what is below is unsure."""
_ASKABLE: Final = ("lives_in", "works_at", "has_pet", "likes", "allergic_to", "plans")
"""Predicates of facts about the person that have a suggested question."""


@dataclass(frozen=True, slots=True)
class Source:
    """What an answer rests on: a fact, or a memory.

    Attributes:
        memory_id: of the memory, or of the latest message that supports the fact; None if no message does.
    """

    text: str
    memory_id: UUID | None
    fact: FactView | None = None
    memory: MemoryView | None = None


@page("/chat", "chat")
async def chat(visit: Visit) -> None:
    """Ask and be answered; what is asked next may lean on it, by the conversation of this page."""
    t, options = visit.t, {"conversation_id": f"album-{uuid4()}", "timezone": visit.zone.key}
    visit.show("chat.html")
    suggested = visit.show("chat_suggested.html", questions=await suggestions(visit))
    talk = ui.element("div").classes("talk").props('role="log" aria-live="polite"')
    with ui.element("div").classes("asking"):
        field = ui.input(t("chat.label")).props(f"outlined autofocus maxlength={_LONGEST}").classes("full")
        go = ui.button(t("chat.ask"))

    async def ask(data: Mapping[str, Any]) -> None:
        question = str(data.get("question") or "").strip()[:_LONGEST]
        if not question or not go.enabled:
            return
        go.disable()
        suggested.set_visibility(False)
        field.value = ""
        with talk:
            visit.show("chat_asked.html", question=question)
            place = visit.show("chat_writing.html", text="")
        run_in_browser("reveal", place.html_id)
        try:
            own = {**options, "filters": {"include_archived": True}} if data.get("archive") else options
            if not await visit.attempt(_answer(visit, question, place, own)):
                place.set_content(str(visit.html("chat_failed.html", question=question)))
            run_in_browser("reveal", place.html_id)
        finally:
            go.enable()

    async def correct_memory(data: Mapping[str, Any]) -> None:
        wrong = uuid_of(data.get("id"))
        if wrong is None:
            return
        one = (await visit.client.memory(visit.user_id, wrong)).memory
        values = await form(visit, t("chat.correct"), Field("content", t("chat.right"), one.content, "text"))
        text = values["content"].strip() if values else ""
        if text and text != one.content:
            await visit.client.correct(visit.user_id, memory_id=wrong, content=text)
            ui.notify(t("acts.saved"), type="positive")

    async def ask_field() -> None:
        await ask({"question": field.value})

    go.on_click(ask_field)
    field.on("keydown.enter", ask_field)
    visit.on(**acts_of(visit), ask=ask, correct_memory=correct_memory)


async def _answer(visit: Visit, question: str, place: ui.html, options: Any) -> None:  # noqa: ANN401
    """Show an answer sentence by sentence, then with what it rests on."""
    said: list[str] = []
    reply: AnswerReply | None = None
    async with aclosing(visit.client.answer_stream(visit.user_id, question, **options)) as parts:
        async for part in parts:
            if isinstance(part, AnswerPart):
                said.append(part.text)
                place.set_content(str(visit.html("chat_writing.html", text=" ".join(said))))
            else:
                reply = part
    if reply is not None:
        shown = {"reply": reply, "question": question, "sure": how_sure(reply.confidence)}
        sources = await _sources(visit, reply.sources)
        place.set_content(str(visit.html("chat_answer.html", sources=sources, **shown)))


def how_sure(confidence: float) -> str:
    """Return the name of the text that says how sure an answer is."""
    return next((name for least, name in _SURE if confidence >= least), "unsure")


async def _sources(visit: Visit, ids: Sequence[UUID]) -> list[Source]:
    """Return what an answer rests on, in its order; without what was erased meanwhile."""
    if not ids:
        return []
    facts = (await visit.client.facts(visit.user_id, history=True, limit=_MOST_FACTS)).facts
    by_id = {fact.id: fact for fact in facts}

    async def of_memory(wanted: UUID) -> Source | None:
        memory = await existing_memory(visit, wanted)
        return (
            None if memory is None else Source(memory.content or memory.title or "", memory.id, memory=memory)
        )

    def of_fact(fact: FactView) -> Source:
        said = memory_id(visit.key.tenant, fact.message_ids[-1]) if fact.message_ids else None
        return Source(sentence(fact, visit), said, fact=fact)

    memories = iter(await asyncio.gather(*(of_memory(one) for one in ids if one not in by_id)))
    found = [of_fact(by_id[one]) if one in by_id else next(memories) for one in ids]
    return [one for one in found if one is not None]


async def suggestions(visit: Visit) -> list[str]:
    """Return some questions of which the memory knows something, in the language of the visit."""
    entities, facts = await asyncio.gather(
        visit.client.entities(visit.user_id, limit=20), visit.client.facts(visit.user_id, limit=200)
    )
    own = {fact.predicate for fact in facts.facts if fact.subject == "user"}
    of_user = [visit.t(f"chat.about_me.{name}") for name in _ASKABLE if name in own]
    of_others = [question for one in entities.entities for question in questions_about(one, visit.t)]
    mixed = [one for pair in zip(of_others, of_user, strict=False) for one in pair]
    return list(dict.fromkeys((*mixed, *of_others, *of_user)))[:MOST_SUGGESTED]


def questions_about(one: EntityCard, t: Texts) -> list[str]:
    """Return what may be asked about an entity that is tied to the person."""
    if one.kind not in {"person", "animal"} or not one.ties:
        return []
    lives = any(fact.predicate == "lives_in" and fact.subject == one.name for fact in one.facts)
    return [t(f"chat.about.{'where' if lives else 'who'}", who=one.name)]

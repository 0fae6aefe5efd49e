"""Facts as a person reads them: as sentences, in groups, with what was said; and facts that a person adds."""

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any, Final
from uuid import UUID

from nicegui import ui

from ricordo.client import InvalidRequest, NotFound
from ricordo.language.annotations import Predicate
from ricordo.language.facts.vocabulary import USER
from ricordo.memory.context.fact_sentences import fact_sentence
from ricordo.memory.facts.fact_model import Fact
from ricordo.messages.entities import GraphEdgeView
from ricordo.messages.ids import memory_id
from ricordo.messages.views import FactView, MemoryView
from ricordo_services.album.actions import Field, dialog, form, instant
from ricordo_services.album.visit import Visit

STATED: Final = "stated"
"""The predicate of what is known in the user's own words only."""
GROUPS: Final = ("relationship", "knowledge", "preference", STATED, "past")
_FIELDS: Final = tuple(one.name for one in fields(Fact))
_QUOTES: Final = 8


def sentence(fact: FactView | GraphEdgeView, visit: Visit) -> str:
    """Return a fact as a sentence in the language of the visit: "You live in Turin, since March 2026."."""
    # An edge of the graph does not know when it was first said: it is taken to hold since then.
    unknown = {"first_seen": fact.valid_from, "disputed": False}
    values: dict[str, Any] = {name: getattr(fact, name, unknown.get(name)) for name in _FIELDS}
    return fact_sentence(Fact(**values), visit.browser.language, visit.zone)


def grouped(facts: Iterable[FactView], visit: Visit) -> dict[str, list[tuple[FactView, str]]]:
    """Return facts with their sentences by `GROUPS`, in this order; groups without facts are left out."""
    groups: dict[str, list[tuple[FactView, str]]] = {name: [] for name in GROUPS}
    for fact in facts:
        kind = "past" if fact.valid_to else STATED if fact.predicate == STATED else fact.fact_type
        groups[kind].append((fact, sentence(fact, visit)))
    return {name: group for name, group in groups.items() if group}


async def show_quotes(visit: Visit, fact: FactView) -> None:
    """Show the latest messages on which a fact rests in a dialog."""
    memories = await _quotes(visit, fact)
    with dialog(visit, sentence(fact, visit)) as shown:
        visit.show("quotes.html", memories=memories)
        ui.button(visit.t("people.close"), on_click=shown.close).props("flat")
        await shown


async def _quotes(visit: Visit, fact: FactView) -> list[MemoryView]:
    """Return the memories that support a fact, the latest first; those that were forgotten are left out."""
    ids = [memory_id(visit.key.tenant, one) for one in reversed(fact.message_ids[-_QUOTES:])]
    found = await asyncio.gather(*(existing_memory(visit, one) for one in ids))
    return [one for one in found if one is not None]


async def existing_memory(visit: Visit, wanted: UUID) -> MemoryView | None:
    """Return a memory; None if it was forgotten."""
    try:
        return (await visit.client.memory(visit.user_id, wanted)).memory
    except NotFound:
        return None


async def add_fact(visit: Visit, subject: str) -> bool:
    """Ask for a fact of `subject`, and hand it in as confirmed; return whether it was taken."""
    t = visit.t
    named = [(t(f"predicates.{one.value}"), one.value) for one in Predicate]
    words = {predicate: word for word, predicate in sorted(named)}

    async def save(values: Mapping[str, Any]) -> None:
        if not values["predicate"] or not values["object"].strip():
            raise InvalidRequest(t("people.incomplete"))
        reply = await visit.client.assert_facts(visit.user_id, [_asserted(visit, subject, values)])
        fact = reply.facts[0]
        if not fact.accepted or fact.fact_id is None:
            raise InvalidRequest(fact.reason or "")
        await visit.client.verify(visit.user_id, fact_id=fact.fact_id)
        ui.notify(t("people.added"), type="positive")

    saved = await form(
        visit,
        t("people.add_title", who=t("people.you") if subject == USER else subject),
        Field("predicate", t("people.what"), None, "choice", words),
        Field("object", t("people.object")),
        Field("valid_from", t("facts.valid_from"), None, "date"),
        Field("valid_to", t("facts.valid_to"), None, "date"),
        save=save,
    )
    return saved is not None


def _asserted(visit: Visit, subject: str, values: Mapping[str, Any]) -> Any:  # noqa: ANN401 - a TypedDict of options
    dates = {name: instant(visit, values[name]) for name in ("valid_from", "valid_to")}
    known = {name: at for name, at in dates.items() if at is not None}
    return {"subject": subject, "predicate": values["predicate"], "object": values["object"].strip(), **known}

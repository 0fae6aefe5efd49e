"""Who and what was spoken of: people, animals, places, organisations, things; and one of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote

from nicegui import ui

from ricordo.client import NotFound
from ricordo.client.options import FactsOptions
from ricordo.language.facts.vocabulary import PREDICATES, USER
from ricordo.messages.entities import EntitiesReply
from ricordo.messages.enumerations import EntityKind
from ricordo.messages.listings import MemoriesReply
from ricordo.messages.queries import FactsReply
from ricordo_services.album.actions import Field, acts_of, form
from ricordo_services.album.facts import STATED, add_fact, grouped, sentence, show_quotes
from ricordo_services.album.visit import Visit, page, uuid_of

_KINDS: Final = tuple(one.value for one in EntityKind)
_PAGE: Final = 48
_FACTS: Final = 200
_MEMORIES: Final = 10
_SENTENCES: Final = 3
_WORDS: Final = 16  # of a search for a name


@page("/people", "people")
async def people(visit: Visit) -> None:
    """Show all entities endlessly, or those of a kind (`kind`), the most mentioned first."""
    kind = visit.query.get("kind")
    own: dict[str, Any] = {"kind": kind} if kind in _KINDS else {}

    async def more(data: Mapping[str, Any]) -> None:
        cursor = str(data["cursor"])
        reply = await visit.client.entities(visit.user_id, limit=_PAGE, cursor=cursor, **own)
        visit.append("#people", "people_page.html", **_cards(visit, reply))

    reply = await visit.client.entities(visit.user_id, limit=_PAGE, **own)
    visit.show("people.html", kinds=_KINDS, kind=kind, total=reply.total, **_cards(visit, reply))
    visit.on(more=more)


def _cards(visit: Visit, reply: EntitiesReply) -> dict[str, object]:
    """Return entities, each with its first sentences; what is said in other words than these comes last."""
    cards = []
    for card in reply.entities:
        facts = sorted(card.facts, key=lambda fact: fact.predicate == STATED)
        cards.append((card, [sentence(fact, visit) for fact in facts[:_SENTENCES]]))
    return {"cards": cards, "next": reply.next}


@page("/people/{name:path}", "person")
async def person(visit: Visit) -> None:
    """Show all that is known of an entity, by any of its names; of the user by the name `user`."""
    asked = visit.parameters["name"].strip()
    if not asked:
        ui.navigate.to("/people")
        return
    reply = await _facts(visit, asked)
    name = reply.entity.name if reply.entity else asked
    one = _Person(visit, name, visit.show("person.html", **_known(visit, name, reply)))
    if name != USER and (reply.facts or reply.entity):
        found = await one.memories()
        values = {"memories": found.memories, "next": found.next, "total": found.total}
        visit.show("person_memories.html", name=name, **values)
    own = {"add": one.add, "same": one.same, "apart": one.apart, "quotes": one.quotes, "more": one.more}
    visit.on(**acts_of(visit, one.reload), **own)


@dataclass(slots=True)
class _Person:
    """What can be done on the page of an entity; `shown` is its part with the facts.

    Its name changes where another is declared to be the same.
    """

    visit: Visit
    name: str
    shown: ui.html

    async def reload(self) -> None:
        reply = await _facts(self.visit, self.name)
        self.name = reply.entity.name if reply.entity else self.name
        self.shown.set_content(self.visit.html("person.html", **_known(self.visit, self.name, reply)))

    async def add(self, _: Mapping[str, Any]) -> None:
        if await add_fact(self.visit, self.name):
            await self.reload()

    async def same(self, _: Mapping[str, Any]) -> None:
        t = self.visit.t
        title, field = t("people.same_title", who=self.name), Field("other", t("people.other_name"))
        values = await form(self.visit, title, field)
        if values and (other := values["other"].strip()):
            await self._identify(other, same=True)

    async def apart(self, data: Mapping[str, Any]) -> None:
        await self._identify(str(data.get("name")), same=False)

    async def _identify(self, other: str, *, same: bool) -> None:
        try:
            await self.visit.client.identify(self.visit.user_id, (self.name, other), same=same)
        except NotFound:
            ui.notify(self.visit.t("people.no_such", other=other), type="warning", multi_line=True)
            return
        text = "people.is_same" if same else "people.is_apart"
        ui.notify(self.visit.t(text, one=self.name, other=other), type="positive")
        await self.reload()

    async def quotes(self, data: Mapping[str, Any]) -> None:
        wanted = uuid_of(data.get("id"))
        facts = (await _facts(self.visit, self.name)).facts
        for fact in (fact for fact in facts if fact.id == wanted):
            await show_quotes(self.visit, fact)

    async def memories(self, cursor: str | None = None) -> MemoriesReply:
        text = " ".join(self.name.split()[:_WORDS])
        return await self.visit.client.memories(self.visit.user_id, text=text, cursor=cursor, limit=_MEMORIES)

    async def more(self, data: Mapping[str, Any]) -> None:
        later = await self.memories(str(data["cursor"]))
        self.visit.append("#occurs", "found_page.html", memories=later.memories, next=later.next)


async def _facts(visit: Visit, name: str) -> FactsReply:
    options: FactsOptions = {"entity": name, "history": True, "min_confidence": 0, "limit": _FACTS}
    return await visit.client.facts(visit.user_id, **options)


def _known(visit: Visit, name: str, reply: FactsReply) -> dict[str, object]:
    """Return what a page about an entity shows."""
    current = [fact for fact in reply.facts if not fact.valid_to]
    ties = dict.fromkeys(fact.predicate for fact in current if fact.subject == USER != name)
    near = [
        (one.name, [visit.t(f"predicates.{predicate}") for predicate in one.predicates])
        for one in (reply.entity.neighbours if reply.entity else ())
        if one.name != USER and any(PREDICATES[predicate].object_is_entity for predicate in one.predicates)
    ]
    return {
        "name": name,
        "is_user": name == USER,
        "entity": reply.entity,
        "ties": [visit.t(f"predicates.{predicate}") for predicate in ties if predicate != STATED],
        "first": min((fact.first_seen for fact in reply.facts), default=None),
        "last": max((fact.last_reinforced for fact in reply.facts), default=None),
        "groups": grouped(reply.facts, visit),
        "near": near,
        "degraded": reply.degraded,
        "graph": f"/album/graph?at={quote(name)}",
    }

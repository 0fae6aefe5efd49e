"""What is connected with what: as a drawing, as sentences, and the ways from one to another."""

from collections import defaultdict
from typing import Final
from urllib.parse import quote

from nicegui import ui

from ricordo.language.annotations import Predicate
from ricordo.language.facts.vocabulary import USER
from ricordo.messages.entities import EntityCard, GraphEdgeView, GraphReply
from ricordo_services.album.facts import STATED, sentence
from ricordo_services.album.graph_drawing import draw_graph
from ricordo_services.album.visit import Visit, page

_MIDDLE: Final = (
    "setTimeout(() => document.querySelectorAll('.graph-figure')"
    ".forEach((one) => { one.scrollLeft = (one.scrollWidth - one.clientWidth) / 2; }), 300)"
)
"""Shows the middle of a drawing that is wider than its page, once the styles are there."""
_DEPTH: Final = 2
_FARTHEST: Final = 3
_NAMES: Final = 200
_LONGEST: Final = 256  # characters of a name


@page("/graph", "graph")
async def graph(visit: Visit) -> None:
    """Show what is around the user, or around `at`; and how `from` and `to` are connected."""
    names = {name: visit.query.get(name, "").strip()[:_LONGEST] for name in ("at", "from", "to")}
    at, ends = names["at"] or USER, (names["from"], names["to"])
    cards = (await visit.client.entities(visit.user_id, limit=_NAMES)).entities
    reply = await visit.client.graph(visit.user_id, at, depth=_DEPTH, min_confidence=1)
    paths = None
    if all(ends):
        paths = await visit.client.graph(visit.user_id, between=ends, depth=_FARTHEST, min_confidence=1)
    visit.show(
        "graph.html", at=at, ends=ends, **_around(visit, _drawable(reply), cards), **_ways(visit, paths)
    )
    _ = ui.run_javascript(_MIDDLE)


def _drawable(reply: GraphReply) -> GraphReply:
    """Return the part of the graph without what stands in the user's own words, which are long."""
    edges = tuple(edge for edge in reply.edges if edge.predicate != STATED)
    joined = {name for edge in edges for name in (edge.subject, edge.object)}
    nodes = tuple(node for node in reply.nodes if node.name in joined)
    return reply.model_copy(update={"edges": edges, "nodes": nodes})


def _around(visit: Visit, reply: GraphReply, cards: tuple[EntityCard, ...]) -> dict[str, object]:
    """Return the drawing, and the sentences by their subject, in the order of the nodes."""
    words = {one.value: visit.t(f"predicates.{one.value}") for one in Predicate}
    by_subject = defaultdict[str, list[str]](list)
    for edge in reply.edges:
        by_subject[edge.subject].append(sentence(edge, visit))
    order = [node.name for node in reply.nodes if node.name in by_subject]
    return {
        "drawing": draw_graph(reply, cards),
        "words": {**words, USER: visit.t("people.you_title")},
        "node_href": lambda mark: f"?at={quote(mark.name)}",
        "fact_href": lambda fact: f"/album/people/{quote(fact.subject)}",
        "sentences": [(name, by_subject[name]) for name in order],
        "names": [USER, *(card.name for card in cards)],
        "truncated": reply.truncated,
        "degraded": bool(reply.degraded),
    }


def _ways(visit: Visit, reply: GraphReply | None) -> dict[str, object]:
    """Return the paths, each as sentences from the first entity to the other; None if nobody asked."""
    if reply is None:
        return {"ways": None}
    edges: dict[object, GraphEdgeView] = {edge.id: edge for edge in reply.edges}
    return {
        "ways": [
            [sentence(edges[fact], visit) for fact in path.facts if fact in edges] for path in reply.paths
        ]
    }

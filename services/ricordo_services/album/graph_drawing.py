"""Computes how a part of the graph is drawn; `drawings.html` writes it as SVG."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Final

from ricordo.messages.entities import EntityCard, GraphEdgeView, GraphReply
from ricordo_services.album.layout import Box, place_label, place_nodes, spread_circles, text_width

_WIDTH: Final = 1000.0
_HEIGHT: Final = 720.0
_LABELS: Final = 40
_LABEL_SIZE: Final = 15.0
_LONGEST_LABEL: Final = 24
_USER: Final = "user"


@dataclass(frozen=True, slots=True)
class Label:
    """The name of a mark, and the middle of the line on which it is written."""

    name: str
    text: str  # the name, cut where it is long
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class GraphMark:
    """An entity as a circle."""

    name: str
    kind: str  # of the entity, `other` where nobody knows it; `user`
    x: float
    y: float
    radius: float


@dataclass(frozen=True, slots=True)
class GraphLine:
    """A fact as a line from circle to circle; several between two bend apart."""

    fact: GraphEdgeView
    path: str
    width: float  # from 1 to 4, by confidence


@dataclass(frozen=True, slots=True)
class GraphDrawing:
    """A part of the graph."""

    width: float
    height: float
    marks: tuple[GraphMark, ...]
    lines: tuple[GraphLine, ...]
    labels: tuple[Label, ...]  # of the 40 largest marks


def draw_graph(reply: GraphReply, cards: Sequence[EntityCard] = ()) -> GraphDrawing:
    """Draw a part of the graph, with the entity in the middle around which it is.

    Args:
        cards: tell the kinds and mentions of the entities that they are about.
    """
    nodes = sorted(reply.nodes, key=lambda node: node.distance)
    number = {node.name: position for position, node in enumerate(nodes)}
    known = {card.name: card for card in cards}
    facts = [
        fact
        for fact in reply.edges
        if fact.subject != fact.object and {fact.subject, fact.object} <= number.keys()
    ]
    pairs = [(number[fact.subject], number[fact.object]) for fact in facts]
    placed = place_nodes(len(nodes), pairs, [fact.confidence / 10 for fact in facts])
    kinds = [_kind(node.name, known.get(node.name)) for node in nodes]
    mentions = [known[node.name].mentions if node.name in known else 0 for node in nodes]
    radii = [
        22.0 if kind == _USER else min(20.0, 6 + 2 * sqrt(number))
        for kind, number in zip(kinds, mentions, strict=True)
    ]
    middle = _WIDTH / 2, _HEIGHT / 2
    places = middle + placed * (middle[0] - 60, middle[1] - 50)
    places = spread_circles(places, radii, gap=4).clip((24, 24), (_WIDTH - 24, _HEIGHT - 24))
    marks = [
        GraphMark(node.name, kind, float(x), float(y), radius)
        for node, kind, radius, (x, y) in zip(nodes, kinds, radii, places, strict=True)
    ]
    return GraphDrawing(_WIDTH, _HEIGHT, tuple(marks), _lines(facts, pairs, marks), _labels(marks))


def _kind(name: str, card: EntityCard | None) -> str:
    if name == _USER:
        return _USER
    return card.kind.value if card is not None and card.kind is not None else "other"


def _labels(marks: Sequence[GraphMark]) -> tuple[Label, ...]:
    """Return the names of the largest marks; none meets another one, nor a circle if there is room."""
    circles, labels = [_circle(mark) for mark in marks], []
    frame, taken = Box(0, 0, _WIDTH, _HEIGHT), list[Box]()
    for mark in sorted(marks, key=lambda one: -one.radius)[:_LABELS]:
        text = mark.name if len(mark.name) <= _LONGEST_LABEL else f"{mark.name[: _LONGEST_LABEL - 1]}…"
        size = text_width(text, _LABEL_SIZE), _LABEL_SIZE * 1.3
        place = place_label(_circle(mark), *size, [*taken, *circles], frame, rings=2)
        place = place or place_label(_circle(mark), *size, taken, frame, rings=40)
        if place is not None:
            taken.append(place)
            labels.append(
                Label(mark.name, text, (place.left + place.right) / 2, place.bottom - _LABEL_SIZE * 0.4)
            )
    return tuple(labels)


def _circle(mark: GraphMark) -> Box:
    x, y, radius = mark.x, mark.y, mark.radius
    return Box(x - radius, y - radius, x + radius, y + radius)


def _lines(
    facts: Sequence[GraphEdgeView], pairs: Sequence[tuple[int, int]], marks: Sequence[GraphMark]
) -> tuple[GraphLine, ...]:
    drawn, lines = Counter[tuple[int, ...]](), []
    for fact, pair in zip(facts, pairs, strict=True):
        first, second = (marks[number] for number in sorted(pair))
        bend = (drawn[tuple(sorted(pair))] + 1) // 2 * (1 if drawn[tuple(sorted(pair))] % 2 else -1) * 28
        drawn[tuple(sorted(pair))] += 1
        across, down = second.x - first.x, second.y - first.y
        length = max(sqrt(across**2 + down**2), 1.0)
        x = (first.x + second.x) / 2 - down / length * bend
        y = (first.y + second.y) / 2 + across / length * bend
        path = f"M{first.x:.1f} {first.y:.1f}Q{x:.1f} {y:.1f} {second.x:.1f} {second.y:.1f}"
        lines.append(GraphLine(fact, path, 1 + 0.3 * fact.confidence))
    return tuple(lines)

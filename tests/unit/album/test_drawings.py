"""What the album draws: where it stands, and what a reader of the page is told about it."""

import math
import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from itertools import combinations
from pathlib import Path
from uuid import UUID
from xml.etree import ElementTree as ET

import jinja2
import pytest

import ricordo_services.album
from ricordo.language.annotations import MemoryKind, MemoryType
from ricordo.messages.entities import EntityCard, GraphEdgeView, GraphNode, GraphReply
from ricordo.messages.enumerations import EntityKind
from ricordo.messages.listings import BriefMemoryView, PeriodView
from ricordo_services.album.drawings import (
    MonthFeeling,
    draw_feelings,
    draw_journey,
    draw_sparkline,
    mood_step,
)
from ricordo_services.album.graph_drawing import draw_graph
from ricordo_services.album.layout import text_width

FOLDER = Path(ricordo_services.album.__file__).parent
HOSTILE = "<script>\"&'</script>"
START = datetime(2024, 1, 1, tzinfo=UTC)
MOODS = ("", "low", "lower", "calm", "higher", "high")


def graph(count: int) -> tuple[GraphReply, list[EntityCard]]:
    """Return a graph in which each entity is tied to an earlier one, and its cards."""
    names = ["user", HOSTILE, *(f"Somebody with the name {n}" for n in range(count - 2))]
    nodes = [GraphNode(name=name, distance=min(n, 3)) for n, name in enumerate(names)]
    edges = [
        GraphEdgeView(
            id=UUID(int=n), subject=names[n // 3], predicate="friend", object=names[n], confidence=n % 11
        )
        for n in range(1, count)
    ]
    cards = [EntityCard(name=one, kind=EntityKind.PERSON, mentions=n % 17) for n, one in enumerate(names)]
    return GraphReply(nodes=tuple(reversed(nodes)), edges=tuple(edges)), cards


def moment(at: datetime, valence: float) -> BriefMemoryView:
    return BriefMemoryView.model_construct(
        id=UUID(int=1),
        type=MemoryType.EPISODIC,
        kind=MemoryKind.MESSAGE,
        created_at=at,
        content=HOSTILE,
        valence=valence,
        importance=1.0,
    )


def period(
    first: int, last: int, memories: int, valence: float | None, strong: BriefMemoryView | None
) -> PeriodView:
    """Return a period by its days since the start; one without memories is no message of the contract."""
    return PeriodView.model_construct(
        start=START + timedelta(days=first),
        end=START + timedelta(days=last),
        memories=memories,
        valence=valence,
        strongest=(strong,) if strong else (),
    )


@pytest.mark.parametrize("count", [2, 30, 200])
def test_a_graph_has_the_user_in_the_middle_and_labels_that_can_be_read(count: int) -> None:
    drawing = draw_graph(*graph(count))
    assert drawing == draw_graph(*graph(count))
    me = drawing.marks[0]
    assert (me.name, me.kind, me.x, me.y) == ("user", "user", drawing.width / 2, drawing.height / 2)
    for mark in drawing.marks:
        assert 0 <= mark.x - mark.radius < mark.x + mark.radius <= drawing.width
        assert 0 <= mark.y - mark.radius < mark.y + mark.radius <= drawing.height
    assert len(drawing.labels) == min(count, 40)
    for one, other in combinations(drawing.labels, 2):
        apart = abs(one.x - other.x) >= (text_width(one.text, 15) + text_width(other.text, 15)) / 2 - 1
        assert apart or abs(one.y - other.y) >= 15
    assert all(line.width == 1 + 0.3 * line.fact.confidence for line in drawing.lines)


def test_facts_between_two_bend_apart_and_what_is_cut_off_is_left_out() -> None:
    edges = [("user", "Nora"), ("Nora", "user"), ("Nora", "Nora"), ("user", "beyond the reply")]
    facts = [
        GraphEdgeView(id=UUID(int=n), subject=one, predicate="friend", object=other, confidence=3)
        for n, (one, other) in enumerate(edges)
    ]
    nodes = (GraphNode(name="user", distance=0), GraphNode(name="Nora", distance=1))
    drawing = draw_graph(GraphReply(nodes=nodes, edges=tuple(facts)))
    assert len({line.path for line in drawing.lines}) == 2
    assert [mark.kind for mark in drawing.marks] == ["user", "other"]
    assert draw_graph(GraphReply()).marks == ()


def test_the_mark_of_a_period_grows_with_how_much_was_said() -> None:
    said = [(400, 0.9), (100, -0.9), (0, None), (100, None)]
    strong = moment(START + timedelta(days=40), 0.9)
    periods = [
        period(30 * n, 30 * (n + 1), number, valence, strong if n else None)
        for n, (number, valence) in enumerate(said)
    ]
    drawing = draw_journey(periods)
    assert [round(mark.radius / drawing.marks[0].radius, 2) for mark in drawing.marks] == [1, 0.77, 0.1, 0.77]
    assert [mark.mood for mark in drawing.marks] == [5, 1, 0, 0]
    assert [mark.x for mark in drawing.marks] == sorted(mark.x for mark in drawing.marks)
    assert len({mark.y for mark in drawing.moments}) == len(drawing.moments) == 2, "a third finds no room"
    assert draw_journey([]).marks == ()
    assert draw_journey(periods * 100).width > drawing.width


def test_feelings_break_where_nothing_is_known_and_stay_between_their_neighbours() -> None:
    values: Sequence[float | None] = (0.5, 1.0, 1.0, None, -1.0, None)
    months = [date(2023, 11, 1), date(2023, 12, 1), *(date(2024, n, 1) for n in (1, 2, 3, 5))]
    drawing = draw_feelings([MonthFeeling(m, v, 0.5) for m, v in zip(months, values, strict=True)][::-1])
    assert (len(drawing.lines), len(drawing.areas), len(drawing.arousal)) == (2, 1, 1)
    heights = [float(number) for number in re.findall(r"[\d.]+", drawing.lines[0])[1::2]]
    assert min(heights) >= drawing.marks[1].y, "a line that is smooth does not rise above its points"
    assert drawing.rows[0].month == months[0]
    gap = drawing.marks[3].x - drawing.marks[2].x
    assert math.isclose(gap, 2 * (drawing.marks[1].x - drawing.marks[0].x))
    assert draw_feelings([]).rows == ()


def test_a_sparkline_of_anything() -> None:
    assert draw_sparkline([]).lines == ()
    assert len(draw_sparkline([1, 2, None, 3]).lines) == 2
    assert draw_sparkline([2, 2]).y == 14


@pytest.mark.parametrize(
    ("valence", "step"), [(None, 0), (-1, 1), (-0.61, 1), (-0.59, 2), (0, 3), (0.59, 4), (0.61, 5), (1, 5)]
)
def test_moods_have_five_steps(valence: float | None, step: int) -> None:
    assert mood_step(valence) == step


def test_the_page_names_each_mark_links_it_and_needs_no_inline_style() -> None:
    loader = jinja2.FileSystemLoader(FOLDER / "templates")
    macros: dict[str, jinja2.runtime.Macro] = vars(
        jinja2.Environment(loader=loader, autoescape=True).get_template("drawings.html").module
    )
    journey = draw_journey([period(0, 7, 3, 0.2, moment(START, 0.5))])
    feelings = draw_feelings([MonthFeeling(date(2024, 1, 1), 0.2, 0.5, 3)])
    captions = {"month": "Month", "valence": "Feeling", "arousal": "Energy"}

    def link(_: object) -> str:
        return "/album/?a=1&b=2"

    pages = [
        macros["graph"](draw_graph(*graph(30)), HOSTILE, link, link, {"user": "you"}),
        macros["journey"](journey, HOSTILE, link, link, str, str, str, MOODS),
        macros["feelings"](feelings, HOSTILE, link, str, str, str, MOODS, captions),
        macros["sparkline"](draw_sparkline([1, 2]), HOSTILE),
    ]
    for page, links in zip(pages, (59, 2, 1, 0), strict=True):
        assert "style" not in page
        assert "<script" not in page
        drawn = ET.fromstring(f"<div>{page}</div>")
        found = drawn.findall(".//a")
        assert len(found) == links
        assert all(one.get("aria-label") == one.findtext("title") for one in found)
        svg = drawn.find("svg")
        assert svg is not None
        assert svg.get("aria-label") == HOSTILE
    assert "<td>0.2</td>" in pages[2]

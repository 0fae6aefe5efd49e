"""How answers are shown: memories, facts, their entity and the sentences behind them, graphs and times."""

from datetime import UTC, datetime
from functools import partial
from typing import Any
from uuid import UUID, uuid4

import pytest
from rich.console import Console
from tests.fixtures.sentence_tables import tables
from tests.unit.cli.views import NOON, fact_view, memory_view

from ricordo.language.annotations import Role
from ricordo.memory.ranking.signals import Signals
from ricordo.messages.entities import GraphReply
from ricordo.messages.enumerations import Intent, MessageState
from ricordo.messages.listings import MemoryReply
from ricordo.messages.queries import FactsReply, HistoryReply, RecallReply, StatusReply
from ricordo.messages.views import (
    Analysis,
    DocumentStatus,
    EntityView,
    HistoryMessage,
    MemoryView,
    NeighbourView,
)
from ricordo_services.cli.fact_printing import sentence_with, sentences_of, show_facts, show_graph
from ricordo_services.cli.failures import Misused
from ricordo_services.cli.output import View, local_text, plain, zone_of
from ricordo_services.cli.reply_printing import (
    SIGNALS,
    memories_block,
    show_history,
    show_memory,
    show_recall,
    show_status,
)

LISTINGS = tables(__file__)
IN_UTC = View(timezone="UTC")
WITH_IDS = View(timezone="UTC", ids=True)


@pytest.fixture(autouse=True)
def in_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have no window, whose width would matter."""
    monkeypatch.delenv("COLUMNS", raising=False)


ASKED: dict[str, Any] = {
    "recall_id": UUID(int=2),
    "analysis": Analysis(intent=Intent.GENERAL, semantic_query="x"),
}


def rendered(*memories: MemoryView) -> str:
    console = Console(width=100, no_color=True)
    with console.capture() as capture:
        console.print(memories_block(memories, IN_UTC))
    return capture.get()


def test_what_was_said_cannot_drive_the_terminal() -> None:
    assert plain("a\x1b]0;title\x07b\nc\td\u202e") == "a\ufffd]0;title\ufffdb\nc\td\ufffd"
    assert "\x1b" not in rendered(memory_view("\x1b[31mred", speaker="\x1b[2Jme"))


def test_in_a_pipe_lines_are_as_long_as_what_they_hold(capsys: pytest.CaptureFixture[str]) -> None:
    long = "a very long story " * 2000
    fact = fact_view()
    reply = RecallReply(
        memories=(memory_view(long), memory_view("two\nlines", score=0.25, speaker="Nora")),
        facts=(fact, fact.model_copy(update={"confidence": 1, "object": "the largest city of Piedmont"})),
        **ASKED,
    )
    show_recall(reply, IN_UTC)
    first, *others = capsys.readouterr().out.splitlines()
    assert (first, tuple(others)) == (f"0.50 ████      {long.rstrip()}", LISTINGS["in_a_pipe"])


def test_ids_are_shown_where_they_are_wanted(capsys: pytest.CaptureFixture[str]) -> None:
    reply = RecallReply(memories=(memory_view("Max!"),), facts=(fact_view(),), **ASKED)
    show_recall(reply, IN_UTC)
    assert str(reply.recall_id) not in capsys.readouterr().out
    show_recall(reply, WITH_IDS)
    shown = capsys.readouterr().out.splitlines()
    assert shown[2].strip() == str(reply.memories[0].id)
    assert shown[5].endswith(f"Turin  (said 2 times)  {reply.facts[0].id}")
    assert shown[-1] == f"recall {reply.recall_id}"


def test_bars_show_scores_as_they_are_and_not_who_is_best() -> None:
    assert "█" not in rendered(memory_view("x", score=0.05), memory_view("y", score=0.02))
    assert "1.00 ████████" in rendered(memory_view("x", score=1.0))
    own_scale = rendered(memory_view("x", score=7.3), memory_view("y", score=0.5))
    assert "7.30" in own_scale
    assert "█" not in own_scale


def test_times_say_their_zone() -> None:
    assert local_text(NOON, zone_of("Europe/Rome")) == "Mon 04 May 2026 14:00 CEST"
    assert local_text(NOON, zone_of("UTC")) == "Mon 04 May 2026 12:00 UTC"
    assert local_text(NOON, None).startswith(f"{NOON.astimezone():%a %d %b %Y %H:%M} ")
    for name in ("Nowhere/Land", "/etc/passwd", "Europe"):
        with pytest.raises(Misused, match="there is no time zone"):
            zone_of(name)


def test_empty_answers_are_said_beside_the_output(capsys: pytest.CaptureFixture[str]) -> None:
    show_history("nobody", HistoryReply())
    show_facts("nobody", FactsReply())
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == "no messages of user 'nobody'\nno facts of user 'nobody'\n"


def test_a_status_tells_what_has_become_of_a_document(capsys: pytest.CaptureFixture[str]) -> None:
    read = DocumentStatus(
        name="a.pdf", media_type="application/pdf", state=MessageState.REMEMBERED, extracts=500, whole=False
    )
    show_status("m-1", StatusReply(state=MessageState.REMEMBERED, document=read))
    out = capsys.readouterr().out
    assert "a.pdf remembered" in out
    assert "in 500 extracts, the rest was too long" in out
    broken = DocumentStatus(
        name="a.pdf", media_type="application/pdf", state=MessageState.FAILED, error="document_unreadable: no"
    )
    show_status("m-1", StatusReply(state=MessageState.REMEMBERED, document=broken))
    assert "a.pdf failed\n  document_unreadable: no" in capsys.readouterr().out


def test_signals_that_change_nothing_are_left_out() -> None:
    signals = {"semantic": 0.5, "bm25": 0.0, "decay_factor": 1.0, "access_count": 3.0}
    text = rendered(memory_view("x", signals=signals | {"temporal": 1.0, "dated": 1.0, "asks": 1.0}))
    assert [line.strip() for line in text.splitlines()[2:]] == [
        "meaning 0.50 · times used 3 · time asked for 1.00 · has a date 1.00",
        "is a question 1.00",
    ]
    assert SIGNALS.keys() < set(Signals._fields)


def test_a_memory_is_shown_with_what_changed_it(capsys: pytest.CaptureFixture[str]) -> None:
    details = memory_view("I live in Bari", score=None).model_dump() | {"timezone": "UTC", "access_count": 2}
    other = {"id": uuid4(), "type": "episodic", "kind": "message", "created_at": NOON, "importance": 0.5}
    reply = MemoryReply.model_validate(
        {
            "memory": details,
            "preceding": other | {"content": "Where do you live?", "role": "assistant"},
            "facts": [fact_view(value="Bari").model_dump()],
            "history": [
                {"change": "used", "at": NOON, "recall_id": uuid4(), "verdict": "irrelevant"},
                {"change": "archived", "at": NOON, "reason": "decay"},
                {"change": "decayed", "decay_factor": 0.25},
                {"change": "corrected", "content": "I live in \x1b[31mRome"},
            ],
        }
    )
    show_memory(reply, IN_UTC)
    assert tuple(map(str.rstrip, capsys.readouterr().out.splitlines())) == LISTINGS["memory"]


@pytest.mark.parametrize(("depth", "min_confidence", "advice"), LISTINGS["graph_advice"])
def test_a_graph_without_facts_names_the_options_that_find_more(
    capsys: pytest.CaptureFixture[str], depth: int, min_confidence: int, advice: str
) -> None:
    show_graph(GraphReply(), depth, min_confidence)
    assert " ".join(capsys.readouterr().err.split()) == f"nothing is connected{advice}"


LATER = datetime(2026, 6, 1, 12, tzinfo=UTC)
MAY_5 = datetime(2026, 5, 5, 12, tzinfo=UTC)
fact = partial(fact_view, valid_from=NOON)

NORA = EntityView(
    name="Nora",
    aliases=("la Nora", "nora"),
    mentions=4,
    neighbours=(
        NeighbourView(name="Lisbona", distance=1, predicates=("lives_in",)),
        NeighbourView(name="user", distance=1, predicates=("has_sibling",)),
        NeighbourView(name="Rex", distance=2, predicates=("friend", "likes")),
    ),
)
KNOWN = (
    fact("user", "has_sibling", "Nora", confidence=3, verified=True),
    fact("Nora", "lives_in", "Lisbona"),
    fact("Nora", "lives_in", "Porto", confidence=1, valid_to=LATER),
)


def shown(capsys: pytest.CaptureFixture[str], reply: FactsReply) -> list[str]:
    show_facts("davide", reply, IN_UTC)
    return capsys.readouterr().out.splitlines()


def test_a_card_tells_who_it_is_what_is_known_and_what_is_near(capsys: pytest.CaptureFixture[str]) -> None:
    assert tuple(shown(capsys, FactsReply(facts=KNOWN, entity=NORA))) == LISTINGS["card"]


def test_a_reply_that_was_shortened_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    show_facts("davide", FactsReply(facts=KNOWN, truncated=True), IN_UTC)
    assert "not everything is shown" in capsys.readouterr().err


def test_a_name_cannot_drive_the_terminal_and_is_no_markup(capsys: pytest.CaptureFixture[str]) -> None:
    odd = "\x1b[31m[bold]Nora[/]"
    near = (NeighbourView(name=odd, distance=1, predicates=("friend",)),)
    entity = EntityView(name=odd, aliases=(odd,), mentions=1, neighbours=near)
    said = "\n".join(shown(capsys, FactsReply(facts=(fact(odd, "friend", odd),), entity=entity)))
    assert "\x1b[31m" not in said
    assert said.count("[bold]Nora[/]") == 5


@pytest.mark.parametrize(
    ("value", "content", "shown"), [*LISTINGS["sentences"], ("38", "a" * 400, "a" * 300 + "…")]
)
def test_the_sentences_that_hold_the_value_are_shown(value: str, content: str, shown: str) -> None:
    assert sentence_with(value, content) == shown


def test_what_is_here_no_more_is_said_so() -> None:
    fact = fact_view(value="Lecce", last_reinforced=MAY_5, message_ids=("m-1", "m-2"))
    said = {"role": Role.USER, "content": "I live in Lecce.", "timestamp": MAY_5}
    message = HistoryMessage.model_validate({"id": "m-2", "user_id": "u-1", "conversation_id": "c-1", **said})
    assert [long.plain for _, long in sentences_of(fact, {"m-2": message}, IN_UTC)] == [
        "I live in Lecce.  m-2"
    ]
    assert "no source is left" in sentences_of(fact, {}, IN_UTC)[0][1].plain
    decided = fact.model_copy(update={"verified": True})
    assert "the user's decision" in sentences_of(decided, {}, IN_UTC)[0][1].plain

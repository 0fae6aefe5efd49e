from datetime import UTC
from uuid import uuid4

import pytest
from rich.console import Console
from tests.unit.cli.views import NOON, fact_view, memory_view

from ricordo.messages.entities import GraphReply
from ricordo.messages.enumerations import Intent, MessageState
from ricordo.messages.listings import MemoryReply
from ricordo.messages.queries import FactsReply, HistoryReply, RecallReply, StatusReply
from ricordo.messages.views import Analysis, DocumentStatus, MemoryView
from ricordo_services.cli.browsing_commands import show_graph, show_memory
from ricordo_services.cli.failures import Misused
from ricordo_services.cli.output import local_text, plain, zone_of
from ricordo_services.cli.query_commands import show_facts
from ricordo_services.cli.reply_printing import memories_block, show_history, show_recall, show_status


def rendered(*memories: MemoryView) -> str:
    console = Console(width=100, no_color=True)
    with console.capture() as capture:
        console.print(memories_block(memories, UTC))
    return capture.get()


def test_what_was_said_cannot_drive_the_terminal() -> None:
    assert plain("a\x1b]0;title\x07b\nc\td\u202e") == "a\ufffd]0;title\ufffdb\nc\td\ufffd"
    assert "\x1b" not in rendered(memory_view("\x1b[31mred", speaker="\x1b[2Jme"))


def test_in_a_pipe_lines_are_as_long_as_what_they_hold(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    long = "a very long story " * 2000
    fact = fact_view()
    reply = RecallReply(
        recall_id=uuid4(),
        analysis=Analysis(intent=Intent.GENERAL, semantic_query="x"),
        memories=(memory_view(long), memory_view("two\nlines", score=0.25, speaker="Nora")),
        facts=(fact, fact.model_copy(update={"confidence": 1, "object": "the largest city of Piedmont"})),
    )
    show_recall(reply, UTC)
    assert capsys.readouterr().out.splitlines() == [
        f"0.50 ████      {long.rstrip()}",
        "               Mon 04 May 2026 12:00 UTC · user · episodic",
        "0.25 ██        two",
        "               lines",
        "               Mon 04 May 2026 12:00 UTC · Nora · episodic",
        "",
        "Facts",
        "••  user  lives_in  Turin",
        "•   user  lives_in  the largest city of Piedmont",
    ]


def test_ids_are_shown_where_they_are_wanted(capsys: pytest.CaptureFixture[str]) -> None:
    reply = RecallReply(
        recall_id=uuid4(),
        analysis=Analysis(intent=Intent.GENERAL, semantic_query="x"),
        memories=(memory_view("Max!"),),
        facts=(fact_view(),),
    )
    show_recall(reply, UTC)
    assert str(reply.recall_id) not in capsys.readouterr().out
    show_recall(reply, UTC, ids=True)
    shown = capsys.readouterr().out.splitlines()
    assert shown[2].strip() == str(reply.memories[0].id)
    assert shown[5].endswith(f"Turin  {reply.facts[0].id}")
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
    assert said.err.splitlines() == [
        "no messages of user 'nobody'",
        "no facts of user 'nobody'",
    ]


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
    text = rendered(memory_view("x", signals={"semantic": 0.5, "bm25": 0.0, "decay_factor": 1.0}))
    assert "semantic 0.50" in text
    assert "bm25" not in text
    assert "decay_factor" not in text


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
    show_memory(reply, UTC, ids=False)
    assert [line.rstrip() for line in capsys.readouterr().out.splitlines()] == [
        "  I live in Bari",
        "  Mon 04 May 2026 12:00 UTC · user · episodic",
        "importance 0.50, strength 1.00",
        "",
        "Before",
        "Mon 04 May 2026 12:00 UTC  assistant: Where do you live?",
        "",
        "Facts",
        "••  user  lives_in  Bari",
        "",
        "History",
        "used 2 times in all",
        "Mon 04 May 2026 12:00 UTC  used and found irrelevant",
        "Mon 04 May 2026 12:00 UTC  archived (decay)",
        "decayed to 0.25",
        "corrected from 'I live in \ufffd[31mRome'",
    ]


@pytest.mark.parametrize(
    ("depth", "min_confidence", "advice"),
    [
        (2, 3, " so firmly; --min-confidence 1 shows what was said once; --depth 3 looks further"),
        (3, 2, " so firmly; --min-confidence 1 shows what was said once"),
        (2, 1, "; --depth 3 looks further"),
        (3, 1, ""),
    ],
)
def test_a_graph_without_facts_names_the_options_that_find_more(
    capsys: pytest.CaptureFixture[str], depth: int, min_confidence: int, advice: str
) -> None:
    show_graph(GraphReply(), depth, min_confidence)
    assert " ".join(capsys.readouterr().err.split()) == f"nothing is connected{advice}"

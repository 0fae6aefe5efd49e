"""How the demo shows an answer: short, readable, and whole when asked."""

import io
import re
from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID, uuid4

import pytest
from rich.console import Console

from ricordo.messages.queries import ContextReply
from ricordo.messages.views import Analysis, Emotion, FactView, MemoryView
from ricordo.messages.vocabulary import Intent, MemoryKind, MemoryType, Role
from ricordo_services.cli.demo.answers import Answer, reasons, show_answer
from ricordo_services.cli.demo.conversation import Question

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
SIGNALS = {"semantic": 0.56, "bm25": 1.0, "temporal": 1.0, "importance": 0.72, "valence": -0.6}
JOY = Emotion(valence=0.8, arousal=0.5, dominance=0.5, primary="joy")
QUESTION = Question("Cosa abbiamo fatto ieri?", "it", "a day")
CONTEXT = (
    "Today is Monday, 4 May 2026, 14:00.\n<recalled>\nf1 You live in Turin.\n"
    "Monday, 4 May\nm1 Davide: We adopted Max.\nm2 Max sleeps.\n"
    "Notes:\n- Habits: speaks informally\n</recalled>"
)


def memory(**more: object) -> MemoryView:
    return MemoryView.model_validate(
        {
            "id": uuid4(),
            "type": MemoryType.EPISODIC,
            "kind": MemoryKind.MESSAGE,
            "role": Role.USER,
            "content": "Ciao Max!",
            "created_at": NOON,
            "score": 0.5,
            "importance": 0.5,
            "signals": SIGNALS,
            **more,
        }
    )


def answer(*memories: MemoryView, whole: bool = False, full: bool = False) -> Answer:
    fact = FactView(
        id=UUID(int=1),
        subject="user",
        predicate="lives_in",
        object="Turin",
        confidence=4,
        first_seen=NOON,
        last_reinforced=NOON,
    )
    reply = ContextReply(
        recall_id=UUID(int=2),
        analysis=Analysis(intent=Intent.GENERAL, semantic_query="x"),
        memories=memories,
        facts=(fact, fact.model_copy(update={"subject": "Nora", "object": "Lisbon"})),
        context=CONTEXT,
        tokens=321,
    )
    return Answer("1/10", QUESTION, reply, 0.04, whole=whole, full=full)


def shown(one: Answer, *, terminal: bool = False) -> str:
    file = io.StringIO()
    console = Console(
        file=file, width=100, force_terminal=terminal, color_system="standard" if terminal else "auto"
    )
    show_answer(console, one)
    return file.getvalue()


def test_an_answer_is_read_at_a_glance() -> None:
    text = shown(answer(*[memory() for _ in range(5)]))
    assert len(text.splitlines()) <= 20
    assert len(re.findall(r"0\.50 █", text)) == QUESTION.top
    assert "Mon 04 May 14:00 · user · meaning 0.56, same words 1.00, in that time, matters 0.72" in text
    assert "lives_in Turin ×4  Nora lives_in Lisbon ×4" in text
    assert "f1 You live in Turin." in text
    assert "Habits" not in text
    assert "We adopted Max." in text
    assert "Max sleeps." not in text
    assert "--full shows all" in text
    assert "token_count" not in text


def test_bars_show_scores_as_they_are() -> None:
    text = shown(answer(memory(score=1.0), memory(score=0.3), memory(score=0.02)))
    assert re.findall(r"(\d\.\d\d) ([▏▎▍▌▋▊▉█ ]{5}) ", text) == [
        ("1.00", "█████"),
        ("0.30", "█▌   "),
        ("0.02", "▏    "),
    ]


def test_a_whole_context_is_whole_and_full_shows_every_signal() -> None:
    text = shown(answer(*[memory() for _ in range(5)], whole=True, full=True))
    assert all(line.strip() in text for line in CONTEXT.splitlines())
    assert len(re.findall(r"0\.50 █", text)) == 5
    assert "valence -0.60" in text
    assert "--full" not in text


def test_of_many_facts_a_line_is_shown_unless_all_are() -> None:
    one = answer(memory())
    known = [
        one.reply.facts[0].model_copy(update={"predicate": "likes", "object": f"tè numero {number}"})
        for number in range(9)
    ]
    many = replace(one, reply=one.reply.model_copy(update={"facts": known}))
    brief = shown(many)
    assert "facts  likes tè numero 0 ×4" in brief
    assert 2 < brief.count("likes") < 9
    assert len([line for line in brief.splitlines() if "likes" in line]) == 1
    assert shown(replace(many, full=True)).count("likes") == 9


def test_a_context_without_facts_is_told_by_its_memories() -> None:
    one = answer(memory())
    without = CONTEXT.replace("f1 You live in Turin.\n", "")
    text = shown(replace(one, reply=one.reply.model_copy(update={"context": without, "facts": ()})))
    assert "We adopted Max." in text
    assert "Max sleeps." in text
    assert "Habits" not in text


def test_long_texts_are_cut_unless_all_is_shown() -> None:
    long = memory(content="many " * 100)
    assert 100 < shown(answer(long, long)).count("many") < 140  # the best is shown whole
    assert shown(answer(long, long, full=True)).count("many") == 200


def test_colours_are_for_terminals() -> None:
    assert "\x1b[" in shown(answer(memory()), terminal=True)
    assert "\x1b" not in shown(answer(memory()))


def test_what_was_said_cannot_drive_the_terminal() -> None:
    assert "\x1b" not in shown(answer(memory(content="\x1b]0;title\x07", speaker="\x1b[2J")))


def test_nothing_found_is_said() -> None:
    assert "nothing is remembered" in shown(answer())


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"signals": None}, []),
        ({"signals": {"semantic": 0.1}, "role": Role.ASSISTANT}, ["meaning 0.10", "not the user's words"]),
        ({"signals": {"semantic": 0.1, "bm25": 0.2, "temporal": 0.4}},
         ["meaning 0.10", "some words 0.20", "near that time 0.40"]),
        ({"signals": {"semantic": 0.1}, "emotion": JOY}, ["meaning 0.10", "joy +0.8"]),
    ],
)  # fmt: skip
def test_reasons_are_what_the_signals_say(more: dict[str, object], said: list[str]) -> None:
    assert list(reasons(memory(**more))) == said

"""Prints an answer of the demo: how the question was understood, what was found and why, the context."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from textwrap import shorten
from typing import Final
from zoneinfo import ZoneInfo

from rich.console import Console
from rich.panel import Panel
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from ricordo.language.annotations import Role
from ricordo.memory.facts import USER
from ricordo.messages.queries import ContextReply
from ricordo.messages.views import Analysis, FactView, MemoryView
from ricordo_services.cli.demo.demo_command import TIMEZONE, DemoQuestion
from ricordo_services.cli.output import plain
from ricordo_services.cli.reply_printing import bar

_STRONG: Final = 0.5
_WEIGHTY: Final = 0.7


def reasons(memory: MemoryView) -> Iterator[str]:
    """Yield what speaks for a memory, and what against it, with the value that each rests on."""
    signals = memory.signals
    if not signals:
        return
    semantic, words = signals.get("semantic", 0.0), signals.get("bm25", 0.0)
    if "semantic" in signals:
        yield f"meaning {semantic:.2f}"
    if words > 0:
        yield f"{'same words' if words >= _STRONG else 'some words'} {words:.2f}"
    temporal, feeling = signals.get("temporal", 0.0), memory.emotion
    if temporal > 0:
        yield "in that time" if temporal >= 1 else f"near that time {temporal:.2f}"
    if feeling is not None and abs(feeling.valence) >= _STRONG:
        yield f"{feeling.primary or 'feeling'} {feeling.valence:+.1f}"
    if signals.get("importance", 0.0) >= _WEIGHTY:
        yield f"matters {signals['importance']:.2f}"
    if memory.role is not None and memory.role is not Role.USER:
        yield "not the user's words"


CLIPPED_LINES: Final = 2
"""Of a context that is shown for its beginning only."""

_ZONE = ZoneInfo(TIMEZONE)
_BAR_CELLS: Final = 5
_CONTENT: Final = 165  # characters, of all but the best: two lines of a page
_FACTS: Final = 94  # columns beside their heading


@dataclass(frozen=True, slots=True)
class DemoAnswer:
    """A question with what came back for it."""

    place: str
    question: DemoQuestion
    reply: ContextReply
    seconds: float  # until it was there
    whole: bool  # whether all of the context is shown, or its beginning
    full: bool = False  # whether all memories are shown, each with its whole text and its signals as they are


def show_answer(console: Console, answer: DemoAnswer) -> None:
    """Print an answer: memories with scores and reasons, facts, and the context."""
    reply, question = answer.reply, answer.question
    console.print()
    title = Text.assemble((f"{answer.place}  ", "dim"), (question.text, "bold yellow"))
    console.print(Rule(title, align="left"))
    understood = " · ".join(_understanding(reply.analysis))
    line = Text.assemble((f"{question.shows}: ", "italic"), (understood, "cyan"))
    console.print(line.append(f" · {answer.seconds * 1000:.0f} ms", "dim"))
    console.print(
        _memories(reply.memories if answer.full else reply.memories[: question.top], full=answer.full)
    )
    if reply.facts:
        console.print(_facts(reply.facts, all_of_them=answer.full))
    console.print(_context(reply, whole=answer.whole))


def _memories(memories: Sequence[MemoryView], *, full: bool) -> Table | Text:
    if not memories:
        return Text("  nothing is remembered about that", "dim")
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(ratio=1)
    for rank, memory in enumerate(memories):
        score = memory.score or 0.0
        table.add_row(
            Text.assemble((f"  {score:.2f} ", "bold"), (bar(score, _BAR_CELLS), "green")),
            _memory(memory, whole=full or not rank, signals=full),
        )
    return table


def _memory(memory: MemoryView, *, whole: bool, signals: bool) -> Text:
    content = plain(memory.content if memory.content is not None else memory.title or "…")
    who = memory.speaker or (memory.role.value if memory.role else memory.kind.value)
    text = Text.assemble(
        content if whole else shorten(content, _CONTENT, placeholder=" …"),
        (f"\n{_day(memory.created_at)} · {plain(who)} · ", "dim"),
        (", ".join(reasons(memory)), "dim italic"),
    )
    if signals and memory.signals:
        told = "  ".join(f"{name} {value:.2f}" for name, value in memory.signals.items())
        text.append(f"\n{told}", "dim")
    return text


def _facts(facts: Iterable[FactView], *, all_of_them: bool) -> Text:
    """Show facts side by side, each with how many messages it rests on: all, or the first ones, on a line."""
    shown, column = Text(" facts", "bold"), 0
    for fact in facts:
        about = "" if fact.subject == USER else f"{fact.subject} "  # who is not named is the user
        said, support = plain(f"{about}{fact.predicate} {fact.object}"), f" ×{fact.confidence}"
        if not all_of_them:
            said = shorten(said, _FACTS // 3 - len(support) - 2, placeholder=" …")
        width = 2 + len(said) + len(support)
        if column + width > _FACTS and not all_of_them:
            break
        if column + width > _FACTS:
            shown.append("\n      ")
            column = 0
        shown.append(f"  {said}", "not bold").append(support, "not bold magenta")
        column += width
    return shown


def _context(reply: ContextReply, *, whole: bool) -> Panel:
    lines = [line for line in plain(reply.context).splitlines() if line.strip()]
    title = f"for the prompt: {reply.tokens} tokens"
    if not whole and len(lines) > CLIPPED_LINES:
        title += f", {CLIPPED_LINES} of {len(lines)} lines (--full shows all)"
        lines = _telling(lines)
    text = Text("\n".join(lines), "dim", no_wrap=not whole, overflow="fold" if whole else "ellipsis")
    return Panel(text, title=title, title_align="left", border_style="dim")


def _telling(lines: Sequence[str]) -> list[str]:
    """Return the first fact of a context and its best memories, without headings and frames."""
    facts = [line for line in lines if re.match(r"f\d+ ", line)][:1]
    memories = [line for line in lines if re.match(r"m\d+ ", line)]
    best = sorted(memories, key=lambda line: int(line[1:].split(maxsplit=1)[0]))  # m1 ranks first
    return [*facts, *best[: CLIPPED_LINES - len(facts)]]


def _day(instant: datetime) -> str:
    return instant.astimezone(_ZONE).strftime("%a %d %b %H:%M")


def _understanding(analysis: Analysis) -> Iterable[str]:
    yield analysis.intent.value
    time = analysis.time
    if time.start is not None and time.end is not None:
        yield f"“{time.reference}” = {_day(time.start)} to {_day(time.end)}"
    if analysis.entities:
        yield f"who: {', '.join(analysis.entities)}"
    if analysis.topics:
        yield f"about: {', '.join(analysis.topics)}"
    if analysis.emotion_filter is not None:
        yield f"feeling: {analysis.emotion_filter.value}"
    if analysis.memory_types:
        yield f"kind: {', '.join(one.value for one in analysis.memory_types)}"
    if analysis.fallback is not None:
        yield f"nothing under that {analysis.fallback}, searched by meaning"

"""What the demo shows of a reply: how the question was understood, what was found, what a prompt gets."""

from collections.abc import Iterable
from zoneinfo import ZoneInfo

from rich.columns import Columns
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.rule import Rule
from rich.text import Text

from ricordo.messages.queries import ContextReply
from ricordo.messages.views import Analysis
from ricordo_services.cli.demo.conversation import TIMEZONE
from ricordo_services.cli.demo.questions import Question
from ricordo_services.cli.views import facts_block, memories_block, plain

_ZONE = ZoneInfo(TIMEZONE)


def show_answer(
    console: Console, number: str, question: Question, reply: ContextReply, seconds: float
) -> None:
    """Print all that came back for one question."""
    console.print()
    console.print(Rule(Text.assemble((f"{number}  ", "dim"), (question.text, "bold yellow")), align="left"))
    console.print(Text(f"{question.shows} · answered in {seconds * 1000:.0f} ms", "dim italic"))
    console.print(Text("understood as  ", "dim") + Text(" · ".join(_understanding(reply.analysis)), "cyan"))
    _section(console, "Memories", memories_block(reply.memories, _ZONE))
    if reply.facts:
        half = (len(reply.facts) + 1) // 2
        halves = Columns([facts_block(reply.facts[:half]), facts_block(reply.facts[half:])], padding=(0, 6))
        _section(console, "Facts", halves)
    text = Text(plain(reply.context.rstrip()), "dim")
    console.print()
    console.print(
        Panel(text, title=f"for the prompt, {reply.tokens} tokens", title_align="left", border_style="dim")
    )


def _section(console: Console, title: str, body: RenderableType) -> None:
    console.print(Text(f"\n{title}", "bold"))
    console.print(Padding(body, (0, 0, 0, 2)))


def _understanding(analysis: Analysis) -> Iterable[str]:
    yield analysis.intent.value
    time = analysis.time
    if time.start is not None and time.end is not None:
        start, end = (
            instant.astimezone(_ZONE).strftime("%a %d %b %H:%M") for instant in (time.start, time.end)
        )
        yield f"“{time.reference}” = {start} to {end}"
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

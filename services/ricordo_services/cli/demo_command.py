"""`ricordo demo`: Giulia, who mends violins, in forty days; and the questions about it."""

import asyncio
import json
import tempfile
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from importlib.resources import files
from pathlib import Path
from time import monotonic
from typing import Annotated, Final
from zoneinfo import ZoneInfo

from rich.console import Console
from rich.panel import Panel
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.rule import Rule
from rich.text import Text

from ricordo.client import MemoryClient
from ricordo.messages.enumerations import MessageState
from ricordo.messages.events import MessageReceived
from ricordo.messages.queries import ContextReply
from ricordo.messages.views import Analysis, MemoryView
from ricordo.runtime.process import stop_on_signals
from ricordo.runtime.tasks import run_until
from ricordo.settings import STEPS
from ricordo_services.cli.command_settings import configure_logs, log_for_people, read_settings
from ricordo_services.cli.fact_printing import facts_block
from ricordo_services.cli.failures import Failed, Interrupted, program
from ricordo_services.cli.options import flag
from ricordo_services.cli.output import View, out_console, plain
from ricordo_services.cli.reply_printing import memories_block
from ricordo_services.cli.up_command import ALL_WORKERS, running

USER: Final = "giulia"
NAME: Final = "Giulia"
TIMEZONE: Final = "Europe/Rome"
_ZONE: Final = ZoneInfo(TIMEZONE)
_VIEW: Final = View(timezone=TIMEZONE)
_WHY: Final = frozenset(
    "semantic bm25 window bm25_window session temporal connection congruence type_match".split()
)
_REASONS: Final = 3
_PAGE: Final = 100  # columns, where there is no window to look at
_MANY: Final = 1000  # more than there are messages


def conversation(now: datetime) -> list[MessageReceived]:
    """Return the messages in the order in which they were said, the last one shortly before `now`."""
    text = files(__package__).joinpath("demo_conversation.jsonl").read_text(encoding="utf-8")
    lines = [json.loads(line) for line in text.splitlines()]
    return [_message(line, number, now.astimezone(UTC)) for number, line in enumerate(lines, start=1)]


def _message(line: Mapping[str, str | int], number: int, now: datetime) -> MessageReceived:
    by_user = line["role"] == "user"
    today = now.astimezone(_ZONE).date()
    if "minutes_ago" in line:
        # Right after midnight today is short: what was said today stays today, and in its order.
        midnight = datetime.combine(today, time(), _ZONE).astimezone(UTC)
        earliest = midnight + (now - midnight) * number / _MANY
        moment = max(now - timedelta(minutes=int(line["minutes_ago"])), earliest)
    else:
        day = today + timedelta(days=int(line["day"]))
        moment = datetime.combine(day, time.fromisoformat(str(line["time"])), _ZONE)
    return MessageReceived.model_validate(
        {
            "id": f"demo-{number:03}",
            "user_id": USER,
            "conversation_id": line["conversation"],
            "role": line["role"],
            "content": line["content"],
            "timestamp": moment,
            "speaker": NAME if by_user else None,
            "timezone": TIMEZONE,
            "language": line["language"],
        }
    )


@dataclass(frozen=True, slots=True)
class DemoQuestion:
    """A question and what a good answer rests on."""

    text: str
    language: str
    shows: str
    top: int = 3


_QUESTIONS: Final = tomllib.loads(files(__package__).joinpath("demo_questions.toml").read_text("utf-8"))
QUESTIONS: Final = tuple(DemoQuestion(**question) for question in _QUESTIONS["question"])
PATIENCE_S: Final = 60.0
WITH_LLM_S: Final = 900.0
"""Where a language model reads each message: a slow one takes a minute for a few of them."""
_MEMORIES: Final = 5  # in a context
_TOKENS: Final = 500  # of a context
_RECENT: Final = 2  # of the last messages in a context


async def demo(
    *,
    full: Annotated[bool, flag("--full", "Show complete contexts, all memories and all facts.")] = False,
) -> None:
    """See it at work: a conversation of some weeks, then questions and answers.

    Everything happens in a temporary folder, which is removed at the end.

    Examples:
        ricordo demo
    """
    console = out_console(_PAGE)
    log_for_people("error")
    configure_logs(read_settings())
    stopping = asyncio.Event()
    with stop_on_signals(stopping):
        await run_until(stopping, _show(console, full=full))
    if stopping.is_set():
        raise Interrupted("everything is stopped and removed again")


async def _show(console: Console, *, full: bool) -> None:
    began = monotonic()
    settings = read_settings()
    console.print(Text.assemble(("Ricordo", "bold yellow"), ", a memory that remembers the way people do\n"))
    console.print(
        f"{NAME} mends violins. For six weeks she tells an assistant about her life, in Italian and in "
        "English: a job far away, a flooded cello, a dog with one ear. Then somebody asks.\n",
        style="italic",
    )
    async with AsyncExitStack() as exits:
        folder = exits.enter_context(
            tempfile.TemporaryDirectory(prefix="ricordo-demo-", ignore_cleanup_errors=True)
        )
        with _step(console, "starting NATS, PostgreSQL, the graph and six workers", 1) as advance:
            stack = await exits.enter_async_context(running(Path(folder) / "data", ALL_WORKERS, settings, 1))
            advance()
        client = await exits.enter_async_context(MemoryClient.connect(stack.endpoints.nats_url))
        now = datetime.now(UTC)
        llms = {getattr(settings, step).llm for step in STEPS} - {""}
        if llms:
            console.print(f"{', '.join(sorted(llms))} reads along, which may take minutes.", style="dim")
        await _tell(console, client, conversation(now), WITH_LLM_S if llms else PATIENCE_S)
        await _ask(console, client, now, full=full)
        stats = await client.stats(USER)
    console.print()
    console.print(Rule(style="dim"))
    console.print(
        f"[bold green]✓[/] {stats.memories} memories, {stats.facts} facts, {len(QUESTIONS)} answers "
        f"in {monotonic() - began:.0f} s; everything is stopped and removed again."
    )
    console.print(
        f"Next:  [cyan]{program()} up[/]  runs a stack;  [cyan]{program()} --help[/]  lists the commands.",
        soft_wrap=True,
    )


async def _ask(console: Console, client: MemoryClient, now: datetime, *, full: bool) -> None:
    """Ask everything; a context is shown whole for the first question of each language, or for all."""
    seen: set[str] = set()
    for number, question in enumerate(QUESTIONS, start=1):
        asked = monotonic()
        reply = await client.context(
            USER,
            question.text,
            now=now,
            timezone=TIMEZONE,
            language=question.language,
            limit=_MEMORIES,
            token_budget=_TOKENS,
            recent_limit=_RECENT,
            explain=True,
        )
        took = monotonic() - asked
        whole = full or question.language not in seen
        seen.add(question.language)
        title = Text.assemble((f"{number}/{len(QUESTIONS)}  ", "dim"), (question.text, "bold yellow"))
        line = Text.assemble((f"{question.shows}: ", "italic"), (_understanding(reply.analysis), "cyan"))
        console.print()
        console.print(Rule(title, align="left"))
        console.print(line.append(f" · {took * 1000:.0f} ms", "dim"))
        show_answer(console, reply, None if full else question.top, whole=whole)


def show_answer(console: Console, reply: ContextReply, most: int | None, *, whole: bool) -> None:
    """Print what came back: memories with their scores and signals, facts, and the context.

    Args:
        most: memories, and facts, that are shown; None for all.
        whole: whether all of the context is shown, or its beginning.
    """
    found = reply.memories[:most]
    console.print(memories_block([*map(_brief, found)] if most is not None else found, _VIEW))
    if reply.facts:
        console.print(Text("Facts", "bold"))
        console.print(facts_block(reply.facts[:most], _VIEW))
    console.print(_context(reply, whole=whole))


def _brief(memory: MemoryView) -> MemoryView:
    """Return a memory with the strongest signals that say why it came back, and without its topics."""
    known = memory.signals or {}
    strongest = sorted(_WHY.intersection(known), key=lambda name: (-known[name], name))[:_REASONS]
    return memory.model_copy(update={"signals": {name: known[name] for name in strongest}, "topics": ()})


def _understanding(analysis: Analysis) -> str:
    """Say how a question was understood."""
    told, time = [analysis.intent.value], analysis.time
    if time.start is not None and time.end is not None:
        told.append(f"“{time.reference}” = {_VIEW.time(time.start)} to {_VIEW.time(time.end)}")
    if analysis.entities:
        told.append(f"who: {', '.join(analysis.entities)}")
    if analysis.topics:
        told.append(f"about: {', '.join(analysis.topics)}")
    if analysis.emotion_filter is not None:
        told.append(f"feeling: {analysis.emotion_filter.value}")
    if analysis.memory_types:
        told.append(f"kind: {', '.join(one.value for one in analysis.memory_types)}")
    if analysis.fallback is not None:
        told.append(f"nothing under that {analysis.fallback}, searched by meaning")
    return " · ".join(told)


def _context(reply: ContextReply, *, whole: bool) -> Panel:
    """Show a context, or the best fact and the best memory in it."""
    lines = [line for line in plain(reply.context).splitlines() if line.strip()]
    title = f"for the prompt: {reply.tokens} tokens"
    if not whole:
        best = [line for line in lines if line.startswith(("f1 ", "m1 "))]
        title += f", {len(best)} of {len(lines)} lines (--full shows all)"
        lines = best
    text = Text("\n".join(lines), "dim", no_wrap=not whole, overflow="fold" if whole else "ellipsis")
    return Panel(text, title=title, title_align="left", border_style="dim")


async def _tell(
    console: Console, client: MemoryClient, messages: Sequence[MessageReceived], patience: float
) -> None:
    with _step(console, f"{NAME} tells: {len(messages)} messages", len(messages)) as advance:
        for message in messages:
            await client.publish(message)
            advance()
    with _step(console, "the workers remember", len(messages)) as advance:
        for message in messages:
            receipt = (await client.remembered([message.id], patience))[message.id]
            if receipt.state is not MessageState.REMEMBERED:
                raise Failed(f"message {message.id} was not remembered: {receipt.error}")
            advance()


@contextmanager
def _step(console: Console, title: str, total: int) -> Iterator[Callable[[], None]]:
    columns = (SpinnerColumn(finished_text="[green]✓"), TextColumn("{task.description:52}"))
    with Progress(*columns, BarColumn(bar_width=24), TimeElapsedColumn(), console=console) as progress:
        task = progress.add_task(title, total=total)
        yield lambda: progress.advance(task)

"""`ricordo demo`: Giulia, who mends violins, in forty days; and the questions about it."""

import asyncio
import json
import os
import tempfile
import tomllib
import webbrowser
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from importlib.resources import files
from pathlib import Path
from textwrap import shorten
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
from ricordo.settings import STEPS, Settings
from ricordo_services.cli.album_command import album_link, print_album
from ricordo_services.cli.client_calls import ServerTarget, data_dir_option
from ricordo_services.cli.command_settings import configure_logs, log_for_people, read_settings
from ricordo_services.cli.fact_printing import facts_block
from ricordo_services.cli.failures import Failed, Interrupted, Misused, program
from ricordo_services.cli.options import flag
from ricordo_services.cli.output import View, out_console, plain
from ricordo_services.cli.reply_printing import memories_block
from ricordo_services.cli.up_command import ALL_WORKERS, running
from ricordo_services.stack.endpoints import announced, write_stack_file
from ricordo_services.stack.local import LocalStack

USER: Final = "giulia"
NAME: Final = "Giulia"
TIMEZONE: Final = "Europe/Rome"
_ZONE: Final = ZoneInfo(TIMEZONE)
_VIEW: Final = View(timezone=TIMEZONE)
_SHOWN: Final = 3  # memories and facts of a question, so that it fits into a window
_BESIDE: Final = 15  # columns of what stands before a memory
_PAGE: Final = 100  # columns, where there is no window to look at
_MANY: Final = 1000  # more than there are messages
_FILES: Final = {"demo": "conversation", "years": "years"}


def conversation(now: datetime, name: str = "demo") -> list[MessageReceived]:
    """Return the messages in the order in which they were said, the last one shortly before `now`.

    Args:
        name: `demo` for the last weeks, `years` for the years before them.
    """
    text = files(__package__).joinpath(f"demo_{_FILES[name]}.jsonl").read_text(encoding="utf-8")
    lines = [json.loads(line) for line in text.splitlines()]
    at = now.astimezone(UTC)
    return [_message(line, f"{name}-{number:03}", number, at) for number, line in enumerate(lines, start=1)]


def _message(line: Mapping[str, str | int], message_id: str, number: int, now: datetime) -> MessageReceived:
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
            "id": message_id,
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


_QUESTIONS: Final = tomllib.loads(files(__package__).joinpath("demo_questions.toml").read_text("utf-8"))
QUESTIONS: Final = tuple(DemoQuestion(**question) for question in _QUESTIONS["question"])
PATIENCE_S: Final = 60.0
WITH_LLM_S: Final = 900.0
"""Where a language model reads each message: a slow one takes a minute for a few of them."""
_REMOVED: Final = "everything is stopped and removed again"
_MEMORIES: Final = 5  # in a context
_TOKENS: Final = 500  # of a context
_RECENT: Final = 2  # of the last messages in a context


async def demo(
    *,
    full: Annotated[bool, flag("--full", "Show complete contexts, all memories and all facts.")] = False,
    album: Annotated[bool, flag("--album", "Then open the album of that life, until Ctrl-C.")] = False,
    no_open: Annotated[bool, flag("--no-open", "With --album: print its link only.")] = False,
) -> None:
    """See it at work: a conversation of some weeks, then questions and answers.

    Everything happens in a temporary folder, which is removed at the end.

    Examples:
        ricordo demo
        ricordo demo --album
    """
    if no_open and not album:
        raise Misused("--no-open goes with --album")
    console = out_console(_PAGE)
    log_for_people("error")
    configure_logs(read_settings())
    stopping = asyncio.Event()
    with stop_on_signals(stopping):
        await run_until(stopping, _show(console, full=full, album=album, opens=not no_open))
    if stopping.is_set() and not album:
        raise Interrupted(_REMOVED)
    console.print(f"[bold green]✓[/] {_REMOVED}")
    console.print(
        f"Next:  [cyan]{program()} up[/]  runs a stack;  [cyan]{program()} --help[/]  lists the commands.",
        soft_wrap=True,
    )


async def _show(console: Console, *, full: bool, album: bool, opens: bool) -> None:
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
        recent = conversation(now)
        await _tell(console, client, recent, WITH_LLM_S if llms else PATIENCE_S)
        await _ask(console, client, now, full=full)
        stats = await client.stats(USER)
        console.print()
        console.print(Rule(style="dim"))
        console.print(
            f"[bold green]✓[/] {stats.memories} memories, {stats.facts} facts, {len(QUESTIONS)} answers "
            f"in {monotonic() - began:.0f} s"
        )
        if album:
            earlier = conversation(now, "years")
            await _tell(console, client, earlier, WITH_LLM_S if llms else PATIENCE_S)
            last = {message.conversation_id: message.timestamp for message in (*earlier, *recent)}
            for conversation_id, at in last.items():
                await client.end_session(USER, conversation_id, at)
            await _open_album(console, stack, settings, opens=opens)
            await stack.watch()


async def _open_album(console: Console, stack: LocalStack, settings: Settings, *, opens: bool) -> None:
    """Print a link to the album, and let other commands find the stack while it runs."""
    at = announced(stack.endpoints, settings)
    write_stack_file(at.data_dir, {**at.document(), "workers": [*ALL_WORKERS], "pid": os.getpid()})
    target = ServerTarget(at.nats_url, "default", "the demo")
    link = await album_link(target, at.http_url, USER, operator=False)
    again = f"{program()} album --user {USER}{data_dir_option(at.data_dir)}"
    print_album(console, link, again)
    console.print("Stop it with Ctrl-C.")
    if opens and console.is_terminal:
        await asyncio.to_thread(webbrowser.open, link)


async def _ask(console: Console, client: MemoryClient, now: datetime, *, full: bool) -> None:
    """Ask everything, and show of each question one screen, or all with `full`."""
    for number, question in enumerate(QUESTIONS, start=1):
        asked, language = monotonic(), question.language
        reply = await client.context(
            USER,
            question.text,
            now=now,
            timezone=TIMEZONE,
            language=language,
            limit=_MEMORIES,
            token_budget=_TOKENS,
            recent_limit=_RECENT,
            explain=full,
        )
        took = monotonic() - asked
        answer = await client.answer(
            USER, question.text, now=now, timezone=TIMEZONE, language=language, reinforce=False
        )
        title = Text.assemble((f"{number}/{len(QUESTIONS)}  ", "dim"), (question.text, "bold yellow"))
        line = Text.assemble((f"{question.shows}: ", "italic"), (_understanding(reply.analysis), "cyan"))
        console.print()
        console.print(Rule(title, align="left"))
        console.print(line.append(f" · {took * 1000:.0f} ms", "dim"))
        told = answer.answer if full else _in_two_lines(console, answer.answer)
        console.print(Text.assemble(("Answer  ", "bold"), (plain(told), "bold green")))
        console.print(Text(f"        confidence {answer.confidence:.2f} of 1, by {answer.by.value}", "dim"))
        _show_found(console, reply, None if full else _SHOWN)


def _show_found(console: Console, reply: ContextReply, most: int | None) -> None:
    """Print memories with their scores, facts, and the context; in full where `most` is None."""
    found = reply.memories[:most]
    if most is not None:
        found = tuple(_brief(console, memory) for memory in found)
    console.print(memories_block(found, _VIEW))
    if reply.facts:
        console.print(Text("Facts", "bold"))
        console.print(facts_block(reply.facts[:most], _VIEW))
    console.print(_context(reply, whole=most is None))


def _in_two_lines(console: Console, text: str) -> str:
    return shorten(text, int(1.9 * (console.width - _BESIDE)), placeholder=" …")


def _brief(console: Console, memory: MemoryView) -> MemoryView:
    """Return a memory without its topics, in two lines."""
    content = _in_two_lines(console, memory.content or "")
    return memory.model_copy(update={"topics": (), "content": content})


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
    title = f"context, for the prompt: {reply.tokens} tokens"
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

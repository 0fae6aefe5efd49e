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
from typing import Final
from zoneinfo import ZoneInfo

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.rule import Rule
from rich.text import Text

from ricordo import log
from ricordo.client import MemoryClient
from ricordo.messages.enumerations import MessageState
from ricordo.messages.events import MessageReceived
from ricordo.runtime.process import stop_on_signals
from ricordo.runtime.tasks import run_until
from ricordo_services.cli.command_settings import read_settings
from ricordo_services.cli.failures import Failed, Interrupted, program
from ricordo_services.cli.output import page
from ricordo_services.cli.up_command import ALL_WORKERS, running

USER: Final = "giulia"
NAME: Final = "Giulia"
TIMEZONE: Final = "Europe/Rome"
_MANY: Final = 1000  # more than there are messages


def conversation(now: datetime) -> list[MessageReceived]:
    """Return the messages in the order in which they were said, the last one shortly before `now`."""
    text = files(__package__).joinpath("conversation.jsonl").read_text(encoding="utf-8")
    lines = [json.loads(line) for line in text.splitlines()]
    return [_message(line, number, now.astimezone(UTC)) for number, line in enumerate(lines, start=1)]


def _message(line: Mapping[str, str | int], number: int, now: datetime) -> MessageReceived:
    by_user, zone = line["role"] == "user", ZoneInfo(TIMEZONE)
    today = now.astimezone(zone).date()
    if "minutes_ago" in line:
        # Right after midnight today is short: what was said today stays today, and in its order.
        midnight = datetime.combine(today, time(), zone).astimezone(UTC)
        earliest = midnight + (now - midnight) * number / _MANY
        moment = max(now - timedelta(minutes=int(line["minutes_ago"])), earliest)
    else:
        day = today + timedelta(days=int(line["day"]))
        moment = datetime.combine(day, time.fromisoformat(str(line["time"])), zone)
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


_QUESTIONS: Final = tomllib.loads(files(__package__).joinpath("questions.toml").read_text("utf-8"))
QUESTIONS: Final = tuple(DemoQuestion(**question) for question in _QUESTIONS["question"])
PATIENCE_S: Final = 60.0
_MEMORIES: Final = 5  # in a context
_TOKENS: Final = 500  # of a context
_RECENT: Final = 2  # of the last messages in a context


async def demo(*, full: bool = False) -> None:
    """See it at work: a conversation of some weeks, then questions and answers."""
    console = page()
    log.configure(level="error", readable=True)  # people read this output; errors are still logged
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
            run = await exits.enter_async_context(running(Path(folder) / "data", ALL_WORKERS, settings))
            advance()
        client = await exits.enter_async_context(MemoryClient.connect(run.endpoints.nats_url))
        now = datetime.now(UTC)
        await _tell(console, client, conversation(now))
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
        place = f"{number}/{len(QUESTIONS)}"
        from ricordo_services.cli.demo.demo_answers import DemoAnswer, show_answer  # noqa: PLC0415 - slow to load

        show_answer(console, DemoAnswer(place, question, reply, took, whole=whole, full=full))


async def _tell(console: Console, client: MemoryClient, messages: Sequence[MessageReceived]) -> None:
    with _step(console, f"{NAME} tells: {len(messages)} messages", len(messages)) as advance:
        for message in messages:
            await client.publish(message)
            advance()
    with _step(console, "the workers remember", len(messages)) as advance:
        for message in messages:
            receipt = (await client.remembered([message.id], PATIENCE_S))[message.id]
            if receipt.state is not MessageState.REMEMBERED:
                raise Failed(f"message {message.id} was not remembered: {receipt.error}")
            advance()


@contextmanager
def _step(console: Console, title: str, total: int) -> Iterator[Callable[[], None]]:
    columns = (SpinnerColumn(finished_text="[green]✓"), TextColumn("{task.description:52}"))
    with Progress(*columns, BarColumn(bar_width=24), TimeElapsedColumn(), console=console) as progress:
        task = progress.add_task(title, total=total)
        yield lambda: progress.advance(task)

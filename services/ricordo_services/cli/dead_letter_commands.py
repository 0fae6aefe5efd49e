"""`ricordo dlq list|show|replay|discard`."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Annotated

from nats.js import JetStreamContext
from rich.table import Table
from rich.text import Text

from ricordo.client import Timeout
from ricordo_services import dead_letters
from ricordo_services.cli.client_calls import SECONDS, Call
from ricordo_services.cli.failures import Failed, Misused
from ricordo_services.cli.options import ServerOptions, argument, flag, offered, option
from ricordo_services.cli.output import local_text, out_console, plain, print_json, print_remark, print_text

LetterCall = Annotated[Call, offered("nats", "data_dir", as_json="Print one JSON object per dead letter.")]


@asynccontextmanager
async def _streams(call: Call) -> AsyncIterator[JetStreamContext]:
    """Connect to the bus for the length of an `async with`; errors there say what to do."""
    async with call.target.connection() as connection:
        try:
            yield connection.client.jetstream(timeout=SECONDS)
        except Timeout as error:
            advice = (
                "a bot's credentials do not let it ask: `operator.env` of `ricordo auth` has some that do"
            )
            raise Failed(f"{error}; {advice}") from None


def dlq(servers: Annotated[ServerOptions, offered("nats", "data_dir")]) -> None:
    """List, show, replay and discard dead letters.

    Examples:
        ricordo dlq list
        ricordo dlq show 12
        ricordo dlq replay 12 13
        ricordo dlq replay --all
        ricordo dlq discard 14
    """


async def list_(
    call: LetterCall, *, limit: Annotated[int, option("N", "Maximum number.", min=1)] = 50
) -> None:
    """List the last dead letters, with the reason of each."""
    async with _streams(call) as streams:
        letters = await dead_letters.newest(streams, limit)
    if call.as_json:
        for letter in letters:
            print_json(letter.summary())
        return
    if not letters:
        print_remark("no dead letters")
        return
    table = Table(box=None, header_style="bold", pad_edge=False)
    for column in ("number", "given up", "consumer", "subject", "message", "attempts", "reason"):
        table.add_column(column, overflow="fold")
    for letter in letters:
        reason = Text.assemble((plain(letter.code), "red"), ": ", plain(letter.reason))
        message, subject = plain(letter.message_id or "-"), plain(letter.subject)
        place = (str(letter.sequence), local_text(letter.at, None), letter.consumer, subject, message)
        table.add_row(*place, str(letter.attempts or "-"), reason)
    out_console().print(table)


async def show(call: LetterCall, sequence: Annotated[int, argument("NUMBER", "Number in the list.")]) -> None:
    """Show one dead letter with its headers and body."""
    async with _streams(call) as streams:
        letter = await dead_letters.find(streams, sequence)
    body = letter.text
    if call.as_json:
        print_json({**letter.summary(), "headers": dict(letter.headers), "body": body})
        return
    console = out_console()
    for name, value in letter.summary().items():
        text = local_text(letter.at, None) if name == "at" else "-" if value is None else str(value)
        console.print(Text.assemble((f"{name:12}", "bold cyan"), plain(text)))
    for name, value in letter.headers.items():
        console.print(Text.assemble((f"{name:12}", "dim"), " ", plain(value)))
    console.print()
    with suppress(ValueError, RecursionError):
        body = json.dumps(json.loads(body), ensure_ascii=False, indent=2)
    print_text(body)


async def replay(
    call: LetterCall,
    sequences: Annotated[list[int] | None, argument("NUMBER...", "Number in the list.")] = None,
    *,
    everything: Annotated[bool, flag("--all", "All dead letters.")] = False,
) -> None:
    """Send dead letters again, each to the consumer that rejected it.

    A message that fails again gets a new number.
    """
    if bool(sequences) == everything:
        raise Misused("name the dead letters to replay, or all of them with --all")
    async with _streams(call) as streams:
        numbers = dict.fromkeys(sequences or ())  # each once
        chosen = (
            await dead_letters.newest(streams, None)
            if everything
            else [await dead_letters.find(streams, n) for n in numbers]
        )
        for letter in chosen:
            await dead_letters.replay(streams, letter)
            if call.as_json:
                print_json(letter.summary())
    if not call.as_json:
        print_remark(f"{len(chosen)} replayed")


async def discard(
    call: LetterCall, sequence: Annotated[int, argument("NUMBER", "Number in the list.")]
) -> None:
    """Delete one dead letter for good, unhandled."""
    async with _streams(call) as streams:
        letter = await dead_letters.find(streams, sequence)
        await dead_letters.discard(streams, letter)
    if call.as_json:
        print_json(letter.summary())
    else:
        print_remark(f"dead letter {sequence} is deleted")

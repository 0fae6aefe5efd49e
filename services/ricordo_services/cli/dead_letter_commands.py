"""`ricordo dlq list|show|replay`, and the stream of dead letters."""

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Annotated, Final, Self

import nats.js.errors
from nats.js import JetStreamContext
from nats.js.api import RawStreamMsg
from rich.table import Table
from rich.text import Text

from ricordo.client import Timeout
from ricordo.messages import errors
from ricordo.messages.subjects import (
    MESSAGE_ID,
    REPLAYED_FOR,
    STREAM_DEAD_LETTERS,
    InvalidSubject,
    parse_dead_letter,
)
from ricordo.runtime.decoding import references
from ricordo_services.cli.client_calls import SECONDS, Call
from ricordo_services.cli.failures import Failed, Misused
from ricordo_services.cli.options import ServerOptions, argument, flag, offered, option
from ricordo_services.cli.output import local_text, out_console, plain, print_json, print_remark, print_text
from ricordo_services.ingest_watch import stream_errors

_ALL: Final = 1_000_000_000
_OWN_HEADERS: Final = frozenset(
    {
        errors.DEAD_LETTER_ATTEMPTS,
        errors.DEAD_LETTER_REASON,
        errors.DEAD_LETTER_SEQUENCE,
        MESSAGE_ID,
        REPLAYED_FOR,
    }
)
_MESSAGE_NOT_FOUND: Final = 10043  # JetStream: no message has that sequence


LetterCall = Annotated[Call, offered("nats", "data_dir", as_json="Print one JSON object per dead letter.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Letter:
    """A dead letter."""

    sequence: int
    at: datetime
    consumer: str
    subject: str
    message_id: str | None
    code: str
    reason: str
    attempts: int | None
    headers: Mapping[str, str]
    body: bytes

    @classmethod
    def read(cls, raw: RawStreamMsg) -> Self:
        """Read a message of the stream."""
        headers = dict(raw.headers or {})
        consumer, subject, body = "", raw.subject or "", raw.data or b""
        with suppress(InvalidSubject):
            consumer, subject = parse_dead_letter(subject)
        code, reason = errors.dead_letter_reason(headers)
        attempts = headers.get(errors.DEAD_LETTER_ATTEMPTS, "")
        return cls(
            sequence=raw.seq or 0,
            at=raw.time or datetime.fromtimestamp(0, UTC),
            consumer=consumer,
            subject=subject,
            message_id=references(subject, body).message_id,
            code=code,
            reason=reason,
            attempts=int(attempts) if attempts.isdigit() else None,
            headers={name: value for name, value in headers.items() if name not in _OWN_HEADERS},
            body=body,
        )

    def summary(self) -> dict[str, object]:
        """Return the fields that a list shows."""
        shown = {name: value for name, value in asdict(self).items() if name not in ("headers", "body")}
        return {**shown, "at": self.at.isoformat()}


@asynccontextmanager
async def _streams(call: Call) -> AsyncIterator[JetStreamContext]:
    """Connect to the bus for the length of an `async with`; errors there say what to do."""
    async with call.target.connection() as connection:
        try:
            with stream_errors(STREAM_DEAD_LETTERS):
                yield connection.client.jetstream(timeout=SECONDS)
        except nats.js.errors.NotFoundError:
            raise Failed(
                f"the stream {STREAM_DEAD_LETTERS} is not there yet: workers make it when they start, "
                "and `ricordo up` starts them"
            ) from None
        except Timeout as error:
            advice = (
                "a bot's credentials do not let it ask: `operator.env` of `ricordo auth` has some that do"
            )
            raise Failed(f"{error}; {advice}") from None


async def _newest(streams: JetStreamContext, limit: int) -> list[Letter]:
    """Return the last `limit` letters, oldest first."""
    state = (await streams.stream_info(STREAM_DEAD_LETTERS)).state
    letters: list[Letter] = []
    sequence = state.last_seq
    while state.messages and sequence >= max(state.first_seq, 1) and len(letters) < limit:
        with suppress(nats.js.errors.NotFoundError):  # replayed or deleted
            letters.append(Letter.read(await streams.get_msg(STREAM_DEAD_LETTERS, sequence)))
        sequence -= 1
    return letters[::-1]


async def _numbered(streams: JetStreamContext, sequence: int) -> Letter:
    """Return the letter with that number."""
    if sequence > 0:
        with suppress(nats.js.errors.NotFoundError):
            return Letter.read(await streams.get_msg(STREAM_DEAD_LETTERS, sequence))
    raise Failed(f"there is no dead letter {sequence}: `ricordo dlq list` shows those there are")


def dlq(servers: Annotated[ServerOptions, offered("nats", "data_dir")]) -> None:
    """List, show and replay dead letters.

    Examples:
        ricordo dlq list
        ricordo dlq show 12
        ricordo dlq replay 12 13
        ricordo dlq replay --all
    """


async def list_(
    call: LetterCall, *, limit: Annotated[int, option("N", "Maximum number.", min=1)] = 50
) -> None:
    """List the last dead letters, with the reason of each."""
    async with _streams(call) as streams:
        letters = await _newest(streams, limit)
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
        letter = await _numbered(streams, sequence)
    body = letter.body.decode("utf-8", "replace")
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
            await _newest(streams, _ALL) if everything else [await _numbered(streams, n) for n in numbers]
        )
        for letter in chosen:
            headers = {**letter.headers, REPLAYED_FOR: letter.consumer}
            headers[MESSAGE_ID] = f"replay:{letter.sequence}:{datetime.now(UTC).timestamp()}"
            await streams.publish(letter.subject, letter.body, headers=headers, timeout=SECONDS)
            try:
                await streams.delete_msg(STREAM_DEAD_LETTERS, letter.sequence)
            except nats.js.errors.APIError as error:  # somebody else may have taken it out meanwhile
                if error.err_code != _MESSAGE_NOT_FOUND:
                    raise
            if call.as_json:
                print_json(letter.summary())
    if not call.as_json:
        print_remark(f"{len(chosen)} replayed")

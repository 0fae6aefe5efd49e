"""`ricordo dlq list|show|replay`, and the stream of dead letters."""

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, Self

import nats.errors
import nats.js.errors
from nats.js import JetStreamContext
from nats.js.api import RawStreamMsg
from rich.table import Table
from rich.text import Text

from ricordo.messages.errors import (
    DEAD_LETTER_ATTEMPTS,
    DEAD_LETTER_REASON,
    DEAD_LETTER_SEQUENCE,
    dead_letter_reason,
)
from ricordo.messages.subjects import (
    MESSAGE_ID,
    REPLAYED_FOR,
    STREAM_DEAD_LETTERS,
    InvalidSubject,
    parse_dead_letter,
)
from ricordo.runtime.decoding import stored_references
from ricordo_services.cli.client_calls import SECONDS, Call, ServerTarget
from ricordo_services.cli.failures import Failed, Misused
from ricordo_services.cli.output import err_console, local_text, out_console, plain, print_json, print_text
from ricordo_services.ingest_watch import silence

_DLQ_HEADERS: Final = frozenset(
    {DEAD_LETTER_ATTEMPTS, DEAD_LETTER_REASON, DEAD_LETTER_SEQUENCE, MESSAGE_ID, REPLAYED_FOR}
)
_MESSAGE_NOT_FOUND: Final = 10043  # JetStream: no message has that sequence


@dataclass(frozen=True, slots=True)
class Letter:
    """A dead letter.

    Attributes:
        origin: its number in the stream that it came from; None where that cannot be read.
    """

    sequence: int
    consumer: str
    subject: str
    code: str
    reason: str
    attempts: str
    origin: int | None
    message_id: str | None
    at: datetime
    headers: Mapping[str, str]
    body: bytes

    @classmethod
    def read(cls, raw: RawStreamMsg) -> Self:
        """Read a message of the stream."""
        headers = dict(raw.headers or {})
        subject, body = raw.subject or "", raw.data or b""
        try:
            consumer, original = parse_dead_letter(subject)
        except InvalidSubject:
            consumer, original = "", subject
        code, reason = dead_letter_reason(headers)
        return cls(
            sequence=raw.seq or 0,
            consumer=consumer,
            subject=original,
            code=code,
            reason=reason,
            attempts=headers.get(DEAD_LETTER_ATTEMPTS, ""),
            origin=int(number) if (number := headers.get(DEAD_LETTER_SEQUENCE, "")).isdigit() else None,
            message_id=stored_references(original, body).message_id,
            at=raw.time or datetime.fromtimestamp(0, UTC),
            headers={name: value for name, value in headers.items() if name not in _DLQ_HEADERS},
            body=body,
        )

    def summary(self) -> dict[str, object]:
        """Return the fields that a list shows."""
        return {
            "sequence": self.sequence,
            "at": self.at.isoformat(),
            "consumer": self.consumer,
            "subject": self.subject,
            "message_id": self.message_id,
            "code": self.code,
            "reason": self.reason,
            "attempts": int(self.attempts) if self.attempts.isdigit() else None,
        }


class Letters:
    """The dead letters of a bus; made by `open_letters`."""

    def __init__(self, stream: JetStreamContext) -> None:
        self._stream = stream

    async def newest(self, limit: int) -> list[Letter]:
        """Return the last `limit` letters, oldest first."""
        state = (await self._stream.stream_info(STREAM_DEAD_LETTERS)).state
        found: list[Letter] = []
        sequence = state.last_seq
        while state.messages and sequence >= max(state.first_seq, 1) and len(found) < limit:
            with suppress(NoSuchLetter):  # replayed or deleted
                found.append(await self.one(sequence))
            sequence -= 1
        return found[::-1]

    async def one(self, sequence: int) -> Letter:
        """Return the letter with that number.

        Raises:
            NoSuchLetter: there is none.
        """
        if sequence < 1:
            raise NoSuchLetter(sequence)
        try:
            return Letter.read(await self._stream.get_msg(STREAM_DEAD_LETTERS, sequence))
        except nats.js.errors.NotFoundError:
            raise NoSuchLetter(sequence) from None

    async def replay(self, letter: Letter) -> None:
        """Publish a letter again for the consumer that gave it up, then delete it from the stream.

        Somebody else may take it out meanwhile.
        """
        headers = {**letter.headers, REPLAYED_FOR: letter.consumer}
        headers[MESSAGE_ID] = f"replay:{letter.sequence}:{datetime.now(UTC).timestamp()}"
        await self._stream.publish(letter.subject, letter.body, headers=headers, timeout=SECONDS)
        try:
            await self._stream.delete_msg(STREAM_DEAD_LETTERS, letter.sequence)
        except nats.js.errors.APIError as error:
            if error.err_code != _MESSAGE_NOT_FOUND:
                raise


class NoSuchLetter(Failed):
    """No dead letter has that number."""

    def __init__(self, sequence: int) -> None:
        super().__init__(f"there is no dead letter {sequence}: `ricordo dlq list` shows those there are")


@asynccontextmanager
async def open_letters(target: ServerTarget) -> AsyncIterator[Letters]:
    """Connect to the bus for the length of an `async with`.

    Raises:
        RicordoError: it does not answer, or refuses the credentials.
        Failed: it has no dead letters' stream yet.
    """
    async with target.connection() as connection:
        try:
            yield Letters(connection.client.jetstream(timeout=SECONDS))
        except nats.js.errors.NotFoundError:
            raise Failed(
                f"the stream {STREAM_DEAD_LETTERS} is not there yet: workers make it when they start, "
                "and `ricordo up` starts them"
            ) from None
        except TimeoutError:
            raise Failed(
                f"{silence(STREAM_DEAD_LETTERS)}; a bot's credentials do not let it ask: `operator.env` of "
                "`ricordo auth` has some that do"
            ) from None
        except (nats.errors.Error, OSError) as error:
            raise Failed(f"the dead letters cannot be read: {str(error) or type(error).__name__}") from None


async def list_(call: Call, *, limit: int = 50) -> None:
    """List the last dead letters, with the reason of each."""
    async with open_letters(call.target) as letters:
        found = await letters.newest(limit)
    if call.as_json:
        for letter in found:
            print_json(letter.summary())
    elif found:
        out_console().print(_table(found))
    else:
        err_console().print("no dead letters")


async def show(call: Call, sequence: int) -> None:
    """Show one dead letter with its headers and its body."""
    async with open_letters(call.target) as letters:
        letter = await letters.one(sequence)
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


async def replay(call: Call, sequences: list[int] | None = None, *, everything: bool = False) -> None:
    """Send dead letters on their way again, each to the consumer that gave it up."""
    if bool(sequences) == everything:
        raise Misused("name the dead letters to replay, or all of them with --all")
    async with open_letters(call.target) as letters:
        numbers = dict.fromkeys(sequences or ())  # each once
        chosen = await letters.newest(_ALL) if everything else [await letters.one(one) for one in numbers]
        for letter in chosen:
            await letters.replay(letter)
            if call.as_json:
                print_json(letter.summary())
    if not call.as_json:
        err_console().print(f"{len(chosen)} replayed")


_ALL = 1_000_000_000


def _table(letters: list[Letter]) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False)
    for column in ("number", "given up", "consumer", "subject", "message", "attempts", "reason"):
        table.add_column(column, overflow="fold")
    for letter in letters:
        reason = Text.assemble((plain(letter.code), "red"), ": ", plain(letter.reason))
        message, subject = plain(letter.message_id or "-"), plain(letter.subject)
        place = (str(letter.sequence), local_text(letter.at, None), letter.consumer, subject, message)
        table.add_row(*place, plain(letter.attempts), reason)
    return table

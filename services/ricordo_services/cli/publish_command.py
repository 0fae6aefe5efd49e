"""`ricordo publish`: publishes the lines of a file, and waits until they are remembered."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

import typer
from rich.text import Text

from ricordo.client import InvalidRequest, MemoryClient, Published, RicordoError, StreamFull
from ricordo.client.exceptions import first_of
from ricordo.client.publish_methods import acknowledged
from ricordo.messages.codec import readable_id
from ricordo.messages.enumerations import MessageState
from ricordo.messages.errors import DecodeError
from ricordo.messages.events import MessageReceived
from ricordo_services.cli.client_calls import SECONDS, Call, ServerTarget
from ricordo_services.cli.failures import FAILED, Failed, Interrupted
from ricordo_services.cli.input_files import STANDARD_INPUT, is_text, numbered_lines, read_document, title
from ricordo_services.cli.output import Show, err_console, out_console, print_json, print_remark, progress
from ricordo_services.ingest_watch import IngestWatch

WINDOW: Final = 256  # acks in flight
_AWAITED_AT_ONCE: Final = 500
_FULL_PAUSE_S: Final = 0.5
_FULL_PATIENCE: Final = 120  # pauses: a minute without room is no longer a peak


class Acknowledged(NamedTuple):
    """An acknowledged message; `line` is where it stands in the input, from 1."""

    line: int
    message_id: str
    sequence: int


class Fault(NamedTuple):
    """A message that failed; `line` is where it stands in the input, from 1."""

    line: int
    message_id: str | None
    reason: str


@dataclass(slots=True)
class Publication:
    """The state of a publication."""

    report: Callable[[Fault], None]
    source: str = "standard input"
    acknowledged: list[Acknowledged] = field(default_factory=list)
    repeated: bool = False  # whether any of these was published just before, by the word of the stream
    known: int | None = None  # how many were stored before; None if that was not asked
    remembered: int = 0
    faults: list[Fault] = field(default_factory=list)

    @property
    def failed(self) -> set[str]:
        """The ids of failed messages, where they could be read."""
        return {one.message_id for one in self.faults if one.message_id is not None}

    @property
    def settled(self) -> int:
        """How many lines are acknowledged or have failed."""
        return len(self.acknowledged) + len(self.faults)

    @property
    def so_far(self) -> str:
        """The progress, for a message when it is interrupted."""
        return f"{acknowledged(len(self.acknowledged))}, and publishing all of them again is safe"

    def fail(self, fault: Fault) -> None:
        """Note and report a fault."""
        self.faults.append(fault)
        self.report(fault)


async def publish_lines(
    client: MemoryClient,
    lines: AsyncIterator[tuple[int, bytes]],
    publication: Publication,
    *,
    bulk: bool,
    show: Callable[[int], None],
) -> None:
    """Publish each line; a line that cannot be published becomes a fault.

    Args:
        show: told how many lines are done with, after each.

    Raises:
        Failed: these are no lines of text.
        RicordoError: nothing more can be published; says how much was acknowledged.
    """
    slots, began = asyncio.Semaphore(WINDOW), False

    async def send(number: int, message: MessageReceived) -> None:
        try:
            published = await _until_taken(client, message, bulk=bulk)
            publication.acknowledged.append(Acknowledged(number, message.id, published.sequence))
            publication.repeated |= published.duplicate
        except InvalidRequest as error:
            publication.fail(Fault(number, message.id, error.message))
        finally:
            slots.release()
            show(publication.settled)

    try:
        async with asyncio.TaskGroup() as flying:
            async for number, line in lines:
                if not began:
                    _refuse_binary(publication.source, number, line)
                try:
                    message = read_document(MessageReceived, line)
                    began = True
                except DecodeError as error:
                    publication.fail(Fault(number, readable_id(line), error.message))
                    show(publication.settled)
                    continue
                await slots.acquire()
                flying.create_task(send(number, message))
    except* (RicordoError, Failed) as group:
        first = first_of(group)
        if isinstance(first, RicordoError):
            first = type(first)(f"{first}; {publication.so_far}")
        raise first from None


def _refuse_binary(source: str, number: int, line: bytes) -> None:
    """Refuse a binary file as a whole."""
    if not is_text(line):
        raise Failed(
            f"{source}, line {number} is not text in UTF-8: this is no file of messages, a JSON object a line"
        )


async def _until_taken(client: MemoryClient, message: MessageReceived, *, bulk: bool) -> Published:
    """Publish, and retry while the stream is full."""
    for _ in range(_FULL_PATIENCE):
        try:
            return await client.publish(message, bulk=bulk)
        except StreamFull:
            await asyncio.sleep(_FULL_PAUSE_S)
    raise StreamFull("the input stream is full and stays so: do the workers run? `ricordo doctor` tells")


@asynccontextmanager
async def open_ingest_watch(target: ServerTarget) -> AsyncIterator[IngestWatch | None]:
    """Watch ingest for the length of an `async with`; None where the credentials do not allow it.

    Raises:
        RicordoError: NATS does not answer.
    """
    async with target.connection() as connection:
        yield await IngestWatch.open(connection.client.jetstream(timeout=SECONDS), target.tenant)


async def await_remembered(
    client: MemoryClient,
    publication: Publication,
    watch: IngestWatch | None,
    timeout: float,
    show: Show,
) -> None:
    """Wait until all acknowledged messages are remembered or have failed.

    Args:
        watch: tells what ingest has refused; None without permission to read that.
        timeout: seconds without any progress after which it is given up.
        show: told how many are, and of how many.

    Raises:
        Timeout: some are still under way.
        Unavailable: the refused messages cannot be read now.
    """
    sequences = {one.sequence for one in publication.acknowledged}
    refused = await watch.refusals(sequences, timeout, repeated=publication.repeated) if watch else {}
    lines: defaultdict[str, list[int]] = defaultdict(list)
    unpublished, total = len(publication.faults), len(publication.acknowledged)
    for line, message_id, sequence in publication.acknowledged:
        if sequence in refused:
            publication.fail(Fault(line, message_id, refused[sequence]))
        else:
            lines[message_id].append(line)
    ids = iter(lines)
    while chunk := list(islice(ids, _AWAITED_AT_ONCE)):
        for message_id, receipt in (await client.remembered(chunk, timeout)).items():
            if receipt.state is MessageState.REMEMBERED:
                publication.remembered += len(lines[message_id])
            else:
                for line in lines[message_id]:
                    publication.fail(Fault(line, message_id, receipt.error or "failed"))
        show(publication.remembered + len(publication.faults) - unpublished, total)


async def publish_all(
    call: Call,
    client: MemoryClient,
    lines: AsyncGenerator[tuple[int, bytes], None],
    publication: Publication,
    *,
    bulk: bool,
    wait: bool,
    timeout: float,
    total: int | None = None,
) -> None:
    """Publish lines, and close their source; with `wait`, until all are remembered. Shows the progress.

    Args:
        timeout: seconds without any progress after which waiting is given up.
        total: the number of lines, where it is known.

    Raises:
        Failed: these are no lines of text.
        RicordoError: as `publish_lines` and `await_remembered`.
    """
    async with AsyncExitStack() as exits:
        watch = await exits.enter_async_context(open_ingest_watch(call.target)) if wait else None
        await exits.enter_async_context(aclosing(lines))
        with progress(err_console(), "published", quiet=call.as_json) as show:
            await publish_lines(
                client, lines, publication, bulk=bulk, show=lambda settled: show(settled, total)
            )
        if wait:
            with progress(err_console(), "remembered", quiet=call.as_json) as show:
                await await_remembered(client, publication, watch, timeout, show)


async def publish(
    call: Call, source: str, *, wait: bool = False, bulk: bool = False, timeout: float = 120.0
) -> None:
    """Publish messages, a JSON object a line."""
    _check_file(source)
    publication = Publication(partial(report_fault, title(source)), title(source))
    try:
        async with call.client() as client:
            lines = numbered_lines(source)
            await publish_all(call, client, lines, publication, bulk=bulk, wait=wait, timeout=timeout)
    except asyncio.CancelledError:
        raise Interrupted(publication.so_far) from None
    _summarise(publication, wait=wait, as_json=call.as_json)
    if publication.faults:
        raise typer.Exit(FAILED)


def _check_file(source: str) -> None:
    """Check that a file is there, before connecting."""
    if source == STANDARD_INPUT:
        return
    path = Path(source)
    if not path.exists():
        raise Failed(f"there is no file {source}")
    if path.is_dir():
        raise Failed(f"{source} is a folder: name a file of messages, a JSON object a line")


def report_fault(file: str, fault: Fault) -> None:
    """Print a fault on standard error."""
    who = f" ({fault.message_id})" if fault.message_id else ""
    print_remark(f"{file}, line {fault.line}{who}: {fault.reason}", "red")


def _summarise(publication: Publication, *, wait: bool, as_json: bool) -> None:
    published, failed = len(publication.acknowledged), len(publication.faults)
    if as_json:
        faults = [
            {"line": fault.line, "id": fault.message_id, "message": fault.reason}
            for fault in sorted(publication.faults)
        ]
        remembered = {"remembered": publication.remembered} if wait else {}
        print_json({"published": published, **remembered, "failed": failed, "faults": faults})
        return
    line = Text(f"{published} published")
    if wait:
        line.append(f", {publication.remembered} remembered", "green")
    if failed:
        line.append(f", {failed} failed", "bold red")
    out_console().print(line)

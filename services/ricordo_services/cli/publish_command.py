"""`ricordo publish`: publishes the lines of a file, and waits until they are remembered."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import AsyncExitStack, aclosing
from dataclasses import dataclass, field
from itertools import islice
from typing import Annotated, Final, NamedTuple

import typer

from ricordo.client import InvalidRequest, MemoryClient, RicordoError
from ricordo.client.exceptions import first_of
from ricordo.client.publish_methods import acknowledged
from ricordo.messages.codec import readable_id
from ricordo.messages.enumerations import MessageState
from ricordo.messages.errors import DecodeError
from ricordo.messages.events import MessageReceived
from ricordo_services.bulk_publication import publish_when_room
from ricordo_services.cli.client_calls import SECONDS, Call
from ricordo_services.cli.failures import FAILED, Failed, Interrupted
from ricordo_services.cli.input_files import in_thread, numbered_lines, read_document, require_file, title
from ricordo_services.cli.options import Patience, argument, flag
from ricordo_services.cli.output import Show, print_remark, progress
from ricordo_services.ingest_watch import IngestWatch

_WINDOW: Final = 256  # acks in flight
_AWAITED_AT_ONCE: Final = 500

Line = int | str
"""Where a message stands in the input: the number of its line, from 1, or another name of its place."""


class Acknowledged(NamedTuple):
    """An acknowledged message."""

    line: Line
    message_id: str
    sequence: int


class Fault(NamedTuple):
    """A message that failed."""

    line: Line
    message_id: str | None
    reason: str


@dataclass(slots=True)
class LinePublisher:
    """Publishes the lines of an input, and knows what became of them."""

    client: MemoryClient
    place: Callable[[Line], str]  # names a line of the input for people
    bulk: bool = False
    acknowledged: list[Acknowledged] = field(default_factory=list)
    repeated: bool = False  # whether any of these was published just before, by the word of the stream
    remembered: int = 0
    faults: list[Fault] = field(default_factory=list)

    @property
    def so_far(self) -> str:
        """The progress, for a message when it is interrupted."""
        return f"{acknowledged(len(self.acknowledged))}, and publishing all of them again is safe"

    def counts(self, *, wait: bool) -> dict[str, int]:
        """Count the messages that are published, remembered (with `wait`) and failed."""
        remembered = {"remembered": self.remembered} if wait else {}
        return {"published": len(self.acknowledged), **remembered, "failed": len(self.faults)}

    async def run(
        self,
        call: Call,
        lines: Iterable[tuple[Line, bytes]],
        *,
        wait: bool,
        timeout: float,
        total: int | None = None,
    ) -> None:
        """Publish lines and show the progress; with `wait`, until all are remembered. A thread reads them.

        Args:
            timeout: seconds without any progress after which waiting is given up.
            total: the number of lines, where it is known.

        Raises:
            Failed: these are no lines of text.
            Interrupted: says how much was acknowledged.
            RicordoError: as `publish` and `await_remembered`.
        """
        try:
            async with AsyncExitStack() as exits:
                watch = None
                if wait:
                    connection = await exits.enter_async_context(call.target.connection())
                    streams = connection.client.jetstream(timeout=SECONDS)
                    watch = await IngestWatch.open(streams, self.client.tenant)
                read = await exits.enter_async_context(aclosing(in_thread(lines)))
                with progress("published", quiet=call.as_json) as show:
                    await self.publish(read, show, total)
                if wait:
                    with progress("remembered", quiet=call.as_json) as show:
                        await self.await_remembered(watch, timeout, show)
        except asyncio.CancelledError:
            raise Interrupted(self.so_far) from None

    async def publish(
        self, lines: AsyncIterator[tuple[Line, bytes]], show: Show, total: int | None = None
    ) -> None:
        """Publish each line; a line that cannot be published becomes a fault.

        Args:
            show: told how many lines are done with, of `total`.

        Raises:
            Failed: these are no lines of text.
            RicordoError: nothing more can be published; says how much was acknowledged.
        """
        slots, began = asyncio.Semaphore(_WINDOW), False

        async def send(line: Line, message: MessageReceived) -> None:
            try:
                published = await publish_when_room(self.client, message, bulk=self.bulk)
                self.acknowledged.append(Acknowledged(line, message.id, published.sequence))
                self.repeated |= published.duplicate
            except InvalidRequest as error:
                self._fail(Fault(line, message.id, error.message))
            finally:
                slots.release()
                show(len(self.acknowledged) + len(self.faults), total)

        try:
            async with asyncio.TaskGroup() as flying:
                async for line, body in lines:
                    if not body.strip():
                        continue
                    if not began:
                        _refuse_binary(self.place(line), body)
                    try:
                        message = read_document(MessageReceived, body)
                        began = True
                    except DecodeError as error:
                        self._fail(Fault(line, readable_id(body), error.message))
                        continue
                    await slots.acquire()
                    flying.create_task(send(line, message))
        except* (RicordoError, Failed) as group:
            first = first_of(group)
            if isinstance(first, RicordoError):
                first = type(first)(f"{first}; {self.so_far}")
            raise first from None

    async def await_remembered(self, watch: IngestWatch | None, timeout: float, show: Show) -> None:
        """Wait until all acknowledged messages are remembered or have failed.

        Args:
            watch: tells what ingest has refused; None without permission to read that.
            timeout: seconds without any progress after which it is given up.
            show: told how many are, and of how many.

        Raises:
            Timeout: some are still under way.
            Unavailable: the refused messages cannot be read now.
        """
        sequences = {one.sequence for one in self.acknowledged}
        refused = await watch.refusals(sequences, timeout, repeated=self.repeated) if watch else {}
        lines: defaultdict[str, list[Line]] = defaultdict(list)
        unpublished, total = len(self.faults), len(self.acknowledged)
        for line, message_id, sequence in self.acknowledged:
            if sequence in refused:
                self._fail(Fault(line, message_id, refused[sequence]))
            else:
                lines[message_id].append(line)
        ids = iter(lines)
        while chunk := list(islice(ids, _AWAITED_AT_ONCE)):
            for message_id, receipt in (await self.client.remembered(chunk, timeout)).items():
                if receipt.state is MessageState.REMEMBERED:
                    self.remembered += len(lines[message_id])
                else:
                    for line in lines[message_id]:
                        self._fail(Fault(line, message_id, receipt.error or "failed"))
            show(self.remembered + len(self.faults) - unpublished, total)

    def _fail(self, fault: Fault) -> None:
        """Note a fault, and print it on standard error."""
        self.faults.append(fault)
        who = f" ({fault.message_id})" if fault.message_id else ""
        print_remark(f"{self.place(fault.line)}{who}: {fault.reason}", "red")


def _refuse_binary(place: str, body: bytes) -> None:
    """Refuse a binary file as a whole."""
    if b"\x00" in body:
        raise Failed(f"{place} is not text: this is no file of messages, a JSON object a line")


async def publish(
    call: Call,
    source: Annotated[str, argument("FILE", "JSON Lines; - for standard input.")],
    *,
    wait: Annotated[bool, flag("--wait", "Return when all messages are remembered.")] = False,
    bulk: Annotated[bool, flag("--bulk", "Use the import queue, which delays no others.")] = False,
    timeout: Patience = 120.0,
) -> None:
    """Publish messages from JSON Lines: one JSON object per line.

    Returns when they are stored on disk. A line that cannot be is reported with its number.

    A minimal message (one line; wrapped here):
        {"id": "m-1", "user_id": "davide", "conversation_id": "c-1", "role": "user",
         "content": "My sister Nora lives in Dublin", "timestamp": "2026-01-05T10:00:00Z"}

    Examples:
        ricordo publish chat.jsonl --wait
        cat chat.jsonl | ricordo publish -
    """
    require_file(source)
    async with call.client() as client:
        publication = LinePublisher(client, lambda line: f"{title(source)}, line {line}", bulk)
        await publication.run(call, numbered_lines(source), wait=wait, timeout=timeout)
    counts = publication.counts(wait=wait)
    faults = [
        {"line": fault.line, "id": fault.message_id, "message": fault.reason}
        for fault in sorted(publication.faults, key=lambda fault: int(fault.line))
    ]
    told = ", ".join(f"{number} {what}" for what, number in counts.items() if number or what != "failed")
    call.print_result({**counts, "faults": faults}, told)
    if faults:
        raise typer.Exit(FAILED)

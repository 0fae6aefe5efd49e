"""Publishing the lines of a file with their acks in flight, and waiting until they are remembered."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from itertools import islice
from typing import Final, NamedTuple

from ricordo.client import InvalidRequest, MemoryClient, RicordoError, StreamFull, Unavailable
from ricordo.messages.codec import decode_as
from ricordo.messages.errors import DecodeError
from ricordo.messages.events import MessageReceived
from ricordo.messages.vocabulary import MessageState

WINDOW: Final = 256  # acks in flight
_AWAITED_AT_ONCE: Final = 500
_FULL_PAUSE_S: Final = 0.5
_FULL_PATIENCE: Final = 120  # pauses: a minute without room is no longer a peak


class Fault(NamedTuple):
    """A message that did not make it.

    Attributes:
        line: where it stands in the input, from 1.
        message_id: the bot's id, where it could be read.
        reason: a sentence.
    """

    line: int
    message_id: str | None
    reason: str


@dataclass(slots=True)
class Publication:
    """What became of the lines so far.

    Attributes:
        report: told of each fault when it is found.
        acknowledged: line numbers by message id; all of these are safe on disk.
        published: acks, repeated ids included.
        remembered: how many are remembered.
        faults: in the order of being found.
    """

    report: Callable[[Fault], None]
    acknowledged: dict[str, int] = field(default_factory=dict)
    published: int = 0
    remembered: int = 0
    faults: list[Fault] = field(default_factory=list)

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
    advance: Callable[[int], None],
) -> None:
    """Publish each line; one that cannot be is a fault and does not hold up the others.

    Args:
        client: connected.
        lines: numbered, JSON objects.
        publication: filled while it goes on.
        bulk: use the lane of imports.
        advance: told the bytes of each line that is done with.

    Raises:
        RicordoError: nothing more can be published; says how much was acknowledged.
    """
    slots = asyncio.Semaphore(WINDOW)

    async def send(number: int, line: bytes, message: MessageReceived) -> None:
        try:
            await _until_taken(client, message, bulk=bulk)
            publication.published += 1
            publication.acknowledged[message.id] = number
        except InvalidRequest as error:
            publication.fail(Fault(number, message.id, error.message))
        finally:
            slots.release()
            advance(len(line))

    try:
        async with asyncio.TaskGroup() as flying:
            async for number, line in lines:
                try:
                    message = decode_as(MessageReceived, line)
                except DecodeError as error:
                    publication.fail(Fault(number, None, error.message))
                    advance(len(line))
                    continue
                await slots.acquire()
                flying.create_task(send(number, line, message))
    except* RicordoError as group:
        raise _with_count(group, publication) from None


def _with_count(group: BaseExceptionGroup[RicordoError], publication: Publication) -> RicordoError:
    first: BaseException = group
    while isinstance(first, BaseExceptionGroup):
        first = first.exceptions[0]
    count = f"{publication.published} messages were acknowledged, and publishing all of them again is safe"
    return type(first)(f"{first}; {count}") if isinstance(first, RicordoError) else Unavailable(count)


async def _until_taken(client: MemoryClient, message: MessageReceived, *, bulk: bool) -> None:
    """Publish, waiting while the stream is full: the workers make room."""
    for _ in range(_FULL_PATIENCE):
        try:
            await client.publish(message, bulk=bulk)
        except StreamFull:
            await asyncio.sleep(_FULL_PAUSE_S)
        else:
            return
    raise StreamFull("the input stream is full and stays so: do the workers run? `ricordo doctor` tells")


async def await_remembered(
    client: MemoryClient, publication: Publication, timeout: float, advance: Callable[[int], None]
) -> None:
    """Wait until all acknowledged messages are remembered, or have failed, which is a fault.

    Args:
        client: connected.
        publication: filled while it goes on.
        timeout: seconds without any progress after which it is given up.
        advance: told how many more are settled.

    Raises:
        Timeout: some are still under way.
    """
    ids = iter(publication.acknowledged)
    while chunk := list(islice(ids, _AWAITED_AT_ONCE)):
        for message_id, receipt in (await client.remembered(chunk, timeout)).items():
            if receipt.state is MessageState.REMEMBERED:
                publication.remembered += 1
            else:
                line = publication.acknowledged[message_id]
                publication.fail(Fault(line, message_id, receipt.error or "failed"))
        advance(len(chunk))

"""What the bus in memory is made of: streams, consumers, the lines of its journal, requests."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from ricordo.bus.port import Outgoing


def matches(pattern: str, subject: str) -> bool:
    """Whether `subject` is one of those that `pattern` (with `*` and a last `>`) stands for."""
    wanted, found = pattern.split("."), subject.split(".")
    if wanted[-1] == ">":
        wanted = wanted[:-1]
        found = found[: len(wanted)] if len(found) > len(wanted) else []
    return len(wanted) == len(found) and all(w in ("*", f) for w, f in zip(wanted, found, strict=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryStream:
    """A stream of the bus in memory.

    Attributes:
        name: of the stream.
        subjects: patterns that it stores.
        max_messages: a further message is refused; 0 for no limit.
        work_queue: whether a settled message leaves the stream.
        pages: whether it is read in pages.
    """

    name: str
    subjects: tuple[str, ...]
    max_messages: int = 0
    work_queue: bool = False
    pages: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryConsumer:
    """A durable consumer of the bus in memory; see `ricordo.bus.port.Subscription`."""

    name: str
    stream: str
    subjects: tuple[str, ...]
    ack_wait: float = 30.0
    max_deliver: int = 5


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the journal.

    Attributes:
        what: `publish`, `ack`, `retry`, `terminate` or `progress`.
        subject: of the message.
        sequence: its position in its stream; of a message that was just published, too.
        attempt: the delivery that was settled; 0 for a publication.
        delay: of a retry, in seconds.
        message: that was published.
    """

    what: str
    subject: str
    sequence: int
    attempt: int = 0
    delay: float = 0.0
    message: Outgoing | None = None


class MemoryRequest:
    """A request of the bus in memory; `reply` becomes its first reply."""

    def __init__(self, *, subject: str, body: bytes, headers: Mapping[str, str]) -> None:
        self.subject = subject
        self.body = body
        self.headers = headers
        self.reply: asyncio.Future[tuple[bytes, Mapping[str, str]]] = (
            asyncio.get_running_loop().create_future()
        )

    async def respond(self, body: bytes, headers: Mapping[str, str] | None = None) -> None:
        """Send the reply."""
        if not self.reply.done():
            self.reply.set_result((body, dict(headers or {})))

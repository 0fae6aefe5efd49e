"""The bounded queue of texts that wait to be encoded in batches."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from ricordo.clock import Clock, wait_for_event
from ricordo.models.encoder import ModelUnavailable, Vectors


@dataclass(frozen=True, slots=True)
class Encoded:
    """A vector and the model that computed it.

    Attributes:
        vector: float32 [d], unit norm.
    """

    model: str
    vector: Vectors


@dataclass(eq=False, slots=True)
class PendingText:
    """A queued text and the future of its vector.

    Attributes:
        content: the text, or the beginning of one that the model refused.
        since: time of submission, in the clock's monotonic seconds.
        future: resolves to its vector; cancelled when the caller stops waiting.
        max_batch: maximum size of its batch; reduced when a batch fails, so that a text on which the model
            fails is soon alone.
        failures: failed requests of this text alone while the model answered others.
        was_reset: whether its `max_batch` was reset after an outage.
    """

    content: str
    since: float
    future: asyncio.Future[Encoded]
    max_batch: int
    failures: int = 0
    was_reset: bool = False

    def answer(self, encoded: Encoded) -> None:
        """Resolve the future with `encoded`, unless the caller stopped waiting."""
        if not self.future.done():
            self.future.set_result(encoded)

    def fail(self, error: Exception) -> None:
        """Fail the future with `error`, unless the caller stopped waiting."""
        if not self.future.done():
            self.future.set_exception(error)
            self.future.exception()  # retrieved, as the caller may be about to stop waiting


class TextQueue:
    """A first-in, first-out queue of texts that forms batches.

    Args:
        room: maximum number of unanswered texts, those in requests included; further submissions wait.
        flush_after: seconds that the first text of a batch waits for others.

    Attributes:
        is_open: whether texts are accepted.
    """

    def __init__(self, clock: Clock, room: int, batch: int, flush_after: float) -> None:
        self._clock = clock
        self._room = asyncio.Semaphore(room)
        self._batch = batch
        self._flush_after = flush_after
        self._queue: dict[PendingText, None] = {}
        self._unanswered: set[PendingText] = set()
        self._nonempty = asyncio.Event()
        self._full = asyncio.Event()
        self.is_open = False
        self._defect: BaseException | None = None

    def __len__(self) -> int:
        return len(self._queue)

    def close(self, defect: BaseException | None = None) -> None:
        """Accept no more texts and fail the unanswered ones; `defect` is the cause, if unexpected."""
        self.is_open, self._defect = False, defect
        for text in list(self._unanswered):
            text.fail(self._closed())

    async def submit(self, content: str) -> PendingText:
        """Wait for room, and queue a text.

        Raises:
            ModelUnavailable: the queue is closed.
        """
        await self._room.acquire()
        if not self.is_open:
            self._room.release()
            raise self._closed()
        future = asyncio.get_running_loop().create_future()
        text = PendingText(content, self._clock.monotonic(), future, max_batch=self._batch)
        self._unanswered.add(text)
        text.future.add_done_callback(lambda _: self._remove(text))
        self.put_back((text,))
        return text

    def put_back(self, texts: Sequence[PendingText]) -> None:
        """Queue texts again, behind the others, except those whose caller stopped waiting."""
        self._queue.update((text, None) for text in texts if not text.future.done())
        self._mark()

    def reset_batch_limit(self) -> None:
        """Reset the batch limits after an outage, which was not the fault of the texts.

        Once per text: a text that crashes the model at every request must end up alone.
        """
        for text in self._queue:
            if text.max_batch < self._batch and not text.failures and not text.was_reset:
                text.max_batch, text.was_reset = self._batch, True

    def take(self) -> list[PendingText]:
        """Remove and return the first texts that may share a request; empty if none waits."""
        first = next(iter(self._queue), None)
        if first is None:
            return []
        alike = (text for text in self._queue if text.max_batch == first.max_batch)
        batch = list(islice(alike, first.max_batch))
        for text in batch:
            del self._queue[text]
        self._mark()
        return batch

    async def wait_for_batch(self) -> None:
        """Wait until a batch is full, or its first text has waited `flush_after` seconds."""
        while not await self._batch_is_ready():
            await self._nonempty.wait()

    async def _batch_is_ready(self) -> bool:
        while self._queue:
            remaining = next(iter(self._queue)).since + self._flush_after - self._clock.monotonic()
            if remaining <= 0 or await wait_for_event(self._full, remaining, self._clock):
                return True
        return False

    def _remove(self, text: PendingText) -> None:
        self._unanswered.discard(text)
        self._queue.pop(text, None)
        self._mark()
        self._room.release()

    def _mark(self) -> None:
        for event, least in ((self._nonempty, 1), (self._full, self._batch)):
            if len(self._queue) >= least:
                event.set()
            else:
                event.clear()

    def _closed(self) -> ModelUnavailable:
        error = ModelUnavailable("the embedding batcher is closed")
        error.__cause__ = self._defect
        return error

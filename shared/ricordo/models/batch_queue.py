"""The bounded queue in which texts wait for company, and each for its own answer."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from heapq import nsmallest

from ricordo.clock import Clock, wait_for_event
from ricordo.models.encoder import ModelUnavailable, Vectors


@dataclass(frozen=True, slots=True)
class Encoded:
    """A vector, and the model that made it.

    Attributes:
        model: its name.
        vector: float32 [d], unit norm.
    """

    model: str
    vector: Vectors


@dataclass(eq=False, slots=True)
class PendingText:
    """A text that somebody waits for.

    Attributes:
        content: the text.
        since: when it was handed in, by the clock's monotonic seconds.
        future: resolves to its vector; cancelled when nobody waits any more.
        company: texts that may share a request with it, itself included; fewer when such a request fails, so
            that a text on which the model fails is soon alone.
        failures: requests of this text alone that failed while the model answered others.
        forgiven: whether it was given full company again.
    """

    content: str
    since: float
    future: asyncio.Future[Encoded]
    max_batch: int
    failures: int = 0
    forgiven: bool = False

    def answer(self, encoded: Encoded) -> None:
        """Give the caller, if there still is one, the vector."""
        if not self.future.done():
            self.future.set_result(encoded)

    def fail(self, error: Exception) -> None:
        """Tell the caller, if there still is one, that there will be no vector."""
        if not self.future.done():
            self.future.set_exception(error)
            self.future.exception()  # the caller may be about to leave: then nobody else would retrieve it


class TextQueue:
    """Texts in the order in which they came, gathered into batches.

    Args:
        clock: measures how long a text has waited.
        room: texts without an answer at the most, those in requests included; handing in more waits.
        batch: texts in a batch at the most.
        flush_after: seconds that the first text of a batch waits for others.
    """

    def __init__(self, clock: Clock, room: int, batch: int, flush_after: float) -> None:
        self._clock = clock
        self._room = asyncio.Semaphore(room)
        self._batch = batch
        self._flush_after = flush_after
        self._queue: dict[PendingText, None] = {}
        self._unanswered: set[PendingText] = set()
        self._some = asyncio.Event()
        self._full = asyncio.Event()
        self._open = False
        self._defect: BaseException | None = None

    def __len__(self) -> int:
        return len(self._queue)

    def open(self) -> None:
        """Admit texts."""
        self._open = True

    def close(self, defect: BaseException | None = None) -> None:
        """Admit no more texts and fail those without an answer; `defect` is why, if it was not planned."""
        self._open, self._defect = False, defect
        for text in list(self._unanswered):
            text.fail(self._closed())

    async def submit(self, content: str) -> PendingText:
        """Wait for room, and queue a text.

        Raises:
            ModelUnavailable: the queue is closed.
        """
        await self._room.acquire()
        if not self._open:
            self._room.release()
            raise self._closed()
        future = asyncio.get_running_loop().create_future()
        text = PendingText(content, self._clock.monotonic(), future, max_batch=self._batch)
        self._unanswered.add(text)
        text.future.add_done_callback(lambda _: self._leave(text))
        self.put_back((text,))
        return text

    def put_back(self, texts: Sequence[PendingText]) -> None:
        """Queue texts again, behind the others; those that nobody waits for are left out."""
        self._queue.update((text, None) for text in texts if not text.future.done())
        self._mark()

    def reset_batch_limit(self) -> None:
        """Give the texts full company again, as the model was away and they were not at fault.

        Each once: a text that brings the model down at every request must be alone in the end.
        """
        for text in self._queue:
            if text.max_batch < self._batch and not text.failures and not text.forgiven:
                text.max_batch, text.forgiven = self._batch, True

    def take(self) -> list[PendingText]:
        """Remove and return the first text, with those of like length among those that may share its request.

        A model computes all texts of a request as if each were as long as the longest. No text is passed over
        for ever, since each request begins with the first.

        Returns:
            A batch at the most; none when all texts were given up.
        """
        if not self._queue:
            return []
        first = next(iter(self._queue))
        alike = (text for text in self._queue if text.max_batch == first.max_batch)
        length = len(first.content)
        batch = nsmallest(first.max_batch, alike, key=lambda text: abs(len(text.content) - length))
        for text in batch:
            del self._queue[text]
        self._mark()
        return batch

    async def wait_for_batch(self) -> None:
        """Return when there is a full batch, or its first text has waited long enough for company."""
        while not await self._ripe():
            await self._some.wait()

    async def _ripe(self) -> bool:
        while self._queue:
            rest = next(iter(self._queue)).since + self._flush_after - self._clock.monotonic()
            if rest <= 0 or await wait_for_event(self._full, rest, self._clock):
                return True
        return False

    def _leave(self, text: PendingText) -> None:
        self._unanswered.discard(text)
        self._queue.pop(text, None)
        self._mark()
        self._room.release()

    def _mark(self) -> None:
        _set(self._some, to=bool(self._queue))
        _set(self._full, to=len(self._queue) >= self._batch)

    def _closed(self) -> ModelUnavailable:
        error = ModelUnavailable("the embedding batcher is closed")
        error.__cause__ = self._defect
        return error


def _set(event: asyncio.Event, *, to: bool) -> None:
    if to:
        event.set()
    else:
        event.clear()

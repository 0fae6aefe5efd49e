"""Samples how fast events are worked on and messages remembered, while somebody looks."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from statistics import median
from typing import Final, NamedTuple

import nats.errors
import nats.js.errors
import structlog
from nats.aio.msg import Msg
from nats.js import JetStreamContext
from nats.js.api import ConsumerInfo

from ricordo.client import RicordoError
from ricordo.messages.codec import decode_as
from ricordo.messages.errors import DecodeError
from ricordo.messages.events import MemoryRemembered
from ricordo.messages.routing import CONSUMERS, Consumer
from ricordo.messages.subjects import InvalidSubject, Subject, every_tenant
from ricordo.runtime.tasks import cancel_and_wait, together
from ricordo_services.bus_findings import Reports, collect_reports
from ricordo_services.gateway.nats_clients import NatsClients

INTERVAL_S: Final = 2.0
SAMPLES: Final = 60
_LOOKED_AT_FOR_S: Final = 60.0
_TIMED: Final = 5
"""Messages of an interval whose time is asked for."""
_ANSWER_S: Final = 1.5
_OLDEST: Final = timedelta(days=1)
"""A message that was taken in before is remembered anew, by a repair or an upgrade."""
_NATS_ERRORS: Final = (nats.errors.Error, nats.js.errors.Error, OSError)
_log = structlog.stdlib.get_logger(__name__)


def _series() -> dict[str, deque[float]]:
    return {consumer.name: deque(maxlen=SAMPLES) for consumer in CONSUMERS}


def _latencies() -> deque[float | None]:
    return deque(maxlen=SAMPLES)


class _Counts(NamedTuple):
    """What was counted until an instant: messages that were remembered, and ended deliveries by consumer."""

    at: float
    remembered: int
    ended: Mapping[str, int]


@dataclass(eq=False)
class Throughput:
    """Samples every 2 s, from the first look until a minute after the last; before, its series are empty.

    Attributes:
        rates: messages per second whose delivery to a consumer has ended, by its name; oldest first. One that
            is put back for another try counts, too. An event may have up to 64 memories.
        remembered: messages per second of all tenants that were remembered, oldest first.
        latencies: milliseconds from the moment ingest took a message in until it was remembered, the median
            of up to five messages; None where none was remembered.
        reports: the health of the workers; None until they were asked.
    """

    clients: NatsClients
    rates: Mapping[str, deque[float]] = field(default_factory=_series)
    remembered: deque[float] = field(default_factory=lambda: deque(maxlen=SAMPLES))
    latencies: deque[float | None] = field(default_factory=_latencies)
    reports: Reports | None = None
    _before: _Counts | None = None
    _heard: deque[Msg] = field(default_factory=lambda: deque(maxlen=_TIMED))
    _count: int = 0
    _looked_at: float = 0
    _task: asyncio.Task[None] | None = None

    def look(self) -> None:
        """Begin to sample, or go on for a minute."""
        self._looked_at = asyncio.get_running_loop().time()
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        """Sample no more."""
        if self._task is not None:
            await cancel_and_wait(self._task)

    async def _run(self) -> None:
        for rates in (*self.rates.values(), self.remembered):
            rates.clear()
        self.latencies.clear()
        self._heard.clear()
        self._before, self._count, self.reports = None, 0, None
        # As a bot hears it, from all tenants: it needs no consumer, and goes on after NATS was away.
        heard = await self.clients.client.subscribe(every_tenant(MemoryRemembered.name), cb=self._hear)
        try:
            await together([self._repeat(self._sample), self._repeat(self._ask_workers)])
        finally:
            with suppress(*_NATS_ERRORS):  # the connection has gone
                await heard.unsubscribe()

    async def _repeat(self, work: Callable[[], Awaitable[None]]) -> None:
        """Do `work` every 2 s, or as often as it can be done, until nobody has looked for a minute."""
        clock = asyncio.get_running_loop()
        while (began := clock.time()) < self._looked_at + _LOOKED_AT_FOR_S:
            try:
                await work()
            except _NATS_ERRORS as error:  # it may come back; the next rates are of a longer interval
                _log.warning("the throughput cannot be sampled", error=str(error) or type(error).__name__)
            await asyncio.sleep(began + INTERVAL_S - clock.time())

    async def _hear(self, message: Msg) -> None:
        self._count += 1
        self._heard.append(message)

    async def _ask_workers(self) -> None:
        self.reports = await collect_reports(self.clients.client)

    async def _sample(self) -> None:
        """Add a sample to each series; the first time there is nothing to compare with."""
        streams = self.clients.streams
        infos = await together([consumer_info(streams, one) for one in CONSUMERS])
        ended = {info.name: _ended(info) for info in infos if info is not None}
        now = _Counts(asyncio.get_running_loop().time(), self._count, ended)
        latency = await self._latency()
        before, self._before = self._before, now
        if before is None:
            return
        elapsed = now.at - before.at
        for name, series in self.rates.items():
            count = now.ended.get(name, 0)  # of one that is not there, now or before, the rate is 0
            series.append(round(max(0, count - before.ended.get(name, count)) / elapsed, 1))
        self.remembered.append(round((now.remembered - before.remembered) / elapsed, 1))
        self.latencies.append(latency)

    async def _latency(self) -> float | None:
        """Return the median of the last messages that were heard; None for none, or without an answer."""
        heard = [*self._heard]
        self._heard.clear()
        times = await together([self._time_of(message) for message in heard])
        found = [1000 * time.total_seconds() for time in times if time is not None and time < _OLDEST]
        return round(max(0.0, median(found))) if found else None

    async def _time_of(self, message: Msg) -> timedelta | None:
        """Return how long a message took from the moment ingest took it in."""
        try:
            event = decode_as(MemoryRemembered, message.data)
            tenant = Subject.parse(message.subject).tenant
            status = await self.clients.memory(tenant).status(event.message_id, timeout=_ANSWER_S)
        except (RicordoError, DecodeError, InvalidSubject):  # retrieval is away, or no worker sent it
            return None
        return None if status.stages.ingested is None else event.at - status.stages.ingested


async def consumer_info(streams: JetStreamContext, consumer: Consumer) -> ConsumerInfo | None:
    """Return a consumer; None if it is not there."""
    try:
        info: ConsumerInfo = await streams.consumer_info(consumer.stream, consumer.name)
    except nats.js.errors.NotFoundError:
        return None
    return info


def _ended(consumer: ConsumerInfo) -> int:
    """Return the deliveries of a consumer that have ended; its floor would stand still behind a retry."""
    delivered = consumer.delivered.consumer_seq if consumer.delivered is not None else 0
    return delivered - (consumer.num_ack_pending or 0)

"""What an operator sees: consumers, streams, dead letters, and what is wrong with them."""

from collections.abc import Iterator, Sequence
from typing import Final, Literal

import nats.js.errors
from nats.js import JetStreamContext
from nats.js.api import ConsumerInfo, StreamInfo
from pydantic import BaseModel

from ricordo.messages.routing import CONSUMERS, Consumer, bulk_consumer
from ricordo.messages.subjects import STREAM_DEAD_LETTERS, STREAM_DERIVED, STREAM_IN
from ricordo.runtime.tasks import together
from ricordo_services.api_keys import translated
from ricordo_services.bus_findings import (
    NOT_THERE,
    Finding,
    Reports,
    State,
    collect_reports,
    start_advice,
    stream_finding,
    worker_findings,
)
from ricordo_services.gateway.throughput import INTERVAL_S, Throughput, consumer_info

_STREAMS: Final = (STREAM_IN, STREAM_DERIVED, STREAM_DEAD_LETTERS)
_BULK: Final = frozenset(bulk_consumer(consumer.name) for consumer in CONSUMERS)


class ConsumerState(BaseModel):
    """A durable consumer.

    Attributes:
        worker: that runs it, as in `ricordo worker NAME`.
        lane: bulk for imports and what exceeds a burst.
        waiting: messages that were not delivered yet.
        in_work: messages that are being worked on, or wait for another try.
        redelivered: of these, how many were delivered before.
        messages_per_second: up to 60 samples, one every 2 s, oldest first; a message may have up to 64
            memories, and one that is put back for another try counts, too.
    """

    name: str
    worker: str
    lane: Literal["live", "bulk"]
    waiting: int
    in_work: int
    redelivered: int
    messages_per_second: tuple[float, ...]


class StreamSize(BaseModel):
    """A stream.

    Attributes:
        max_bytes: its maximum size; -1 for no limit.
    """

    name: str
    messages: int
    bytes: int
    max_bytes: int


class Operations(BaseModel):
    """The state of the whole installation.

    Attributes:
        dead_letters: how many there are.
        findings: what is degraded or missing and what to do about it; information is `noted`.
        interval_s: between two samples of a series.
        remembered_per_second: messages of all tenants, up to 60 samples, oldest first.
        latency_ms: from the moment a message is taken in until it is remembered, in the same intervals; null
            if none was.
    """

    consumers: tuple[ConsumerState, ...]
    streams: tuple[StreamSize, ...]
    dead_letters: int
    findings: tuple[Finding, ...]
    interval_s: float = INTERVAL_S
    remembered_per_second: tuple[float, ...]
    latency_ms: tuple[float | None, ...]


async def state(streams: JetStreamContext, throughput: Throughput) -> Operations:
    """Return the state of the installation; has `throughput` sampled for the next minute.

    The first time it takes about a second, in which the workers answer.

    Raises:
        Unavailable: NATS does not answer.
    """
    throughput.look()
    with translated():
        sizes = await together([_stream(streams, name) for name in _STREAMS])
        infos = await together([consumer_info(streams, consumer) for consumer in CONSUMERS])
        reports = throughput.reports
        if reports is None:
            reports = await collect_reports(throughput.clients.client)
    found = dict(zip(_STREAMS, sizes, strict=True))
    consumers = [
        _shown(consumer, info, throughput)
        for consumer, info in zip(CONSUMERS, infos, strict=True)
        if info is not None
    ]
    findings = [
        *(stream_finding(name, info) for name, info in found.items()),
        *_not_there(infos),
        *worker_findings(reports),
        *_left_alone(consumers, reports),
    ]
    letters = found[STREAM_DEAD_LETTERS]
    return Operations(
        consumers=tuple(consumers),
        streams=tuple(_size(info) for info in sizes if info is not None),
        dead_letters=0 if letters is None else letters.state.messages,
        findings=tuple(finding for finding in findings if finding.state is not State.WELL),
        remembered_per_second=tuple(throughput.remembered),
        latency_ms=tuple(throughput.latencies),
    )


async def _stream(streams: JetStreamContext, name: str) -> StreamInfo | None:
    """Return a stream; None if it is not there."""
    try:
        return await streams.stream_info(name)
    except nats.js.errors.NotFoundError:
        return None


def _size(stream: StreamInfo) -> StreamSize:
    return StreamSize(
        name=stream.config.name or "",
        messages=stream.state.messages,
        bytes=stream.state.bytes,
        max_bytes=stream.config.max_bytes or -1,
    )


def _shown(consumer: Consumer, info: ConsumerInfo, throughput: Throughput) -> ConsumerState:
    return ConsumerState(
        name=consumer.name,
        worker=consumer.worker,
        lane="bulk" if consumer.name in _BULK else "live",
        waiting=info.num_pending or 0,
        in_work=info.num_ack_pending or 0,
        redelivered=info.num_redelivered or 0,
        messages_per_second=tuple(throughput.rates[consumer.name]),
    )


def _not_there(infos: Sequence[ConsumerInfo | None]) -> Iterator[Finding]:
    for consumer, info in zip(CONSUMERS, infos, strict=True):
        if info is None:
            yield Finding(f"consumer {consumer.name}", State.MISSING, "is not there", NOT_THERE)


def _left_alone(consumers: Sequence[ConsumerState], reports: Reports) -> Iterator[Finding]:
    """Yield consumers with messages that nobody fetches: their worker does not run."""
    for consumer in consumers:
        left = consumer.waiting + consumer.in_work
        if left and consumer.name not in reports:
            detail = f"{left:,} messages wait, and nobody works on them"
            yield Finding(f"consumer {consumer.name}", State.MISSING, detail, start_advice([consumer.worker]))

"""What each worker may do on the server: it follows from what the contract says that it reads and writes.

A worker may fetch from its own durable consumers and settle what it fetched, publish the events that it
writes and its dead letters, and hear the requests that it answers. It may look at streams and consumers, so
that it finds out at its start whether they are as declared; to make or change them is the operator's.
"""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from ricordo.bus.nats.topology import SWEEPER, Topology, ricordo_topology
from ricordo.messages.access import Permissions
from ricordo.messages.routing import CONSUMERS, CONTRACTS, RESPONDERS, worker_of
from ricordo.messages.subjects import (
    DEAD_LETTER_PREFIX,
    PREFIX,
    STREAM_DEAD_LETTERS,
    STREAM_DERIVED,
    STREAM_IN,
    every_tenant,
)

SWEEPS: Final = "lifecycle"
"""The worker that consumes the advisories, and buries what any consumer has left."""
READS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {"lifecycle": (STREAM_IN, STREAM_DERIVED), "knowledge": (STREAM_DEAD_LETTERS,)}
)
"""The streams of which a worker reads single messages: to bury what was left, to forget dead letters."""
PAGES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType({"ingest": (STREAM_IN,)})
"""The streams of which a worker reads many messages at once, before it takes them."""
REMOVES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {"lifecycle": (STREAM_IN,), "knowledge": (STREAM_DEAD_LETTERS,)}
)
"""The streams from which it removes them."""

_API: Final = "$JS.API"
_HEALTH: Final = ("ricordo.health", "ricordo.health.*")


def inbox_of_worker(worker: str) -> str:
    """Return the prefix of a worker's inboxes."""
    return f"_INBOX_WORKER_{worker}"


def of_worker(worker: str, topology: Topology | None = None) -> Permissions:
    """Return what `worker` must be allowed, besides answering the requests that reach it.

    Args:
        worker: its name in `ricordo.messages.routing.WORKERS`.
        topology: the streams and consumers; None for Ricordo's.
    """
    declared = topology or ricordo_topology()
    consumers = consumers_of(worker)
    return Permissions(
        publish=(
            *(every_tenant(one.name) for one in CONTRACTS.values() if worker in map(worker_of, one.writers)),
            *_dead_letters(worker, consumers),
            *_fetching(consumers, declared),
            *_looking(worker, declared),
        ),
        subscribe=(f"{inbox_of_worker(worker)}.>", *_HEALTH, *_served(worker)),
    )


def consumers_of(worker: str) -> tuple[str, ...]:
    """Return the durable consumers that `worker` fetches from."""
    swept = (SWEEPER,) if worker == SWEEPS else ()
    return (*(one.name for one in CONSUMERS if one.worker == worker), *swept)


def _dead_letters(worker: str, consumers: Sequence[str]) -> Iterator[str]:
    if worker == SWEEPS:
        yield f"{DEAD_LETTER_PREFIX}.>"
        return
    for consumer in consumers:
        yield f"{DEAD_LETTER_PREFIX}.{consumer}.>"


def _fetching(consumers: Sequence[str], topology: Topology) -> Iterator[str]:
    for consumer in consumers:
        stream = topology.consumer(consumer).stream
        yield f"{_API}.CONSUMER.MSG.NEXT.{stream}.{consumer}"
        yield f"$JS.ACK.{stream}.{consumer}.>"


def _looking(worker: str, topology: Topology) -> Iterator[str]:
    for stream in topology.streams:
        yield f"{_API}.STREAM.INFO.{stream.name}"
        yield f"{_API}.CONSUMER.INFO.{stream.name}.*"
    for name in READS.get(worker, ()):
        yield f"{_API}.STREAM.MSG.GET.{name}"
    for name in PAGES.get(worker, ()):
        yield f"{_API}.DIRECT.GET.{name}"
    for name in REMOVES.get(worker, ()):
        yield f"{_API}.STREAM.MSG.DELETE.{name}"


def _served(worker: str) -> Iterator[str]:
    """Yield what a worker answers, with the queue group behind it."""
    for kind, default in RESPONDERS.items():
        if default.worker == worker:
            yield f"{PREFIX}.*.{kind.value}.> {default.queue}"
    for one in CONTRACTS.values():
        responder = one.responder
        if responder is not None and responder.worker == worker and responder != RESPONDERS[one.kind]:
            yield f"{every_tenant(one.name)} {responder.queue}"

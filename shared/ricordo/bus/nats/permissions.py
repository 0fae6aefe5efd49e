"""The permissions of each worker on the server, derived from the routing table.

A worker may fetch from its own consumers and settle messages, publish its events, items of events that it
reads and dead letters, and receive the requests it answers. It may read the configuration of streams and
consumers to verify it at start; only the operator may change it. The gateway may do what bots of all tenants
may, keeps the keys and the webhooks, and may read any message of the input stream and the dead letters, to
tell what became of imports. For operators it looks at all streams and consumers, asks for the health of
workers, and takes out dead letters, which it may publish again: every event that a consumer reads.
"""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from ricordo.bus.nats.topology import SWEEPER, Topology, ricordo_topology
from ricordo.messages.routing import (
    CONSUMERS,
    CONTRACTS,
    RESPONDERS,
    Contract,
    Permissions,
    bot_events,
    bot_requests,
    bot_subjects,
    worker_of,
)
from ricordo.messages.subjects import (
    BUCKET_OF_KEYS,
    BUCKET_OF_WEBHOOKS,
    DEAD_LETTER_PREFIX,
    PREFIX,
    STREAM_DEAD_LETTERS,
    STREAM_DERIVED,
    STREAM_IN,
    every_tenant,
)

SWEEPS: Final = "lifecycle"
"""The worker that consumes the advisories, and dead-letters the messages of any consumer."""
READS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {"lifecycle": (STREAM_IN, STREAM_DERIVED), "knowledge": (STREAM_DEAD_LETTERS,)}
)
"""The streams from which a worker reads single messages."""
REMOVES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {"lifecycle": (STREAM_IN,), "knowledge": (STREAM_DEAD_LETTERS,)}
)
"""The streams from which a worker removes messages."""

GATEWAY: Final = "gateway"
"""The worker that answers HTTP."""

_API: Final = "$JS.API"
_READING: Final = ("STREAM.MSG.GET", "DIRECT.GET")
_HEALTH: Final = ("ricordo.health", "ricordo.health.*")


def inbox_of_worker(worker: str) -> str:
    """Return the prefix of a worker's inboxes."""
    return f"_INBOX_WORKER_{worker}"


def of_worker(worker: str) -> Permissions:
    """Return the permissions of `worker`, besides replies to requests.

    Args:
        worker: its name in `ricordo.messages.routing.WORKERS`, or `GATEWAY`.
    """
    if worker == GATEWAY:
        return _of_gateway()
    declared = ricordo_topology()
    consumers = consumers_of(worker)
    dead = (">",) if worker == SWEEPS else tuple(f"{one}.>" for one in consumers)
    return Permissions(
        publish=(
            *(every_tenant(item.name) for item in CONTRACTS.values() if _publishes(worker, item)),
            *(f"{DEAD_LETTER_PREFIX}.{one}" for one in dead),
            *_fetching(consumers, declared),
            *_inspecting(worker, declared),
        ),
        subscribe=(f"{inbox_of_worker(worker)}.>", *_HEALTH, *_served(worker)),
    )


def _publishes(worker: str, item: Contract) -> bool:
    """Return whether `worker` writes an event, or parts one that it reads: an item that fails goes alone."""
    is_derived = bool(item.writers)
    parts = bool(item.consumers) if worker == SWEEPS else worker in map(worker_of, item.consumers)
    return is_derived and (parts or worker in map(worker_of, item.writers))


def _of_gateway() -> Permissions:
    keys, webhooks = f"KV_{BUCKET_OF_KEYS}", f"KV_{BUCKET_OF_WEBHOOKS}"
    streams = (STREAM_IN, STREAM_DERIVED, STREAM_DEAD_LETTERS)
    replayed = (item.name for item in CONTRACTS.values() if item.consumers and not item.from_bots)
    return Permissions(
        publish=(
            *(every_tenant(name) for name in (*bot_events(), *bot_requests(), *replayed)),
            _HEALTH[0],
            *(f"{_API}.STREAM.INFO.{stream}" for stream in (*streams, keys, webhooks)),
            *(f"{_API}.STREAM.MSG.GET.{stream}" for stream in (STREAM_IN, STREAM_DEAD_LETTERS)),
            *(f"{_API}.{verb}.{stream}" for stream in (keys, webhooks) for verb in _READING),
            *(f"{_API}.DIRECT.GET.{stream}.>" for stream in (keys, webhooks)),
            f"{_API}.STREAM.MSG.DELETE.{STREAM_DEAD_LETTERS}",
            *(f"{_API}.STREAM.CREATE.{stream}" for stream in (keys, webhooks)),
            f"{_API}.STREAM.PURGE.{keys}",  # of sessions that have expired
            *(f"$KV.{bucket}.>" for bucket in (BUCKET_OF_KEYS, BUCKET_OF_WEBHOOKS)),
            f"{_API}.CONSUMER.INFO.{STREAM_IN}.*",
            # Listeners and webhooks have consumers of their own; a subject does not tell these from workers'.
            *(
                f"{_API}.CONSUMER.{verb}.{stream}.>"
                for stream in (STREAM_DERIVED, webhooks)
                for verb in ("CREATE", "INFO", "DELETE")
            ),
            f"{_API}.CONSUMER.CREATE.{webhooks}",
            f"{_API}.CONSUMER.CREATE.{STREAM_DERIVED}",
            f"{_API}.CONSUMER.DURABLE.CREATE.{STREAM_DERIVED}.*",
            f"{_API}.CONSUMER.MSG.NEXT.{STREAM_DERIVED}.*",
            f"$JS.ACK.{STREAM_DERIVED}.>",
            "$JS.FC.>",
        ),
        subscribe=(f"{inbox_of_worker(GATEWAY)}.>", *_HEALTH, *bot_subjects("*")),
    )


def consumers_of(worker: str) -> tuple[str, ...]:
    """Return the durable consumers that `worker` fetches from."""
    swept = (SWEEPER,) if worker == SWEEPS else ()
    return (*(item.name for item in CONSUMERS if item.worker == worker), *swept)


def _fetching(consumers: Sequence[str], topology: Topology) -> Iterator[str]:
    for consumer in consumers:
        stream = topology.consumer(consumer).stream
        yield f"{_API}.CONSUMER.MSG.NEXT.{stream}.{consumer}"
        yield f"$JS.ACK.{stream}.{consumer}.>"


def _inspecting(worker: str, topology: Topology) -> Iterator[str]:
    for stream in topology.streams:
        yield f"{_API}.STREAM.INFO.{stream.name}"
        yield f"{_API}.CONSUMER.INFO.{stream.name}.*"
    for name in READS.get(worker, ()):
        yield f"{_API}.STREAM.MSG.GET.{name}"
    for name in REMOVES.get(worker, ()):
        yield f"{_API}.STREAM.MSG.DELETE.{name}"


def _served(worker: str) -> Iterator[str]:
    """Yield the subjects that a worker answers, each with its queue group."""
    for kind, default in RESPONDERS.items():
        if default.worker == worker:
            yield f"{PREFIX}.*.{kind.value}.> {default.queue}"
    for item in CONTRACTS.values():
        responder = item.responder
        if responder is not None and responder.worker == worker and responder != RESPONDERS[item.kind]:
            yield f"{every_tenant(item.name)} {responder.queue}"

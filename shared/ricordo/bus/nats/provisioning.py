"""Creates the declared streams and consumers, updates them, and detects drift."""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Final

import nats.js.errors
import structlog
from nats.js import JetStreamContext
from nats.js.api import ConsumerConfig, StreamConfig

from ricordo.bus.nats.nats_connection import NatsConnection, translated
from ricordo.bus.nats.topology import ConsumerSpec, StreamSpec, Topology
from ricordo.bus.port import NotAllowed, StreamsTooLarge, TopologyDrift

_log = structlog.stdlib.get_logger(__name__)

_NO_ROOM: Final = (10047, 10002)
"""Error codes of the server: too little storage is left, of the server or of the account."""

Field = Callable[[Any], object]

_STREAM_FIXED: Final[Mapping[str, Field]] = {
    "retention": lambda config: _plain(config.retention),
    "storage": lambda config: _plain(config.storage),
    "persist_mode": lambda config: _plain(config.persist_mode) or "default",
}
_STREAM_FREE: Final[Mapping[str, Field]] = {
    "subjects": lambda config: sorted(config.subjects or ()),
    "discard": lambda config: _plain(config.discard),
    "max_bytes": lambda config: config.max_bytes,
    "max_age": lambda config: config.max_age or 0.0,
    "duplicate_window": lambda config: config.duplicate_window,
    "allow_direct": lambda config: bool(config.allow_direct),
}
_CONSUMER_FIXED: Final[Mapping[str, Field]] = {
    "deliver_policy": lambda config: _plain(config.deliver_policy),
    "ack_policy": lambda config: _plain(config.ack_policy),
    "deliver_subject": lambda config: config.deliver_subject or "",
}
_CONSUMER_FREE: Final[Mapping[str, Field]] = {
    "filter_subjects": lambda config: sorted(config.filter_subjects or [config.filter_subject or ">"]),
    "ack_wait": lambda config: config.ack_wait,
    "max_deliver": lambda config: config.max_deliver,
    "max_ack_pending": lambda config: config.max_ack_pending,
    "backoff": lambda config: list(config.backoff or ()),
}


def _plain(value: object) -> object:
    return getattr(value, "value", value)


class Provisioning:
    """Makes the server match a topology; several processes may do so at once."""

    def __init__(self, connection: NatsConnection, topology: Topology) -> None:
        self._connection = connection
        self._topology = topology

    async def provision(self) -> Sequence[str]:
        """Create and update what is needed, and return the changes."""
        changes: list[str] = []
        with translated("cannot provision"), self._explained():
            for stream in self._topology.streams:
                changes += await self._stream(self._connection.streams, stream)
            for consumer in self._topology.consumers:
                changes += await self._consumer(self._connection.streams, consumer)
        for change in changes:
            _log.debug("topology changed", change=change)
        if changes:
            _log.info("streams or consumers created or updated", changes=len(changes))
        return changes

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Translate a timeout caused by missing permissions, which the server reports out of band."""
        try:
            yield
        except TimeoutError:
            if denied := self._connection.denied:
                raise NotAllowed(
                    "streams or consumers differ from their declaration, and these credentials may not "
                    f"change that ({denied}): run `ricordo migrate` with those of the operator"
                ) from None
            raise

    async def _stream(self, streams: JetStreamContext, spec: StreamSpec) -> Sequence[str]:
        declared = spec.config()
        found = await self._found_stream(streams, spec.name)
        if found is None:
            try:
                await self._reserved(spec, streams.add_stream(declared))
            except nats.js.errors.BadRequestError as error:
                found = await self._found_stream(streams, spec.name)
                if found is None:
                    raise TopologyDrift(
                        f"stream {spec.name} cannot be created: {error.description}"
                    ) from error
            else:
                return [f"stream {spec.name} created"]
        name = f"stream {spec.name}"
        _refuse_drift(name, _differences(_STREAM_FIXED, found, declared), f"nats stream rm {spec.name}")
        differences = _differences(_STREAM_FREE, found, declared)
        if not differences:
            return []
        updated = replace(found, **{field: getattr(declared, field) for field in _STREAM_FREE})
        update = self._reserved(spec, streams.update_stream(updated))
        await _update(name, update, f"nats stream rm {spec.name}")
        return [f"{name} updated: {'; '.join(differences)}"]

    async def _reserved(self, spec: StreamSpec, creation: Awaitable[object]) -> None:
        """Wait for the creation of a stream, at which the server reserves its maximum size."""
        try:
            await creation
        except nats.js.errors.APIError as error:
            if error.err_code not in _NO_ROOM:
                raise
            sizes = {item.name: item.max_bytes for item in self._topology.streams if item.max_bytes > 0}
            each = ", ".join(f"{name} {_megabytes(size)}" for name, size in sizes.items())
            needed = sum(sizes.values())
            raise StreamsTooLarge(
                f"NATS has no room for stream {spec.name} ({error.description}): it reserves what streams "
                f"may take, {_megabytes(needed)} for all ({each}), of its max_file_store or of its account's "
                "max_file; unless configured, that is three quarters of what is free when it starts",
                needed,
            ) from error

    async def _found_stream(self, streams: JetStreamContext, name: str) -> StreamConfig | None:
        try:
            return (await streams.stream_info(name)).config
        except nats.js.errors.NotFoundError:
            return None

    async def _consumer(self, streams: JetStreamContext, spec: ConsumerSpec) -> Sequence[str]:
        declared = spec.config()
        name = f"consumer {spec.name} of {spec.stream}"
        remedy = f"nats consumer rm {spec.stream} {spec.name}"
        found = await self._found_consumer(streams, spec)
        if found is None:
            await _update(name, streams.add_consumer(spec.stream, declared), remedy)
            return [f"{name} created"]
        _refuse_drift(name, _differences(_CONSUMER_FIXED, found, declared), remedy)
        differences = _differences(_CONSUMER_FREE, found, declared)
        if not differences:
            return []
        changed = {field: getattr(declared, field) for field in _CONSUMER_FREE}
        updated = replace(found, **changed, filter_subject=None)
        await _update(name, streams.add_consumer(spec.stream, updated), remedy)
        return [f"{name} updated: {'; '.join(differences)}"]

    async def _found_consumer(self, streams: JetStreamContext, spec: ConsumerSpec) -> ConsumerConfig | None:
        try:
            info = await streams.consumer_info(spec.stream, spec.name)
        except nats.js.errors.NotFoundError:
            return None
        config: ConsumerConfig = info.config
        return config


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.0f} MB"


def _differences(fields: Mapping[str, Field], found: object, declared: object) -> Sequence[str]:
    return [
        f"{name} is {field(found)} and {field(declared)} is declared"
        for name, field in fields.items()
        if field(found) != field(declared)
    ]


def _refuse_drift(name: str, differences: Sequence[str], remedy: str) -> None:
    if differences:
        raise TopologyDrift(
            f"{name} differs from what is declared, and no update can change that: {'; '.join(differences)}. "
            f"Save what you need of it, run `{remedy}`, and start again."
        )


async def _update(name: str, update: Awaitable[object], remedy: str) -> None:
    try:
        await update
    except (nats.js.errors.BadRequestError, nats.js.errors.ServerError) as error:
        raise TopologyDrift(
            f"{name} cannot be brought to what is declared: {error.description}. "
            f"Save what you need of it, run `{remedy}`, and start again."
        ) from error

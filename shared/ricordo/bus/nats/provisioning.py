"""Creates the declared streams and consumers, updates them, and detects drift."""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Final

import nats.js.errors
import structlog
from nats.js import JetStreamContext

from ricordo.bus.nats.nats_connection import NatsConnection, translated
from ricordo.bus.nats.topology import ConsumerSpec, StreamSpec, Topology
from ricordo.bus.port import NotAllowed, StreamsTooLarge, TopologyDrift

_log = structlog.stdlib.get_logger(__name__)

_NO_ROOM: Final = (10047, 10002)
"""Error codes of the server: too little storage is left, of the server or of the account."""

_STREAM_FIXED: Final = ("retention", "storage", "persist_mode")
_STREAM_FREE: Final = (
    *("subjects", "discard", "max_bytes", "max_age", "duplicate_window", "allow_direct", "max_consumers"),
)
_CONSUMER_FIXED: Final = ("deliver_policy", "ack_policy", "deliver_subject")
_CONSUMER_FREE: Final = ("filter_subjects", "ack_wait", "max_deliver", "max_ack_pending", "backoff")
_UNSET: Final[Mapping[str, object]] = {
    "persist_mode": "default",
    "max_age": 0.0,
    "allow_direct": False,
    "max_consumers": -1,
    "deliver_subject": "",
    "backoff": [],
}
"""What a field means that is empty or missing."""


def _value(config: Any, field: str) -> object:  # noqa: ANN401 - of a stream or of a consumer
    if field == "filter_subjects":
        return sorted(config.filter_subjects or [config.filter_subject or ">"])
    value = getattr(config, field)
    if field == "subjects":
        return sorted(value or ())
    return getattr(value, "value", value) or _UNSET.get(field, value)


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
        declared, name = spec.config(), f"stream {spec.name}"
        found = await _config(streams.stream_info(spec.name))
        if found is None:
            try:
                await self._reserved(spec, streams.add_stream(declared))
            except nats.js.errors.BadRequestError as error:
                found = await _config(streams.stream_info(spec.name))
                if found is None:
                    raise TopologyDrift(f"{name} cannot be created: {error.description}") from error
            else:
                return [f"{name} created"]
        drift = _Drift(name, f"nats stream rm {spec.name}", found, declared)
        drift.refuse(_STREAM_FIXED)
        return await drift.update(
            _STREAM_FREE,
            lambda changed: self._reserved(spec, streams.update_stream(replace(found, **changed))),
        )

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

    async def _consumer(self, streams: JetStreamContext, spec: ConsumerSpec) -> Sequence[str]:
        declared, name = spec.config(), f"consumer {spec.name} of {spec.stream}"
        found = await _config(streams.consumer_info(spec.stream, spec.name))
        drift = _Drift(name, f"nats consumer rm {spec.stream} {spec.name}", found, declared)
        if found is None:
            await drift.translated(streams.add_consumer(spec.stream, declared))
            return [f"{name} created"]
        drift.refuse(_CONSUMER_FIXED)
        return await drift.update(
            _CONSUMER_FREE,
            lambda changed: streams.add_consumer(spec.stream, replace(found, **changed, filter_subject=None)),
        )


@dataclass(frozen=True, slots=True)
class _Drift:
    """The differences between a stream or consumer on the server and its declaration."""

    name: str
    remedy: str
    found: Any
    declared: object

    def refuse(self, fixed: Sequence[str]) -> None:
        if differences := self._differences(fixed):
            raise self._error("differs from what is declared, and no update can change that", differences)

    async def update(
        self, free: Sequence[str], update: Callable[[dict[str, Any]], Awaitable[object]]
    ) -> Sequence[str]:
        differences = self._differences(free)
        if not differences:
            return []
        await self.translated(update({field: getattr(self.declared, field) for field in free}))
        return [f"{self.name} updated: {differences}"]

    async def translated(self, change: Awaitable[object]) -> None:
        try:
            await change
        except (nats.js.errors.BadRequestError, nats.js.errors.ServerError) as error:
            raise self._error("cannot be brought to what is declared", str(error.description)) from error

    def _differences(self, fields: Sequence[str]) -> str:
        return "; ".join(
            f"{field} is {_value(self.found, field)} and {_value(self.declared, field)} is declared"
            for field in fields
            if _value(self.found, field) != _value(self.declared, field)
        )

    def _error(self, what: str, details: str) -> TopologyDrift:
        return TopologyDrift(
            f"{self.name} {what}: {details}. Save what you need of it, run `{self.remedy}`, and start again."
        )


async def _config(information: Awaitable[Any]) -> Any:  # noqa: ANN401 - of a stream or of a consumer
    try:
        return (await information).config
    except nats.js.errors.NotFoundError:
        return None


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.0f} MB"

"""The connection to NATS: it reconnects forever once it was established."""

import asyncio
import ssl
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import nats
import nats.errors
import nats.js.errors
import structlog
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.js import JetStreamContext

from ricordo.bus.port import BusUnavailable, PublishRefused
from ricordo.log import without_secrets

_log = structlog.stdlib.get_logger(__name__)

_CLOSE_TIMEOUT_S = 3.0
_RECONNECT_WAIT_S = 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class NatsSettings:
    """How to connect to NATS.

    Attributes:
        servers: addresses, with credentials if needed.
        inbox_prefix: prefix of inboxes; permissions may require one.
        tls_ca: CA certificate that verifies the server; None for those of the system.
        start_timeout: seconds to retry the first connection.
        request_timeout: seconds to wait for a reply or an acknowledgement.
    """

    servers: tuple[str, ...] = field(repr=False)
    inbox_prefix: str = "_INBOX"
    tls_ca: Path | None = None
    start_timeout: float = 10.0
    request_timeout: float = 5.0


class NatsMessage:
    """Subject, body and headers of a message from NATS."""

    __slots__ = ("_message", "body", "headers", "subject")

    def __init__(self, message: Msg) -> None:
        self._message = message
        self.subject = message.subject
        self.body = message.data
        self.headers: Mapping[str, str] = message.headers or {}


class FlushingClient(Client):
    """A client whose `flush`, and with it `drain`, waits until the server has received everything."""

    async def flush(self, timeout: int = 10) -> None:
        """Wait for the server.

        The library sends the PING of a flush ahead of pending data: only the reply to a second one shows that
        the server has read everything. It also ends its reading loop when the reply to a PING comes whose
        waiter was cancelled, as by a timeout.

        Args:
            timeout: seconds to wait for each reply.

        Raises:
            nats.errors.Error: there is no connection, or no reply in time.
        """
        try:
            await super().flush(timeout)
            await super().flush(timeout)
        finally:
            self._pongs = [asyncio.Future() if one.cancelled() else one for one in self._pongs]


class NatsConnection:
    """A connection that reconnects, and notifies of its loss."""

    def __init__(self, settings: NatsSettings) -> None:
        self.settings = settings
        self.client = FlushingClient()
        self._up = asyncio.Event()
        self._lost: set[Callable[[], None]] = set()
        self._last_error = ""

    @property
    def denied(self) -> str:
        """The last permission that the server denied; empty if its last error was another."""
        return self._last_error if "permissions violation" in self._last_error else ""

    @property
    def streams(self) -> JetStreamContext:
        """The JetStream API."""
        return self.client.jetstream(timeout=self.settings.request_timeout)

    async def open(self) -> None:
        """Connect.

        Raises:
            BusUnavailable: no connection was accepted within the start timeout; says why.
        """
        settings, ca = self.settings, self.settings.tls_ca
        try:
            async with asyncio.timeout(settings.start_timeout):
                await self.client.connect(
                    servers=list(settings.servers),
                    name="ricordo",
                    inbox_prefix=settings.inbox_prefix,
                    tls=ssl.create_default_context(cafile=ca) if ca else None,
                    connect_timeout=2,
                    reconnect_time_wait=_RECONNECT_WAIT_S,  # type: ignore[arg-type]  # sleeps on it: any number
                    max_reconnect_attempts=-1,
                    ping_interval=10,
                    max_outstanding_pings=2,
                    skip_subject_validation=True,  # subjects are built, never typed
                    error_cb=self._on_error,
                    disconnected_cb=self._on_lost,
                    reconnected_cb=self._on_up,
                )
        except TimeoutError:
            await self.client.close()
            raise BusUnavailable(
                f"no NATS server accepts a connection at {self._addresses}: {self._last_error}"
            ) from None
        except (nats.errors.Error, OSError, ValueError) as error:
            raise BusUnavailable(f"cannot connect to NATS at {self._addresses}: {_text_of(error)}") from None
        self._up.set()

    @property
    def _addresses(self) -> str:
        return ", ".join(without_secrets(server) for server in self.settings.servers)

    async def close(self) -> None:
        """Send pending data and disconnect."""
        try:
            async with asyncio.timeout(_CLOSE_TIMEOUT_S):
                if self.client.is_connected:
                    await self.client.flush()
        except (nats.errors.Error, TimeoutError, OSError) as error:
            _log.debug("connection closed without a flush", error=_text_of(error))
        await self.client.close()

    async def up(self, within: float) -> None:
        """Return once connected.

        Raises:
            BusUnavailable: not connected within `within` seconds.
        """
        if self.client.is_closed:
            raise BusUnavailable("the connection to NATS was closed")
        try:
            async with asyncio.timeout(within):
                await self._up.wait()
        except TimeoutError:
            raise BusUnavailable(f"not connected to NATS at {self._addresses}: {self._last_error}") from None

    def when_lost(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call `listener` at each loss of the connection; returns a function that ends this."""
        self._lost.add(listener)
        return lambda: self._lost.discard(listener)

    async def _on_error(self, error: Exception) -> None:
        text = _text_of(error)
        if text != self._last_error:
            _log.debug("nats", error=text)
        self._last_error = text

    async def _on_lost(self) -> None:
        if self._up.is_set() and not self.client.is_closed:
            _log.warning("connection to NATS lost", servers=self._addresses)
        self._up.clear()
        for listener in tuple(self._lost):
            listener()

    async def _on_up(self) -> None:
        _log.info("connection to NATS restored", servers=self._addresses)
        self._up.set()


@contextmanager
def translated(what: str) -> Iterator[None]:
    """Translate errors of NATS into errors of the bus.

    Args:
        what: the action, to begin the sentence with.

    Raises:
        PublishRefused: the message is larger than the server allows.
        BusUnavailable: any other error.
    """
    try:
        yield
    except nats.errors.MaxPayloadError:
        raise PublishRefused(f"{what}: larger than the server allows") from None
    except (nats.errors.Error, TimeoutError, OSError) as error:
        raise BusUnavailable(f"{what}: {_text_of(error)}") from error


def _text_of(error: BaseException) -> str:
    description = getattr(error, "description", None)
    return description or without_secrets(str(error)) or type(error).__name__

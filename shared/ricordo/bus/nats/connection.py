"""The connection to NATS: found at the start or not at all, then kept, whatever happens to the server."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import nats
import nats.errors
import nats.js.errors
import structlog
from nats.aio.client import Client
from nats.js import JetStreamContext

from ricordo.bus.port import BusUnavailable, PublishRefused
from ricordo.log import without_secrets

_log = structlog.stdlib.get_logger(__name__)

_CLOSING_TAKES = 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class NatsSettings:
    """Where NATS is and how long to wait for it.

    Attributes:
        servers: addresses, with credentials inside where there are any.
        name: shown in the server's list of connections.
        credentials: path of a `.creds` file; None without.
        inbox_prefix: where replies arrive; permissions may demand one's own.
        tls_ca: file of the certificate by which that of the server is checked; None for what the system
            trusts.
        start_timeout: seconds to keep trying for the first connection.
        request_timeout: seconds to wait for the answer or the acknowledgement of a request.
        reconnect_wait: seconds between tries to reconnect; there is no last try.
    """

    servers: tuple[str, ...] = field(repr=False)
    name: str = "ricordo"
    credentials: str | None = None
    inbox_prefix: str = "_INBOX"
    tls_ca: Path | None = None
    start_timeout: float = 10.0
    request_timeout: float = 5.0
    reconnect_wait: float = 0.25


class FlushingClient(Client):
    """A client whose `flush`, and with it `drain`, waits until the server has all that was sent before."""

    async def flush(self, timeout: int = 10) -> None:
        """Wait for the server.

        The library writes the PING of a flush past what waits to be sent: the answer to the first says
        nothing yet, the answer to the second that the server has read everything.

        Args:
            timeout: seconds to wait for each answer.

        Raises:
            nats.errors.Error: there is no connection, or no answer in time.
        """
        await super().flush(timeout)
        await super().flush(timeout)


class Connection:
    """A connection that reconnects, and lets others wait for it or hear of its loss.

    Args:
        settings: see there.
    """

    def __init__(self, settings: NatsSettings) -> None:
        self.settings = settings
        self.client = FlushingClient()
        self._up = asyncio.Event()
        self._lost: set[Callable[[], None]] = set()
        self._last_error = ""

    @property
    def denied(self) -> str:
        """What the server has refused these credentials last; empty where its last error was another."""
        return self._last_error if "permissions violation" in self._last_error else ""

    @property
    def streams(self) -> JetStreamContext:
        """The API of JetStream."""
        return self.client.jetstream(timeout=self.settings.request_timeout)

    async def open(self) -> None:
        """Connect.

        Raises:
            BusUnavailable: no server let us in within the start timeout; the sentence says why.
        """
        settings = self.settings
        try:
            async with asyncio.timeout(settings.start_timeout):
                await self.client.connect(
                    servers=list(settings.servers),
                    name=settings.name,
                    user_credentials=settings.credentials,
                    inbox_prefix=settings.inbox_prefix,
                    tls=_trusting(settings.tls_ca),
                    connect_timeout=2,
                    reconnect_time_wait=settings.reconnect_wait,  # type: ignore[arg-type]  # sleeps on it: any number
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
                f"no NATS server lets us in at {self._addresses}: {self._last_error}"
            ) from None
        except (nats.errors.Error, OSError, ValueError) as error:
            raise BusUnavailable(f"cannot connect to NATS at {self._addresses}: {_said(error)}") from None
        self._up.set()

    @property
    def _addresses(self) -> str:
        return ", ".join(without_secrets(server) for server in self.settings.servers)

    async def close(self) -> None:
        """Send what is still to be sent, and disconnect."""
        try:
            async with asyncio.timeout(_CLOSING_TAKES):
                if self.client.is_connected:
                    await self.client.flush()
        except (nats.errors.Error, TimeoutError, OSError) as error:
            _log.debug("connection closed in a hurry", error=_said(error))
        await self.client.close()

    async def up(self, within: float) -> None:
        """Return once connected.

        Raises:
            BusUnavailable: not connected within so many seconds.
        """
        if self.client.is_closed:
            raise BusUnavailable("the connection to NATS was closed")
        try:
            async with asyncio.timeout(within):
                await self._up.wait()
        except TimeoutError:
            raise BusUnavailable(f"not connected to NATS at {self._addresses}: {self._last_error}") from None

    def when_lost(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call `listener` at each loss of the connection, until what is returned is called."""
        self._lost.add(listener)
        return lambda: self._lost.discard(listener)

    async def _on_error(self, error: Exception) -> None:
        said = _said(error)
        if said != self._last_error:
            _log.debug("nats", error=said)
        self._last_error = said

    async def _on_lost(self) -> None:
        if self._up.is_set() and not self.client.is_closed:
            _log.warning("connection to NATS lost", servers=self._addresses)
        self._up.clear()
        for listener in tuple(self._lost):
            listener()

    async def _on_up(self) -> None:
        _log.info("connection to NATS restored", servers=self._addresses)
        self._up.set()


@asynccontextmanager
async def connected(settings: NatsSettings) -> AsyncIterator[Connection]:
    """Connect for the length of a context.

    Raises:
        BusUnavailable: no server let us in within the start timeout.
    """
    connection = Connection(settings)
    await connection.open()
    try:
        yield connection
    finally:
        await connection.close()


@contextmanager
def translated(what: str) -> Iterator[None]:
    """Raise what NATS raises as errors of the bus.

    Args:
        what: was being done, to begin the sentence with.

    Raises:
        PublishRefused: the message is larger than the server carries.
        BusUnavailable: anything else.
    """
    try:
        yield
    except nats.errors.MaxPayloadError:
        raise PublishRefused(f"{what}: larger than the server carries") from None
    except (nats.errors.Error, TimeoutError, OSError) as error:
        raise BusUnavailable(f"{what}: {_said(error)}") from error


def _trusting(ca: Path | None) -> ssl.SSLContext | None:
    return None if ca is None else ssl.create_default_context(cafile=ca)


def _said(error: BaseException) -> str:
    description = getattr(error, "description", None)
    return description or without_secrets(str(error)) or type(error).__name__

"""The client's NATS connection."""

import asyncio
import re
import ssl
from collections import defaultdict
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractContextManager, asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Final, Self, TypeAlias, TypeVar

import nats.errors
from nats.aio.client import NO_RESPONDERS_STATUS, Client
from nats.aio.msg import Msg
from nats.js.api import Header, PubAck
from pydantic import ValidationError

from ricordo.client.addresses import checked_addresses, without_credentials
from ricordo.client.exceptions import Forbidden, InvalidRequest, Unavailable, answer, successful, translated
from ricordo.messages.errors import DecodeError
from ricordo.messages.inputs import Request
from ricordo.messages.message_types import Message
from ricordo.messages.routing import inbox_prefix
from ricordo.messages.subjects import PART, Subject, checked_tenant

M = TypeVar("M", bound=Message)
R = TypeVar("R", bound=Message)
T = TypeVar("T")

PartsOfReply: TypeAlias = AsyncGenerator[tuple[bool, bytes], None]
"""The parts of a reply and at last the reply: whether it is a part, and its JSON."""

_DENIED: Final = re.compile(r"permissions violation for publish to \"([^\"]+)\"")


def built(model: type[M], fields: Mapping[str, object]) -> M:
    """Build `model` from a caller's fields.

    Raises:
        TypeError: a field is unknown.
        InvalidRequest: a field is missing, wrong or out of range.
    """
    known = {field.alias or name for name, field in model.model_fields.items()}
    unknown = [name for name in fields if name not in known]
    if unknown:
        raise TypeError(f"{model.__name__} has no field {', '.join(map(repr, unknown))}")
    return read(model, fields)


def read(model: type[M], fields: Mapping[str, object]) -> M:
    """Build `model` from a document that may have more fields.

    Raises:
        InvalidRequest: a field is missing, wrong or out of range.
    """
    try:
        return model.model_validate(dict(fields))
    except ValidationError as error:
        decoded = DecodeError.from_validation(error)
        raise InvalidRequest(decoded.message, decoded.field) from None


def written(message: Message) -> bytes:
    """Encode the fields that the caller set; the reader adds defaults."""
    return message.model_dump_json(exclude_unset=True).encode()


class Connection:
    """A tenant's connection to Ricordo. It raises errors of NATS as those of `ricordo.client.exceptions`.

    Args:
        client: connected by the caller, unless `open` creates it.

    Raises:
        InvalidSubject: the tenant is invalid.
    """

    def __init__(self, client: Client, tenant: str, source: str, timeout: float) -> None:
        self.client = client
        self.tenant = checked_tenant(tenant)
        self.source = source
        self.timeout = timeout
        self._jetstream = client.jetstream(timeout=timeout)
        self._waiting: defaultdict[str, set[asyncio.Future[None]]] = defaultdict(set)

    @classmethod
    async def open(
        cls, url: str, tenant: str, source: str, timeout: float, tls_ca: Path | None = None
    ) -> Self:
        """Connect.

        Args:
            url: `nats://[user:password@]host:port`, several separated by commas.
            timeout: seconds to wait for the connection, and default for replies.
            tls_ca: CA certificate that verifies the server; None for those of the system.

        Raises:
            InvalidRequest: `url` or `tls_ca` is invalid.
            Forbidden: the server rejects the credentials.
            Unavailable: no server answers in time.
        """
        addresses, trust = checked_addresses(url), _tls_context(tls_ca)
        connection = cls(Client(), tenant, source, timeout)
        try:
            await connection._connect(addresses, trust)
        except BaseException:
            await connection.close()
            raise
        return connection

    async def close(self) -> None:
        """Send pending data, and close."""
        # nats-py cannot close an invalid address, and fails when the server is gone.
        with suppress(AssertionError, OSError):
            await self.client.close()

    async def ask(
        self, request: type[Request], reply: type[R], fields: Mapping[str, object], timeout: float | None
    ) -> R:
        """Send a request with these fields and return the reply; an unknown field is a `TypeError`."""
        return answer(await self.ask_raw(request, fields, timeout), request.name, reply)

    async def ask_raw(
        self, request: type[Request], fields: Mapping[str, object], timeout: float | None
    ) -> bytes:
        """Do as `ask`, and return the reply as the worker wrote it, in JSON."""
        body = written(built(request, fields))
        subject = str(Subject(self.tenant, request.name))
        seconds = self.timeout if timeout is None else timeout
        self._check_size(body, {})
        with self._translated(subject, seconds):
            message = await self._raise_if_denied(
                subject, self.client.request(subject, body, timeout=seconds)
            )
        return successful(message)

    async def ask_parts(
        self, request: type[Request], fields: Mapping[str, object], timeout: float | None
    ) -> PartsOfReply:
        """Do as `ask_raw` with `stream`, and yield the parts and at last the reply, within `timeout` each."""
        body = written(built(request, {**fields, "stream": True}))
        subject, inbox = str(Subject(self.tenant, request.name)), self.client.new_inbox()
        seconds = self.timeout if timeout is None else timeout
        self._check_size(body, {})
        with self._translated(subject, seconds):
            subscription = await self.client.subscribe(inbox)
        try:
            with self._translated(subject, seconds):
                await self.client.publish(subject, body, reply=inbox)
            is_part = True
            while is_part:
                with self._translated(subject, seconds):
                    message = await self._raise_if_denied(subject, subscription.next_msg(seconds))
                    headers = message.headers or {}
                    if headers.get(Header.STATUS) == NO_RESPONDERS_STATUS:
                        raise nats.errors.NoRespondersError
                is_part = PART in headers
                yield is_part, message.data if is_part else successful(message)
        finally:
            with suppress(nats.errors.Error, OSError):  # closed with the connection
                await subscription.unsubscribe()

    async def publish(self, name: str, body: bytes, headers: dict[str, str], timeout: float | None) -> PubAck:
        """Publish to JetStream, and wait for the acknowledgement."""
        subject = str(Subject(self.tenant, name))
        seconds = self.timeout if timeout is None else timeout
        self._check_size(body, headers)
        with self._translated(subject, seconds):
            ack = self._jetstream.publish(subject, body, timeout=seconds, headers=headers)
            return await self._raise_if_denied(subject, ack)

    @asynccontextmanager
    async def subscribed(self, name: str, callback: Callable[[Msg], Awaitable[None]]) -> AsyncIterator[None]:
        """Call `callback` with messages of `name`, for the length of an `async with`."""
        subject = str(Subject(self.tenant, name))
        with self._translated(subject, self.timeout):
            subscription = await self.client.subscribe(subject, cb=callback)
        try:
            yield
        finally:
            with suppress(nats.errors.Error, OSError):  # closed with the connection
                await subscription.unsubscribe()

    async def _connect(self, addresses: list[str], trust: ssl.SSLContext | None) -> None:
        refused: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        reasons: list[Exception] = []

        async def on_error(error: Exception) -> None:
            reasons[:] = [error]
            if "authorization" in str(error).lower() and not refused.done():
                refused.set_result(None)
            self._on_denial(error)

        attempt = asyncio.ensure_future(
            self.client.connect(
                servers=addresses,
                name="ricordo-client",
                error_cb=on_error,
                inbox_prefix=inbox_prefix(self.tenant),
                tls=trust,
                max_reconnect_attempts=-1,
                reconnect_time_wait=1,
            )
        )
        where = without_credentials(",".join(addresses))
        try:
            if await _first_done(attempt, refused, self.timeout):
                return
        except (OSError, ValueError, nats.errors.Error) as error:
            raise Unavailable(f"cannot connect to {where}: {error}") from None
        if refused.done():
            raise Forbidden(f"the NATS server at {where} refuses these credentials")
        reason = f" ({reasons[0]})" if reasons else ""
        raise Unavailable(
            f"no NATS server answers at {where} within {self.timeout:g} s{reason}: "
            "is Ricordo running? `ricordo up` starts it"
        )

    def _check_size(self, body: bytes, headers: Mapping[str, str]) -> None:
        # nats-py checks the body alone; the server counts the headers, too, and closes the connection.
        head = sum(len(key) + len(value) + 4 for key, value in headers.items()) + 12 if headers else 0
        limit = self.client.max_payload
        if limit and len(body) + head > limit:
            raise InvalidRequest(f"the message takes {len(body) + head:,} bytes; the server allows {limit:,}")

    async def _raise_if_denied(self, subject: str, answering: Awaitable[T]) -> T:
        # The server reports a missing permission out of band; the request itself would time out.
        denied: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting[subject].add(denied)
        try:
            task = asyncio.ensure_future(answering)
            if not await _first_done(task, denied, None):
                raise Forbidden(f"these credentials do not allow to publish to {subject}")
            return task.result()
        finally:
            self._waiting[subject].discard(denied)
            if not self._waiting[subject]:
                del self._waiting[subject]

    def _on_denial(self, error: Exception) -> None:
        match = _DENIED.search(str(error))
        for denied in self._waiting.get(match[1], ()) if match else ():
            if not denied.done():
                denied.set_result(None)

    def _translated(self, subject: str, timeout: float) -> AbstractContextManager[None]:
        return translated(subject, timeout, lambda: self.client.is_connected)


class ConnectionMethods:
    """Base class of the methods of the client."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def _ask(self, request: type[Request], reply: type[R], fields: dict[str, Any]) -> R:
        """Send a request with these fields; `timeout` among them is that of the call."""
        timeout = fields.pop("timeout", None)
        return await self._connection.ask(request, reply, fields, timeout)


def _tls_context(ca: Path | None) -> ssl.SSLContext | None:
    if ca is None:
        return None
    try:
        return ssl.create_default_context(cafile=ca)
    except OSError as error:  # also for a file without a certificate
        raise InvalidRequest(f"{ca} cannot be read as a certificate: {error.strerror or error}") from None


async def _first_done(task: asyncio.Future[T], sign: asyncio.Future[None], timeout: float | None) -> bool:
    """Return whether `task` ends first, and raise its error; cancel it after `sign` or the timeout."""
    try:
        await asyncio.wait((task, sign), timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            return False
        task.result()
        return True
    finally:
        if not task.done():
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

"""Delivers events to webhooks, at least once: an event is acknowledged once its receiver has accepted it.

It is signed as Standard Webhooks specifies. The host of a receiver is named by a user: addresses inside the
network of the operator are refused (SSRF).
"""

import asyncio
import json
import random
import socket
from collections.abc import AsyncIterator, Collection, Coroutine, Mapping
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http import HTTPStatus
from importlib.metadata import version
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Final, Self, TypeAlias

import httpx
import nats.errors
import nats.js.errors
import structlog
from nats.aio.msg import Msg
from standardwebhooks import Webhook as Signature

from ricordo.client import Unavailable
from ricordo.runtime.health import Health
from ricordo.runtime.tasks import cancel_and_wait
from ricordo.settings import GatewaySettings
from ricordo_services.gateway.event_stream import is_repeated, type_of, visible_to
from ricordo_services.gateway.nats_clients import NatsClients
from ricordo_services.gateway.webhook_store import Webhook, WebhookStore

_AGENT: Final = f"ricordo/{version('ricordo')}"
_PORTS: Final = {"http": 80, "https": 443}
Network: TypeAlias = IPv4Network | IPv6Network

_GLOBAL_UNICAST: Final = IPv6Network("2000::/3")
"""The only IPv6 addresses in public use."""
_TUNNELS: Final = tuple(map(IPv6Network, ("64:ff9b::/96", "64:ff9b:1::/48", "2002::/16", "2001::/32")))
"""IPv6 addresses that a gateway translates into any IPv4 address."""


class AddressRefused(Exception):
    """A host has no address that may be contacted."""


class DeliveryFailed(Exception):
    """The receiver did not accept an event; the message says why."""


class ReceiverGone(Exception):
    """The receiver wants no more events (410)."""


@dataclass(frozen=True, slots=True)
class WebhookSender:
    """Posts events.

    Attributes:
        timeout: seconds for a delivery, name resolution included.
        networks: that may be contacted although they are not public.
    """

    client: httpx.AsyncClient
    timeout: float
    networks: Collection[Network]

    @classmethod
    @asynccontextmanager
    async def open(cls, timeout: float, networks: Collection[Network]) -> AsyncIterator[Self]:
        """Yield a sender, without proxies and redirects, which would evade the check of addresses."""
        # A connection is to an address, so that another host there could reuse it with the wrong certificate.
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=0)
        async with httpx.AsyncClient(
            timeout=timeout, limits=limits, trust_env=False, follow_redirects=False
        ) as client:
            yield cls(client, timeout, networks)

    async def send(self, webhook: Webhook, event_id: str, body: str) -> None:
        """Post an event.

        Raises:
            ReceiverGone: it wants no more.
            DeliveryFailed: it did not answer 2xx in time.
        """
        now = datetime.now(UTC)
        headers = {
            "content-type": "application/json",
            "user-agent": _AGENT,
            "webhook-id": event_id,
            "webhook-timestamp": str(int(now.timestamp())),
            "webhook-signature": Signature(webhook.secret).sign(event_id, now, body),
        }
        try:
            async with asyncio.timeout(self.timeout):
                status = await self._post(httpx.URL(webhook.url), headers, body)
        except TimeoutError:
            raise DeliveryFailed(f"no answer within {self.timeout:g} s") from None
        except (httpx.HTTPError, httpx.InvalidURL, OSError, AddressRefused) as error:
            raise DeliveryFailed(str(error) or type(error).__name__) from None
        if status == HTTPStatus.GONE:
            raise ReceiverGone
        if not 200 <= status < 300:
            raise DeliveryFailed(f"status {status}")

    async def _post(self, url: httpx.URL, headers: dict[str, str], body: str) -> int:
        """Post to the first address that accepts a connection; the name is not resolved again."""
        host = url.raw_host.decode("ascii")
        addresses = await resolve(host, url.port or _PORTS[url.scheme], self.networks)
        for address in addresses:
            try:
                async with self.client.stream(
                    "POST",
                    url.copy_with(host=address),
                    content=body.encode(),
                    headers={**headers, "host": url.netloc.decode("ascii")},
                    extensions={"sni_hostname": host},
                ) as answer:
                    return answer.status_code
            except httpx.ConnectError:
                if address == addresses[-1]:
                    raise
        raise AddressRefused


async def resolve(host: str, port: int, allowed: Collection[Network] = ()) -> list[str]:
    """Return the addresses of a host that may be contacted.

    Args:
        allowed: networks that may be contacted although they are not public.

    Raises:
        AddressRefused: there are none. The message does not say whether the host exists.
    """
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        found = []
    addresses = [str(address[0]) for *_, address in found]
    permitted = [address for address in addresses if _is_permitted(address, allowed)]
    if not permitted:
        raise AddressRefused("its host has no public address")
    return permitted


def _is_permitted(text: str, allowed: Collection[Network]) -> bool:
    address = ip_address(text)
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    if any(address in network for network in allowed):
        return True
    if isinstance(address, IPv6Address) and address not in _GLOBAL_UNICAST:
        return False
    return address.is_global and not address.is_multicast and not any(address in one for one in _TUNNELS)


_AT_ONCE: Final = 16
"""Deliveries of one webhook at a time."""
_FETCH_S: Final = 30.0
_PAUSE_S: Final = 2.0
_JITTER: Final = 0.1
_COUNTERS: Final = ("webhooks_delivered", "webhooks_failed", "webhooks_disabled")
_NATS_ERRORS: Final = (nats.errors.Error, nats.js.errors.Error, OSError, Unavailable)
_log = structlog.stdlib.get_logger(__name__)


@asynccontextmanager
async def delivering(clients: NatsClients, settings: GatewaySettings, health: Health) -> AsyncIterator[None]:
    """Deliver events for the length of an `async with`, and count deliveries in `health`."""
    store = WebhookStore(clients.streams, settings.webhook_timeout_s)
    async with WebhookSender.open(settings.webhook_timeout_s, settings.webhook_networks) as sender:
        dispatcher = WebhookDispatcher(store, sender, settings.webhook_retries_s)
        health.counters = lambda: dispatcher.counters
        running = asyncio.create_task(dispatcher.run())
        try:
            yield
        finally:
            await cancel_and_wait(running)


@dataclass(eq=False)
class WebhookDispatcher:
    """Runs a task per webhook, so that a slow receiver delays no other.

    Attributes:
        retries: seconds after each failure of an event; after one more the webhook is disabled.
        counters: how many deliveries were accepted and failed, and how many webhooks were disabled.
    """

    store: WebhookStore
    sender: WebhookSender
    retries: tuple[float, ...]
    counters: dict[str, int] = field(default_factory=lambda: dict.fromkeys(_COUNTERS, 0))
    _changing: set[asyncio.Future[None]] = field(default_factory=set)
    _running: dict[str, tuple[Webhook, asyncio.Task[None]]] = field(default_factory=dict)

    async def run(self) -> None:
        """Deliver until it is cancelled; NATS may go and come back."""
        try:
            while True:
                try:
                    async with aclosing(self.store.tables()) as tables:
                        async for table in tables:
                            await self._adjust(table)
                except _NATS_ERRORS as error:
                    _log.warning("webhooks cannot be read", error=str(error))
                    await asyncio.sleep(_PAUSE_S)
        finally:
            await cancel_and_wait(*(task for _, task in self._running.values()))

    async def _adjust(self, table: Mapping[str, Webhook]) -> None:
        """Run a task for each webhook of the table that is not disabled, and no other."""
        active = {key: webhook for key, webhook in table.items() if webhook.disabled_at is None}
        for key, (webhook, task) in tuple(self._running.items()):
            if active.get(key) == webhook and not task.done():
                continue
            if task.done() and not task.cancelled() and (error := task.exception()) is not None:
                _log.error("the deliveries of a webhook failed", webhook=webhook.id, exc_info=error)
            del self._running[key]
            await cancel_and_wait(task)
        for key in active.keys() - self._running.keys():
            self._running[key] = active[key], asyncio.create_task(self._serve(active[key]))

    async def _serve(self, webhook: Webhook) -> None:
        while True:
            try:
                await self.store.add_consumer(webhook)
                await self._receive(webhook)
            except _NATS_ERRORS as error:
                _log.warning("the events of a webhook cannot be read", webhook=webhook.id, error=str(error))
                await asyncio.sleep(_PAUSE_S)

    async def _receive(self, webhook: Webhook) -> None:
        """Deliver what comes, until none has come for a while."""
        subscription = await self.store.subscribe(webhook)
        try:
            while True:
                try:
                    messages = await subscription.fetch(_AT_ONCE, timeout=_FETCH_S)
                except TimeoutError:
                    return
                await asyncio.gather(*(self._deliver(webhook, message) for message in messages))
        finally:
            with suppress(nats.errors.Error, OSError):  # closed with the connection
                await subscription.unsubscribe()

    async def _deliver(self, webhook: Webhook, message: Msg) -> None:
        event = visible_to(webhook.user_id, json.loads(message.data))
        if event is None or is_repeated(message):
            await message.ack()
            return
        body = json.dumps({"type": type_of(message), **event})
        try:
            await self.sender.send(webhook, event["id"], body)
        except DeliveryFailed as failure:
            self.counters["webhooks_failed"] += 1
            await self._retry(webhook, message, str(failure))
        except ReceiverGone:
            _log.info("a webhook is removed: its receiver answers 410", webhook=webhook.id)
            await self._finish(self.store.remove(webhook))
        else:
            self.counters["webhooks_delivered"] += 1
            await message.ack()

    async def _retry(self, webhook: Webhook, message: Msg, reason: str) -> None:
        attempts = message.metadata.num_delivered
        if attempts <= len(self.retries):
            jitter = 1 + _JITTER * random.random()
            await message.nak(delay=self.retries[attempts - 1] * jitter)
            return
        self.counters["webhooks_disabled"] += 1
        _log.warning("a webhook is disabled", webhook=webhook.id, reason=reason)
        await self._finish(
            self.store.disable(webhook, f"an event failed {attempts} times, last with: {reason}")
        )

    async def _finish(self, change: Coroutine[None, None, None]) -> None:
        """Wait for a change of the table, which ends this very task, and let it go on then."""
        changing = asyncio.ensure_future(change)
        self._changing.add(changing)
        changing.add_done_callback(self._changing.discard)
        await asyncio.shield(changing)

"""Sends an event to the receiver of a webhook, signed as Standard Webhooks specifies.

Its host is named by a user: addresses inside the network of the operator are refused (SSRF).
"""

import asyncio
import socket
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus
from importlib.metadata import version
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Final, Self, TypeAlias

import httpx
from standardwebhooks import Webhook as Signature

from ricordo_services.gateway.webhook_store import Webhook

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

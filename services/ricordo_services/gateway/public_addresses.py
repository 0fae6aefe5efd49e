"""Resolves hosts that users name, and refuses addresses inside the operator's network (SSRF)."""

import asyncio
import socket
from collections.abc import Collection
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Final, TypeAlias

Network: TypeAlias = IPv4Network | IPv6Network

_TUNNELS: Final = tuple(map(IPv6Network, ("64:ff9b::/96", "64:ff9b:1::/48", "2002::/16", "2001::/32")))
"""IPv6 addresses that a gateway translates into any IPv4 address."""


class AddressRefused(Exception):
    """A host has no address that may be contacted."""


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
    return address.is_global and not address.is_multicast and not any(address in one for one in _TUNNELS)

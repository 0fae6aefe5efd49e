"""Validates addresses of NATS, and removes credentials from them."""

import re
from typing import Final

from ricordo.client.exceptions import InvalidRequest
from ricordo.urls import bare, place_fault, split

_SCHEMES: Final = ("nats", "tls", "ws", "wss")
_HOST_AND_PORT: Final = re.compile(r"[^\s/]+:\d+")
_ADVICE: Final = "give nats://host:port, such as nats://127.0.0.1:4222"


def checked_addresses(url: str) -> list[str]:
    """Return the addresses in `url`, separated by commas.

    Args:
        url: each `nats://[user:password@]host[:port]` (or `tls`, `ws`, `wss`), or `host:port`.

    Raises:
        InvalidRequest: an address is invalid; names it without credentials.
    """
    found = [item.strip() for item in url.split(",")]
    for item in found:
        if problem := _problem(item):
            raise InvalidRequest(f"{without_credentials(item)!r} is not an address of NATS: {problem}")
    return found


def _problem(address: str) -> str:
    if "://" not in address and _HOST_AND_PORT.fullmatch(address) is None:
        return _ADVICE
    parts = split(address if "://" in address else f"nats://{address}")
    if parts is None or any(char.isspace() for char in address):
        return _ADVICE
    if parts.scheme not in _SCHEMES:
        return f"{parts.scheme}:// is not supported: {_ADVICE}"
    return place_fault(parts.netloc, _ADVICE)


def without_credentials(url: str) -> str:
    """Return one or several addresses, separated by commas, without users and passwords."""
    return ", ".join(bare(item.strip()) for item in url.split(","))

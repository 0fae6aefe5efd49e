"""What can be wrong with a server's address, found out before anybody tries it; nothing secret is shown."""

from collections.abc import Sequence
from urllib.parse import SplitResult, urlsplit

_PORTS = range(1, 65536)


def fault(url: str, schemes: Sequence[str], example: str) -> str:
    """Say why `url` is no address of one server; empty where it may be one.

    Args:
        url: `scheme://[user:password@]host[:port][/path]`.
        schemes: those that are spoken there.
        example: an address as it should be.
    """
    advice = f"give scheme, host and port, such as {example}"
    if not url.strip():
        return f"it is empty: {advice}"
    if not url.isprintable() or any(char.isspace() for char in url):
        return f"it holds a blank or a control character: {advice}"
    parts = split(url)
    if parts is None:
        return advice
    return _fault_of_scheme(url, parts, schemes, advice) or place_fault(parts.netloc, advice)


def dsn_fault(dsn: str, schemes: Sequence[str], example: str) -> str:
    """Say why `dsn` names no database; empty where it may. It may name several hosts, or a socket's folder.

    Args:
        dsn: `scheme://[user[:password]@][host[:port],...][/database][?option=value]`.
        schemes: those that are spoken there.
        example: an address as it should be.
    """
    advice = f"give an address such as {example}"
    parts = split(dsn)
    if parts is None:
        return advice
    hosts = parts.netloc.rpartition("@")[2].split(",")
    faults = (place_fault(host, advice) for host in hosts if host)
    return _fault_of_scheme(dsn, parts, schemes, advice) or next(filter(None, faults), "")


def bare(url: str) -> str:
    """Return `url` without user and password; its path stays, as a server may be behind one."""
    scheme, mark, rest = url.rpartition("://")
    place, slash, path = rest.partition("/")
    if "@" in path:  # a password that should have been escaped, for all we know
        return f"{scheme}{mark}***"
    return f"{scheme}{mark}{place.rpartition('@')[2]}{slash}{path}"


def split(url: str) -> SplitResult | None:
    """Return the parts of an address; None if it has none."""
    try:
        return urlsplit(url)
    except ValueError:  # such as brackets that do not hold an IPv6 address
        return None


def _fault_of_scheme(url: str, parts: SplitResult, schemes: Sequence[str], advice: str) -> str:
    if "://" not in url or not parts.scheme:
        return f"it names no scheme: {advice}"
    return "" if parts.scheme in schemes else f"{parts.scheme}:// is not spoken there: {advice}"


def place_fault(netloc: str, advice: str) -> str:
    """Say why host and port of an address are none; empty where they may be."""
    parts = split(f"//{netloc}")
    if parts is None or not parts.hostname:
        return f"it names no host: {advice}"
    try:
        fits = parts.port is None or parts.port in _PORTS
    except ValueError:
        fits = False
    return "" if fits else "its port must be a number from 1 to 65535"

"""The Python client for bots: `from ricordo.client import MemoryClient`."""

from ricordo.client.exceptions import (
    Forbidden,
    Internal,
    InvalidRequest,
    NoResponders,
    NotFound,
    RicordoError,
    StreamFull,
    Timeout,
    Unavailable,
)
from ricordo.client.memory_client import MemoryClient, Receipt
from ricordo.client.publish_methods import Published

__all__ = [
    "Forbidden",
    "Internal",
    "InvalidRequest",
    "MemoryClient",
    "NoResponders",
    "NotFound",
    "Published",
    "Receipt",
    "RicordoError",
    "StreamFull",
    "Timeout",
    "Unavailable",
]

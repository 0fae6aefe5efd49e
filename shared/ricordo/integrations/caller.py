"""The user that a tool speaks for: the program, the command line or a key decides, never a model."""

import hashlib
from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

from ricordo.client import MemoryClient


class Caller(NamedTuple):
    """A client of the bus and the one user whose memories its tools read and write."""

    client: MemoryClient
    user_id: str
    channel: str = "mcp"
    """The beginning of the ids of what is remembered."""

    @property
    def conversation_id(self) -> str:
        """The conversation of what assistants remember for this user."""
        return f"{self.channel}-{_digest(self.client.tenant, self.user_id)}"

    def message_id(self, key: str | None, text: str, now: datetime) -> str:
        """Return the id of a message that an assistant remembers; it shows whose it is.

        Args:
            key: the idempotency key of the assistant; without one, a text is the same message for a day.
        """
        cause = ("key", key) if key is not None else ("text", f"{now:%Y-%m-%d}", text)
        return f"{self.conversation_id}-{_digest(*cause)}"

    def owns(self, message_id: str) -> bool:
        """Whether a message was remembered here for this user: `query.status` asks for no user."""
        return message_id.startswith(f"{self.conversation_id}-")


CallerSource = Callable[[], Caller]
"""Returns the caller of the current request."""


def _digest(*parts: str) -> str:
    return hashlib.sha256("".join(f"{len(part)}:{part}" for part in parts).encode()).hexdigest()[:32]

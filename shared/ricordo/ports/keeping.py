"""How much is kept in the hot index: what is there, what is past its time, and what is too much."""

from typing import Protocol


class Keeping(Protocol):
    """What the passes ask about all memories of a tenant."""

    async def count(self, tenant: str, user_id: str | None) -> int:
        """Return how many memories there are, of a user or of all, archived ones too."""
        ...

"""How a user talks, as it is counted."""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from ricordo.memory.style import RegisterPatterns, StyleCounts


@dataclass(frozen=True, slots=True)
class Heard:
    """What was counted.

    Attributes:
        talk: the counts.
        until: when the last message that counts was said; None where none does.
        forgotten: how much of the user was asked to be forgotten by then: tombstones.
    """

    talk: StyleCounts
    until: datetime | None = None
    forgotten: int = 0


@dataclass(frozen=True, slots=True)
class News:
    """What has come since.

    Attributes:
        messages: that the user has said.
        forgotten: tombstones of the user, old and new.
    """

    messages: int
    forgotten: int


class Habits(Protocol):
    """Counts over what users have said; of an unknown one there is nothing. Raises `StoreUnavailable`."""

    async def talk(self, tenant: str, user_id: str, *, before: datetime, manners: RegisterPatterns) -> Heard:
        """Return what is counted over the last messages of the user, at most 200.

        Args:
            tenant: whose store.
            user_id: who talks.
            before: messages that are dated later are not said yet.
            manners: tells words of distance and of familiarity.
        """
        ...

    async def news(self, tenant: str, user_id: str, *, since: datetime, before: datetime, most: int) -> News:
        """Return what has come since; of more than `most` messages, that there are as many."""
        ...

"""The user's word on memories: which recalls were of use, what is to stay, what is so, what was put right."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from uuid import UUID

from ricordo.store.types.stages import Progress


class UnknownMemories(LookupError):
    """The user has no such memories.

    Attributes:
        memory_ids: those of the asked ones that there are not.
    """

    def __init__(self, memory_ids: Sequence[UUID]) -> None:
        super().__init__(f"the user has no memory {', '.join(map(str, memory_ids))}")
        self.memory_ids = tuple(memory_ids)


@dataclass(frozen=True, slots=True)
class Wish:
    """Who asks for what.

    Attributes:
        request_id: under which it is kept what came of it; None where it is not to be repeated.
        asked: a hash of all that is asked; a request of the same id that asks for something else is refused.
    """

    user_id: str
    request_id: str | None
    asked: bytes


@dataclass(frozen=True, slots=True)
class Weighed:
    """What came of a feedback.

    Attributes:
        used, irrelevant: how many memories it made stronger and weaker.
        changed: which rows it changed.
    """

    used: int = 0
    irrelevant: int = 0
    changed: tuple[UUID, ...] = ()


@dataclass(frozen=True, slots=True)
class Corrected:
    """What came of a correction.

    Attributes:
        fields: the columns that it changed; none where the memory said so already.
        progress: the stages as they stand.
        withdrawn: what had been made of the former words, and is no more.
    """

    fields: tuple[str, ...]
    progress: Progress | None
    withdrawn: tuple[UUID, ...] = ()


class Curating(Protocol):
    """What lifecycle takes from the user. Each method is one transaction.

    Repeating a request changes nothing and returns the same, for as long as it is kept what came of it.

    Raises:
        UnknownMemories: the user has none of that id, or is forgotten; nothing was written.
        OtherRequest: the request is known for something else; nothing was written.
        StoreUnavailable: nothing was written.
    """

    async def feedback(
        self,
        tenant: str,
        wish: Wish,
        recall_id: UUID,
        *,
        used: Sequence[UUID],
        irrelevant: Sequence[UUID],
        at: datetime,
    ) -> Weighed:
        """Count what was used, unless that recall had counted it, and take back what was irrelevant.

        The last that was said of a memory in a recall holds, whether the event of the recall comes before or
        after it; see `ricordo.memory.reinforcement`.
        """
        ...

    async def pin(
        self, tenant: str, wish: Wish, memory_id: UUID, *, pinned: bool, at: datetime
    ) -> Sequence[str]:
        """Keep a memory from fading, or let it fade again; return the columns that this has changed.

        One that is pinned comes back from the archive.
        """
        ...

    async def verify(
        self, tenant: str, wish: Wish, memory_id: UUID, *, verified: bool, at: datetime
    ) -> Sequence[str]:
        """Confirm a memory, or take that back; return the columns that this has changed."""
        ...

    async def correct(
        self, tenant: str, wish: Wish, memory_id: UUID, *, content: str, language: str, at: datetime
    ) -> Corrected:
        """Let a memory say something else, verified, in the user's name.

        What was derived from the former words counts no more: the stages are taken back with it. What was
        said stays in the history, and its digest, so that the message that comes again is the same message.

        Args:
            tenant: whose memory.
            wish: see there.
            memory_id: which.
            content: what it says instead; not blank.
            language: of the content; empty where it is not known: then it stays what it was.
            at: now.
        """
        ...

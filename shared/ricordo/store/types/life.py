"""What lifecycle owns of the truth: use, fading, and the care for what was left behind."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol
from uuid import UUID

from ricordo.bus.port import DeadLetter
from ricordo.messages.vocabulary import ArchiveReason
from ricordo.store.types.memories import Lagging


@dataclass(frozen=True, slots=True)
class Access:
    """One access event: memories that a recall has returned."""

    recall_id: UUID
    user_id: str
    memory_ids: tuple[UUID, ...]
    at: datetime


@dataclass(frozen=True, slots=True)
class DecaySlice:
    """The work of one slice; `last` is None when there is no more."""

    examined: int
    changed: int
    archived: tuple[tuple[UUID, str], ...]
    last: UUID | None


@dataclass(frozen=True, slots=True)
class Moved:
    """A memory that the archive took, or gave back, or whose place another one took.

    Attributes:
        reason: why the archive has it; None where it was given back.
        at: when it moved.
    """

    memory_id: UUID
    user_id: str
    reason: ArchiveReason | None
    at: datetime

    @property
    def archived(self) -> bool:
        """Whether the archive has it now."""
        return self.reason is not None


class Life(Protocol):
    """Maintenance of memories; each method but `decay` and `tidy` is one transaction, atomic in SQL."""

    async def tenants(self) -> Sequence[str]:
        """Return all tenants that ever said something."""
        ...

    async def reinforce(self, tenant: str, accesses: Sequence[Access]) -> None:
        """Strengthen what was accessed, exactly once per recall and memory.

        What `Curating.feedback` has said of a recall stands above its event: that comes to nothing then but
        the moment at which a memory was shown.
        """
        ...

    async def decay(
        self, tenant: str, now: datetime, *, user_id: str | None, after: UUID | None, limit: int, floors: bool
    ) -> DecaySlice:
        """Let a slice of memories fade, in an order of the store's own behind `after`; archive the too weak.

        It may take several transactions, each of which follows from what is stored: one that is cut off is
        simply repeated. What is used or changed at that moment is left to the next pass.
        """
        ...

    async def moved(
        self, tenant: str, before: datetime, limit: int, *, user_id: str | None = None
    ) -> Sequence[Moved]:
        """Return, oldest first, what moved before `before` and was not reported to `told` yet."""
        ...

    async def told(self, tenant: str, moved: Sequence[Moved]) -> None:
        """Note that these moves were said once more, to be forgotten; what has moved since stays."""
        ...

    async def lagging(
        self, tenant: str, now: datetime, older_than: timedelta, limit: int
    ) -> Sequence[Lagging]:
        """Return messages that have lacked a stage for longer than `older_than`.

        What became a dead letter waits for its replay, for as long as its reason is kept.
        """
        ...

    async def bury(self, tenant: str, letter: DeadLetter, keep: Callable[[], Awaitable[None]]) -> None:
        """Keep a dead letter's reason, for the status of its message, once `keep` has kept the letter.

        It goes when the stage is set that its consumer sets, or with `tidy`. Neither is kept where a
        tombstone stands before the words in it; and none is put up between the two.
        """
        ...

    async def tidy(
        self, tenant: str, *, handled_before: datetime, used_before: datetime, died_before: datetime
    ) -> None:
        """Drop what is too old to matter.

        It takes several transactions, and what one has dropped stays dropped; what somebody else holds is
        left to the next time.

        Args:
            handled_before: until when the record of handled events goes; older than any redelivery.
            used_before: until when it goes what each recall has added to each memory, and what came of
                requests that may be repeated; older than any redelivery, too. What was said of a recall
                before, nobody knows then.
            died_before: until when the reasons of dead letters go. A message that still lacks a stage is
                found by `lagging` again.
        """
        ...

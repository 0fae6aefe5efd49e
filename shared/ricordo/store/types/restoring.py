"""What messages do not tell, put back where a user's messages were taken in again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from uuid import UUID

from ricordo.memory.facts import Evidence, Rejection
from ricordo.memory.model import Memory
from ricordo.store.types.facts import Project
from ricordo.store.types.stages import Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What use, time and the user have made of a memory elsewhere.

    Attributes:
        id: of the memory here.
        event_id: of this very state: once it has counted, it counts no more.
        importance_beyond: what use would have added to the importance above its ceiling.
        stored_at: when it came in there: it goes on to fade from then.
        synthesis_id: the memory here that it was condensed into.
    """

    id: UUID
    event_id: UUID
    access_count: int
    last_accessed: datetime | None
    reinforcement: float
    importance: float
    importance_beyond: float
    decay_factor: float
    pinned: bool
    verified: bool
    stored_at: datetime
    archived_at: datetime | None
    archive_reason: str | None
    compressed: bool
    synthesis_id: UUID | None


@dataclass(frozen=True, slots=True)
class Restored:
    """A memory that is not as it was.

    Attributes:
        archive_reason: why the archive has it; None where it has not.
    """

    memory_id: UUID
    archive_reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejected:
    """A reading that the user has rejected elsewhere.

    Attributes:
        request_id: under which they did.
        ordinal: its place among all of that request.
        fact_id: of the fact there.
        at: when, aware.
    """

    request_id: str
    ordinal: int
    fact_id: UUID
    rejection: Rejection
    at: datetime


class Restoring(Protocol):
    """Each method is one transaction, changes nothing when it is repeated, and raises `StoreUnavailable`."""

    async def corrected(self, tenant: str, user_id: str, memory_ids: Sequence[UUID]) -> set[UUID]:
        """Return which of the user's memories say what the user has put right here."""
        ...

    async def words(
        self, tenant: str, user_id: str, words: Mapping[str, Sequence[Evidence]], project: Project
    ) -> int:
        """Keep what a user has said of facts, fold it and project it; as `FactLedger.record` does.

        Args:
            tenant: whose store.
            user_id: whose word.
            words: by the request under which each was said; those that are known are left as they are, and
                so are those before which a tombstone stands.
            project: as there.

        Returns:
            How many requests are new.
        """
        ...

    async def rejections(
        self, tenant: str, user_id: str, rejected: Sequence[Rejected], project: Project
    ) -> int:
        """Keep what a user has rejected, and take away what was read so; fold it and project it.

        Those before which a tombstone stands are left out.

        Returns:
            How many readings are rejected by it.
        """
        ...

    async def insights(self, tenant: str, user_id: str, about: Sequence[UUID]) -> Mapping[UUID, UUID]:
        """Return the memories that tell the user's insights here, by what these are about."""
        ...

    async def derived(
        self, tenant: str, memories: Sequence[Memory], about: Mapping[UUID, UUID], at: datetime
    ) -> Sequence[Progress]:
        """Write memories that no message is behind; those that are there already stay.

        One that the user has put right or confirmed takes the place of what was computed here under its id,
        and of what was made of that. One whose sources are not all there, or before which a tombstone stands,
        is left out.

        Args:
            tenant: whose store.
            memories: of one user.
            about: of insights, what each is about.
            at: when they are stored.

        Returns:
            The stages of those that are there now.
        """
        ...

    async def use(self, tenant: str, user_id: str, kept: Sequence[Kept]) -> Sequence[Restored]:
        """Have memories be as used, as faded and as held on to as they were elsewhere.

        Nothing is taken back that has been made of one here: of two counts the larger stands, who is pinned
        or verified stays so, and one that was used more here keeps its importance, and its place.

        Returns:
            Those that changed.
        """
        ...

"""The facts that are known, as the truth holds them: for a projection that is written anew."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol
from uuid import UUID

from ricordo.memory.facts import Fact


class HeldFacts(Protocol):
    """The facts of one user, which nobody changes meanwhile."""

    async def among(self, ids: Collection[UUID]) -> Sequence[Fact]:
        """Return those of `ids` that are facts of the user, as they stand."""
        ...

    async def state(self) -> UUID | None:
        """Return the state of the user's evidence; None where there never was any."""
        ...


class KnownFacts(Protocol):
    """What `reindex` asks of the truth.

    Every method raises `StoreUnavailable` when the store does not answer.
    """

    async def owners(self, tenant: str, user_id: str | None = None) -> Mapping[str, int]:
        """Return how many facts each user has, sorted by user; users without any are left out."""
        ...

    async def ids(self, tenant: str, user_id: str) -> Collection[UUID]:
        """Return the ids of all facts of a user."""
        ...

    def held(self, tenant: str, user_id: str) -> AbstractAsyncContextManager[HeldFacts]:
        """Hold the lock of the user under which facts are recorded and projected, for the length of a block.

        What is read under it may be projected under it: no older state can overwrite a newer one.
        """
        ...

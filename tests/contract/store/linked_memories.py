"""Memories that a test makes, links and erases: in a store of all ports, or on the fake."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID, uuid4

import numpy as np
from numpy.typing import NDArray
from tests.contract.store.links_in_memory import LinksInMemory
from tests.contract.store.stores import MODEL, STORED, Stores

from ricordo.store.database import Database
from ricordo.store.link_store import LinkStore
from ricordo.testing.factories import at, new_message


class LinkedMemories(Protocol):
    """Memories that a test makes and erases, and their links."""

    @property
    def tenant(self) -> str:
        """Whose they are: one that nobody else uses."""
        ...

    @property
    def links(self) -> LinkStore:
        """The port under test."""
        ...

    def elsewhere(self) -> "LinkedMemories":
        """Return the same for another tenant."""
        ...

    def id(self, name: str) -> UUID:
        """Return the id of a memory."""
        ...

    async def remember(
        self,
        name: str,
        vector: NDArray[np.float32],
        *,
        user_id: str = "u-1",
        minute: float = 0,
        model: str = MODEL,
        content: str = "",
    ) -> None:
        """Make a memory, or give one another vector."""
        ...

    async def erase(self, *names: str) -> None:
        """Erase memories."""
        ...

    async def related(self, name: str, user_id: str = "u-1") -> Sequence[UUID]:
        """Return whom a memory is related to."""
        ...


@dataclass(frozen=True)
class MemoriesOfStores:
    """Memories in a store of all ports.

    Attributes:
        delete: takes the rows of memories away: tenant, ids.
    """

    stores: Stores
    links: LinkStore
    delete: Callable[[str, Sequence[UUID]], Awaitable[None]]

    @property
    def tenant(self) -> str:
        """Whose they are."""
        return self.stores.tenant

    def elsewhere(self) -> "MemoriesOfStores":
        """Return the same for another tenant."""
        return MemoriesOfStores(self.stores.elsewhere(), self.links, self.delete)

    def id(self, name: str) -> UUID:
        """Return the id of a memory."""
        return self.stores.id(name)

    async def remember(
        self,
        name: str,
        vector: NDArray[np.float32],
        *,
        user_id: str = "u-1",
        minute: float = 0,
        model: str = MODEL,
        content: str = "",
    ) -> None:
        """Make a memory, or give one another vector."""
        said = new_message(
            name,
            tenant=self.tenant,
            user_id=user_id,
            conversation_id=f"of-{user_id}",
            timestamp=at(minute),
            content=content,
        )
        await self.stores.record(said)
        await self.stores.encodings.save(self.tenant, model, [(self.id(name), vector)], [], STORED)

    async def erase(self, *names: str) -> None:
        """Erase memories."""
        await self.delete(self.tenant, [self.id(name) for name in names])

    async def related(self, name: str, user_id: str = "u-1") -> Sequence[UUID]:
        """Return whom a memory is related to."""
        return (await self.stores.memory(name, user_id)).related_ids


class MemoriesInMemory:
    """The same on the fake."""

    def __init__(self, links: LinksInMemory | None = None) -> None:
        self.tenant = f"t-{uuid4()}"
        self.links = links or LinksInMemory()

    def elsewhere(self) -> "MemoriesInMemory":
        """Return the same for another tenant."""
        return MemoriesInMemory(self.links)

    def id(self, name: str) -> UUID:
        """Return the id of a memory."""
        return new_message(name, tenant=self.tenant).memory_id

    async def remember(
        self,
        name: str,
        vector: NDArray[np.float32],
        *,
        user_id: str = "u-1",
        minute: float = 0,
        model: str = MODEL,
        content: str = "",
    ) -> None:
        """Make a memory, or give one another vector."""
        said = new_message(name, user_id=user_id, timestamp=at(minute), content=content)
        self.links.remember(
            self.tenant,
            self.id(name),
            user_id=user_id,
            content=said.content,
            language=said.language,
            said_at=said.timestamp,
            model=model,
            vector=vector,
        )

    async def erase(self, *names: str) -> None:
        """Erase memories."""
        await self.links.erase(self.tenant, [self.id(name) for name in names])

    async def related(self, name: str, user_id: str = "u-1") -> Sequence[UUID]:
        """Return whom a memory is related to."""
        return self.links.related(self.tenant, self.id(name))


def of_stores(stores: Stores, database: Database) -> MemoriesOfStores:
    """Return memories on PostgreSQL."""

    async def delete(tenant: str, ids: Sequence[UUID]) -> None:
        async with database.transaction(tenant) as connection:
            await connection.execute(
                "delete from memories where tenant = $1 and id = any($2::uuid[])", tenant, ids
            )

    return MemoriesOfStores(stores, LinkStore(database), delete)

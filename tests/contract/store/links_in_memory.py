"""Memories and their links in memory: obviously right, and as slow as that."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID, uuid4

import numpy as np
from numpy.typing import NDArray

from ricordo.memory.links import LinkChanges, LinkedMember
from ricordo.memory.progress import Progress
from ricordo.store.link_store import LinkCandidate, LinkStore, LinkVersion, LockedLinks


@dataclass(frozen=True)
class _Memory:
    user_id: str
    content: str
    language: str
    said_at: datetime
    vectors: Mapping[str, NDArray[np.float32]]
    related: tuple[UUID, ...] = ()


@dataclass(frozen=True)
class _Linked:
    user_id: str
    model: str
    number: int
    member: LinkedMember


@dataclass
class _Tables:
    memories: dict[UUID, _Memory] = field(default_factory=dict)
    linked: dict[UUID, _Linked] = field(default_factory=dict)
    states: dict[str, LinkVersion] = field(default_factory=dict)


class LinksInMemory(LinkStore):
    """A `Links`, and the rows that it links."""

    def __init__(self) -> None:
        self._tables: dict[str, _Tables] = {}
        self._locks: dict[tuple[str, str], asyncio.Lock] = {}

    def _of(self, tenant: str) -> _Tables:
        return self._tables.setdefault(tenant, _Tables())

    def remember(
        self,
        tenant: str,
        memory_id: UUID,
        *,
        user_id: str,
        content: str,
        language: str,
        said_at: datetime,
        model: str,
        vector: NDArray[np.float32],
    ) -> None:
        """Keep a memory, or another vector or text of one."""
        memories = self._of(tenant).memories
        former = memories.get(memory_id)
        vectors = dict(former.vectors) if former is not None and former.content == content else {}
        memories[memory_id] = _Memory(
            user_id, content, language, said_at, vectors | {model: vector}, former.related if former else ()
        )

    def related(self, tenant: str, memory_id: UUID) -> tuple[UUID, ...]:
        """Return whom a memory is related to."""
        return self._of(tenant).memories[memory_id].related

    async def erase(self, tenant: str, memory_ids: Sequence[UUID]) -> None:
        """Erase memories, as whoever erases them from the store does."""
        tables, gone = self._of(tenant), set(memory_ids)
        users = sorted({tables.memories[one].user_id for one in gone})
        async with self._locked(tenant, users):
            for one in gone:
                del tables.memories[one]
                tables.linked.pop(one, None)
            for user in users:
                if not any(one.user_id == user for one in tables.linked.values()):
                    tables.states.pop(user, None)
                elif user in tables.states:
                    tables.states[user] = LinkVersion(uuid4(), tables.states[user].number)
            for memory_id, memory in tables.memories.items():
                staying = tuple(one for one in memory.related if one not in gone)
                tables.memories[memory_id] = replace(memory, related=staying)

    @asynccontextmanager
    async def _locked(self, tenant: str, user_ids: Sequence[str]) -> AsyncIterator[None]:
        async with AsyncExitStack() as locks:
            for user in sorted(user_ids):
                lock = self._locks.setdefault((tenant, user), asyncio.Lock())
                await locks.enter_async_context(lock)
            yield

    @asynccontextmanager
    async def hold(self, tenant: str, user_ids: Sequence[str]) -> AsyncIterator["HeldInMemory"]:
        """Hold the links of users; what is written counts at the end."""
        async with self._locked(tenant, user_ids):
            held = HeldInMemory(self._of(tenant), user_ids)
            yield held
            held.commit()


class HeldInMemory(LockedLinks):
    """A `LockedLinks`."""

    def __init__(self, tables: _Tables, user_ids: Sequence[str]) -> None:
        self._tables = tables
        self._users = user_ids
        self._written: dict[tuple[str, str], LinkChanges] = {}
        self._new_states: dict[str, LinkVersion] = {}
        self.states = {user: state for user, state in tables.states.items() if user in user_ids}

    async def linkable(self, model: str, memory_ids: Sequence[UUID]) -> Sequence[LinkCandidate]:
        """Return memories with their vectors."""
        found = []
        for one in memory_ids:
            memory, linked = self._tables.memories.get(one), self._tables.linked.get(one)
            if memory is not None and memory.user_id in self._users and model in memory.vectors:
                found.append(
                    LinkCandidate(
                        memory_id=one,
                        user_id=memory.user_id,
                        content=memory.content,
                        language=memory.language,
                        said_at=memory.said_at,
                        vector=memory.vectors[model],
                        linked_model=None if linked is None else linked.model,
                        linked_vector=None if linked is None else linked.member.vector,
                    )
                )
        return found

    async def correct(self, memory_ids: Sequence[UUID]) -> Sequence[Progress]:
        """Link nothing: who corrects what is read from the store."""
        return ()

    async def members(self, user_id: str, model: str, after: int) -> AsyncIterator[Sequence[LinkedMember]]:
        """Yield who is linked, in portions of two."""
        found = [
            one.member
            for one in self._tables.linked.values()
            if (one.user_id, one.model) == (user_id, model) and one.number > after
        ]
        for start in range(0, len(found), 2):
            yield found[start : start + 2]

    async def write(self, changes: Mapping[tuple[str, str], LinkChanges]) -> Mapping[str, LinkVersion]:
        """Keep what has changed until the end."""
        self._written |= changes
        for user in {user for user, _ in changes}:
            generation, number = self.states.get(user, LinkVersion(uuid4(), 0))
            departed = any(one.left for (whose, _), one in changes.items() if whose == user)
            self._new_states[user] = LinkVersion(uuid4() if departed else generation, number + 1)
        return self._new_states

    def commit(self) -> None:
        """Let it count."""
        self._tables.states |= self._new_states
        leaving_first = sorted(self._written.items(), key=lambda each: not each[1].left)
        for _, one in leaving_first:
            for gone in one.left:
                del self._tables.linked[gone]
            for memory_id, related in one.related.items():
                memory = self._tables.memories[memory_id]
                self._tables.memories[memory_id] = replace(memory, related=related)
        for (user, model), one in self._written.items():
            number = self._new_states[user].number
            for member in one.joined:
                self._tables.linked[member.memory_id] = _Linked(user, model, number, member)
            for memory_id, nearest in one.nearest.items():
                member = replace(self._tables.linked[memory_id].member, nearest=nearest)
                self._tables.linked[memory_id] = _Linked(user, model, number, member)

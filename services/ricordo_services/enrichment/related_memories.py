"""Links each new memory with those of its user about the same subject.

The neighbourhoods of users are cached between batches, so that a batch costs products with existing vectors
but no reading. The store reports changes by other processes: their writes are read, or the whole
neighbourhood if a memory was removed.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final
from uuid import UUID

import numpy as np
from cachetools import TTLCache

from ricordo.language.document import Document
from ricordo.language.informative import INFORMATIVE, informative
from ricordo.memory.links import LinkChanges, LinkedMember, Neighbourhood
from ricordo.memory.similarity import QuantizedVector, quantize
from ricordo.messages.events import MemoryCreated
from ricordo.runtime.scheduling import CpuExecutor
from ricordo.store.link_store import LinkCandidate, LinkStore, LinkVersion, LockedLinks
from ricordo_services.stage_events import created_again

_IDLE_S: Final = 600.0  # after which an unused neighbourhood is evicted
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class NeighbourhoodKey:
    """The key of a neighbourhood: the memories of a user that are linked by the vectors of one model."""

    tenant: str
    user_id: str
    model: str


class NeighbourhoodCache:
    """Caches the latest used neighbourhoods up to a total size.

    One that exceeds the size by itself is not cached but read for each batch.

    Args:
        most_bytes: over all users.
    """

    def __init__(self, most_bytes: int) -> None:
        self._kept: TTLCache[NeighbourhoodKey, tuple[Neighbourhood, LinkVersion]] = TTLCache(
            most_bytes, _IDLE_S, getsizeof=lambda kept: kept[0].nbytes
        )

    @property
    def nbytes(self) -> int:
        """The total size."""
        return int(self._kept.currsize)

    def __len__(self) -> int:
        return len(self._kept)

    def take(self, place: NeighbourhoodKey) -> tuple[Neighbourhood, LinkVersion] | None:
        """Remove and return a neighbourhood; the caller puts it back after its changes are committed."""
        return self._kept.pop(place, None)

    def keep(self, place: NeighbourhoodKey, neighbourhood: Neighbourhood, state: LinkVersion) -> None:
        """Cache a neighbourhood as of `state`; evicts the least recently used ones."""
        self.take(place)
        if not neighbourhood.worn:
            with suppress(ValueError):  # too large
                self._kept[place] = neighbourhood, state


@dataclass(slots=True)
class _LinkRequest:
    """The changes of one neighbourhood."""

    leaving: list[UUID] = field(default_factory=list)
    joining: list[LinkedMember] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class RelatedMemories:
    """Links memories with others of their user, and corrections with the messages they correct.

    An uninformative text, such as thanks or a greeting, is not linked. A memory is linked by the first model
    that it has a vector of.

    Args:
        threshold: the least cosine of memories that are related, in (0, 1].
    """

    links: LinkStore
    executor: CpuExecutor
    models: tuple[str, ...]
    threshold: float
    remembered: NeighbourhoodCache

    async def link(self, tenant: str, model: str, users: Mapping[UUID, str]) -> Sequence[MemoryCreated]:
        """Link memories by their vectors of `model`, in one transaction. A repeat changes nothing.

        Returns:
            Events of messages whose facts are to be read again (see `LockedLinks.correct`); if they are lost,
            reconciliation finds that the messages lack a stage.

        Raises:
            StoreUnavailable: nothing was written, unless only the answer to the commit was lost.
        """
        if not users:
            return ()
        async with self.links.lock(tenant, sorted(set(users.values()))) as locked:
            read = await self.executor.map(_read, await locked.linkable(model, list(users)))
            wanted = self._wanted(tenant, model, read)
            loaded = {place: await self._neighbourhood(locked, place, one) for place, one in wanted.items()}
            arrange = [(loaded[place], one) for place, one in wanted.items()]
            made = zip(wanted, await self.executor.map(_arrange, arrange), strict=True)
            changes = {(place.user_id, place.model): one for place, one in made if one}
            states = {**locked.versions, **(await locked.write(changes) if changes else {})}
            unread = await locked.correct(list(users))
        for place, neighbourhood in loaded.items():
            if place.user_id in states:
                self.remembered.keep(place, neighbourhood, states[place.user_id])
        return created_again(unread)

    def _wanted(
        self, tenant: str, model: str, read: Sequence[tuple[LinkCandidate, QuantizedVector | None]]
    ) -> Mapping[NeighbourhoodKey, _LinkRequest]:
        """Return the memories to add and to remove, by neighbourhood, without those already linked."""
        wanted: defaultdict[NeighbourhoodKey, _LinkRequest] = defaultdict(_LinkRequest)
        for one, vector in read:
            linked = one.linked_model
            if linked is not None and self._preference(linked) < self._preference(model):
                continue
            former = one.linked_vector if linked == model else None
            if former is not None and vector is not None and np.array_equal(former, vector):
                continue
            if linked is not None:
                wanted[NeighbourhoodKey(tenant, one.user_id, linked)].leaving.append(one.memory_id)
            if vector is not None:
                member = LinkedMember(one.memory_id, (one.sent_at - _EPOCH) // _MICROSECOND, vector)
                wanted[NeighbourhoodKey(tenant, one.user_id, model)].joining.append(member)
        return wanted

    def _preference(self, model: str) -> int:
        return self.models.index(model) if model in self.models else len(self.models)

    async def _neighbourhood(
        self, locked: LockedLinks, place: NeighbourhoodKey, wanted: _LinkRequest
    ) -> Neighbourhood:
        """Return the current neighbourhood: the cached one, with the changes of others since."""
        state, kept = locked.versions.get(place.user_id), self.remembered.take(place)
        if state is None:
            return Neighbourhood(self.threshold, _dimensions(wanted.joining))
        neighbourhood, after = None, 0
        if kept is not None and kept[1].generation == state.generation:
            neighbourhood, after = kept[0], kept[1].number
        if after < state.number:
            async for portion in locked.members(place.user_id, place.model, after):
                if neighbourhood is None:
                    neighbourhood = Neighbourhood(self.threshold, _dimensions(portion))
                await self.executor.map(neighbourhood.load, [portion])
            if neighbourhood is not None:
                await self.executor.map(Neighbourhood.settle, [neighbourhood])
        return neighbourhood or Neighbourhood(self.threshold, _dimensions(wanted.joining))


def _dimensions(members: Sequence[LinkedMember]) -> int:
    return len(members[0].vector) if members else 0


def _read(one: LinkCandidate) -> tuple[LinkCandidate, QuantizedVector | None]:
    """Return the vector to link a memory by; None if it is uninformative or has no direction."""
    is_informative = one.stated or informative(Document(one.content, one.language), one.role) >= INFORMATIVE
    vector = quantize(one.vector) if is_informative else None
    return one, vector if vector is not None and vector.any() else None


def _arrange(work: tuple[Neighbourhood, _LinkRequest]) -> LinkChanges:
    neighbourhood, wanted = work
    neighbourhood.remove(wanted.leaving)
    neighbourhood.add(wanted.joining)
    return neighbourhood.take_changes()

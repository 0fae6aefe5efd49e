"""Links: each new memory finds those of its user that are about the same thing, and they find it.

The neighbourhoods of users are remembered from one batch to the next, so that what a batch costs is its
products with what there is, and not the reading of it. The store says whether somebody else has changed one
since: then what they have written is read, or, where a memory has left, all.
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

_IDLE_S: Final = 600.0  # after which a neighbourhood that nobody uses is forgotten
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class VectorPosition:
    """Which neighbourhood: the memories of a user that are linked by the vectors of one model."""

    tenant: str
    user_id: str
    model: str


class RememberedNeighbourhoods:
    """The neighbourhoods that were used last, as long as they take no more than so many bytes together.

    One that takes more than that by itself is not remembered and read again for each batch; the others stay.

    Args:
        most_bytes: over all users.
    """

    def __init__(self, most_bytes: int) -> None:
        self._kept: TTLCache[VectorPosition, tuple[Neighbourhood, LinkVersion]] = TTLCache(
            most_bytes, _IDLE_S, getsizeof=lambda kept: kept[0].nbytes
        )

    @property
    def nbytes(self) -> int:
        """How much they take together."""
        return int(self._kept.currsize)

    def __len__(self) -> int:
        return len(self._kept)

    def take(self, place: VectorPosition) -> tuple[Neighbourhood, LinkVersion] | None:
        """Return what is remembered, and forget it: whoever changes it gives it back when that is written."""
        return self._kept.pop(place, None)

    def keep(self, place: VectorPosition, neighbourhood: Neighbourhood, state: LinkVersion) -> None:
        """Remember a neighbourhood as of `state`; for it, those that were used longest ago are forgotten."""
        self.take(place)
        if not neighbourhood.worn:
            with suppress(ValueError):  # too large
                self._kept[place] = neighbourhood, state


@dataclass(slots=True)
class _LinkRequest:
    """What is to happen to one neighbourhood."""

    leaving: list[UUID] = field(default_factory=list)
    joining: list[LinkedMember] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class RelatedMemories:
    """Links memories with the others of their user, and corrections with what they correct.

    A text that tells nothing, such as thanks or a greeting, is linked to nothing. A memory is linked by the
    first model that it has a vector of.

    Args:
        threshold: the least cosine of memories that are related, in (0, 1].
    """

    links: LinkStore
    executor: CpuExecutor
    models: tuple[str, ...]
    threshold: float
    remembered: RememberedNeighbourhoods

    async def link(self, tenant: str, model: str, users: Mapping[UUID, str]) -> Sequence[MemoryCreated]:
        """Link memories by their vectors of `model`, in one transaction. A repeat changes nothing.

        Returns:
            What is to be told once more, of messages whose facts are to be read again (see
            `LockedLinks.correct`): where that is lost, their missing stage tells the reconciliation of them.

        Raises:
            StoreUnavailable: nothing was written, unless it was the answer to the commit that was lost.
        """
        if not users:
            return ()
        async with self.links.lock(tenant, sorted(set(users.values()))) as held:
            read = await self.executor.map(_read, await held.linkable(model, list(users)))
            wanted = self._wanted(tenant, model, read)
            met = {place: await self._neighbourhood(held, place, one) for place, one in wanted.items()}
            arrange = [(met[place], one) for place, one in wanted.items()]
            made = zip(wanted, await self.executor.map(_arrange, arrange), strict=True)
            changes = {(place.user_id, place.model): one for place, one in made if one}
            states = {**held.versions, **(await held.write(changes) if changes else {})}
            unread = await held.correct(list(users))
        for place, neighbourhood in met.items():
            if place.user_id in states:
                self.remembered.keep(place, neighbourhood, states[place.user_id])
        return created_again(unread)

    def _wanted(
        self, tenant: str, model: str, read: Sequence[tuple[LinkCandidate, QuantizedVector | None]]
    ) -> Mapping[VectorPosition, _LinkRequest]:
        """Say who joins and who leaves, by neighbourhood; what is linked as it should be is left out."""
        wanted: defaultdict[VectorPosition, _LinkRequest] = defaultdict(_LinkRequest)
        for one, vector in read:
            linked = one.linked_model
            if linked is not None and self._preference(linked) < self._preference(model):
                continue
            former = one.linked_vector if linked == model else None
            if former is not None and vector is not None and np.array_equal(former, vector):
                continue
            if linked is not None:
                wanted[VectorPosition(tenant, one.user_id, linked)].leaving.append(one.memory_id)
            if vector is not None:
                member = LinkedMember(one.memory_id, (one.sent_at - _EPOCH) // _MICROSECOND, vector)
                wanted[VectorPosition(tenant, one.user_id, model)].joining.append(member)
        return wanted

    def _preference(self, model: str) -> int:
        return self.models.index(model) if model in self.models else len(self.models)

    async def _neighbourhood(
        self, held: LockedLinks, place: VectorPosition, wanted: _LinkRequest
    ) -> Neighbourhood:
        """Return a neighbourhood as it stands: what is remembered of it, and what others changed since."""
        state, kept = held.versions.get(place.user_id), self.remembered.take(place)
        if state is None:
            return Neighbourhood(self.threshold, _dimensions(wanted.joining))
        neighbourhood, after = None, 0
        if kept is not None and kept[1].generation == state.generation:
            neighbourhood, after = kept[0], kept[1].number
        if after < state.number:
            async for portion in held.members(place.user_id, place.model, after):
                if neighbourhood is None:
                    neighbourhood = Neighbourhood(self.threshold, _dimensions(portion))
                await self.executor.map(neighbourhood.load, [portion])
            if neighbourhood is not None:
                await self.executor.map(Neighbourhood.settle, [neighbourhood])
        return neighbourhood or Neighbourhood(self.threshold, _dimensions(wanted.joining))


def _dimensions(members: Sequence[LinkedMember]) -> int:
    return len(members[0].vector) if members else 0


def _read(one: LinkCandidate) -> tuple[LinkCandidate, QuantizedVector | None]:
    """Return the vector by which a memory is to be linked: None of what tells nothing or has no direction."""
    tells = one.stated or informative(Document(one.content, one.language), one.role) >= INFORMATIVE
    vector = quantize(one.vector) if tells else None
    return one, vector if vector is not None and vector.any() else None


def _arrange(work: tuple[Neighbourhood, _LinkRequest]) -> LinkChanges:
    neighbourhood, wanted = work
    neighbourhood.remove(wanted.leaving)
    neighbourhood.add(wanted.joining)
    return neighbourhood.take_changes()

"""Related memories: mutual nearest neighbours by the cosine of their vectors.

Each memory has up to ten nearest neighbours above a threshold; two are related when each is among the
other's. The result is a function of the set of memories, whatever their order and batches: cosines are exact
(`similarity`), and ties go to the closer in time, then the earlier, then the smaller id. Adding a memory
costs its products with all others.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

import numpy as np

from ricordo.memory.similarity import (
    MOST,
    NO_SLOT,
    SKETCHED_FROM,
    QuantizedVector,
    SlotArrays,
    Slots,
    least_product,
)

_AT_ONCE: Final = 64  # newcomers that are compared together
_FEW: Final = 16  # slots to begin with
_HALF: Final = 64  # bits of an id
_BYTES_BESIDE_ARRAYS: Final = 300  # of a memory: its id and its slot as Python has them


@dataclass(frozen=True, slots=True)
class LinkedMember:
    """A memory in the neighbourhood.

    Attributes:
        said_at: microseconds since 1970.
        vector: int16 [d], of `quantize`.
        nearest: its neighbours, nearest first, at most `MOST`.
    """

    memory_id: UUID
    said_at: int
    vector: QuantizedVector
    nearest: tuple[UUID, ...] = ()


@dataclass(frozen=True, slots=True)
class LinkChanges:
    """The effects of additions and removals.

    Attributes:
        joined: new members, with their neighbours.
        nearest: the changed neighbours of former members.
        related: the relations of all whose relations may have changed, nearest first and in both directions;
            empty for removed members.
    """

    joined: Sequence[LinkedMember]
    nearest: Mapping[UUID, tuple[UUID, ...]]
    related: Mapping[UUID, tuple[UUID, ...]]
    left: Sequence[UUID]

    def __bool__(self) -> bool:
        return bool(self.joined or self.nearest or self.related or self.left)


class Neighbourhood:
    """The memories of one user with a vector of one model, and their nearest neighbours.

    Takes about 2 d + 650 bytes per memory (1.4 kB at 384 dimensions), and up to half as much again for
    growth.

    Args:
        threshold: the least cosine of neighbours, in (0, 1], to three digits.
        dimensions: of the vectors.
        sketched_from: capacity from which on sketches filter the comparisons; this changes the time only.
    """

    def __init__(self, threshold: float, dimensions: int, *, sketched_from: int = SKETCHED_FROM) -> None:
        self._least = max(1.0, least_product(threshold))
        self._places = SlotArrays.empty(_FEW, dimensions, sketched_from)
        self._ids: list[UUID] = []
        self._slots: dict[UUID, int] = {}
        self._alive: list[bool] = []
        self._before: dict[int, tuple[int, ...]] = {}  # neighbours before the first change, by slot
        self._joined: list[int] = []
        self._left: dict[UUID, None] = {}

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        return self._places.nbytes + _BYTES_BESIDE_ARRAYS * len(self._ids)

    @property
    def worn(self) -> bool:
        """Whether more slots are empty than used."""
        return 2 * sum(self._alive) < len(self._alive)

    def load(self, members: Iterable[LinkedMember]) -> None:
        """Load stored members, or their later state. Call `settle` afterwards."""
        for one in members:
            slot = self._place(one)
            near = [self._reserve(each) for each in one.nearest]
            self._places.near[slot], self._places.rank[slot] = NO_SLOT, NO_SLOT
            self._places.near[slot, : len(near)] = near

    def settle(self) -> None:
        """Complete what was loaded: ranks, and new neighbours for those that lost some."""
        places, used = self._places, len(self._ids)
        unranked = (places.near[:used] != NO_SLOT) & (places.rank[:used] == NO_SLOT)
        one, at = np.nonzero(unranked)
        other = places.near[one, at].astype(np.intp)
        places.rank[one, at] = places.ranks(one, other, places.of_pairs(one, other))
        self._empty(np.flatnonzero(~np.array(self._alive, dtype=np.bool_)))

    def add(self, members: Sequence[LinkedMember]) -> None:
        """Add new members; their `nearest` is ignored."""
        for start in range(0, len(members), _AT_ONCE):
            slots = np.array([self._place(one) for one in members[start : start + _AT_ONCE]], dtype=np.intp)
            self._joined += slots.tolist()
            self._meet(slots, mutual=True)

    def remove(self, memory_ids: Iterable[UUID]) -> None:
        """Remove members; unknown ids are ignored."""
        gone = [one for one in memory_ids if one in self._slots]
        slots = np.array([self._slots.pop(one) for one in gone], dtype=np.intp)
        self._left |= dict.fromkeys(gone)
        self._note(slots)
        for slot in slots.tolist():
            self._alive[slot] = False
        self._empty(slots)

    def take_changes(self) -> LinkChanges:
        """Return what changed since the last call, or since loading."""
        before, after = self._before, self._neighbours(self._before)
        changed = {slot for slot in after if after[slot] != before[slot]}
        joined = [slot for slot in self._joined if self._alive[slot]]
        touched = [slot for slot in {*joined, *self._reconnected(changed, after)} if self._alive[slot]]
        changes = LinkChanges(
            joined=[self._member(slot) for slot in joined],
            nearest={
                self._ids[slot]: self._named(after[slot])
                for slot in changed - set(joined)
                if self._alive[slot]
            },
            related=dict.fromkeys(self._left, ()) | self._related(touched),
            left=[one for one in self._left if one not in self._slots],
        )
        self._before, self._joined, self._left = {}, [], {}
        return changes

    def _reconnected(self, changed: Iterable[int], after: dict[int, tuple[int, ...]]) -> set[int]:
        """Return the slots at both ends of every relation that began or ended."""
        before = self._before
        turned = {slot: set(before[slot]) ^ set(after[slot]) for slot in changed}
        now = after | self._neighbours(
            {other for others in turned.values() for other in others} - after.keys()
        )
        ends: set[int] = set()
        for slot, others in turned.items():
            for other in others:
                was = other in before[slot] and slot in before.get(other, now[other])
                if was != (other in now[slot] and slot in now[other]):
                    ends |= {slot, other}
        return ends

    def _related(self, slots: Collection[int]) -> dict[UUID, tuple[UUID, ...]]:
        near = self._neighbours(slots)
        of = near | self._neighbours({other for others in near.values() for other in others} - near.keys())
        return {
            self._ids[slot]: self._named(other for other in others if slot in of[other])
            for slot, others in near.items()
        }

    def _neighbours(self, slots: Collection[int]) -> dict[int, tuple[int, ...]]:
        near = self._places.near[np.fromiter(slots, np.intp, len(slots))].tolist()
        return {slot: tuple(row[: MOST - row.count(NO_SLOT)]) for slot, row in zip(slots, near, strict=True)}

    def _named(self, slots: Iterable[int]) -> tuple[UUID, ...]:
        return tuple(map(self._ids.__getitem__, slots))

    def _member(self, slot: int) -> LinkedMember:
        places = self._places
        nearest = self._named(self._neighbours([slot])[slot])
        return LinkedMember(self._ids[slot], int(places.said_at[slot]), places.vectors[slot].copy(), nearest)

    def _reserve(self, memory_id: UUID) -> int:
        slot = self._slots.get(memory_id)
        if slot is None:
            slot = self._slots[memory_id] = len(self._ids)
            self._ids.append(memory_id)
            self._alive.append(False)
            if slot == len(self._places.said_at):
                self._places = self._places.grown(slot + slot // 2)
            self._places.order[slot] = divmod(memory_id.int, 1 << _HALF)
        return slot

    def _place(self, one: LinkedMember) -> int:
        slot = self._reserve(one.memory_id)
        self._alive[slot] = True
        self._places.put(slot, one.vector, one.said_at)
        return slot

    def _note(self, slots: Slots) -> None:
        self._before |= self._neighbours([slot for slot in slots.tolist() if slot not in self._before])

    def _meet(self, slots: Slots, *, mutual: bool) -> None:
        places = self._places
        for rows, at, products in places.compare(slots, len(self._ids), self._least, mutual=mutual):
            here = slots[at]
            met = [rows != here, ~np.isin(rows, slots) if mutual else np.zeros(len(rows), np.bool_)]
            hosts = np.concatenate(
                [here[met[0]], rows[met[1]]]
            )  # of two newcomers each meets the other as it is
            guests = np.concatenate([rows[met[0]], here[met[1]]])
            near = places.ranks(hosts, guests, np.concatenate([products[each] for each in met]))
            close = near >= places.rank[hosts, MOST - 1]
            if close.any():
                self._note(np.unique(hosts[close]))
                places.admit(hosts[close], guests[close], near[close])

    def _empty(self, slots: Slots) -> None:
        """Empty slots; those that had them among ten neighbours look for others."""
        places, used = self._places, len(self._ids)
        places.vectors[slots], places.near[slots], places.rank[slots] = 0, NO_SLOT, NO_SLOT
        holes = np.isin(places.near[:used], slots)
        holders = np.flatnonzero(holes.any(axis=1))
        self._note(holders)
        full = holders[places.near[holders, MOST - 1] != NO_SLOT]
        for slot in holders.tolist():
            kept = ~holes[slot]  # nobody at the end stays at the end
            for column in (places.near, places.rank):
                column[slot] = np.append(column[slot][kept], [NO_SLOT] * (MOST - kept.sum()))
        places.near[full], places.rank[full] = NO_SLOT, NO_SLOT
        for start in range(0, len(full), _AT_ONCE):
            self._meet(full[start : start + _AT_ONCE], mutual=False)

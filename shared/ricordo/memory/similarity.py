"""Exact similarity of vectors: the cosine of a pair does not depend on the batch.

Products of float vectors depend on the order of summation; those of integer vectors are exact.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ricordo.memory.vector_sketches import Sketches, product_bound, products

Vector = NDArray[np.float32]
QuantizedVector = NDArray[np.int16]
Slots = NDArray[np.intp]

MOST: Final = 10
"""Neighbours of a memory, at most."""
NO_SLOT: Final = -1
MOST_DIMENSIONS: Final = 4096

# Components in 4,000ths. By Cauchy and Schwarz no partial sum of a product of two such vectors exceeds
# (4,000 + sqrt(d)/2)^2, which up to 4,096 dimensions is below 2^24: float32 adds such numbers without error,
# in whatever order.
_SCALE: Final = 4000
_THOUSANDTH: Final = _SCALE * _SCALE // 1000
_ROUNDED: Final = _THOUSANDTH // 2

# What decides who is nearer, in one number: the cosine to three digits, how close in time, before or after.
# What is finer than that is noise of the encoder; equal texts are ordered by their times.
_GAP_BITS: Final = 51
_WIDEST_GAP: Final = (1 << _GAP_BITS) - 1  # microseconds: 71 years

_BLOCK: Final = 2048  # slots that are compared at once
_SKETCHES: Final = 8192  # and by their sketches
_FIRST_BLOCK: Final = 128
SKETCHED_FROM: Final = 4096
"""Slots, empty ones included, from which on sketches are used."""


def quantize(vector: Vector) -> QuantizedVector:
    """Quantize the direction of `vector` to integers: int16 [d]; zeros for a vector without direction.

    Args:
        vector: float32 [d], d <= `MOST_DIMENSIONS`.

    Raises:
        ValueError: there are too many dimensions for exact products.
    """
    if len(vector) > MOST_DIMENSIONS:
        raise ValueError(f"vectors of more than {MOST_DIMENSIONS} dimensions have no exact products")
    exact = vector.astype(np.float64)
    norm = math.sqrt(math.fsum(np.square(exact).tolist()))  # a sum that no order of adding changes
    if not math.isfinite(norm) or norm == 0:
        return np.zeros(len(vector), dtype=np.int16)
    return np.rint(exact * (_SCALE / norm)).astype(np.int16)


_ARRAYS: Final = ("vectors", "said_at", "order", "near", "rank")


@dataclass(slots=True)
class SlotArrays:
    """The arrays of a neighbourhood, a slot per memory; empty slots hold zeros, which are near to nothing.

    Attributes:
        vectors: int16 [n, d].
        said_at: int64 [n], microseconds.
        order: uint64 [n, 2], the two halves of the id.
        near: int32 [n, MOST], slots of the nearest, in order, padded with `NO_SLOT`.
        rank: int64 [n, MOST], their ranks, descending, padded with `NO_SLOT`.
        sketched_from: slots from which on sketches are used.
    """

    vectors: QuantizedVector
    said_at: NDArray[np.int64]
    order: NDArray[np.uint64]
    near: NDArray[np.int32]
    rank: NDArray[np.int64]
    sketched_from: int
    _sketches: Sketches | None = None
    _unsketched: list[int] = field(default_factory=list)

    @classmethod
    def empty(cls, slots: int, dimensions: int, sketched_from: int = SKETCHED_FROM) -> "SlotArrays":
        """Return empty slots."""
        return cls(
            vectors=np.zeros((slots, dimensions), np.int16),
            said_at=np.zeros(slots, np.int64),
            order=np.zeros((slots, 2), np.uint64),
            near=np.full((slots, MOST), NO_SLOT, np.int32),
            rank=np.full((slots, MOST), NO_SLOT, np.int64),
            sketched_from=sketched_from,
        )

    def grown(self, slots: int) -> "SlotArrays":
        """Return a copy with `slots` slots."""
        larger = SlotArrays.empty(slots, self.vectors.shape[1], self.sketched_from)
        for name in _ARRAYS:
            getattr(larger, name)[: len(self.vectors)] = getattr(self, name)
        return larger

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        arrays = sum(int(getattr(self, name).nbytes) for name in _ARRAYS)
        return arrays + (self._sketches.nbytes if self._sketches else 0)

    def put(self, slot: int, vector: QuantizedVector, said_at: int) -> None:
        """Store a memory at a slot."""
        self.vectors[slot], self.said_at[slot] = vector, said_at
        self._unsketched.append(slot)

    def ranks(self, hosts: Slots, guests: Slots, products: NDArray[np.float32]) -> NDArray[np.int64]:
        """Return the rank of each guest for its host, higher is nearer: int64 [m]."""
        later = self.said_at[guests] - self.said_at[hosts]
        ranks: NDArray[np.int64] = (products.astype(np.int64) + _ROUNDED) // _THOUSANDTH << _GAP_BITS
        ranks += _WIDEST_GAP - np.minimum(np.abs(later), _WIDEST_GAP)
        return 2 * ranks + (later < 0)

    def compare(
        self, newcomers: Slots, used: int, least: float, *, mutual: bool
    ) -> Iterator[tuple[Slots, Slots, NDArray[np.float32]]]:
        """Compare `newcomers` with the first `used` slots, in blocks.

        Args:
            newcomers: [b] slots.
            used: how many slots to compare with.
            least: the least product of a pair, above 0.
            mutual: whether the compared slots may take newcomers as neighbours too.

        Yields:
            Slots, the newcomer of each by its place, and their product. Pairs that cannot become neighbours
            may be left out.
        """
        sketches = self._sketched(used)
        if sketches is not None:
            yield from self._sifted(sketches, newcomers, used, least, mutual=mutual)
            return
        wanted = np.ascontiguousarray(self.vectors[newcomers].T, dtype=np.float32)
        for block in _blocks(used, _BLOCK):
            found = products(self.vectors[block].astype(np.float32), wanted).reshape(-1)
            near = np.flatnonzero(found >= least)  # a third of the time of `nonzero` of the matrix
            rows, places = np.divmod(near, len(newcomers))
            yield rows + block.start, places, found[near]

    def _sifted(
        self, sketches: Sketches, newcomers: Slots, used: int, least: float, *, mutual: bool
    ) -> Iterator[tuple[Slots, Slots, NDArray[np.float32]]]:
        """Do the same as `compare`, filtered by sketches."""
        wanted = np.ascontiguousarray(sketches.of(newcomers).T)
        for block in _blocks(used, _SKETCHES):
            floor = product_bound(self._floor(newcomers, least))  # which rises from block to block
            if mutual:
                floor = np.minimum(floor, product_bound(self._floor(block, least))[:, np.newaxis])
            near = np.flatnonzero(products(sketches.of(block), wanted) >= floor)
            rows, places = np.divmod(near, len(newcomers))
            rows += block.start
            found = self.of_pairs(rows, newcomers[places])
            near = np.flatnonzero(found >= least)
            yield rows[near], places[near], found[near]

    def _sketched(self, used: int) -> Sketches | None:
        unsketched, self._unsketched = self._unsketched, []
        if len(self.vectors) < self.sketched_from or not used:
            return None
        if self._sketches is None:
            self._sketches = Sketches(self.vectors[:used], room=len(self.vectors))
        else:
            self._sketches.put(np.array(unsketched, np.intp), self.vectors)
        return self._sketches

    def _floor(self, slots: Slots | slice, least: float) -> NDArray[np.float32]:
        """Return the least product of a new neighbour of each slot: float32 [m]."""
        tenth = self.rank[slots, MOST - 1] >> (_GAP_BITS + 1)
        floor: NDArray[np.float32] = np.maximum(tenth * _THOUSANDTH - _ROUNDED, least).astype(np.float32)
        return floor

    def of_pairs(self, one: Slots, other: Slots) -> NDArray[np.float32]:
        """Return the products of pairs of slots: float32 [m]."""
        found = np.empty(len(one), np.float32)
        for start in range(0, len(one), _BLOCK):
            part = slice(start, start + _BLOCK)
            left = self.vectors[one[part]].astype(np.float32)
            found[part] = np.einsum("nd,nd->n", left, self.vectors[other[part]].astype(np.float32))
        return found

    def admit(self, hosts: Slots, guests: Slots, ranks: NDArray[np.int64]) -> None:
        """Keep for each host the nearest `MOST` of its neighbours and these guests.

        Args:
            hosts: [m] slots, repeated for each guest.
            guests: [m] slots, none already a neighbour of its host.
            ranks: int64 [m].
        """
        touched = np.unique(hosts)
        staying = self.near[touched] != NO_SLOT
        hosts = np.concatenate([np.repeat(touched, staying.sum(axis=1)), hosts])
        guests = np.concatenate([self.near[touched][staying], guests])
        ranks = np.concatenate([self.rank[touched][staying], ranks])
        order = np.lexsort((self.order[guests, 1], self.order[guests, 0], -ranks, hosts))
        hosts, guests, ranks = hosts[order], guests[order], ranks[order]
        place = np.arange(len(hosts)) - np.searchsorted(hosts, hosts)
        kept = place < MOST
        self.near[touched], self.rank[touched] = NO_SLOT, NO_SLOT
        self.near[hosts[kept], place[kept]] = guests[kept]
        self.rank[hosts[kept], place[kept]] = ranks[kept]


def _blocks(used: int, most: int) -> Iterator[slice]:
    """Yield blocks of the first `used` slots, small ones first, while floors are unknown."""
    start, size = 0, _FIRST_BLOCK
    while start < used:
        yield slice(start, min(start + size, used))
        start, size = start + size, min(2 * size, most)


def least_product(threshold: float) -> float:
    """Return the least product of quantized vectors whose cosine, to three digits, is `threshold`."""
    return float(round(threshold * 1000) * _THOUSANDTH - _ROUNDED)

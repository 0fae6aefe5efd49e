"""How near memories are to each other: the same for a pair, whatever it is computed together with.

A product of float vectors depends on the order of its sums, which a library chooses by the shapes that it is
given. Vectors of whole numbers have exact products.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Final

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float32]
Whole = NDArray[np.int16]
Slots = NDArray[np.intp]

MOST: Final = 10
"""How many neighbours a memory has at the most."""
NOBODY: Final = -1
MOST_DIMENSIONS: Final = 4096

# Components in 4,000ths. By Cauchy and Schwarz no partial sum of a product of two such vectors exceeds
# (4,000 + sqrt(d)/2)^2, which up to 4,096 dimensions is below 2^24: float32 adds such numbers without error,
# in whatever order.
_SCALE: Final = 4000
_THOUSANDTH: Final = _SCALE * _SCALE // 1000
_ROUNDED: Final = _THOUSANDTH // 2

# What decides who is nearer, in one number: the cosine to three digits, how close in time, before or after.
# What is finer than that is noise of the encoder; equal texts are told apart by when they were said.
_GAP_BITS: Final = 51
_WIDEST_GAP: Final = (1 << _GAP_BITS) - 1  # microseconds: 71 years

# A library of linear algebra that meets a large product wakes all cores, which the embedding model has at the
# same time: each waits for the other, for seconds. Products of m n k <= 2^18 stay on one thread of OpenBLAS,
# and many of them in one call are no slower.
_SMALL_PRODUCT: Final = 1 << 18
_ROWS: Final = 16
_BLOCK: Final = 128 * _ROWS  # slots whose vectors are converted to float32 at once: 3 MB at 384 dimensions


def whole(vector: Vector) -> Whole:
    """Return the direction of `vector` in whole numbers: int16 [d]. What has no direction becomes zeros.

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


@dataclass(slots=True)
class Places:
    """A slot for each memory of a neighbourhood; empty ones hold zeros, which are near to nobody.

    Attributes:
        vectors: int16 [n, d].
        said_at: int64 [n], microseconds.
        order: uint64 [n, 2], the two halves of the id.
        near: int32 [n, MOST], the slots of the nearest, in order, then `NOBODY`.
        rank: int64 [n, MOST], how near they are, in descending order, then `NOBODY`.
    """

    vectors: Whole
    said_at: NDArray[np.int64]
    order: NDArray[np.uint64]
    near: NDArray[np.int32]
    rank: NDArray[np.int64]

    @classmethod
    def empty(cls, slots: int, dimensions: int) -> "Places":
        """Return `slots` empty ones."""
        return cls(
            vectors=np.zeros((slots, dimensions), np.int16),
            said_at=np.zeros(slots, np.int64),
            order=np.zeros((slots, 2), np.uint64),
            near=np.full((slots, MOST), NOBODY, np.int32),
            rank=np.full((slots, MOST), NOBODY, np.int64),
        )

    def grown(self, slots: int) -> "Places":
        """Return a copy with room for `slots`."""
        larger = Places.empty(slots, self.vectors.shape[1])
        for each in fields(self):
            getattr(larger, each.name)[: len(self.vectors)] = getattr(self, each.name)
        return larger

    @property
    def nbytes(self) -> int:
        """The bytes of the arrays."""
        return sum(int(getattr(self, each.name).nbytes) for each in fields(self))

    def ranks(self, hosts: Slots, guests: Slots, products: NDArray[np.float32]) -> NDArray[np.int64]:
        """Return how near each guest is to its host, the higher the nearer: int64 [m].

        Args:
            hosts: [m].
            guests: [m].
            products: float32 [m], of their vectors, above 0.
        """
        later = self.said_at[guests] - self.said_at[hosts]
        ranks: NDArray[np.int64] = (products.astype(np.int64) + _ROUNDED) // _THOUSANDTH << _GAP_BITS
        ranks += _WIDEST_GAP - np.minimum(np.abs(later), _WIDEST_GAP)
        return 2 * ranks + (later < 0)

    def compare(
        self, newcomers: Slots, used: int, least: float
    ) -> Iterator[tuple[Slots, Slots, NDArray[np.float32]]]:
        """Compare `newcomers` with the first `used` slots, a block of these at a time.

        Args:
            newcomers: [b] slots.
            used: how many slots to look at.
            least: the product from which on a pair counts, above 0.

        Yields:
            slots, who of the newcomers each is compared with, by its place among them, and their product.
        """
        dimensions = self.vectors.shape[1]
        columns = max(1, _SMALL_PRODUCT // (_ROWS * dimensions))
        wanted = np.ascontiguousarray(self.vectors[newcomers].T, dtype=np.float32)
        room = np.zeros((_BLOCK, dimensions), np.float32)
        stacked = room.reshape(-1, _ROWS, dimensions)
        for start in range(0, used, _BLOCK):
            end = min(start + _BLOCK, used)
            room[: end - start] = self.vectors[start:end]
            stacks = stacked[: -(-(end - start) // _ROWS)]
            for left in range(0, len(newcomers), columns):
                product = np.matmul(stacks, wanted[:, left : left + columns])
                width = product.shape[2]
                product = product.reshape(-1)[: (end - start) * width]
                found = np.flatnonzero(product >= least)  # a third of the time of `nonzero` of the matrix
                if len(found):
                    rows, places = np.divmod(found, width)
                    yield rows + start, places + left, product[found]

    def products(self, one: Slots, other: Slots) -> NDArray[np.float32]:
        """Return the products of pairs: float32 [m], of slots [m] and [m]."""
        found = np.empty(len(one), np.float32)
        for start in range(0, len(one), _BLOCK):
            part = slice(start, start + _BLOCK)
            left = self.vectors[one[part]].astype(np.float32)
            found[part] = np.einsum("nd,nd->n", left, self.vectors[other[part]].astype(np.float32))
        return found

    def admit(self, hosts: Slots, guests: Slots, ranks: NDArray[np.int64]) -> None:
        """Let each host have the nearest `MOST` of the neighbours it has and of these guests.

        Args:
            hosts: [m] slots, in any order, each as often as it has guests.
            guests: [m] slots; none is among its host's neighbours already.
            ranks: int64 [m], how near they are.
        """
        touched = np.unique(hosts)
        staying = self.near[touched] != NOBODY
        hosts = np.concatenate([np.repeat(touched, staying.sum(axis=1)), hosts])
        guests = np.concatenate([self.near[touched][staying], guests])
        ranks = np.concatenate([self.rank[touched][staying], ranks])
        order = np.lexsort((self.order[guests, 1], self.order[guests, 0], -ranks, hosts))
        hosts, guests, ranks = hosts[order], guests[order], ranks[order]
        place = np.arange(len(hosts)) - np.searchsorted(hosts, hosts)
        kept = place < MOST
        self.near[touched], self.rank[touched] = NOBODY, NOBODY
        self.near[hosts[kept], place[kept]] = guests[kept]
        self.rank[hosts[kept], place[kept]] = ranks[kept]


def least_product(threshold: float) -> float:
    """Return the product of two whole vectors from which on their cosine, to three digits, is `threshold`."""
    return float(round(threshold * 1000) * _THOUSANDTH - _ROUNDED)

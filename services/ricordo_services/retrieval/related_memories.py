"""Memories near in meaning, asked of the vector index when they are shown: nothing of them is stored.

Two memories are related if one of them is among the other's ten nearest of the same user above the model's
threshold; both are informative and outside of the archive.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final
from uuid import UUID

from ricordo.index.port import Neighbour, VectorIndex
from ricordo.language.annotations import E5
from ricordo.runtime.tasks import together

THRESHOLDS: Final[Mapping[str, float]] = MappingProxyType({E5: 0.4})
"""The least cosine of related memories, by embedding model: of such pairs, most share a thing or a person."""

_OF_OTHER_MODELS: Final = 0.65  # not fitted
_NEAREST: Final = 10
_CANDIDATES: Final = 100  # of which those beyond the nearest are asked for their own nearest


@dataclass(frozen=True, slots=True)
class RelatedMemories:
    """Finds memories that are related to others.

    Attributes:
        models: of the vectors, the primary first.
        threshold: the least cosine, in place of the models' own; None for these.
    """

    vectors: VectorIndex
    models: tuple[str, ...]
    threshold: float | None = None

    async def nearest(
        self, tenant: str, user_id: str, ids: Sequence[UUID], limit: int = _NEAREST
    ) -> Mapping[UUID, Sequence[Neighbour]]:
        """Return the nearest memories of each of some, nearest first, at most `limit`; of others none.

        Raises:
            IndexUnavailable: the index does not answer.
        """
        of_models = await together(
            [
                self.vectors.neighbours(
                    tenant, model, user_id, ids, limit=limit, threshold=self._threshold(model)
                )
                for model in reversed(self.models)
            ]
        )
        # A memory that moves to the primary model has a point of each for a moment.
        return {memory_id: near for found in of_models for memory_id, near in found.items()}

    async def both_ways(self, tenant: str, user_id: str, memory_id: UUID) -> Sequence[Neighbour]:
        """Return all memories that are related to one, nearest first: of the nearest hundred.

        Raises:
            IndexUnavailable: the index does not answer.
        """
        near = (await self.nearest(tenant, user_id, [memory_id], _CANDIDATES)).get(memory_id, ())
        distant = [neighbour.id for neighbour in near[_NEAREST:]]
        theirs = await self.nearest(tenant, user_id, distant) if distant else {}
        returned = {other for other, own in theirs.items() if memory_id in {each.id for each in own}}
        return [*near[:_NEAREST], *(neighbour for neighbour in near[_NEAREST:] if neighbour.id in returned)]

    def _threshold(self, model: str) -> float:
        return THRESHOLDS.get(model, _OF_OTHER_MODELS) if self.threshold is None else self.threshold

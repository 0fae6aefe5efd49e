"""A question becomes a vector of each model that memories have vectors of."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ricordo.models.encoder import Encoder, ModelUnavailable
from ricordo.store.rows import Vector
from ricordo_services.retrieval.task_concurrency import together


@dataclass(slots=True)
class FormerModels:
    """The former embedding models, and those of them that encode no question now."""

    names: tuple[str, ...] = ()
    away: tuple[str, ...] = ()

    def answered(self, models: Mapping[str, Vector]) -> None:
        """Note by which models a question was encoded."""
        self.away = tuple(name for name in self.names if name not in models)

    @property
    def problem(self) -> str:
        """What that hampers, and what to do about it; empty for nothing."""
        if not self.away:
            return ""
        return (
            f"{', '.join(self.away)}, of which there are memories still, cannot be asked: these are found by "
            "words alone, until `ricordo backfill --only vectors` has encoded them anew and the workers are "
            "started again"
        )


async def encoded(text: str, encoders: Sequence[Encoder], within_s: float) -> Mapping[str, Vector]:
    """Encode a question by several models at once.

    Args:
        within_s: for how many seconds each is waited for.

    Returns:
        By model, float32 [d] of unit norm, d being the model's own; without those that are away.
    """
    vectors = await together([_by(encoder, text, within_s) for encoder in encoders])
    return {one.model: vector for one, vector in zip(encoders, vectors, strict=True) if vector is not None}


async def _by(encoder: Encoder, text: str, within_s: float) -> Vector | None:
    try:
        async with asyncio.timeout(within_s):
            vectors = await encoder.encode([text])
    except (ModelUnavailable, TimeoutError):  # words and facts still answer
        return None
    first: Vector = vectors[0]
    return first

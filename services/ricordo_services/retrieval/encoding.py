"""A question becomes a vector of each model that memories have vectors of."""

import asyncio
from collections.abc import Mapping, Sequence

from ricordo.ports.memories import Vector
from ricordo.ports.models import Encoder, ModelUnavailable
from ricordo_services.retrieval.alone import together


async def encoded(text: str, encoders: Sequence[Encoder], within_s: float) -> Mapping[str, Vector]:
    """Encode a question by several models at once.

    Args:
        text: the question.
        encoders: one or more.
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

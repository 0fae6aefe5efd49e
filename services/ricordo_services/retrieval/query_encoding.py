"""Encodes questions, and example statements that answer them, by each model that memories have vectors of."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ricordo.language.query_analysis.analysis import QueryAnalysis
from ricordo.language.query_analysis.requested_predicates import answer_examples
from ricordo.models.encoder import Encoder, ModelUnavailable
from ricordo.runtime.tasks import together
from ricordo.store.rows import Vector
from ricordo_services.retrieval.search_request import ExampleStatements


@dataclass(slots=True)
class FormerModels:
    """The former embedding models, and those that are unavailable for queries."""

    names: tuple[str, ...] = ()
    unavailable: tuple[str, ...] = ()

    def record(self, models: Mapping[str, Vector]) -> None:
        """Record the models that encoded a question."""
        self.unavailable = tuple(name for name in self.names if name not in models)

    @property
    def problem(self) -> str:
        """What is impaired, and what to do about it; empty for nothing."""
        if not self.unavailable:
            return ""
        return (
            f"{', '.join(self.unavailable)}, of which there are memories still, cannot be asked: these are "
            "found by words alone, until `ricordo backfill --only vectors` has encoded them anew and the "
            "workers are started again"
        )


async def encoded(text: str, encoders: Sequence[Encoder], within_s: float) -> Mapping[str, Vector]:
    """Encode a question by several models concurrently.

    Args:
        within_s: timeout of each in seconds.

    Returns:
        By available model, float32 [d] of unit norm, d being the model's own.
    """
    vectors = await together([_by(encoder, [text], within_s) for encoder in encoders])
    return {one.model: found[0] for one, found in zip(encoders, vectors, strict=True) if found is not None}


async def _by(encoder: Encoder, texts: Sequence[str], within_s: float) -> Vector | None:
    """Return the vectors of texts [n, d]; None if the model is unavailable: words and facts still answer."""
    try:
        async with asyncio.timeout(within_s):
            return await encoder.encode(texts)
    except (ModelUnavailable, TimeoutError):
        return None


@dataclass(frozen=True, slots=True)
class ExampleEncoder:
    """Example statements that answer a question; those of a predicate are encoded on first use."""

    encoders: Sequence[Encoder] = ()
    _vectors: dict[tuple[str, str, str], Vector] = field(default_factory=dict)

    async def __call__(self, analysis: QueryAnalysis, within_s: float) -> Sequence[ExampleStatements]:
        """Return example statements to search for; none if the question contains more than a predicate.

        Args:
            within_s: timeout of a model in seconds; without its vector, only words are searched for.
        """
        if not analysis.requested.bare:
            return ()
        wanted = [(name, answer_examples(name, analysis.language)) for name in analysis.requested.names]
        known = [(name, one) for name, one in wanted if one is not None]
        vectors = await together(
            [self._encoded(name, analysis.language, one.sentences, within_s) for name, one in known]
        )
        return [ExampleStatements(one.words, found) for (_, one), found in zip(known, vectors, strict=True)]

    async def _encoded(
        self, predicate: str, language: str, sentences: Sequence[str], within_s: float
    ) -> Mapping[str, Vector]:
        """Return the mean vector of the examples by available model."""
        found: dict[str, Vector] = {}
        for encoder in self.encoders:
            key = encoder.model, language, predicate
            if key not in self._vectors:
                if (vectors := await _by(encoder, list(sentences), within_s)) is None:
                    continue
                self._vectors[key] = _mean(vectors)
            found[encoder.model] = self._vectors[key]
        return found


def _mean(vectors: Vector) -> Vector:
    """Return the mean of vectors [n, d] at unit norm, float32 [d]."""
    mean: Vector = vectors.mean(axis=0)
    norm = float(np.linalg.norm(mean))
    return (mean / norm).astype(np.float32) if norm > 0 else mean

"""How people tell what answers a question for a predicate, as words and vectors to search with."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ricordo.language.query_analysis import QueryAnalysis
from ricordo.language.query_analysis.requested_predicates import answer_examples
from ricordo.models.encoder import Encoder, ModelUnavailable
from ricordo.store.rows import Vector
from ricordo_services.retrieval.search_request import ExampleStatements
from ricordo_services.retrieval.task_concurrency import together

_Key = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class ExampleEncoder:
    """Example statements that answer a question; those of a predicate are encoded on first use."""

    encoders: Sequence[Encoder] = ()
    _vectors: dict[_Key, Vector] = field(default_factory=dict)

    async def __call__(self, analysis: QueryAnalysis, within_s: float) -> Sequence[ExampleStatements]:
        """Return what to search for beside the question; nothing where it holds more than a predicate.

        Args:
            within_s: for how many seconds a model is waited for; without it, words alone are searched for.
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
        """Return the mean vector of the examples by model, without the models that are away."""
        found: dict[str, Vector] = {}
        for encoder in self.encoders:
            key = encoder.model, language, predicate
            if key not in self._vectors:
                try:
                    async with asyncio.timeout(within_s):
                        self._vectors[key] = _mean(await encoder.encode(list(sentences)))
                except (ModelUnavailable, TimeoutError):
                    continue
            found[encoder.model] = self._vectors[key]
        return found


def _mean(vectors: Vector) -> Vector:
    """Return the mean of vectors [n, d] at unit norm, float32 [d]."""
    mean: Vector = vectors.mean(axis=0)
    norm = float(np.linalg.norm(mean))
    return (mean / norm).astype(np.float32) if norm > 0 else mean

"""Key topics of summaries: a summary counts for more when what it marks is what the question is about."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from ricordo.memory.ranking.signals import key_topic_boost
from ricordo.models.encoder import Encoder, ModelUnavailable
from ricordo.store.memory_queries import RankingRow
from ricordo.store.rows import Vector

_MOST_TOPICS = 32


@dataclass(frozen=True, slots=True)
class KeyTopics:
    """Compares key topics with a question, by their vectors."""

    encoder: Encoder

    async def boosts(self, standings: Sequence[RankingRow], vector: Vector | None) -> Mapping[UUID, float]:
        """Return the boost of each summary that marks topics; where the model is away, none.

        Args:
            vector: of the question, float32 [d], unit norm.
        """
        marked = {
            row.id: [(topic["topic"], topic["importance"]) for topic in json.loads(row.key_topics)]
            for row in standings
            if row.key_topics
        }
        names = list(dict.fromkeys(name for topics in marked.values() for name, _ in topics))[:_MOST_TOPICS]
        if vector is None or not names:
            return {}
        try:
            vectors = await self.encoder.encode(names)
        except ModelUnavailable:
            return {}
        near = dict(zip(names, (vectors @ vector).tolist(), strict=True))
        return {
            one: key_topic_boost((importance, near.get(name, 0.0)) for name, importance in topics)
            for one, topics in marked.items()
        }

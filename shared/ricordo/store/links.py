"""Links between memories whose texts are similar.

Each pair is a function of its two vectors (`ricordo.memory.similarity`). Whoever writes a memory into the
index asks it for similar ones afterwards, so that the later of two sees the earlier.
"""

import asyncio
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final
from uuid import UUID

import asyncpg

from ricordo.memory.similarity import DIGITS, similar_pairs
from ricordo.store import rows
from ricordo.store.database import Connection, Database, call_function
from ricordo.store.rows import Vector

_SQL: Final = Database.queries("links")


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Memories whose points were written, and those that the index found for them afterwards.

    Attributes:
        models: the known ones; a memory is compared by its vector of the first that it has one of.
        threshold: the least cosine of linked memories.
        users: by memory.
        found: ids of memories that may be similar to any of these.
    """

    models: Sequence[str]
    threshold: float
    users: Mapping[UUID, str]
    found: Collection[UUID]


async def link_similar(connection: Connection, tenant: str, comparison: Comparison) -> None:
    """Link memories with all that are similar, and with no others; a repeat changes nothing.

    Holds the link locks of the users until the end of the caller's transaction.
    """
    ids = sorted(comparison.users)
    users, found = sorted(set(comparison.users.values())), list(comparison.found)
    texts = await call_function(connection, "lock_texts", tenant, users, comparison.models, ids, found)
    compared = {row["text_id"] for row in texts if row["memory_id"] in comparison.users}
    pairs = await asyncio.to_thread(_pairs, texts, compared, comparison.threshold)
    gone = comparison.users.keys() - {row["memory_id"] for row in texts}
    new = [row for row in texts if row["is_new"]]
    await connection.execute(
        _SQL["link"],
        tenant,
        sorted(gone),
        *([row[name] for row in new] for name in ("memory_id", "user_id", "text_id")),
        sorted(compared),
        [one for one, _ in pairs],
        [other for _, other in pairs],
        [Decimal(f"{cosine:.{DIGITS}f}") for cosine in pairs.values()],
    )


def _pairs(
    texts: Sequence[asyncpg.Record], compared: Collection[UUID], threshold: float
) -> dict[tuple[UUID, UUID], float]:
    """Return the pairs of the compared texts, each within its user and model."""
    vectors: defaultdict[tuple[str, str], dict[UUID, Vector]] = defaultdict(dict)
    for row in texts:
        if (vector := rows.vector(row["vector"])) is not None:
            vectors[row["user_id"], row["model"]][row["text_id"]] = vector
    pairs: dict[tuple[UUID, UUID], float] = {}
    for of_model in vectors.values():
        pairs |= similar_pairs(of_model, [one for one in compared if one in of_model], threshold)
    return pairs

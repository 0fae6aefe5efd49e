"""What recalls have added to memories, and what was said of them: once each, whatever comes first."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from ricordo.memory.reinforcement import RecallVerdict
from ricordo.store.database import Connection, Database

_SQL = Database.queries("uses")


@dataclass(frozen=True, slots=True)
class Told:
    """What is told of one memory in one recall.

    Attributes:
        at: as of when it is kept.
        accessed_at: the moment of the recall, where its event tells it.
        verdict: where the user's bot tells one.
    """

    user_id: str
    memory_id: UUID
    recall_id: UUID
    at: datetime
    accessed_at: datetime | None = None
    verdict: RecallVerdict | None = None


@dataclass(frozen=True, slots=True)
class Noted:
    """What that has changed: how many memories it made stronger and weaker, and all that it touched."""

    stronger: int
    weaker: int
    changed: tuple[UUID, ...]


Held = Collection[tuple[UUID, str]]
"""Memories, each with its user."""


async def hold(connection: Connection, tenant: str, told: Sequence[Told]) -> Held:
    """Lock the memories that are told of, in the order of their ids, and return those that there are.

    A statement of its own: what the next one reads of their uses is what others have left.
    """
    pairs = sorted({(one.memory_id, one.user_id) for one in told})
    users, memories = [user for _, user in pairs], [memory_id for memory_id, _ in pairs]
    found = await connection.fetch(_SQL["hold_memories"], tenant, users, memories)
    return {(row["id"], row["user_id"]) for row in found}


async def note(connection: Connection, tenant: str, told: Sequence[Told], held: Held) -> Noted:
    """Keep what is told of the memories that are `held`, and make these stronger or weaker by it."""
    of_pairs = {
        (one.memory_id, one.recall_id): one for one in reversed(told) if (one.memory_id, one.user_id) in held
    }
    if not of_pairs:
        return Noted(0, 0, ())
    one_each = list(of_pairs.values())  # of a repeat, the first
    changed = await connection.fetch(
        _SQL["use"],
        tenant,
        [one.memory_id for one in one_each],
        [one.recall_id for one in one_each],
        [one.accessed_at for one in one_each],
        [one.verdict for one in one_each],
        [one.at for one in one_each],
    )
    return Noted(
        stronger=sum(row["times"] > 0 for row in changed),
        weaker=sum(row["times"] < 0 for row in changed),
        changed=tuple(sorted({row["memory_id"] for row in changed if row["times"] or row["touched"]})),
    )

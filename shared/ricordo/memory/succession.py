"""One memory in the place of others: what lifecycle makes anew takes over what use has made of the former."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from ricordo.memory.model import Memory, Source


@dataclass(frozen=True, slots=True)
class Successor:
    """A memory to be written, and the ids of those whose place it takes."""

    memory: Memory
    former: tuple[UUID, ...] = ()


def is_held(memory: Memory) -> bool:
    """Say whether the user holds on to what a memory says: then nothing takes its place."""
    return memory.verified or memory.source == Source.USER_CORRECTION


def inherit(memory: Memory, former: Sequence[Memory]) -> Memory:
    """Return a memory with what use and the user have made of those whose place it takes.

    Its importance stays that of what it says: what use adds to it follows from the access count, wherever it
    is written.

    Args:
        memory: as it was made.
        former: may be none.
    """
    if not former:
        return memory
    used = [one.last_accessed for one in former if one.last_accessed is not None]
    return replace(
        memory,
        access_count=max(one.access_count for one in former),
        reinforcement=max(one.reinforcement for one in former),
        last_accessed=max(used, default=None),
        pinned=any(one.pinned for one in former),
    )

"""Changes of a user's facts, as they are given to a projection such as the graph."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from uuid import UUID

from ricordo.memory.facts import Fact


@dataclass(frozen=True, slots=True)
class ProjectionVersion:
    """From which state of a user's evidence to which; None where there is none."""

    before: UUID | None
    after: UUID | None


@dataclass(frozen=True, slots=True)
class FactDelta:
    """What new evidence has changed of a user's facts.

    Attributes:
        facts: those that are new or have become others, superseded ones included, as they now stand; none
            where the evidence has changed and the facts have not.
        gone: ids of facts that are no more, as after an erasure or another order of arrival.
        step: from which state of the evidence this leads to which.
    """

    user_id: str
    facts: tuple[Fact, ...]
    gone: tuple[UUID, ...] = ()
    step: ProjectionVersion = ProjectionVersion(None, None)


class VersionConflict(Exception):
    """A projection does not stand where the truth stood: what a crash has left there, or nothing at all."""


Project = Callable[[FactDelta], Awaitable[None]]
"""Writes the changes of a user's facts to a projection; idempotent. Where it raises `VersionConflict`, the
caller makes the projection equal to the store and repeats the call."""

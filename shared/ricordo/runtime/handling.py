"""The interface of handlers: events in, one outcome per event out.

A handler never acknowledges, publishes, sleeps or retries; the runtime does, by its outcomes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Generic, Protocol, Self, TypeVar
from uuid import UUID

from ricordo.messages.events import DerivedEvent

E_co = TypeVar("E_co", covariant=True)
E_contra = TypeVar("E_contra", contravariant=True)

_REASON_MAX_CHARS: Final = 300


@dataclass(frozen=True, slots=True)
class Envelope(Generic[E_co]):
    """One delivered event.

    Attributes:
        tenant: from the subject, which permissions protect.
        id: the cause of everything that handling this event produces; the same at every delivery.
        attempt: number of deliveries so far, this one included.
        traceparent: W3C trace context of its handling; produced events continue it.
    """

    tenant: str
    id: UUID
    subject: str
    body: E_co
    attempt: int
    traceparent: str | None


@dataclass(frozen=True, slots=True)
class Done:
    """The event was handled; `events` are published before it is acknowledged."""

    events: tuple[DerivedEvent, ...] = ()


@dataclass(frozen=True, slots=True)
class Reject:
    """The event can never be handled and becomes a dead letter."""

    code: str
    reason: str


@dataclass(frozen=True, slots=True)
class Retry:
    """The event cannot be handled now.

    Attributes:
        after: seconds to wait; None for the worker's backoff.
        reason: for the log and, after the last attempt, for the dead letter.
        is_failure: whether it counts for the worker's circuit breaker.
    """

    after: float | None = None
    reason: str = ""
    is_failure: bool = False

    @classmethod
    def because(cls, error: Exception) -> Self:
        """Return an outcome whose reason is `error`, shortened for logs and dead letters."""
        reason = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        return cls(reason=reason[:_REASON_MAX_CHARS], is_failure=True)


Outcome = Done | Reject | Retry


class Handler(Protocol[E_contra]):
    """Handles events of one tenant."""

    async def __call__(self, tenant: str, events: Sequence[Envelope[E_contra]], /) -> Sequence[Outcome]:
        """Handle `events` (at least one), all of `tenant`.

        Returns:
            One outcome per event, in the same order.

        Raises:
            Exception: any error is transient; the events of a larger batch are then handled one by one.
        """
        ...

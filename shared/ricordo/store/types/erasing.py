"""Erasure on request: a tombstone first, then slice by slice all that rests on what is forgotten."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import TYPE_CHECKING, Protocol, Self
from uuid import UUID

from ricordo.messages.vocabulary import ForgetScope
from ricordo.store.types.stages import Progress

if TYPE_CHECKING:  # what reads facts takes seconds to load
    from ricordo.store.types.facts import Project


@dataclass(frozen=True, slots=True)
class Burial:
    """What is to be forgotten.

    Attributes:
        key: the id of the message, the conversation or the user, as `scope` says.
        at: all that was said until then, or that was taken in until then.
    """

    user_id: str
    scope: ForgetScope
    key: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Tombstone:
    """What stands of a `Burial`, for who carries it from one store into another.

    Attributes:
        scope: a `ForgetScope`, or `erased`: a message that went with its user or its conversation.
    """

    tenant: str
    scope: str
    user_id: str
    key: str
    buried_at: datetime


@dataclass(frozen=True, slots=True)
class Counts:
    """How much was erased where.

    Attributes:
        rows: of PostgreSQL: what was said, and memories, derived ones too.
        vectors: memories whose points go.
        graph: facts that are no more.
        stream: dead letters.
        archive: documents.
        working: notes.
    """

    rows: int = 0
    vectors: int = 0
    graph: int = 0
    stream: int = 0
    archive: int = 0
    working: int = 0

    def __add__(self, other: Self) -> "Counts":
        """Return both together."""
        return Counts(*(getattr(self, one.name) + getattr(other, one.name) for one in fields(self)))


@dataclass(frozen=True, slots=True)
class Erased:
    """One slice of an erasure.

    Attributes:
        memory_ids: the memories that are no more, derived ones too.
        behind: memories, of whomever, that come behind other ones now, and are to be indexed anew.
        unread: corrections that correct something else now, whose facts are to be read again.
        more: whether something may be left.
    """

    counts: Counts
    memory_ids: Sequence[UUID] = ()
    behind: Sequence[Progress] = ()
    unread: Sequence[Progress] = ()
    more: bool = False


@dataclass(frozen=True, slots=True)
class Letter:
    """A dead letter, by what was given up: by whom, published on what, at which place of its stream.

    Attributes:
        object_key: where the document that it brings was kept, if it brings one.
    """

    consumer: str
    subject: str
    sequence: int
    object_key: str | None = None


class Erasing(Protocol):
    """Erases what users ask to be forgotten; each method raises `StoreUnavailable` if the store is away."""

    async def bury(
        self, tenant: str, burial: Burial, *, request: str | None = None, asked: bytes = b""
    ) -> Burial | Counts:
        """Put up the tombstone, before anything is erased: from now on nothing of it is taken in.

        Args:
            tenant: whose it is.
            burial: what is to be forgotten.
            request: under which this is asked; one that was asked before erases nothing that came since,
                whether it was done, cut off, or done without its asker being told.
            asked: a digest of what is asked.

        Returns:
            What is to be erased now, up to when as it stands on the tombstone; or what was erased, where that
            request was done before.

        Raises:
            OtherRequest: the request is known for something else.
        """
        ...

    async def erase(self, tenant: str, burial: Burial, project: "Project", limit: int) -> Erased:
        """Erase the next messages, and all that was made of them; one transaction, with the graph.

        What a crash cuts off is simply repeated. Two that erase the same do it in turn.

        Args:
            tenant: whose they are.
            burial: one that `bury` has put up.
            project: writes what has changed of the user's facts, as for `FactLedger.record`.
            limit: the most messages.

        Raises:
            Exception: whatever `project` raised; nothing was erased by this call.
        """
        ...

    async def letter(self, tenant: str, burial: Burial, letter: Letter) -> None:
        """Count a dead letter that is to be deleted; let go of its reason, and of the document it brings."""
        ...

    async def finish(self, tenant: str, burial: Burial) -> Counts:
        """Note that nothing is left, and return what was erased in all.

        Whoever asked for it, and asks again under the same request, is told the same; unless more was buried
        since, whose erasure says so.
        """
        ...

    async def unfinished(self, tenant: str, before: datetime) -> Sequence[Burial]:
        """Return what was buried before then, and is not erased yet."""
        ...


class Discarded(Protocol):
    """Documents that nobody knows any more; each method raises `StoreUnavailable` if the store is away."""

    async def discarded(self, tenant: str, limit: int) -> Sequence[str]:
        """Return keys of objects that are still to be deleted."""
        ...

    async def deleted(self, tenant: str, keys: Sequence[str]) -> None:
        """Note that they are."""
        ...


class Letters(Protocol):
    """Dead letters, which hold what was said as it came."""

    async def delete(self, tenant: str, burial: Burial, before: Callable[[Letter], Awaitable[None]]) -> None:
        """Delete those of what was buried, each once `before` has returned.

        Raises:
            BusUnavailable: some may still be there.
            Exception: whatever `before` raised.
        """
        ...

"""What is at hand in a conversation: its last turns, and the notes that a bot keeps beside them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol
from uuid import UUID

from ricordo.store.types.recollection import Turn


class Forgotten(Exception):
    """Raised where a tombstone stands.

    Attributes:
        scope: what was forgotten, `user` or `conversation`.
    """

    def __init__(self, scope: str) -> None:
        super().__init__(f"this {scope} was forgotten")
        self.scope = scope


class TooManyNotes(Exception):
    """Raised where a conversation has as many notes as it may have."""


class AnotherNote(Exception):
    """Raised where something else was asked for under the same request id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A value that a bot keeps at hand.

    Attributes:
        value: any JSON value; None takes the note away.
        request_id: known once for all commands and users; None for a request that may count again.
    """

    user_id: str
    conversation_id: str
    key: str
    value: object
    request_id: str | None = None


class Notebook(Protocol):
    """The notes of all conversations; each method is one transaction, and raises `StoreUnavailable`."""

    async def note(
        self,
        tenant: str,
        note: Note,
        at: datetime,
        *,
        alive_since: datetime,
        most: int,
        belated: bool = False,
    ) -> None:
        """Keep a note, in place of the one of the same key, or take it away; once for each request id.

        Args:
            tenant: whose.
            note: what to keep.
            at: when it is set.
            alive_since: notes of before do not count any more.
            most: how many a conversation may have.
            belated: whether it is told long after `at`: what was noted under its key since then stays.

        Raises:
            Forgotten: the user, or the conversation, is being erased, or was forgotten after `at`.
            TooManyNotes: the conversation has `most` others.
            AnotherNote: the request id stands for something else.
        """
        ...

    async def tidy(self, tenant: str, *, before: datetime, after: datetime) -> None:
        """Drop notes that were set before `before`; or after `after`, by a clock that was ahead."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """Of which time things are at hand; each bound is exclusive.

    Attributes:
        said_after, said_before: of turns.
        noted_after, noted_before: of notes.
    """

    said_after: datetime
    said_before: datetime
    noted_after: datetime
    noted_before: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """What is at hand.

    Attributes:
        token: of this state of it: another one as soon as anything of it has changed.
        names_token: of the names that facts of the user speak of; None where there are none.
        names: those most spoken of first, at most 200; None where the caller has those of that token.
        turns: oldest first.
        notes: latest first.
    """

    token: str
    names_token: UUID | None = None
    names: Sequence[str] | None = ()
    turns: Sequence[Turn] = ()
    notes: Mapping[str, object] = field(default_factory=dict)


class Desks(Protocol):
    """Reads of what is at hand; an unknown user has nothing. It raises `StoreUnavailable`."""

    async def desk(
        self,
        tenant: str,
        user_id: str,
        conversation_id: str,
        *,
        span: Span,
        most_turns: int,
        held: str | None,
        held_names: UUID | None,
    ) -> Desk | None:
        """Return what is at hand in a conversation of the user; None where that is still what `held` names.

        Args:
            tenant: whose store.
            user_id: whose turns and notes.
            conversation_id: which conversation.
            span: of which time.
            most_turns: how many of the last turns.
            held: the token of what the caller has; None for nothing.
            held_names: the token of the names that the caller has; None for none.
        """
        ...

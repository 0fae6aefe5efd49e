"""Sessions in the truth: what was said in one go, and the summary that stands for it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple, Protocol
from uuid import UUID

from ricordo.memory.model import Memory, Successor
from ricordo.memory.summaries import SessionTurn
from ricordo.store.types.stages import Progress


class Place(NamedTuple):
    """Where a turn stands in its conversation: when it was said, and its message; "" is before all others."""

    said_at: datetime
    message_id: str = ""


@dataclass(frozen=True, slots=True)
class Unsummarized:
    """A conversation of a user in which something was said that no summary covers yet.

    Attributes:
        since: where the first of it stands.
        stored_at: when the last of it came in.
        changes: how often any of this has changed: what comes in meanwhile is noticed by it.
    """

    user_id: str
    conversation_id: str
    since: Place
    stored_at: datetime
    changes: int


@dataclass(frozen=True, slots=True)
class Session:
    """What was said in one go.

    Attributes:
        turns: at least one, in the order in which they were said.
        over: whether it has ended: by the bot's word, by silence, or since another one follows.
        summary: the one that stands for these very turns already.
        former: summaries of parts of it, or of it with what was forgotten since, whose place a new one takes.
    """

    turns: Sequence[SessionTurn]
    over: bool
    summary: Memory | None = None
    former: Sequence[Memory] = ()

    @property
    def place(self) -> Place:
        """Where it begins."""
        first = self.turns[0].memory
        return Place(first.created_at, first.message_id or "")


@dataclass(frozen=True, slots=True)
class Loaded:
    """Sessions from the one on that `since` falls into.

    Attributes:
        sessions: in the order in which they were held.
        rest: where the first stands of what was left out, because there is more than is read at once; else
            None.
    """

    sessions: Sequence[Session]
    rest: Place | None = None


@dataclass(frozen=True, slots=True)
class Settled:
    """What has become of the sessions of a conversation.

    Attributes:
        summaries: to be written, with those whose place they take.
        withdrawn: those that stand for nothing any more.
        rest: where the first stands of what is still not covered; None where all is.
        more: whether the session that begins there is over, too: it is due at once.
    """

    summaries: Sequence[Successor] = ()
    withdrawn: Sequence[UUID] = ()
    rest: Place | None = None
    more: bool = False


@dataclass(frozen=True, slots=True)
class Summarised:
    """What was done.

    Attributes:
        written: the stages of the summaries that are there now.
        withdrawn: those that are there no more.
    """

    written: Sequence[Progress]
    withdrawn: Sequence[UUID]


class Sessions(Protocol):
    """What summarising reads and writes."""

    async def end(
        self, tenant: str, user_id: str, conversation_id: str, ended_at: datetime, now: datetime
    ) -> None:
        """Note that a session has ended: what was said until then belongs to none that follows.

        Args:
            tenant: whose bot says so.
            user_id: whose session.
            conversation_id: in which conversation.
            ended_at: when; of an instant ahead of `now`, and of all that was said, `now` counts.
            now: the present.
        """
        ...

    async def due(
        self, tenant: str, now: datetime, silence: timedelta, *, user_id: str | None, limit: int
    ) -> Sequence[Unsummarized]:
        """Return conversations with a session that may be over, those first that wait longest.

        Either its end was noted, or nothing has come in for `silence`. One with messages that are still to be
        enriched is left out, unless they became dead letters: their feeling and weight are not known yet.
        """
        ...

    async def load(
        self, tenant: str, model: str, one: Unsummarized, now: datetime, silence: timedelta
    ) -> Loaded:
        """Return the sessions of a conversation, from the one on that holds what is not covered yet.

        Args:
            tenant: whose.
            model: of the vectors.
            one: which conversation.
            now: the present.
            silence: after which a session is over.
        """
        ...

    async def summarise(
        self,
        tenant: str,
        one: Unsummarized,
        settled: Settled,
        at: datetime,
    ) -> Summarised | None:
        """Write summaries, take away those whose place they take, and note what is still not covered.

        Args:
            tenant: whose.
            one: as it was when its sessions were loaded.
            settled: what to write. A summary whose sources are gone is left out, as is one in whose place the
                user holds on to a former one.
            at: when they are stored.

        Returns:
            What was done, or None where something was said in the conversation since: then
            nothing is written, and it is due again.
        """
        ...

"""Sessions in the truth: what was said in one go, and the summary that stands for it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol
from uuid import UUID

from ricordo.domain.memory import Memory
from ricordo.domain.summaries import Turn
from ricordo.ports.stages import Progress


@dataclass(frozen=True, slots=True)
class Unsummarized:
    """A conversation of a user in which something was said that no summary covers yet.

    Attributes:
        since: when the first of it was said.
        stored_at: when the last of it came in.
        changes: how often any of this has changed: what comes in meanwhile is noticed by it.
    """

    user_id: str
    conversation_id: str
    since: datetime
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

    turns: Sequence[Turn]
    over: bool
    summary: Memory | None = None
    former: Sequence[Memory] = ()


@dataclass(frozen=True, slots=True)
class Loaded:
    """Sessions from the one on that `since` falls into.

    Attributes:
        sessions: in the order in which they were held.
        rest: when the first of what was left out was said, because there is more than is read at once; else
            None.
    """

    sessions: Sequence[Session]
    rest: datetime | None = None


@dataclass(frozen=True, slots=True)
class Settled:
    """What has become of the sessions of a conversation.

    Attributes:
        summaries: to be written.
        withdrawn: those that stand for nothing any more, or whose place one of `summaries` takes.
        rest: when the first was said of what is still not covered; None where all is.
    """

    summaries: Sequence[Memory] = ()
    withdrawn: Sequence[UUID] = ()
    rest: datetime | None = None


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

        Either its end was noted, or nothing has come in for `silence`. One with messages that lack a stage is
        left out for a while: their feeling and weight are not known yet.
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
    ) -> Sequence[Progress] | None:
        """Write summaries, take away those whose place they take, and note what is still not covered.

        Args:
            tenant: whose.
            one: as it was when its sessions were loaded.
            settled: what to write; a summary whose sources are gone is left out.
            at: when they are stored.

        Returns:
            The stages of the summaries, or None where something was said in the conversation since: then
            nothing is written, and it is due again.
        """
        ...

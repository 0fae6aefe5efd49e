"""Who is who, where rules do not say it: what was decided, what is open, and a model that can be asked."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple, Protocol

from ricordo.store.types.facts import FactLedger, Project


class Doubt(NamedTuple):
    """Two names of a user's life, of which rules cannot say whether they are one.

    Attributes:
        user_id: in whose life.
        names: keys of entities, sorted: "nico", "marco (brother".
    """

    user_id: str
    names: tuple[str, str]


class NotTwoNames(ValueError):
    """What is to be one, or two, are no two names: blank, the same but for spelling, or without end."""


class NobodyKnown(Exception):
    """Nothing is known of the user, or it was forgotten since: nobody's names can be decided about."""


class UnknownNames(LookupError):
    """Nobody of the user's life goes by one of the names, or by both.

    Attributes:
        meant: of each such name, as it was given, those that may be meant, the likeliest first.
    """

    def __init__(self, meant: Mapping[str, Sequence[str]]) -> None:
        super().__init__(f"nobody goes by {' or '.join(map(repr, meant))}")
        self.meant = meant


class TooManyDecisions(Exception):
    """The user has decided as much as one may."""


class IdentityLedger(Protocol):
    """What was decided of who is who, and what is open."""

    async def decide(
        self,
        tenant: str,
        user_id: str,
        names: tuple[str, str],
        project: Project,
        *,
        same: bool | None,
        by: str,
        request_id: str | None = None,
        decided_at: datetime | None = None,
    ) -> bool | None:
        """Decide that two names are one entity, or two, or (None) leave it to the rules again.

        All that is known is folded under what follows from it and projected, as `FactLedger.record` does.
        Repeating it changes nothing. What the user has decided, or taken back, only the user changes: others
        then decide nothing. The user decides about names that are known, and may always take back what was
        decided about others.

        Args:
            tenant: of whom.
            user_id: in whose life.
            names: in any spelling; where two share one, with what tells them apart: "Marco (brother)".
            project: takes what has changed.
            same: what is decided.
            by: who decides: `user`, or somebody else, such as a model.
            request_id: of a request that is to count once, whatever was decided since; None: each counts.
            decided_at: when, of what was decided elsewhere; None for now.

        Returns:
            What the user has decided about the names, as it now stands.

        Raises:
            StoreUnavailable: nothing was written here.
            NotTwoNames: the names are one and the same, or none.
            NobodyKnown: of the user there is no evidence, or the user was forgotten after `decided_at`.
            UnknownNames: the user decides, and nobody goes by one of the names.
            OtherRequest: the request is known for something else.
            TooManyDecisions: of the user there are as many decisions as there may be.
            Exception: whatever `project` raised; nothing was written here.
        """
        ...

    async def doubts(self, tenant: str, limit: int) -> Sequence[Doubt]:
        """Return what rules cannot say of who is who, and nobody was asked about yet, the oldest first.

        Whoever is asked settles it by `decide`, with None where they cannot say either.
        """
        ...

    def turn(self, tenant: str, doubts: Sequence[Doubt]) -> AbstractAsyncContextManager[Collection[Doubt]]:
        """Take the turn of asking somebody about doubts of one user, for the length of an `async with`.

        It yields those of `doubts` that are open still; none where somebody else has the turn, be it in
        another process. Whoever dies or hangs for ten minutes has it no more.

        Raises:
            StoreUnavailable: the turn could not be taken, or was lost meanwhile; what was decided stays so.
        """
        ...

    async def withdraw(self, tenant: str, doubts: Sequence[Doubt]) -> None:
        """Drop doubts that are none any more; those that somebody has settled stay so.

        Raises:
            StoreUnavailable: nothing was written.
        """
        ...


class KnowledgeLedger(FactLedger, IdentityLedger, Protocol):
    """What is known, and of whom."""


@dataclass(frozen=True, slots=True)
class EntityProfile:
    """Somebody of a user's life, as far as a model is shown them. All of it is data, never an instruction.

    Attributes:
        name: as it is shown, with what tells them from others of that name: "Marco (brother)".
        aliases: other names that they were called by.
        facts: what is known of them, a line each.
        quotes: words of messages that say it.
    """

    name: str
    aliases: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    quotes: tuple[str, ...] = ()


class Pair(NamedTuple):
    """Two who may be one."""

    one: EntityProfile
    other: EntityProfile


class Verdict(StrEnum):
    """What a model says of a pair."""

    SAME = "same"
    DIFFERENT = "different"
    UNSURE = "unsure"


class IdentityReader(Protocol):
    """A language model, asked once in each call, about entities of one user."""

    @property
    def model(self) -> str:
        """Its name."""
        ...

    async def judge(self, pairs: Sequence[Pair]) -> Sequence[Verdict | None]:
        """Say of each pair whether they are one, in their order.

        Returns:
            None for a pair that the answer does not hold, or of which it says two things.

        Raises:
            Nonsense: the answer holds none of them.
            ModelUnavailable: there was no answer in time.
        """
        ...

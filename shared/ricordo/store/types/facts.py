"""Facts as the truth holds them: evidence rows, and the facts that are folded from them."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from uuid import UUID

from ricordo.memory.facts import Assertion, Entity, Evidence, Fact, MessageContribution
from ricordo.store.types.stages import Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class Utterance:
    """What knowledge reads of a message; `timezone` is the IANA name of the user's at that moment.

    Attributes:
        corrects: the message that it puts right, if any.
    """

    memory_id: UUID
    message_id: str
    user_id: str
    role: str
    speaker: str
    language: str
    content: str
    said_at: datetime
    timezone: str = "UTC"
    corrects: "Utterance | None" = None

    @property
    def corrected(self) -> tuple["Utterance", ...]:
        """What it puts right, be it by way of others, the latest first."""
        return () if self.corrects is None else (self.corrects, *self.corrects.corrected)

    @property
    def put_right(self) -> tuple[str, ...]:
        """The texts of `corrected`."""
        return tuple(one.content for one in self.corrected)


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What one message states: its evidence, none when it states nothing, with the words that carry each.

    Attributes:
        text_hash: of the text that it was read in, see `ricordo.language.text.text_hash`. Where the memory
            says
            something else by now, as after a correction, nothing is kept of it, and its stage stays as it
            is; None does not look.
        put_right: the texts that it puts right, with which it was read. Where they are others by now, nothing
            is kept of it either; None does not look.
    """

    memory_id: UUID
    message_id: str
    user_id: str
    said_at: datetime
    evidence: tuple[Evidence, ...] = ()
    quotes: tuple[str, ...] = ()
    text_hash: bytes | None = None
    put_right: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """From which state of a user's evidence to which; None where there is none."""

    before: UUID | None
    after: UUID | None


@dataclass(frozen=True, slots=True)
class Learned:
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
    step: Step = Step(None, None)


class OutOfStep(Exception):
    """A projection does not stand where the truth stood: what a crash has left there, or nothing at all."""


Project = Callable[[Learned], Awaitable[None]]
"""Writes what a user's facts have become to a projection; idempotent. Where it raises `OutOfStep`, whoever
gave it makes the projection what the truth is, and repeats the call."""


class UnknownFact(LookupError):
    """The user has no such fact."""


class FactEnded(LookupError):
    """The fact is over, and its value neither holds nor is disputed elsewhere: it cannot be put right.

    Attributes:
        instead: the fact that holds in its place; None where nothing does, or many may.
    """

    def __init__(self, fact_id: UUID, instead: UUID | None) -> None:
        super().__init__(f"the fact {fact_id} does not hold any more")
        self.instead = instead


class OtherRequest(ValueError):
    """A request of this id has settled something else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Curation:
    """What a user says of one fact: that it is so, is not sure, is otherwise, or was read wrongly.

    Attributes:
        request_id: under which it is kept, as a message is under its own; one that no message can have.
    """

    user_id: str
    fact_id: UUID
    request_id: str
    word: Assertion


@dataclass(frozen=True, slots=True, kw_only=True)
class FactQuestion:
    """Which facts of a user are asked for; `as_of` asks the past, `history` shows superseded ones too."""

    user_id: str
    entity: str | None = None
    predicate: str | None = None
    min_confidence: float = 1
    as_of: datetime | None = None
    history: bool = False
    limit: int = 50


class FactLedger(Protocol):
    """What knowledge owns of the truth."""

    async def load(self, tenant: str, memory_ids: Sequence[UUID]) -> Sequence[Utterance]:
        """Return what was said, and what puts it right; memories without a row are left out."""
        ...

    async def told(self, tenant: str, memory_ids: Sequence[UUID]) -> Mapping[UUID, Told]:
        """Return what is kept of what messages state, by memory; those that nobody has read are left out."""
        ...

    async def record(
        self, tenant: str, told: Sequence[Told], project: Project, at: datetime
    ) -> tuple[Mapping[str, MessageContribution], Sequence[Progress]]:
        """Keep the evidence, fold it, project it and set the stage, under a lock of each user.

        What the user has rejected is not kept when it is read again in the same words of its message.

        `project` is awaited with what has changed of each user's facts, before the transaction commits: while
        the lock is held no older state can overwrite a newer one in the projection. What a crash leaves
        there, of a transaction that was never committed, the next call finds: its step is not from there.
        Repeating the call changes nothing and returns the same.

        What is kept is the fold over all evidence of a user, in whatever order and batches it came.

        Returns:
            By message id what a message has to do with facts as they now stand, changed by this call or not,
            where it has; and the stages of the messages.

        Raises:
            StoreUnavailable: nothing was written here.
            Exception: whatever `project` raised; nothing was written here.
        """
        ...

    async def settle(self, tenant: str, curation: Curation, project: Project, at: datetime) -> Fact | None:
        """Keep a user's word as evidence, fold it and project it, under a lock of the user; as `record` does.

        The word is on the value of the fact: of several periods of it, on the one that holds or is disputed,
        whichever is named. What is confirmed holds from now on, if it did not, and messages do not overturn
        it; what never held, as what was corrected, holds again under its id, with its messages. What is taken
        back, a confirmation or a whole correction, counts as if it had never been said. What is rejected is
        stated by none of its messages any more, in whichever period: other words, also of the same messages,
        may state it anew, and so may the user. Repeating the call changes nothing and returns the same.

        Returns:
            The fact that stands by that word, as it stands now; None where it takes one back, or was taken
            back itself.

        Raises:
            UnknownFact: the user has no such fact, or is forgotten.
            FactEnded: it is to be corrected, and no period of its value holds or is disputed.
            OtherRequest: the request is known for something else.
            StoreUnavailable: nothing was written here.
            Exception: whatever `project` raised; nothing was written here.
        """
        ...

    async def facts(self, tenant: str, question: FactQuestion) -> Sequence[Fact]:
        """Return facts, most confident first, then most recent."""
        ...

    async def entity(self, tenant: str, user_id: str, name: str) -> Entity | None:
        """Return the entity that goes by `name`, in any spelling, or by an alias; never the user."""
        ...

    async def about_user(
        self, tenant: str, user_id: str, *, predicates: Sequence[str], limit: int
    ) -> Sequence[Fact]:
        """Return current facts about the user in person, by the order of `predicates`, the surest first."""
        ...

    async def surfacing(
        self, tenant: str, user_id: str, *, names: Sequence[str], threshold: int, limit: int
    ) -> Sequence[Fact]:
        """Return current facts worth showing beside memories.

        Those about one of `names` first, then those of at least `threshold` confidence (1-10) and those that
        are verified; most confident first, then most recent.
        """
        ...

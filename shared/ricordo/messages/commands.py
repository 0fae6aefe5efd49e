"""The commands: a request and a reply each. `request_id` makes any of them safe to repeat."""

import hashlib
from typing import Annotated, Any, ClassVar, Final, Literal, Self
from uuid import UUID

from pydantic import Field, model_validator

from ricordo.language.annotations import Predicate
from ricordo.messages.ids import request_key
from ricordo.messages.inputs import Input, StrictMessage, UserRequest
from ricordo.messages.message_types import (
    Content,
    Count,
    Flag,
    Id,
    Instant,
    JsonObject,
    Label,
    Labels,
    Message,
    NoteValue,
    Unit,
    refused,
)

OneId = UUID | None
_OPTIONAL_INSTANT: Final = Field(default_factory=type(None))
"""An instant that is not given; null says that there is none."""


class Command(UserRequest):
    """A command of a bot for a user."""

    without_default: ClassVar[frozenset[str]] = frozenset()
    """Fields that the digest leaves out unless they are given: absent and null differ, or earlier versions
    had none."""
    request_id: Id | None = None
    """An idempotency key."""

    def effect_key(self, tenant: str) -> str | None:
        """Return the key under which its effect is stored; None if a repetition is not recognised."""
        if self.request_id is None:
            return None
        return request_key(tenant, self.user_id, self.name, self.request_id)

    @property
    def digest(self) -> bytes:
        """The SHA-256 of its content, which a repetition shares."""
        left_out = {"request_id"} | self.without_default - self.model_fields_set
        return hashlib.sha256(self.model_dump_json(exclude=left_out).encode()).digest()


class CommandReply(Message):
    """The command was executed."""

    ok: Literal[True] = True


class _OfMemoryOrFact(Command):
    memory_id: OneId = None
    fact_id: OneId = None

    @model_validator(mode="after")
    def _one_target(self) -> Self:
        if (self.memory_id is None) == (self.fact_id is None):
            raise refused("or fact_id is required, and not both", "memory_id")
        return self


class FactTimes(Input):
    """When a fact holds; what is not given stays."""

    without_default: ClassVar[frozenset[str]] = frozenset({"valid_from", "valid_to"})
    valid_from: Instant | None = None
    valid_to: Instant | None = _OPTIONAL_INSTANT
    """Null: it holds."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.valid_from is not None and self.valid_to is not None and self.valid_to <= self.valid_from:
            raise refused("must be before valid_to", "valid_from")
        return self

    @property
    def times(self) -> dict[str, Any]:
        """The given instants by their fields."""
        return {name: getattr(self, name) for name in sorted(self.without_default & self.model_fields_set)}


class Forget(Command, name="command.forget"):
    """Erase a message, a conversation, or, if neither is given, all data of the user."""

    # A new scope must be a command of its own, as `Discard` is: a worker that does not know the field ignores
    # it, and would erase all data of the user.
    message_id: Id | None = None
    conversation_id: Id | None = None

    @model_validator(mode="after")
    def _one_scope(self) -> Self:
        if self.message_id is not None and self.conversation_id is not None:
            raise refused("must not be given together with conversation_id", "message_id")
        return self


class Erased(Message):
    """Numbers of erased items by place."""

    # Tombstones keep them as this JSON: another name would lose the counts of erasures under way.
    rows: Count = 0
    vectors: Count = 0
    graph: Count = 0
    stream: Count = 0
    archive: Count = 0
    working: Count = 0


class ForgetReply(CommandReply):
    """The numbers of erased items."""

    erased: Erased


class Discard(Command, name="command.discard"):
    """Erase one memory: that of a message with the message, a derived one alone."""

    memory_id: UUID


class Pin(Command, name="command.pin"):
    """Exempt a memory from decay, or end the exemption."""

    memory_id: UUID
    pinned: Flag


class PinReply(CommandReply):
    """Whether the memory is pinned now."""

    pinned: Flag


class StatedFields(Input):
    """What may be stated of a memory; what is not given stays."""

    without_default: ClassVar[frozenset[str]] = frozenset({"kind", "importance", "tags", "expires_at"})
    kind: Literal["message", "note", "agreement", "problem", "decision"] | None = None
    """Of a message only."""
    importance: Unit | None = None
    tags: Labels = ()
    """All of its tags from now on."""
    expires_at: Instant | None = _OPTIONAL_INSTANT
    """Null: never."""

    @property
    def changes(self) -> dict[str, Any]:
        """The given values by their fields."""
        return {name: getattr(self, name) for name in sorted(self.without_default & self.model_fields_set)}


class Edit(StatedFields, Command, name="command.edit"):
    """Change what is stated of a memory."""

    memory_id: UUID

    @model_validator(mode="after")
    def _something(self) -> Self:
        if not self.changes:
            raise refused("or importance, tags or expires_at is required", "kind")
        return self


class EditReply(CommandReply):
    """The memory was changed."""


class Verify(_OfMemoryOrFact, name="command.verify"):
    """Confirm a memory or a fact, or withdraw the confirmation."""

    verified: Flag


class VerifyReply(CommandReply):
    """Whether it is verified now."""

    verified: Flag


class Correct(FactTimes, _OfMemoryOrFact, name="command.correct"):
    """Correct the text of a memory (`content`), or the value (`object`) or times of a fact."""

    content: Content | None = None
    object: Label | None = None

    @model_validator(mode="after")
    def _fitting_text(self) -> Self:
        wanted, other = ("content", "object") if self.memory_id is not None else ("object", "content")
        with_times = wanted == "object" and self.times
        if getattr(self, wanted) is None and not with_times:
            raise refused(f"is required to correct a {'memory' if wanted == 'content' else 'fact'}", wanted)
        if getattr(self, other) is not None:
            raise refused(f"must not be given together with {wanted}", other)
        if self.memory_id is not None and any(self.times.values()):
            raise refused("must not be given together with memory_id", min(self.times))
        return self


class CorrectReply(CommandReply):
    """The corrected memory or fact."""

    memory_id: OneId = None
    fact_id: OneId = None


class RejectFact(Command, name="command.reject"):
    """Reject a wrongly extracted fact: it is deleted, and not extracted again from the same words."""

    fact_id: UUID


class RejectFactReply(CommandReply):
    """The fact was deleted."""


class AssertedFact(StrictMessage):
    """A fact that a bot has read; `message_id` names the message that says so, of which it is evidence."""

    subject: Label
    """`user`, or a name as the message has it."""
    predicate: Predicate
    object: Label
    valid_from: Instant | None = None
    valid_to: Instant | None = None
    polarity: Literal["holds", "began", "past", "denied"] = "holds"
    message_id: Id | None = None
    certainty: Unit = 1.0


class Assert(Command, name="command.assert"):
    """Hand in facts that the bot's own language model has read."""

    facts: Annotated[tuple[AssertedFact, ...], Field(min_length=1, max_length=64)]


class AssertedFactView(Message):
    """What became of a fact: the id under which it is known, or the reason why it was not taken."""

    accepted: Flag
    fact_id: OneId = None
    reason: str | None = None


class AssertReply(CommandReply):
    """What became of each fact, in their order."""

    facts: tuple[AssertedFactView, ...] = ()


class Identify(Command, name="command.identify"):
    """Declare that two names mean one person or animal, or two; `same` null withdraws the decision."""

    names: Annotated[tuple[Label, ...], Field(min_length=2, max_length=2)]
    same: Flag | None = True


class IdentifyReply(CommandReply):
    """The decision that now applies."""

    same: Flag | None


class Feedback(Command, name="command.feedback"):
    """Report which recalled memories were useful."""

    recall_id: UUID
    used: Annotated[tuple[UUID, ...], Field(max_length=200)] = ()
    irrelevant: Annotated[tuple[UUID, ...], Field(max_length=200)] = ()

    @model_validator(mode="after")
    def _disjoint(self) -> Self:
        if not self.used and not self.irrelevant:
            raise refused("or irrelevant must name a memory", "used")
        if set(self.used) & set(self.irrelevant):
            raise refused("must not name a memory that used names", "irrelevant")
        return self


class FeedbackReply(CommandReply):
    """The numbers of reinforced and weakened memories."""

    used: Count = 0
    irrelevant: Count = 0


class Note(Command, name="command.note"):
    """Set a value in the working memory of a conversation; null deletes it."""

    conversation_id: Id
    key: Label
    value: NoteValue


class NoteReply(CommandReply):
    """The note was stored."""


class Export(Command, name="command.export"):
    """Export all data of a user, page by page."""

    cursor: Annotated[str, Field(min_length=1, max_length=4096)] | None = None
    """The `next` of the preceding page."""


class ExportReply(CommandReply):
    """A page of an export."""

    items: tuple[JsonObject, ...] = ()
    next: str | None = None
    """Null on the last page."""

"""Keyword arguments of the client's methods; the models document their meaning and defaults."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Required, TypedDict
from uuid import UUID

from ricordo.messages.events import AttachedDocument
from ricordo.messages.filters import Filters

When = datetime | str
"""An aware datetime, or an RFC 3339 text with an offset."""


class CallOptions(TypedDict, total=False):
    """Options of every call; `timeout` in seconds."""

    timeout: float | None


class CommandOptions(CallOptions, total=False):
    """Options of every command; `request_id` makes it safe to repeat."""

    request_id: str | None


class MessageFields(TypedDict, total=False):
    """Fields of `message.received`. Without `id` the client generates one, without `timestamp` it is now."""

    id: str
    user_id: str
    conversation_id: str
    role: str
    content: str
    timestamp: When
    speaker: str | None
    participants: Sequence[str]
    timezone: str | None
    language: str | None
    location: str | None
    metadata: Mapping[str, object]
    kind: str | None
    importance: float | None
    tags: Sequence[str]
    expires_at: When | None
    trust: float
    document: AttachedDocument | Mapping[str, object] | None
    memorize: bool
    refs: Sequence[Mapping[str, str]]


class AssertedFactFields(TypedDict, total=False):
    """A fact that a bot hands in: `subject` (`user`, or a name), `predicate` and `object` are required.

    `polarity` is `holds` (the default), `began`, `past` or `denied`; `certainty` is in [0, 1].
    """

    subject: Required[str]
    predicate: Required[str]
    object: Required[str]
    valid_from: When | None
    valid_to: When | None
    polarity: str
    message_id: str | None
    certainty: float


class RecallOptions(CallOptions, total=False):
    """Options of `query.recall`."""

    limit: int
    conversation_id: str | None
    now: When | None
    timezone: str | None
    language: str | None
    profile: str | None
    explain: bool
    filters: Filters | Mapping[str, object] | None
    reinforce: bool


class ContextOptions(RecallOptions, total=False):
    """Options of `query.context`."""

    token_budget: int
    recent_limit: int


class AnswerOptions(RecallOptions, total=False):
    """Options of `query.answer`."""

    style: str
    min_confidence: float | None


class HistoryOptions(CallOptions, total=False):
    """Options of `query.history`; `before` is an instant, or the `next` of an earlier reply."""

    conversation_id: str | None
    before: object
    limit: int


class FactsOptions(CallOptions, total=False):
    """Options of `query.facts`."""

    entity: str | None
    predicate: str | None
    min_confidence: float
    as_of: When | None
    history: bool
    limit: int


class MemoriesOptions(CallOptions, total=False):
    """Options of `query.memories`; `cursor` is the `next` of an earlier reply."""

    filters: Filters | Mapping[str, object] | None
    text: str | None
    pinned: bool | None
    order: str
    cursor: str | None
    limit: int


class PeriodsOptions(CallOptions, total=False):
    """Options of `query.periods`."""

    start: When | None
    end: When | None
    timezone: str | None


class EntitiesOptions(CallOptions, total=False):
    """Options of `query.entities`; `cursor` is the `next` of an earlier reply."""

    kind: str | None
    cursor: str | None
    limit: int


class GraphOptions(CallOptions, total=False):
    """Options of `query.graph`."""

    depth: int
    min_confidence: int


class EditFields(CommandOptions, total=False):
    """What `edit` changes; `tags` are all from now on, and None as `expires_at` means never."""

    kind: str
    importance: float
    tags: Sequence[str]
    expires_at: When | None


class Target(CommandOptions, total=False):
    """Target of `verify` and `correct`: one of the two ids."""

    memory_id: UUID | str | None
    fact_id: UUID | str | None


class CorrectionFields(Target, total=False):
    """`content` for a memory; for a fact `object`, `valid_from`, or `valid_to` (None: it holds)."""

    content: str | None
    object: str | None
    valid_from: When
    valid_to: When | None

"""The queries about the entities of a user: a list of them, and their connections."""

from typing import Annotated, Self
from uuid import UUID

from pydantic import Field, model_validator

from ricordo.messages.enumerations import Degradation, EntityKind
from ricordo.messages.inputs import UserRequest
from ricordo.messages.listings import Cursor, PageSize
from ricordo.messages.message_types import Count, Flag, Instant, Message, OptionalLabel, Unit, refused
from ricordo.messages.views import FactView


class EntityCard(Message):
    """An entity, and what is known of it in short."""

    name: str
    """The most frequent spelling."""
    aliases: Annotated[tuple[str, ...], Field(max_length=20)] = ()
    """Other names and spellings."""
    kind: EntityKind | None = None
    """Null if its facts do not say."""
    ties: tuple[str, ...] = ()
    """The predicates of the current facts between the user and it, most confident first."""
    mentions: Count
    """The number of messages with statements about it."""
    first_seen: Instant | None = None
    """When it was first mentioned in a fact."""
    last_seen: Instant | None = None
    facts: Annotated[tuple[FactView, ...], Field(max_length=5)] = ()
    """Its current facts, most confident first, each with its latest five messages."""
    truncated: Flag = False
    """Whether the reply was too long, so that the facts and the other names are left out."""


class EntitiesRequest(UserRequest, name="query.entities"):
    """List the entities of a user, page by page."""

    kind: EntityKind | None = None
    cursor: Cursor | None = None
    """The `next` of the preceding page; `kind` must be the same."""
    limit: PageSize = 50


class EntitiesReply(Message):
    """Entities, most mentioned first, then by name."""

    entities: tuple[EntityCard, ...] = ()
    next: Cursor | None = None
    """The `cursor` of the next page; null if there is none. It expires after an hour."""
    total: Count = 0
    """The number of entities at the time of the first page."""


class GraphRequest(UserRequest, name="query.graph", serialize_by_alias=True):
    """Get what is around an entity, or what connects two of them."""

    entity: OptionalLabel = None
    """In any spelling; `user` for the user. Or `from` and `to`."""
    from_: OptionalLabel = Field(default=None, alias="from")
    to: OptionalLabel = None
    depth: Annotated[int, Field(strict=True, ge=1, le=3)] = 2
    """Maximum number of facts on the way to an entity."""
    min_confidence: Annotated[int, Field(strict=True, ge=0, le=10)] = 3
    """Verified facts are always followed."""

    @model_validator(mode="after")
    def _names(self) -> Self:
        both = self.from_ is not None and self.to is not None
        none = self.from_ is None and self.to is None
        if not (both or none) or both is (self.entity is not None):
            raise refused("is required, or from and to", "entity")
        return self


class GraphNode(Message):
    """An entity, or a value of a fact, in the graph."""

    name: str
    """`user` for the user."""
    distance: int = Field(strict=True, ge=0, le=3)
    """The number of facts between it and the first entity; with `from` and `to`, on a path."""


class GraphEdgeView(Message, title="GraphEdge"):
    """A current fact between two nodes."""

    id: UUID
    """Of the fact."""
    subject: str
    """The name of a node."""
    predicate: str
    object: str
    """The name of a node."""
    confidence: int = Field(strict=True, ge=0, le=10)
    verified: Flag = False
    valid_from: Instant | None = None
    valid_to: Instant | None = None
    """Null: facts that have ended are not followed."""


class GraphPathView(Message, title="GraphPath"):
    """A path from one entity to the other."""

    nodes: tuple[str, ...]
    """Names, from `from` to `to`."""
    facts: tuple[UUID, ...]
    """The strongest fact of each step."""
    strength: Unit
    """The product of the confidences of its facts, each divided by 10; a verified fact counts as 1."""


class GraphReply(Message):
    """A part of the graph; empty for an unknown entity, or where nothing connects the two."""

    nodes: Annotated[tuple[GraphNode, ...], Field(max_length=200)] = ()
    """Nearest first."""
    edges: Annotated[tuple[GraphEdgeView, ...], Field(max_length=500)] = ()
    """The strongest first of each distance."""
    paths: Annotated[tuple[GraphPathView, ...], Field(max_length=10)] = ()
    """With `from` and `to`: the strongest paths, then the shortest."""
    truncated: Flag = False
    """Whether there is more than the reply shows."""
    degraded: tuple[Degradation, ...] = ()
    """`graph` if the graph was unavailable."""

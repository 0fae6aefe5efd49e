"""The closed vocabulary of predicates: what a fact can say, and how its values behave over time."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final

USER: Final = "user"
"""The subject of every fact about the user in person; any other subject is an entity's name."""


class FactClass(StrEnum):
    """The kind of knowledge a predicate carries."""

    PREFERENCE = "preference"
    KNOWLEDGE = "knowledge"
    RELATIONSHIP = "relationship"


@dataclass(frozen=True, slots=True)
class Predicate:
    """One relation of the vocabulary."""

    name: str
    fact_class: FactClass
    functional: bool = False
    opposite: str | None = None
    about: bool = False


_PREFERENCE, _KNOWLEDGE, _RELATIONSHIP = FactClass.PREFERENCE, FactClass.KNOWLEDGE, FactClass.RELATIONSHIP

_ALL: Final = (
    Predicate("name", _KNOWLEDGE, functional=True),
    Predicate("age", _KNOWLEDGE, functional=True),
    Predicate("birthday", _KNOWLEDGE, functional=True),
    Predicate("born_in", _KNOWLEDGE, functional=True, about=True),
    Predicate("lives_in", _KNOWLEDGE, functional=True, about=True),
    Predicate("works_at", _KNOWLEDGE, functional=True, about=True),
    Predicate("works_as", _KNOWLEDGE),
    Predicate("studies", _KNOWLEDGE),
    Predicate("studies_at", _KNOWLEDGE, about=True),
    Predicate("speaks", _KNOWLEDGE),
    Predicate("likes", _PREFERENCE, opposite="dislikes"),
    Predicate("dislikes", _PREFERENCE, opposite="likes"),
    Predicate("allergic_to", _KNOWLEDGE),
    Predicate("has_condition", _KNOWLEDGE),
    Predicate("has_pet", _RELATIONSHIP, about=True),
    Predicate("has_child", _RELATIONSHIP, about=True),
    Predicate("has_sibling", _RELATIONSHIP, about=True),
    Predicate("has_parent", _RELATIONSHIP, about=True),
    Predicate("partner", _RELATIONSHIP, functional=True, about=True),
    Predicate("friend", _RELATIONSHIP, about=True),
    Predicate("knows", _RELATIONSHIP, about=True),
    Predicate("owns", _KNOWLEDGE),
    Predicate("plays", _PREFERENCE),
    Predicate("member_of", _RELATIONSHIP, about=True),
    Predicate("visited", _KNOWLEDGE, about=True),
    Predicate("plans", _KNOWLEDGE),
    Predicate("is_a", _KNOWLEDGE),
    Predicate("related_to", _RELATIONSHIP, about=True),
)

PREDICATES: Final[Mapping[str, Predicate]] = MappingProxyType(
    {predicate.name: predicate for predicate in _ALL}
)
"""Every predicate by its name; nothing outside of it is ever stored."""

FUNCTIONAL: Final = frozenset(predicate.name for predicate in _ALL if predicate.functional)
"""Names of the predicates that hold one current value."""

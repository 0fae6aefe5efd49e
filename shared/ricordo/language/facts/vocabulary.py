"""The closed vocabulary of predicates: what a fact can say, and how its values behave over time."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

from ricordo.language.annotations import Predicate

USER: Final = "user"
"""The subject of every fact about the user in person; any other subject is an entity's name."""


@dataclass(frozen=True, slots=True)
class PredicateDefinition:
    """The properties of one predicate, whatever the language.

    Attributes:
        name: on the wire and in every store.
        single_valued: a subject has one current value; a later one takes its place.
        object_is_entity: objects are people, places and organisations, which are told apart by name.
        opposite: predicate that denies this one of the same object.
    """

    name: str
    single_valued: bool
    object_is_entity: bool
    opposite: str | None


SINGLE_VALUED: Final = frozenset("name age birthday born_in lives_in works_at partner".split())
TIMED: Final = frozenset(
    "lives_in works_at works_as studies studies_at speaks allergic_to has_condition has_pet partner friend "
    "knows owns plays member_of lives_with does".split()
)
"""States that begin and end, so that a time in the clause bounds them ("since May")."""
BEGINS_LATER: Final = frozenset("lives_in works_at works_as studies_at member_of".split())
"""A clause about a day to come states nothing of these yet ("from Monday I work at ...")."""
OPPOSITES: Final[Mapping[str, str]] = MappingProxyType({"likes": "dislikes", "dislikes": "likes"})
"""By predicate, the one that denies it of the same object."""

OBJECT_KINDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        **dict.fromkeys(
            "has_child has_sibling has_parent partner friend knows related_to lives_with contact".split(),
            "person",
        ),
        "has_pet": "animal",
        **dict.fromkeys(("born_in", "lives_in", "visited"), "place"),
        **dict.fromkeys(("works_at", "studies_at", "member_of", "supplier_of", "client_of"), "organisation"),
        "owns": "thing",
    }
)
"""What the object of a predicate is: a person, an animal, a place, an organisation or a thing."""

SUBJECT_KINDS: Final[Mapping[str, str]] = MappingProxyType(
    dict.fromkeys("works_at works_as studies studies_at speaks has_pet has_child".split(), "person")
)
"""What the subject of a predicate is; that of any other predicate may be anything."""

PREDICATES: Final[Mapping[str, PredicateDefinition]] = MappingProxyType(
    {
        name: PredicateDefinition(
            name, name in SINGLE_VALUED, OBJECT_KINDS.get(name, "thing") != "thing", OPPOSITES.get(name)
        )
        for name in (one.value for one in Predicate)
    }
)
"""Every predicate by its name; nothing outside of it is ever stored."""

FactType = Literal["preference", "relationship", "knowledge"]
"""What a fact tells of its subject."""
_RELATED: Final = "has_child has_sibling has_parent partner friend knows related_to lives_with has_pet"
FACT_TYPES: Final[Mapping[str, FactType]] = MappingProxyType(
    {
        **dict.fromkeys((*_RELATED.split(), "contact", "supplier_of", "client_of"), "relationship"),
        **dict.fromkeys(("likes", "dislikes", "wants", "reads_or_watches", "does", "plays"), "preference"),
    }
)
"""The type of a predicate's facts; all others are knowledge."""

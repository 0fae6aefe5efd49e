"""The closed vocabulary of predicates: what a fact can say, and how its values behave over time."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

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
        timed: the state begins and ends, so that a time in the clause bounds it ("since May").
        begins_later: a clause about a day to come states nothing yet ("from Monday I work at ...").
        shared: true of both in "my cousin and I ...".
    """

    name: str
    single_valued: bool = False
    object_is_entity: bool = False
    opposite: str | None = None
    timed: bool = False
    begins_later: bool = False
    shared: bool = False


_Definition = PredicateDefinition
_ALL: Final = (
    _Definition("name", single_valued=True),
    _Definition("age", single_valued=True),
    _Definition("birthday", single_valued=True),
    _Definition("born_in", single_valued=True, object_is_entity=True),
    _Definition(
        "lives_in", single_valued=True, object_is_entity=True, timed=True, begins_later=True, shared=True
    ),
    _Definition(
        "works_at", single_valued=True, object_is_entity=True, timed=True, begins_later=True, shared=True
    ),
    _Definition("works_as", timed=True, begins_later=True),
    _Definition("studies", timed=True, shared=True),
    _Definition("studies_at", object_is_entity=True, timed=True, begins_later=True, shared=True),
    _Definition("speaks", timed=True),
    _Definition("likes", opposite="dislikes", shared=True),
    _Definition("dislikes", opposite="likes", shared=True),
    _Definition("allergic_to", timed=True),
    _Definition("has_condition", timed=True),
    _Definition("has_pet", object_is_entity=True, timed=True),
    _Definition("has_child", object_is_entity=True),
    _Definition("has_sibling", object_is_entity=True),
    _Definition("has_parent", object_is_entity=True),
    _Definition("partner", single_valued=True, object_is_entity=True, timed=True),
    _Definition("friend", object_is_entity=True, timed=True),
    _Definition("knows", object_is_entity=True, timed=True),
    _Definition("owns", timed=True),
    _Definition("plays", timed=True, shared=True),
    _Definition("member_of", object_is_entity=True, timed=True, begins_later=True, shared=True),
    _Definition("visited", object_is_entity=True, shared=True),
    _Definition("plans", shared=True),
    _Definition("is_a"),
    _Definition("related_to", object_is_entity=True),
    _Definition("lives_with", object_is_entity=True, timed=True),
    _Definition("does", timed=True),
    _Definition("skilled_in"),
    _Definition("wants"),
    _Definition("attends"),
    _Definition("experienced"),
    _Definition("reads_or_watches"),
    _Definition("trait"),
    _Definition("contact", object_is_entity=True),
    _Definition("agreement"),
    _Definition("problem"),
    _Definition("decision"),
    _Definition("deadline"),
    _Definition("price"),
    _Definition("supplier_of", object_is_entity=True),
    _Definition("client_of", object_is_entity=True),
    _Definition("stated"),
)

PREDICATES: Final[Mapping[str, PredicateDefinition]] = MappingProxyType({one.name: one for one in _ALL})
"""Every predicate by its name; nothing outside of it is ever stored."""


def _names(has: Callable[[PredicateDefinition], bool]) -> frozenset[str]:
    return frozenset(one.name for one in _ALL if has(one))


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

FactType = Literal["preference", "relationship", "knowledge"]
"""What a fact tells of its subject."""
FACT_TYPES: Final[Mapping[str, FactType]] = MappingProxyType(
    {
        **dict.fromkeys(
            (
                *("has_child", "has_sibling", "has_parent", "partner", "friend", "knows", "related_to"),
                *("lives_with", "has_pet", "contact", "supplier_of", "client_of"),
            ),
            "relationship",
        ),
        **dict.fromkeys(("likes", "dislikes", "wants", "reads_or_watches", "does", "plays"), "preference"),
    }
)
"""The type of a predicate's facts; all others are knowledge."""

SUBJECT_KINDS: Final[Mapping[str, str]] = MappingProxyType(
    dict.fromkeys(
        ("works_at", "works_as", "studies", "studies_at", "speaks", "has_pet", "has_child"), "person"
    )
)
"""What the subject of a predicate is; that of any other predicate may be anything."""

SINGLE_VALUED: Final = _names(lambda one: one.single_valued)
TIMED: Final = _names(lambda one: one.timed)
BEGINS_LATER: Final = _names(lambda one: one.begins_later)
SHARED: Final = _names(lambda one: one.shared)

"""Names of people, places and things: when two spellings are one entity, and which spelling is shown."""

import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from ricordo.domain.facts.evidence import Evidence
from ricordo.domain.facts.vocabulary import PREDICATES, USER

_EDGES = " \t\n.,;:!?\"'`()[]{}«»“”‘’-_"


@lru_cache(maxsize=16_384)
def normalise(name: str) -> str:
    """Return the form under which spellings of `name` are compared.

    Case, accents, control characters and spacing do not count: "  Zoë" and "zoe" are one name. A name
    made of punctuation alone keeps it, so that no name becomes empty unless it was blank.
    """
    spelled = unicodedata.normalize("NFKD", name.casefold())  # which brings out capitals: "🅪" is "MC"
    decomposed = unicodedata.normalize("NFKD", spelled.casefold())
    kept = "".join(
        " " if unicodedata.category(c) == "Cc" else c for c in decomposed if not unicodedata.combining(c)
    )
    collapsed = " ".join(kept.replace("’", "'").split())
    return collapsed.strip(_EDGES) or collapsed


def canonical(spellings: Iterable[str]) -> str:
    """Return the spelling to show: the most frequent, then one with capitals, then the first by code point.

    Raises:
        ValueError: there is no spelling.
    """
    counts = Counter(" ".join(spelling.split()) for spelling in spellings)
    if not counts:
        msg = "an entity needs at least one spelling"
        raise ValueError(msg)
    return min(counts, key=lambda spelling: (-counts[spelling], spelling.islower(), spelling))


@dataclass(frozen=True, slots=True)
class Entity:
    """A named thing that evidence speaks of.

    Attributes:
        key: the normalised name, unique within a user.
        name: the spelling to show.
        aliases: every other spelling met, sorted.
        mentions: distinct messages that name it.
    """

    key: str
    name: str
    aliases: tuple[str, ...]
    mentions: int


def entities(evidence: Iterable[Evidence]) -> tuple[Entity, ...]:
    """Collect the entities that `evidence` names, as subject or as object, sorted by key."""
    named: dict[str, dict[str, set[str]]] = {}
    for row in evidence:
        for name in _names(row):
            named.setdefault(normalise(name), {}).setdefault(" ".join(name.split()), set()).add(
                row.message_id
            )
    return tuple(_entity(key, named[key]) for key in sorted(named) if key)


def _names(row: Evidence) -> tuple[str, ...]:
    subject = () if row.subject == USER else (row.subject,)
    predicate = PREDICATES.get(row.predicate)
    return (*subject, row.object) if predicate is not None and predicate.about else subject


def _entity(key: str, spellings: dict[str, set[str]]) -> Entity:
    name = canonical(spelling for spelling, messages in spellings.items() for _ in messages)
    aliases = tuple(sorted(spelling for spelling in spellings if spelling != name))
    return Entity(key, name, aliases, len(set().union(*spellings.values())))

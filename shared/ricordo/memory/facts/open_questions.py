"""What rules cannot say of who is who: pairs of names that may be one, for somebody who can be asked."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from ricordo.language.facts.entity_names import normalise
from ricordo.memory.facts.clusters import Cluster
from ricordo.memory.facts.decisions import bare
from ricordo.memory.facts.identities import Identities
from ricordo.memory.facts.mentions import Mention
from ricordo.memory.facts.name_similarity import Likeness

MOST: Final = 5
"""Pairs that one batch of mentions brings up, at most."""
_MOST_COMPARED: Final = 2_000
"""People of one user among whom like names are looked for."""


def doubts(identities: Identities, mentions: Iterable[Mention]) -> list[tuple[str, str]]:
    """Return pairs of names, sorted, that `mentions` bring up and of which nothing is decided.

    They are alike, or one is the short form of the other, or both share a name; and no tie excludes that
    they are one.
    """
    keys = {identities.key(mention) for mention in mentions}
    known = {normalise(cluster.name): cluster for cluster in identities.clusters()}
    if not keys or len(known) > _MOST_COMPARED:
        return []
    names = sorted(known)
    alike = _Alike(names)
    found: dict[tuple[str, str], None] = {}
    for key in sorted(keys & known.keys()):
        for other in alike.to(key):
            if _open(identities, known[key], known[other]):
                found[min(key, other), max(key, other)] = None
        if len(found) >= MOST:
            break
    return list(found)[:MOST]


class _Alike:
    """Finds names that are near, leaving out what tells those of one name apart: "(brother)".

    Args:
        names: keys of entities, sorted.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._of_name: defaultdict[str, list[str]] = defaultdict(list)
        for name in names:
            self._of_name[bare(name)].append(name)
        self._likeness = Likeness([bare(name) for name in names])

    def to(self, key: str) -> Iterator[str]:
        """Yield the others of the same name, then those that are near it, the nearest first."""
        own = bare(key)
        yield from (name for name in self._of_name[own] if name != key)
        yield from (self._names[place] for place in self._likeness.near(own))


def _open(identities: Identities, one: Cluster, other: Cluster) -> bool:
    return one.may_be(other) and not identities.decided(one, other)

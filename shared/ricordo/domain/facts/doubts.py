"""What rules cannot say of who is who: pairs of names that may be one, for somebody who can be asked."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from ricordo.domain.facts.clusters import Cluster
from ricordo.domain.facts.decisions import bare
from ricordo.domain.facts.entities import normalise
from ricordo.domain.facts.identities import Identities, Mention
from ricordo.domain.facts.likeness import near

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
    found = (
        (min(key, other), max(key, other))
        for key in sorted(keys & known.keys())
        for other in _alike(key, names)
        if _open(identities, known[key], known[other])
    )
    return list(dict.fromkeys(found))[:MOST]


def _alike(key: str, names: Sequence[str]) -> Iterator[str]:
    """Yield the names that are near `key`, leaving out what tells those of one name apart: "(brother)"."""
    own = bare(key)
    yield from (name for name in names if name != key and bare(name) == own)
    yield from near(own, [name for name in names if bare(name) != own])


def _open(identities: Identities, one: Cluster, other: Cluster) -> bool:
    return one.may_be(other) and not identities.decided(one, other)

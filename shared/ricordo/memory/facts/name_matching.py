"""Similar names: "Nico" and "Nicola", "Sara" and "Sarah"; which ones may be meant, and which are undecided.

A name is a vector of its letter trigrams (Cavnar and Trenkle, 1994). Similarity proposes; it does not decide.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from ricordo.language.facts.entity_names import normalise
from ricordo.memory.facts.clusters import Cluster, EntityMention
from ricordo.memory.facts.entity_decisions import without_label
from ricordo.memory.facts.entity_resolution import EntityResolver

DIMENSIONS: Final = 512
NEAR: Final = 0.6
"""The least cosine of similar names."""
_PREFIX: Final = 3
"""Letters of a short form: "Ale" of "Alessandra"."""
_LONG: Final = 6
"""Letters from which on a name may have two typing errors."""


def name_vectors(names: Sequence[str]) -> NDArray[np.float32]:
    """Return the vectors of normalised `names`: float32 [n, 512], unit norm; zero for a blank name."""
    vectors = np.zeros((len(names), DIMENSIONS), dtype=np.float32)
    pieces = [_pieces(name) for name in names]
    places = [row * DIMENSIONS + piece for row, each in enumerate(pieces) for piece in each]
    np.add.at(vectors.reshape(-1), np.asarray(places, dtype=np.intp), 1)
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    norms[norms == 0] = 1
    scaled: NDArray[np.float32] = vectors / norms
    return scaled


def is_misspelling(name: str, other: str) -> bool:
    """Whether two normalised names differ by one edit (Damerau, 1964), by two from six letters on."""
    most = 1 if min(len(name), len(other)) < _LONG else 2
    if name == other or abs(len(name) - len(other)) > most:
        return False
    before: list[int] = []
    last = list(range(len(other) + 1))
    for here, letter in enumerate(name, 1):
        row = [here]
        for there, another in enumerate(other, 1):
            cost = min(last[there] + 1, row[-1] + 1, last[there - 1] + (letter != another))
            if here > 1 and there > 1 and (letter, name[here - 2]) == (other[there - 2], another):
                cost = min(cost, before[there - 2] + 1)
            row.append(cost)
        before, last = last, row
        if min(before, default=0) > most and min(last) > most:
            return False
    return last[-1] <= most


class NameIndex:
    """Finds similar names among normalised `names`."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._vectors = name_vectors(names)
        self._by_word: defaultdict[str, set[int]] = defaultdict(set)
        self._by_beginning: defaultdict[str, set[int]] = defaultdict(set)
        for place, name in enumerate(names):
            word = name.partition(" ")[0]
            self._by_word[word].add(place)
            for length in range(_PREFIX, len(word)):
                self._by_beginning[word[:length]].add(place)

    def near(self, name: str) -> list[int]:
        """Return the places of similar names and short forms of `name` (normalised), nearest first."""
        if not self._names:
            return []
        cosines = self._vectors @ name_vectors([name])[0]
        found = set(np.flatnonzero(cosines >= NEAR).tolist()) | self._short_forms(name.partition(" ")[0])
        return sorted(
            (place for place in found if self._names[place] != name),
            key=lambda place: (-float(cosines[place]), place),
        )

    def _short_forms(self, word: str) -> set[int]:
        longer = self._by_beginning.get(word, set()) if len(word) >= _PREFIX else set()
        shorter = (self._by_word.get(word[:length], set()) for length in range(_PREFIX, len(word)))
        return longer.union(*shorter)


@lru_cache(maxsize=16_384)
def _pieces(name: str) -> tuple[int, ...]:
    if not name.strip():
        return ()
    padded = f"  {name} "
    return tuple(crc32(padded[start : start + 3].encode()) % DIMENSIONS for start in range(len(padded) - 2))


MOST_MEANT: Final = 3
"""Names proposed for an unknown one."""


class NameDirectory:
    """Tells known names from unknown ones.

    A name is known if a decision on it refers to a person: one that is shared by labelled entities only
    ("(brother)") is not.
    """

    def __init__(self, identities: EntityResolver) -> None:
        self._shown: dict[str, str] = {}
        for names, shown in identities.addressed():
            self._shown |= dict.fromkeys(names, shown)
        self._presumed = identities.presumed()

    def knows(self, name: str) -> bool:
        """Whether a person is known by `name`, in any spelling."""
        return normalise(name) in self._shown

    def unknown(self, names: Sequence[str]) -> list[str]:
        """Return the unknown ones of `names`; presumed names count as known next to a known one."""
        unknown = [name for name in names if not self.knows(name)]
        if len(unknown) < len(names):
            return [name for name in unknown if normalise(name) not in self._presumed]
        return unknown

    def meant(self, name: str) -> tuple[str, ...]:
        """Return the shown names that an unknown one may mean, likeliest first.

        They are those that begin with the name, else misspellings and similar names.
        """
        key, names = without_label(normalise(name)), sorted(self._shown)
        bearers = (one for one in names if f"{without_label(one)} ".startswith(f"{key} "))
        shown = self._few(bearers)
        return shown or self._few(_near(key, names))

    def _few(self, names: Iterable[str]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self._shown[one] for one in names))[:MOST_MEANT]


def _near(key: str, names: Sequence[str]) -> Iterator[str]:
    own = [without_label(one) for one in names]
    yield from (one for one, without in zip(names, own, strict=True) if is_misspelling(key, without))
    yield from (names[place] for place in NameIndex(own).near(key))


MOST: Final = 5
"""Pairs returned for one batch of mentions, at most."""
_MOST_COMPARED: Final = 2_000
"""Entities of a user above which no pairs are looked for."""


def undecided_pairs(identities: EntityResolver, mentions: Iterable[EntityMention]) -> list[tuple[str, str]]:
    """Return sorted pairs of names that `mentions` bring up, that may be one and are not decided.

    They are similar, or one is a short form of the other, or both share a name; and no tie excludes it.
    """
    keys = {identities.key(mention) for mention in mentions}
    known = {normalise(cluster.name): cluster for cluster in identities.clusters()}
    if not keys or len(known) > _MOST_COMPARED:
        return []
    names = sorted(known)
    alike = _SimilarNames(names)
    found: dict[tuple[str, str], None] = {}
    for key in sorted(keys & known.keys()):
        for other in alike.to(key):
            if _open(identities, known[key], known[other]):
                found[min(key, other), max(key, other)] = None
        if len(found) >= MOST:
            break
    return list(found)[:MOST]


class _SimilarNames:
    """Finds similar names, without their labels. `names` are keys of entities, sorted."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._of_name: defaultdict[str, list[str]] = defaultdict(list)
        for name in names:
            self._of_name[without_label(name)].append(name)
        self._likeness = NameIndex([without_label(name) for name in names])

    def to(self, key: str) -> Iterator[str]:
        """Yield the others of the same name, then similar ones, nearest first."""
        own = without_label(key)
        yield from (name for name in self._of_name[own] if name != key)
        yield from (self._names[place] for place in self._likeness.near(own))


def _open(identities: EntityResolver, one: Cluster, other: Cluster) -> bool:
    return one.may_be(other) and not identities.decided(one, other)

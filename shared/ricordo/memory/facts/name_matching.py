"""Similar names: "Nico" and "Nicola", "Sara" and "Sarah"; which ones may be meant, and which are undecided.

A name is the set of its letter trigrams (Cavnar and Trenkle, 1994). Similarity proposes; it does not decide.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import sqrt
from typing import Final

from ricordo.language.facts.entity_names import normalise
from ricordo.memory.facts.clusters import EntityMention
from ricordo.memory.facts.entity_decisions import without_label
from ricordo.memory.facts.entity_resolution import EntityResolver

NEAR: Final = 0.6
"""The least cosine of similar names."""
_PREFIX: Final = 3
"""Letters of a short form: "Ale" of "Alessandra"."""
_LONG: Final = 6
"""Letters from which on a name may have two typing errors."""
MOST_MEANT: Final = 3
"""Names proposed for an unknown one."""
MOST: Final = 5
"""Pairs returned for one batch of mentions, at most."""
_MOST_COMPARED: Final = 2_000
"""Entities of a user above which no pairs are looked for."""


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


def similar_names(name: str, others: Sequence[str]) -> list[str]:
    """Return which of `others` are similar to a name or short forms of each other, nearest first.

    Labels of normalised names do not count; one that is the same without them is not similar but the same.
    """
    own = without_label(name)
    word, found = own.partition(" ")[0], list[tuple[float, str]]()
    for other in others:
        bare = without_label(other)
        likeness = _likeness(own, bare)
        if bare != own and (likeness >= NEAR or _is_short_form(word, bare.partition(" ")[0])):
            found.append((-likeness, other))
    return [other for _, other in sorted(found)]


def _is_short_form(word: str, other: str) -> bool:
    short, long = sorted((word, other), key=len)
    return _PREFIX <= len(short) < len(long) and long.startswith(short)


def _likeness(name: str, other: str) -> float:
    mine, others = _trigrams(name), _trigrams(other)
    return len(mine & others) / sqrt(len(mine) * len(others))


@lru_cache(maxsize=16_384)
def _trigrams(name: str) -> frozenset[str]:
    padded = f"  {name} "
    return frozenset(padded[start : start + 3] for start in range(len(padded) - 2))


class NameDirectory:
    """Tells known names from unknown ones.

    A name is known if a decision on it refers to a person: one that is shared by labelled entities only
    ("(brother)") is not.
    """

    def __init__(self, identities: EntityResolver) -> None:
        self._shown = {name: shown for names, shown in identities.addressed() for name in names}

    def knows(self, name: str) -> bool:
        """Whether a person is known by `name`, in any spelling."""
        return normalise(name) in self._shown

    def meant(self, name: str) -> tuple[str, ...]:
        """Return the shown names that an unknown one may mean, likeliest first.

        They are those that begin with the name, else misspellings and similar names.
        """
        key, names = without_label(normalise(name)), sorted(self._shown)
        bearers = [one for one in names if f"{without_label(one)} ".startswith(f"{key} ")]
        slips = (one for one in names if is_misspelling(key, without_label(one)))
        found = bearers or [*slips, *similar_names(key, names)]
        return tuple(dict.fromkeys(self._shown[one] for one in found))[:MOST_MEANT]


def undecided_pairs(identities: EntityResolver, mentions: Iterable[EntityMention]) -> list[tuple[str, str]]:
    """Return sorted pairs of names that `mentions` bring up, that may be one and are not decided.

    They are similar, or one is a short form of the other, or both share a name; and no tie excludes it.
    """
    keys = {identities.key(mention) for mention in mentions}
    known = {normalise(cluster.name): cluster for cluster in identities.clusters()}
    if len(known) > _MOST_COMPARED:
        return []
    names = sorted(known)
    found: dict[tuple[str, str], None] = {}
    for key in sorted(keys & known.keys()):
        same = (name for name in names if name != key and without_label(name) == without_label(key))
        for other in (*same, *similar_names(key, names)):
            if known[key].may_be(known[other]) and not identities.decided(known[key], known[other]):
                found[min(key, other), max(key, other)] = None
        if len(found) >= MOST:
            break
    return list(found)[:MOST]

"""Groups the mentions of one block that are the same person or animal, by rules."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final, NamedTuple

from ricordo.language.facts.entity_names import normalise
from ricordo.language.facts.evidence import Evidence
from ricordo.language.facts.kinship import BEINGS, Tie, tie_of
from ricordo.language.facts.vocabulary import USER
from ricordo.language.text import collapse
from ricordo.memory.facts.entity_decisions import EntityDecisions

_SHORTEST: Final = 2
"""Letters of a first word that may stand for the whole name."""


class MentionKey(NamedTuple):
    """A normalised name and the text of its tie: mentions that differ in spelling only share one."""

    key: str
    tie: str


@dataclass(frozen=True, slots=True)
class Cluster:
    """Mentions of one entity.

    Attributes:
        name: the canonical name: the fullest one, with "(brother)" where another entity has the same.
    """

    nodes: tuple[MentionKey, ...]
    keys: frozenset[str]
    ties: frozenset[Tie]
    name: str

    @property
    def called(self) -> frozenset[str]:
        """Normalised names, with and without a tie: "marco", "marco (brother"."""
        return self.keys | {normalise(f"{key} ({tie.label})") for key in self.keys for tie in self.ties}

    def joined(self, other: "Cluster") -> "Cluster":
        """Return the union of both."""
        name = min(self.name, other.name, key=_fullest)
        return Cluster(self.nodes + other.nodes, self.keys | other.keys, self.ties | other.ties, name)

    def may_be(self, other: "Cluster") -> bool:
        """Whether no ties exclude that both are one."""
        return all(mine.may_be(yours) for mine in self.ties for yours in other.ties)


def cluster_mentions(
    spellings: Mapping[MentionKey, Collection[str]], decisions: EntityDecisions
) -> list[Cluster]:
    """Match and merge the mentions of a block.

    Returns:
        The entities, each with a canonical name of its own, whatever the order of `spellings`.
    """
    by_key: dict[str, list[Cluster]] = {}
    for node in sorted(spellings):
        by_key.setdefault(node.key, []).append(_alone(node, spellings[node]))
    found = [cluster for key in by_key for cluster in _of_one_name(by_key[key])]
    found = _variants_merged(_decided_by_user(found, decisions), decisions)
    return list(_distinct(_decided_by_model(found, decisions)))


def _alone(node: MentionKey, spellings: Collection[str]) -> Cluster:
    tie = tie_of(node.tie)
    name = min(map(collapse, spellings), key=_fullest)
    return Cluster((node,), frozenset((node.key,)), frozenset(() if tie is None else (tie,)), name)


def _of_one_name(alone: list[Cluster]) -> list[Cluster]:
    """Separate mentions of one name by their ties: a brother and a colleague Marco are two.

    An untied mention belongs to the tied one if there is only one.
    """
    kinds: dict[tuple[str, str], Cluster] = {}
    untied: Cluster | None = None
    for cluster in alone:
        tie = next(iter(cluster.ties), None)
        if tie is None:
            untied = cluster if untied is None else untied.joined(cluster)
        else:
            kind = tie.group, tie.detail
            kinds[kind] = kinds[kind].joined(cluster) if kind in kinds else cluster
    tied = _open_ones_merged(kinds)
    if untied is None:
        return tied
    return [tied[0].joined(untied)] if len(tied) == 1 else [*tied, untied]


def _open_ones_merged(kinds: Mapping[tuple[str, str], Cluster]) -> list[Cluster]:
    """Merge an unspecific tie ("pet") into the only specific one that it can be ("dog")."""
    merged = dict(kinds)
    for kind, cluster in kinds.items():
        others = [one for one in merged if one[0] == kind[0] and one[1]]
        if not kind[1] and len(others) == 1:
            merged[others[0]] = merged[others[0]].joined(merged.pop(kind, cluster))
    return list(merged.values())


def _decided_by_user(found: list[Cluster], decisions: EntityDecisions) -> list[Cluster]:
    merged = list(found)
    for one, mine, other, yours in _pairs(found, decisions):
        if decisions.one_by_user(mine, yours):
            _merge(merged, _with(merged, one), _with(merged, other))
    return merged


def _decided_by_model(found: list[Cluster], decisions: EntityDecisions) -> list[Cluster]:
    """Merge what a model said is one, unless a tie or another decision excludes it."""
    merged = sorted(found, key=lambda one: min(one.nodes))
    for one, mine, other, yours in _pairs(merged.copy(), decisions):
        if not decisions.one_by_model(mine, yours):
            continue
        left, right = _with(merged, one), _with(merged, other)
        names = (addressed(each, merged) for each in (left, right))
        if left.may_be(right) and decisions.one_by_model(*names):
            _merge(merged, left, right)
    return merged


def _pairs(
    found: Sequence[Cluster], decisions: EntityDecisions
) -> Iterator[tuple[Cluster, Collection[str], Cluster, Collection[str]]]:
    if not decisions:
        return
    called = [addressed(one, found) for one in found]
    for (one, mine), (other, yours) in combinations(zip(found, called, strict=True), 2):
        yield one, mine, other, yours


def addressed(one: Cluster, among: Collection[Cluster]) -> frozenset[str]:
    """Return the names by which decisions refer to `one`; a shared name refers to the untied entity."""
    if not one.ties:
        return one.called
    return one.called - {key for other in among if other is not one for key in other.keys}


def _merge(merged: list[Cluster], mine: Cluster, yours: Cluster) -> None:
    if mine is not yours:
        merged.remove(mine)
        merged.remove(yours)
        merged.append(mine.joined(yours))


def _with(merged: list[Cluster], one: Cluster) -> Cluster:
    return next(each for each in merged if one.nodes[0] in each.nodes)


def _variants_merged(found: list[Cluster], decisions: EntityDecisions) -> list[Cluster]:
    """Merge a shorter name into the only fuller one that it can stand for: "Marco" into "Marco Rossi"."""
    bearers = Counter(key for one in found for key in one.keys)
    shared = {key for key, number in bearers.items() if number > 1}
    merged = sorted(found, key=lambda one: _fullest(one.name))
    for each in reversed(merged.copy()):  # the shortest first
        one = _with(merged, each)
        if not one.ties and one.keys & shared:
            continue  # either of those who share its name
        fuller = _only_fuller(one, merged, decisions)
        if fuller is not None:
            merged[merged.index(fuller)] = fuller.joined(one)
            merged.remove(one)
    return merged


def _only_fuller(one: Cluster, among: Collection[Cluster], decisions: EntityDecisions) -> Cluster | None:
    bearers = (other for other in among if other is not one and _stands_for(one, other))
    fuller = [each for each in bearers if one.may_be(each) and not decisions.two(one.called, each.called)]
    fullest = [each for each in fuller if not any(_stands_for(each, to) for to in fuller if to is not each)]
    return fullest[0] if len(fullest) == 1 else None


def _stands_for(one: Cluster, other: Cluster) -> bool:
    return any(_shortens(mine, yours) for mine in one.keys for yours in other.keys)


def _shortens(short: str, full: str) -> bool:
    """Whether `short` is `full` without its last words, or with initials in their place."""
    mine, yours = short.split(" "), full.split(" ")
    if short == full or len(mine) > len(yours) or mine[0] != yours[0] or len(mine[0]) < _SHORTEST:
        return False
    pairs = [(word.rstrip("."), other) for word, other in zip(mine[1:], yours[1:], strict=False)]
    return all(word == other or (len(word) == 1 and other.startswith(word)) for word, other in pairs)


def _distinct(found: list[Cluster]) -> Iterator[Cluster]:
    """Add a label to the canonical names of tied entities that share one: "Marco (brother)"."""
    keys = [normalise(cluster.name) for cluster in found]
    for cluster, key in zip(found, keys, strict=True):
        if keys.count(key) > 1 and cluster.ties:
            label = min(tie.label for tie in cluster.ties)
            yield Cluster(cluster.nodes, cluster.keys, cluster.ties, f"{cluster.name} ({label})")
        else:
            yield cluster


def _fullest(name: str) -> tuple[int, int, int, bool, str]:
    """Sort key of names: most whole words, fewest initials, longest, capitalised."""
    words = [word.rstrip(".") for word in name.split()]
    whole = sum(len(word) > 1 for word in words)
    return -whole, len(words) - whole, -len(name), name.islower(), name


class EntityMention(NamedTuple):
    """A name as evidence writes it, and the text of its tie (`kinship.Tie`), empty for none."""

    name: str
    tie: str = ""

    @property
    def node(self) -> MentionKey:
        """The key, the same for all spellings."""
        return MentionKey(normalise(self.name), self.tie)


def object_tie(row: Evidence) -> str:
    """Return the tie of the object: a statement of the user about a person ties them.

    `knows` does not: anybody may have met anybody.
    """
    if row.object_tie or row.predicate not in BEINGS - {"knows"} or normalise(row.subject) != USER:
        return row.object_tie
    return str(Tie(row.predicate))

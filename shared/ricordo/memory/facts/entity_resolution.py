"""Entity resolution: which mentions are one person or animal, and which only share a name.

*Blocking*: only names with the same first word are compared, and "my brother" with those called a brother.
*Matching*: rules decide when two mentions are one and when they cannot be; `entity_decisions` settle the
rest. *Merging*: those that are one take one canonical name, under which their evidence is folded.

The result is a function of the set of mentions and decisions, so that a merge is undone when its reason goes.
Of one block it is a function of the mentions in it, and of "my brother" of those in blocks with a brother.
Evidence keeps the words as they were said.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from typing import Final

from ricordo.language.facts.entity_names import Entity, normalise
from ricordo.language.facts.evidence import Evidence
from ricordo.language.facts.kinship import BEINGS, Tie, tie_of
from ricordo.language.facts.vocabulary import USER
from ricordo.language.name_lists import TITLES, load_names
from ricordo.memory.facts.clusters import (
    Cluster,
    EntityMention,
    MentionKey,
    addressed,
    cluster_mentions,
)
from ricordo.memory.facts.entity_decisions import EntityDecision, EntityDecisions, without_label

_MOST_COMPARED: Final = 64
"""Names of one block; a larger block is divided by full name."""


class EntityResolver:
    """Resolves the people and animals of one user from mentions and decisions."""

    def __init__(
        self, mentions: Iterable[EntityMention] = (), decisions: Iterable[EntityDecision] = ()
    ) -> None:
        self._decisions = EntityDecisions(decisions)
        self._spellings: dict[MentionKey, set[str]] = {}
        self._clusters: dict[str, list[Cluster]] = {}
        self._tied: dict[str, set[str]] = defaultdict(set)
        self._unnamed: dict[str, set[MentionKey]] = defaultdict(set)
        self._canonical: dict[MentionKey, str] = {}
        for mention in mentions:
            self._spellings.setdefault(mention.node, set()).add(mention.name)
        named: list[MentionKey] = []
        for node in self._spellings:
            tie = tie_of(node.tie)
            if tie is None or tie.named:
                named.append(node)
            else:
                self._unnamed[tie.predicate].add(node)
        for block, nodes in self._divided(named).items():
            self._settle_block(block, nodes)
        for kind in self._unnamed:
            self._settle_unnamed(kind)

    def clusters(self) -> Iterator[Cluster]:
        """Yield the named entities."""
        for block in self._clusters.values():
            yield from block

    def addressed(self) -> Iterator[tuple[frozenset[str], str]]:
        """Yield of each entity the normalised names by which decisions refer to it, and the name shown."""
        for block in self._clusters.values():
            yield from ((addressed(one, block), one.name) for one in block)
        for node in chain.from_iterable(self._unnamed.values()):
            yield frozenset((node.key,)), min(self._spellings[node])

    def decided(self, one: Cluster, other: Cluster) -> bool:
        """Whether anything was decided about the pair."""
        return self._decisions.any(one.called, other.called)

    def key(self, mention: EntityMention) -> str:
        """Return the key of the entity of a mention; its own where it is unknown."""
        node = mention.node
        return normalise(self._canonical.get(node, node.key))

    def name(self, mention: EntityMention) -> str:
        """Return the name to put in the place of a mention; empty where its own stays."""
        node = mention.node
        name = self._canonical.get(node, "")
        return name if normalise(name) != node.key else ""

    def _divided(self, named: Collection[MentionKey]) -> Mapping[str, Collection[MentionKey]]:
        """Return mentions by block: the first word of the name, or of the first name it was decided to be."""
        keys = {node.key for node in named}
        joined = {key: self._decisions.joined(key) for key in keys}
        words = {key: min(map(_first_word, joined[key] or (key,))) for key in keys}
        sizes = Counter(words.values())
        blocks: dict[str, list[MentionKey]] = defaultdict(list)
        for node in named:
            word = words[node.key]
            is_large = sizes[word] > _MOST_COMPARED and not joined[node.key]
            blocks[node.key if is_large else word].append(node)
        return blocks

    def _settle_block(self, block: str, nodes: Collection[MentionKey]) -> None:
        spellings = {node: self._spellings[node] for node in nodes}
        self._clusters[block] = cluster_mentions(spellings, self._decisions)
        for cluster in self._clusters[block]:
            self._canonical |= dict.fromkeys(cluster.nodes, cluster.name)
            for tie in cluster.ties:
                self._tied[tie.predicate].add(block)

    def _settle_unnamed(self, predicate: str) -> None:
        """Resolve "my brother" to the only one who is called a brother."""
        unnamed = self._unnamed[predicate]
        known = [
            (tie, cluster)
            for block in self._tied[predicate]
            for cluster in self._clusters.get(block, ())
            for tie in cluster.ties
            if tie.predicate == predicate
        ]
        for node in unnamed:
            found = self._only(node, known, unnamed)
            own = min(self._spellings[node], key=lambda spelling: (spelling.islower(), spelling))
            self._canonical[node] = own if found is None else found.name

    def _only(
        self, node: MentionKey, known: Collection[tuple[Tie, Cluster]], unnamed: Collection[MentionKey]
    ) -> Cluster | None:
        tie = tie_of(node.tie)
        if tie is None or not tie.identifies or (node.key != tie.noun and _several(tie, unnamed)):
            return None
        found = {
            cluster.name: cluster
            for other, cluster in known
            if tie.may_be(other)
            and tie.former == other.former
            and not self._decisions.two((node.key,), cluster.called)
        }
        decided = {
            name: one for name, one in found.items() if self._decisions.one_by_user((node.key,), one.called)
        }
        found = decided or found
        return next(iter(found.values())) if len(found) == 1 else None


def with_names(row: Evidence, subject: str, value: str) -> Evidence:
    """Return `row` with the names that `EntityResolver.name` gives; empty ones stay as written.

    What was written stays in `subject_as` and `object_as`.
    """
    if normalise(row.subject) != USER and subject not in ("", row.subject):
        row = replace(row, subject=subject, subject_as=row.subject)
    if row.predicate in BEINGS and normalise(row.object) != USER and value not in ("", row.object):
        row = replace(row, object=value, object_as=row.object)
    return row


def other_names(entity: Entity, *, is_being: bool) -> frozenset[str]:
    """Return the other normalised names of an entity: aliases, and of a person parts of the full name.

    These are the name without titles, and its beginnings and ends, of which none begins behind a particle:
    "Anna", "Anna Maria" and "De Luca" of "Dr. Anna Maria De Luca".
    """
    names = {normalise(alias) for alias in entity.aliases}
    if is_being:
        words = without_titles(without_label(entity.key)).split(" ")
        cuts = [at for at in range(1, len(words)) if words[at - 1] not in load_names().particles]
        names |= {" ".join(part) for at in cuts for part in (words[:at], words[at:]) if part[-1][1:]}
        names.add(" ".join(words))
    return frozenset(names - {"", entity.key})


def without_titles(key: str) -> str:
    """Return a normalised name without the titles before it; one of titles alone stays."""
    first, _, rest = key.partition(" ")
    return without_titles(rest) if rest and first in TITLES else key


def word_of(mention: EntityMention) -> str:
    """Return the first word of a name: names that differ in it are not compared; empty for "my brother"."""
    tie = tie_of(mention.tie)
    return "" if tie is not None and not tie.named else _first_word(mention.node.key)


def kind_of(mention: EntityMention) -> str:
    """Return the predicate of a tie; empty for none."""
    tie = tie_of(mention.tie)
    return "" if tie is None else tie.predicate


def _first_word(key: str) -> str:
    return key.partition(" ")[0]


def _several(tie: Tie, unnamed: Collection[MentionKey]) -> bool:
    """Whether several unnamed people are distinguished by their words: "older", "younger sister"."""
    descriptions = {
        node.key
        for node in unnamed
        if (other := tie_of(node.tie)) is not None and tie.may_be(other) and node.key != other.noun
    }
    return len(descriptions) > 1

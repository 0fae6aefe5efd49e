"""Entity resolution: which mentions are one person or animal, and which only share a name.

*Blocking*: only names with the same first word are compared, and "my brother" with those called a brother.
*Matching*: rules decide when two mentions are one and when they cannot be; `entity_decisions` settle the
rest. *Merging*: those that are one take one canonical name, under which their evidence is folded.

The result is a function of the set of mentions and decisions, so that a merge is undone when its reason goes.
Evidence keeps the words as they were said.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from typing import Final, NamedTuple

from ricordo.language.facts.entity_names import Entity, normalise
from ricordo.language.facts.evidence import Evidence
from ricordo.language.facts.kinship import BEINGS, PRESUMED, Tie, tie_of
from ricordo.language.facts.vocabulary import USER
from ricordo.memory.facts.clusters import (
    Cluster,
    EntityMention,
    MentionKey,
    addressed,
    cluster_mentions,
    mentioned_beings,
    object_tie,
)
from ricordo.memory.facts.entity_decisions import EntityDecision, EntityDecisions


class ReassignedMention(NamedTuple):
    """A mention that now belongs to another entity, or to one of another canonical name."""

    name: str
    tie: str
    key: str


_SIZE: Final = 2
"""Kilobytes per mention, at most."""
_MOST_COMPARED: Final = 64
"""Names of one block; a larger block is divided by full name."""


class EntityResolver:
    """Resolves the people and animals of one user from mentions and decisions."""

    def __init__(
        self, mentions: Iterable[EntityMention] = (), decisions: Iterable[EntityDecision] = ()
    ) -> None:
        self._decisions = EntityDecisions(decisions)
        self._spellings: dict[MentionKey, set[str]] = {}
        self._blocks: dict[str, set[MentionKey]] = defaultdict(set)
        self._clusters: dict[str, list[Cluster]] = {}
        self._tied: dict[str, set[str]] = defaultdict(set)
        self._large: set[str] = set()
        self._unnamed: dict[str, set[MentionKey]] = defaultdict(set)
        self._presumed: dict[str, MentionKey] = {}
        self._canonical: dict[MentionKey, str] = {}
        self._size = 0
        self.add(mentions)

    @property
    def size(self) -> int:
        """The memory that this takes, in kilobytes, at most."""
        return self._size

    def add(self, mentions: Iterable[EntityMention]) -> tuple[ReassignedMention, ...]:
        """Add mentions, and return those of all that have another entity or canonical name now.

        A new mention counts as its own entity before. Another spelling of a known one is not returned.
        """
        before: dict[MentionKey, str | None] = {}
        blocks, kinds = set(), set()
        for mention in mentions:
            node = mention.node
            if mention.name in self._spellings.get(node, ()):
                continue
            self._spellings.setdefault(node, set()).add(mention.name)
            self._size += _SIZE
            tie = tie_of(node.tie)
            if node.tie == PRESUMED:
                self._presumed[node.key] = node
                self._settle_presumed(node, before)
            elif tie is not None and not tie.named:
                self._unnamed[tie.predicate].add(node)
                kinds.add(tie.predicate)
            else:
                block = self._block(node.key)
                self._blocks[block].add(node)
                blocks.add(block)
        for block in [block for block in blocks if self._too_large(block)]:
            blocks |= self._divide(block)
        for block in blocks:
            kinds |= self._settle_block(block, before)
        for kind in kinds:
            self._settle_unnamed(kind, before)
        met = {node.key for block in blocks for node in self._blocks[block]}
        for key in met.union(*map(self._decisions.joined, met)) & self._presumed.keys():
            self._settle_presumed(self._presumed[key], before)
        return tuple(self._moved(before))

    def dependent(self) -> Iterator[ReassignedMention]:
        """Yield the mentions that are known by another name than their own, or presumed."""
        for node, spellings in self._spellings.items():
            key = self._key(node)
            if key != node.key or node.tie == PRESUMED:
                yield from (ReassignedMention(name, node.tie, key) for name in spellings)

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

    def presumed(self) -> frozenset[str]:
        """Return the normalised names of people that the user may not know."""
        return frozenset(self._presumed)

    def decided(self, one: Cluster, other: Cluster) -> bool:
        """Whether anything was decided about the pair."""
        return self._decisions.any(one.called, other.called)

    def other_names(self, entity: Entity) -> frozenset[str]:
        """Return the other normalised names of an entity: aliases, and the first name of a person."""
        names = {normalise(alias) for alias in entity.aliases}
        if any(normalise(one.name) == entity.key for one in self._clusters.get(self._block(entity.key), ())):
            names.add(_first_word(entity.key))
        return frozenset(names - {"", entity.key})

    def key(self, mention: EntityMention) -> str:
        """Return the key of the entity of a mention; its own where it is unknown."""
        return self._key(mention.node)

    def resolve(self, row: Evidence) -> Evidence | None:
        """Return `row` with canonical names; what was written stays in `subject_as` and `object_as`.

        None if it refers to a person that the user may not know.
        """
        presumed = (one.node for one in mentioned_beings(row) if one.tie == PRESUMED)
        if not all(map(self._canonical.get, presumed)):
            return None
        if normalise(row.subject) != USER and (
            name := self._name(EntityMention(row.subject, row.subject_tie))
        ):
            row = replace(row, subject=name, subject_as=row.subject)
        if row.predicate in BEINGS and (name := self._name(EntityMention(row.object, object_tie(row)))):
            row = replace(row, object=name, object_as=row.object)
        return row

    def _name(self, mention: EntityMention) -> str | None:
        node = mention.node
        name = self._canonical.get(node)
        return None if not name or normalise(name) == node.key else name

    def _key(self, node: MentionKey) -> str:
        return normalise(self._canonical.get(node) or node.key)

    def _block(self, key: str) -> str:
        """Return the block of a name: its first word, or that of the first name that it was decided to be."""
        if joined := self._decisions.joined(key):
            return min(map(_first_word, joined))
        word = _first_word(key)
        return key if word in self._large else word

    def _too_large(self, block: str) -> bool:
        return block not in self._large and len({node.key for node in self._blocks[block]}) > _MOST_COMPARED

    def _divide(self, block: str) -> set[str]:
        """Divide a large block by full name; return the new blocks."""
        self._large.add(block)
        nodes = self._blocks.pop(block)
        self._clusters.pop(block, None)
        divided = {self._block(node.key) for node in nodes}
        for node in nodes:
            self._blocks[self._block(node.key)].add(node)
        return divided

    def _settle_block(self, block: str, before: dict[MentionKey, str | None]) -> set[str]:
        former = self._clusters.get(block, [])
        now = cluster_mentions({node: self._spellings[node] for node in self._blocks[block]}, self._decisions)
        self._clusters[block] = now
        for cluster in now:
            for node in cluster.nodes:
                self._rename(node, cluster.name, before)
        kinds = {tie.predicate for cluster in now for tie in cluster.ties}
        for kind in kinds:
            self._tied[kind].add(block)
        return kinds | {tie.predicate for cluster in former for tie in cluster.ties}

    def _settle_unnamed(self, predicate: str, before: dict[MentionKey, str | None]) -> None:
        """Resolve "my brother" to the only one who is called a brother."""
        unnamed = self._unnamed[predicate]
        if not unnamed:
            return
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
            self._rename(node, own if found is None else found.name, before)

    def _settle_presumed(self, node: MentionKey, before: dict[MentionKey, str | None]) -> None:
        """Resolve a presumed name to a person the user knows, if there is one."""
        known = [
            cluster
            for cluster in self._clusters.get(self._block(node.key), ())
            if node.key in cluster.keys or self._decisions.one_by_user((node.key,), cluster.called)
        ]
        untied = (cluster for cluster in known if not cluster.ties)
        found = known[0] if len(known) == 1 else next(untied, None)
        name = "" if not known else min(self._spellings[node]) if found is None else found.name
        self._rename(node, name, before)

    def _only(
        self, node: MentionKey, known: Collection[tuple[Tie, Cluster]], unnamed: Collection[MentionKey]
    ) -> Cluster | None:
        tie = tie_of(node.tie)
        if tie is None or not tie.identifies or (node.key != tie.noun and _several(tie, unnamed)):
            return None
        found = {
            cluster.name: cluster
            for other, cluster in known
            if tie.may_be(other) and tie.former == other.former and self._allowed(node, cluster)
        }
        decided = {
            name: one for name, one in found.items() if self._decisions.one_by_user((node.key,), one.called)
        }
        found = decided or found
        return next(iter(found.values())) if len(found) == 1 else None

    def _allowed(self, node: MentionKey, cluster: Cluster) -> bool:
        return not self._decisions.two((node.key,), cluster.called)

    def _rename(self, node: MentionKey, name: str, before: dict[MentionKey, str | None]) -> None:
        former = self._canonical.get(node)
        if former != name:
            before.setdefault(node, former)
            self._canonical[node] = name

    def _moved(self, before: Mapping[MentionKey, str | None]) -> Iterator[ReassignedMention]:
        for node, former in before.items():
            name, key = self._canonical[node], self._key(node)
            was_own = former is None or normalise(former) == node.key
            counts = bool(name) != bool(former) and node.tie == PRESUMED
            if counts or (name != former and not (was_own and key == node.key)):
                yield from (
                    ReassignedMention(spelling, node.tie, key) for spelling in sorted(self._spellings[node])
                )


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

"""What is added to evidence and removed from it, and what of the facts that concerns."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import asyncpg

from ricordo.language.facts.kinship import BEINGS, PRESUMED
from ricordo.language.facts.vocabulary import USER
from ricordo.memory.facts.clusters import EntityMention
from ricordo.memory.facts.folding import SlotKey, entity_keys, slot_of


@dataclass(slots=True)
class EvidenceChange:
    """What was added to the evidence and removed from it, which is to be folded.

    Attributes:
        messages: whose contributions to return.
        renamed: users whose decisions about names have changed.
        statements: user, key of the subject, predicate and key of the object of what is to be folded.
    """

    messages: set[str] = field(default_factory=set)
    renamed: set[str] = field(default_factory=set)
    statements: set[tuple[str, str, str, str]] = field(default_factory=set)
    new: dict[str, dict[EntityMention, bool]] = field(default_factory=dict)
    stored: dict[str, dict[EntityMention, bool]] = field(default_factory=dict)
    former: dict[str, set[EntityMention]] = field(default_factory=dict)

    def add(self, found: Iterable[asyncpg.Record]) -> None:
        """Add rows of evidence that were stored, with whether their mentions were known."""
        for row in found:
            user_id = row["user_id"]
            self.touch([row])
            known = {"subject": row["subject_tells"], "object": row["object_tells"]}
            for side, mention, tells in mentions_of_row(row):
                stored = self.stored.setdefault(user_id, {})
                stored[mention] = tells or stored.get(mention, False)
                if known[side] is None or (tells and not known[side]):
                    mentions = self.new.setdefault(user_id, {})
                    mentions[mention] = tells or mentions.get(mention, False)

    def remove(self, found: Iterable[asyncpg.Record]) -> None:
        """Add rows of evidence that were deleted or replaced."""
        for row in found:
            self.touch([row])
            mentions = (mention for _, mention, _ in mentions_of_row(row))
            self.former.setdefault(row["user_id"], set()).update(mentions)

    def gone(self, user_id: str) -> set[EntityMention]:
        """Return the mentions of a user that were removed, and tell nothing where they were stored again."""
        stored = self.stored.get(user_id, {})
        return {one for one in self.former.get(user_id, ()) if not stored.get(one)}

    @property
    def slots(self) -> set[tuple[str, SlotKey]]:
        """The touched slots, by user."""
        return {(user_id, slot) for user_id, *keys in self.statements if (slot := slot_of(*keys)) is not None}

    @property
    def entities(self) -> set[tuple[str, str]]:
        """The users and keys of the touched entities."""
        return {(user_id, key) for user_id, *keys in self.statements for key in entity_keys(*keys)}

    def touch(self, found: Iterable[asyncpg.Record], user_id: str | None = None) -> None:
        """Fold what rows with the keys of statements state, of a user or of the users that they name."""
        self.statements.update(
            (user_id or row["user_id"], row["subject_key"], row["predicate"], row["object_key"])
            for row in found
        )


def mentions_of_row(row: asyncpg.Record) -> Iterator[tuple[str, EntityMention, bool]]:
    """Yield the people and animals in a row of evidence: on which side, and whether that tells of them.

    What is said of a person unknown to the user tells of nobody else that they know.
    """
    has_subject = row["subject_key"] not in ("", USER)
    if has_subject:
        yield "subject", EntityMention(row["subject"], row["subject_tie"]), True
    if row["predicate"] in BEINGS and row["object_key"] not in ("", USER):
        presumes = has_subject and row["subject_tie"] == PRESUMED
        yield (
            "object",
            EntityMention(row["object"], row["object_tie"]),
            not presumes or row["object_tie"] == PRESUMED,
        )

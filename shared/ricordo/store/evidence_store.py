"""Stores evidence and folds the slots that it touches, in one transaction.

A slot is folded from all its evidence: nothing is kept between transactions. What crosses slots is who a name
means (`entity_store`) and what an entity is called.
"""

import json
from collections import defaultdict
from collections.abc import AsyncIterator, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final
from uuid import UUID

import asyncpg

from ricordo.language.facts.entity_names import Entity, StatementKey, statement_key
from ricordo.language.facts.evidence import Evidence
from ricordo.language.facts.kinship import BEINGS
from ricordo.language.facts.vocabulary import PREDICATES, USER
from ricordo.memory.facts.clusters import EntityMention
from ricordo.memory.facts.fact_model import FoldedFacts, MessageContribution
from ricordo.memory.facts.folding import SlotKey, by_slot, entity_keys, fold_slots, slot_of
from ricordo.memory.facts.utterances import ExtractedEvidence
from ricordo.runtime.scheduling import CpuExecutor
from ricordo.store import rows
from ricordo.store.database import Connection, Database, Store, call_function
from ricordo.store.entity_store import EntityStore

_EVIDENCE: Final = Database.queries("evidence")
_BEINGS: Final = sorted(BEINGS)
_NAMING: Final = sorted(name for name, one in PREDICATES.items() if one.object_is_entity)
_LONG: Final = 300  # rows whose folding would block the event loop for some milliseconds


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
    new: dict[str, set[EntityMention]] = field(default_factory=dict)
    stored: dict[str, set[EntityMention]] = field(default_factory=dict)
    former: dict[str, set[EntityMention]] = field(default_factory=dict)

    def add(self, found: Iterable[asyncpg.Record]) -> None:
        """Add rows of evidence that were stored, with whether their mentions were known."""
        for row in found:
            user_id = row["user_id"]
            self.touch([row])
            for side, mention in _mentions_of_row(row):
                self.stored.setdefault(user_id, set()).add(mention)
                if not row[f"{side}_known"]:
                    self.new.setdefault(user_id, set()).add(mention)

    def remove(self, found: Iterable[asyncpg.Record]) -> None:
        """Add rows of evidence that were deleted or replaced."""
        for row in found:
            self.touch([row])
            mentions = (mention for _, mention in _mentions_of_row(row))
            self.former.setdefault(row["user_id"], set()).update(mentions)

    def gone(self, user_id: str) -> set[EntityMention]:
        """Return the mentions of a user that were removed and not stored again."""
        return self.former.get(user_id, set()) - self.stored.get(user_id, set())

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


def _mentions_of_row(row: asyncpg.Record) -> Iterator[tuple[str, EntityMention]]:
    """Yield the people and animals in a row of evidence, and on which side each is."""
    if row["subject_key"] not in ("", USER):
        yield "subject", EntityMention(row["subject"], row["subject_tie"])
    if row["predicate"] in BEINGS and row["object_key"] not in ("", USER):
        yield "object", EntityMention(row["object"], row["object_tie"])


@dataclass(frozen=True, slots=True)
class FactChanges:
    """The contributions of the requested messages, and how many facts were deleted."""

    contributions: Mapping[str, MessageContribution]
    gone: int


class FoldingStore(Store):
    """Base class of the stores whose transactions fold evidence.

    Args:
        record_doubts: whether to record pairs of names that may mean one entity.
    """

    def __init__(
        self, database: Database, executor: CpuExecutor | None = None, *, record_doubts: bool = False
    ) -> None:
        super().__init__(database)
        self._record_doubts = record_doubts
        self._executor = executor

    @asynccontextmanager
    async def lock(
        self, tenant: str, users: Sequence[str], extracted: Sequence[ExtractedEvidence] = ()
    ) -> AsyncIterator["FoldingTransaction"]:
        """Open a transaction under the locks of `users`.

        Args:
            extracted: evidence of messages, whose texts are locked, too.
        """
        hashes = {one.memory_id: one.text_hash for one in extracted if one.text_hash is not None}
        said = [one.message_id for one in extracted if one.evidence]
        locks = (sorted(users), list(hashes), list(hashes.values()), said)
        async with self._database.transaction(tenant) as connection:
            found = await call_function(connection, "lock_messages", tenant, *locks)
            transaction = FoldingTransaction(connection, tenant, found, self._executor, self._record_doubts)
            moved = EvidenceChange()
            for user_id in (row["unresolved_user"] for row in found if row["unresolved_user"] is not None):
                moved.touch(await transaction.entities(user_id).resolve_all(), user_id)
            await transaction.fold(moved)
            yield transaction


@dataclass(frozen=True, slots=True)
class FoldingTransaction:
    """A transaction that holds the locks of its users.

    Attributes:
        found: the reworded messages among those that are locked, and their rejected readings.
    """

    connection: Connection
    tenant: str
    found: Sequence[asyncpg.Record]
    executor: CpuExecutor | None = None
    record_doubts: bool = False

    def entities(self, user_id: str) -> EntityStore:
        """Return the names of a user."""
        return EntityStore(self.connection, self.tenant, user_id, self.executor)

    async def keep(
        self, change: EvidenceChange, user_id: str, evidence: Mapping[str, Sequence[Evidence]]
    ) -> None:
        """Store what a user decides, by request."""
        for request_id, decided in evidence.items():
            found = [rows.evidence_row(row, user_id, ordinal) for ordinal, row in enumerate(decided)]
            await self._keep(change, request_id, found)

    async def keep_asserted(
        self, change: EvidenceChange, asserted: ExtractedEvidence, memory_id: UUID | None
    ) -> bool:
        """Store what a bot asserts, below ordinal 0; return False if its message or its user has gone.

        The same assertion about the same message takes the place of the former.
        """
        before = await self.kept(asserted.message_id, asserted.user_id)
        places = {_key(dict(row)): row["ordinal"] for row in before if row["ordinal"] < 0}
        found = []
        for row in rows.evidence_rows(asserted):
            ordinal = places.setdefault(_key(row), min([0, *places.values()]) - 1)
            found.append(row | {"ordinal": ordinal})
        return await self._keep(change, asserted.message_id, found, memory_id) or not found

    async def kept(self, message_id: str, user_id: str) -> Sequence[asyncpg.Record]:
        """Return the evidence of a message, or of a request, unless the user is forgotten."""
        return await self.connection.fetch(_EVIDENCE["kept_word"], self.tenant, message_id, user_id)

    async def _keep(
        self,
        change: EvidenceChange,
        message_id: str,
        found: Sequence[Mapping[str, object]],
        memory_id: UUID | None = None,
    ) -> bool:
        kept = (self.tenant, rows.recordset(found), _BEINGS, memory_id)
        stored = await self.connection.fetch(_EVIDENCE["keep_word"], *kept)
        change.add(stored)
        change.messages.add(message_id)
        return bool(stored)

    async def replace(self, change: EvidenceChange, extracted: Sequence[ExtractedEvidence]) -> None:
        """Store the evidence of messages in the place of what they stated before."""
        document = rows.recordset(row for one in extracted for row in rows.evidence_rows(one))
        messages = [one.message_id for one in extracted]
        memories = [one.memory_id for one in extracted]
        scope = (self.tenant, document, _BEINGS, messages, memories)
        found = await self.connection.fetch(_EVIDENCE["keep_evidence"], *scope)
        change.add(row for row in found if row["stored"])
        change.remove(row for row in found if not row["stored"])
        change.messages.update(messages)

    async def fold(self, change: EvidenceChange) -> FactChanges:
        """Resolve names, fold the touched slots, and write what has changed."""
        doubtful = change.stored if self.record_doubts else {}
        for user_id in sorted({*change.new, *change.former, *change.renamed, *doubtful}):
            moved = await self.entities(user_id).settle(
                change.new.get(user_id, ()),
                change.gone(user_id),
                renamed=user_id in change.renamed,
                doubtful=doubtful.get(user_id, ()),
            )
            change.touch(moved, user_id)
        slots, keys = sorted(change.slots), sorted(change.entities)
        if not slots and not keys:
            return FactChanges({}, 0)
        document = _slot_rows(slots)
        touched = rows.recordset({"user_id": user_id, "key": key} for user_id, key in keys)
        tenant, connection = self.tenant, self.connection
        found = await call_function(connection, "evidence_to_fold", tenant, document, touched, _NAMING)
        entities = [_entity(row) for row in found if row["entity"] is not None]
        evidence: defaultdict[str, list[asyncpg.Record]] = defaultdict(list)
        for row in found:
            if row["entity"] is None:
                evidence[row["user_id"]].append(row)
        names: defaultdict[str, dict[str, str]] = defaultdict(dict)
        for user_id, one, _ in entities:
            names[user_id][one.key] = one.name
        task = partial(_fold, evidence, names, tenant, change.messages)
        users = sorted({user_id for user_id, _ in slots})
        if self.executor is None or len(found) < _LONG:
            folded = list(map(task, users))
        else:
            folded = await self.executor.map(task, users)
        facts = rows.recordset(
            rows.fact_row(fact, user_id)
            for user_id, one in zip(users, folded, strict=True)
            for fact in one.facts
        )
        named = rows.recordset(
            rows.entity_row(one, user_id, is_being=is_being) for user_id, one, is_being in entities
        )
        [row] = await call_function(connection, "write_facts", tenant, facts, document, named, touched)
        contributions = {message_id: one for each in folded for message_id, one in each.contributions.items()}
        return FactChanges(contributions, row["write_facts"])


def _key(row: Mapping[str, Any]) -> StatementKey:
    return statement_key(row["subject"], row["predicate"], row["object"])


def _entity(row: asyncpg.Record) -> tuple[str, Entity, bool]:
    """Return an entity with its user, and whether it is a person or an animal."""
    found = json.loads(row["entity"])
    entity = Entity.named(found["key"], found["spellings"], found["written"], found["mentions"])
    return row["user_id"], entity, found["is_being"]


def _slot_rows(slots: Iterable[tuple[str, SlotKey]]) -> str:
    return rows.recordset(
        {
            "user_id": user_id,
            "subject_key": slot.subject,
            "predicate": predicate,
            "object_key": slot.object or None,
        }
        for user_id, slot in slots
        for predicate in slot.predicates
    )


def _fold(
    evidence: Mapping[str, Sequence[asyncpg.Record]],
    names: Mapping[str, Mapping[str, str]],
    tenant: str,
    asked: Collection[str],
    user_id: str,
) -> FoldedFacts:
    """Fold the slots of a user, given the evidence and the names of entities by user."""
    slots = by_slot(map(rows.resolved_evidence_of, evidence.get(user_id, ())))
    return fold_slots(slots, names.get(user_id, {}), tenant=tenant, user_id=user_id, asked=asked)

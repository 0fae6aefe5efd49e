"""Records evidence, and the facts and entities that are folded from it."""

from collections import defaultdict
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

import asyncpg

from ricordo.language.facts.entity_names import StatementKey, is_name, normalise, statement_key
from ricordo.language.facts.vocabulary import USER
from ricordo.memory.facts.fact_model import Fact, MessageContribution
from ricordo.memory.facts.utterances import ExtractedEvidence, Utterance
from ricordo.memory.model import Progress, Stage
from ricordo.store import derived_memories, rows
from ricordo.store.database import Connection, Database, call_function
from ricordo.store.entity_store import IdentityDecision, NobodyKnown, NotTwoNames
from ricordo.store.evidence_store import EvidenceChange, FoldingStore
from ricordo.store.fact_assertions import FactAssertion, keep_assertion, without_rejected
from ricordo.store.fact_queries import FactQueries
from ricordo.store.idempotency import is_new_request
from ricordo.store.rows import extracted_evidence, utterance_of
from ricordo.store.stages import CONSUMERS_OF_STAGES

_SQL = Database.queries("facts")
_EVIDENCE = Database.queries("evidence")


class MessageGone(LookupError):
    """A message is not there any more, or its user is being forgotten."""


class UnresolvedPair(NamedTuple):
    """Two names of which rules cannot tell whether they are one entity.

    Attributes:
        names: keys of entities, sorted: "nico", "marco (brother".
    """

    user_id: str
    names: tuple[str, str]


class FactLedger(FoldingStore, FactQueries):
    """Records evidence of messages and users, and folds it into facts."""

    async def load(self, tenant: str, memory_ids: Sequence[UUID]) -> Sequence[Utterance]:
        """Return messages and their corrections; memories without a row are left out."""
        found = await self._database.call("messages_to_read", tenant, memory_ids)
        utterances: dict[UUID, Utterance] = {}
        for row in found:  # a corrected message comes before its correction
            utterances[row["read"]] = utterance_of(row, utterances.get(row["read"]))
        return [utterances.pop(one) for one in memory_ids if one in utterances] + list(utterances.values())

    async def evidence_of_memories(
        self, tenant: str, memory_ids: Sequence[UUID]
    ) -> Mapping[UUID, ExtractedEvidence]:
        """Return the stored evidence of messages by memory; those without the stage are left out."""
        found = await self._fetch(_EVIDENCE["of_memories"], tenant, memory_ids)
        by_memory: defaultdict[UUID, list[asyncpg.Record]] = defaultdict(list)
        for row in found:
            by_memory[row["memory_id"]].append(row)
        return {memory_id: extracted_evidence(memory_id, kept) for memory_id, kept in by_memory.items()}

    async def record(
        self, tenant: str, extracted: Sequence[ExtractedEvidence], at: datetime
    ) -> tuple[Mapping[str, MessageContribution], Sequence[Progress]]:
        """Store the evidence, fold it and set the stage, under a lock of each user.

        Evidence that the user has rejected is not stored again from the same words.

        The facts are the fold over all evidence of a user, in whatever order and batches it came. Repeating
        the call changes nothing and returns the same.

        Returns:
            The contributions of messages to facts, by message id; and the stages of the messages.
        """
        extracted = list({one.message_id: one for one in extracted}.values())
        users = sorted({one.user_id for one in extracted})
        async with self.lock(tenant, users, extracted) as transaction:
            stale = {row["reworded_id"] for row in transaction.found}
            stale |= await _with_other_corrections(transaction.connection, tenant, extracted)
            extracted = [one for one in extracted if one.memory_id not in stale]
            if not extracted:
                return {}, []
            extracted = without_rejected(extracted, transaction.found)
            change = EvidenceChange()
            await transaction.replace(change, extracted)
            changes = await transaction.fold(change)
            done = [one.memory_id for one in extracted]
            consumers = CONSUMERS_OF_STAGES[Stage.EXTRACTED]
            marking = (sorted(done), Stage.EXTRACTED.value, at, consumers)
            marked = await call_function(transaction.connection, "mark_stage", tenant, *marking)
        return changes.contributions, [rows.progress(row) for row in rows.in_order(marked, done)]

    async def apply_assertion(self, tenant: str, curation: FactAssertion, at: datetime) -> Fact | None:
        """Store a user's assertion as evidence and fold it, as `record` does.

        It applies to the value of the fact: of its periods, to the one that holds or is disputed. A confirmed
        value holds from now on, and messages do not overturn it; a corrected one holds again under its id,
        with its messages. A withdrawn assertion counts as if it had never been made. The messages of a
        rejected fact no longer state it, in any period; other words, also of the same messages, may state it
        again, and so may the user. Repeating the call changes nothing and returns the same.

        Returns:
            The fact that the assertion supports; None if it withdraws one, or was withdrawn itself.

        Raises:
            UnknownFact: the user has no such fact, or is forgotten.
            FactEnded: no period of the value to be corrected holds or is disputed.
            RequestConflict: the request was made with another content.
        """
        user_id = curation.user_id
        async with self.lock(tenant, [user_id]) as transaction:
            changes = await transaction.fold(await keep_assertion(transaction, curation, at))
        supported = changes.contributions.get(curation.request_id, MessageContribution()).supported
        return next(iter(supported), None)

    async def assert_facts(
        self,
        tenant: str,
        asserted: ExtractedEvidence,
        memory_id: UUID | None,
        request_id: str | None,
        content: Sequence[str],
    ) -> Mapping[StatementKey, UUID | None]:
        """Store what a bot asserts as evidence of a message or, without one, of the bot, and fold it.

        What the user has rejected is left out. Repeating a request changes nothing and returns the same.

        Args:
            memory_id: of the message; None for the bot's own word.
            content: what was asked for, as it was asked: one request has one content.

        Returns:
            The fact of each statement that the message, or the bot, now makes; None for one without a fact.

        Raises:
            MessageGone: the message has gone, or has another text by now, or its user is being forgotten.
            RequestConflict: the request was made with another content.
        """
        message_id, user_id = asserted.message_id, asserted.user_id
        async with self.lock(tenant, [user_id], [asserted]) as transaction:
            if any(row["reworded_id"] for row in transaction.found):
                raise MessageGone
            [kept] = without_rejected([asserted], transaction.found)
            change, connection = EvidenceChange(), transaction.connection
            request = None if request_id is None else f"{request_id} {message_id}"
            is_new = await is_new_request(connection, "identify", tenant, request, *content)
            if is_new and not await transaction.keep_asserted(change, kept, memory_id):
                raise MessageGone
            found = await transaction.kept(message_id, user_id)
            change.touch(found)
            change.messages.add(message_id)
            changes = await transaction.fold(change)
        supported = changes.contributions.get(message_id, MessageContribution()).supported
        facts = {statement_key(one.subject, one.predicate, one.object): one.id for one in supported}
        return {
            statement_key(row["subject"], row["predicate"], row["object"]): facts.get(
                (row["subject_key"], row["predicate"], row["object_key"])
            )
            for row in found
        }

    async def absence(self, tenant: str, user_id: str, message_id: str) -> str | None:
        """Return why a message is no memory of a user: `foreign`, `history`, `forgotten`; else None."""
        found: str | None = await self._fetchval(_SQL["absence"], tenant, user_id, message_id)
        return found

    async def decide(
        self,
        tenant: str,
        user_id: str,
        names: tuple[str, str],
        *,
        same: bool | None,
        by: str,
        request_id: str | None = None,
        decided_at: datetime | None = None,
    ) -> bool | None:
        """Decide that two names are one entity, or two, or (None) leave it to the rules again.

        All facts are folded again, as `record` does. Repeating it changes nothing. Only the
        user changes a decision of the user, and decides about known names, or withdraws a decision.

        Args:
            names: in any spelling; if two share one, with a distinction: "Marco (brother)".
            by: who decides: `user`, or another, such as a model.
            request_id: of a request that counts once, whatever was decided since; None: each counts.
            decided_at: of a decision of the past; None for now.

        Returns:
            The user's present decision about the names.

        Raises:
            NotTwoNames: the names are equal, or one is none.
            NobodyKnown: there is no evidence of the user, or it was forgotten after `decided_at`.
            UnknownNames: the user decides, and nobody goes by one of the names.
            RequestConflict: the request was made with another content.
            TooManyDecisions: the user has the maximum number of decisions.
        """
        first, second = sorted(map(normalise, names))
        if first == second or USER in (first, second) or not all(map(is_name, names)):
            raise NotTwoNames(f"these are not two names: {names[0]!r} and {names[1]!r}")
        async with self.lock(tenant, [user_id]) as transaction:
            if not await transaction.connection.fetchval(_SQL["has_evidence"], tenant, user_id):
                raise NobodyKnown(f"nothing is known of {user_id}")
            if decided_at is not None:
                await _refuse_forgotten(transaction.connection, tenant, user_id, decided_at)
            decision = IdentityDecision(transaction.entities(user_id), (first, second))
            asked = request_id, first, second, same
            if not await is_new_request(transaction.connection, "identify", tenant, *asked):
                return await decision.decided()
            if by == "user":
                await decision.check(names)
            if await decision.decide(same=same, by=by, at=decided_at):
                await transaction.fold(EvidenceChange(renamed={user_id}))
            return await decision.decided()

    async def unresolved_pairs(self, tenant: str, limit: int) -> Sequence[UnresolvedPair]:
        """Return undecided pairs of names, the oldest first; `decide` settles them, with None if unknown."""
        found = await self._fetch(_SQL["open_doubts"], tenant, limit)
        return [UnresolvedPair(row["user_id"], (row["first"], row["second"])) for row in found]

    @asynccontextmanager
    async def lease_pair(self, tenant: str, pair: UnresolvedPair) -> AsyncIterator[bool]:
        """Lease a pair for the length of an `async with`, so that one process asks about its user.

        It yields whether the pair is still undecided and no other process has the lease. A connection holds
        it, without a transaction.

        Raises:
            StoreUnavailable: the lease could not be taken, or was lost meanwhile; decisions stay.
        """
        user_id = pair.user_id
        async with self._database.unscoped() as connection:
            if not await connection.fetchval(_SQL["lease_user"], tenant, user_id):
                yield False
                return
            try:
                yield bool(await self._fetch(_SQL["still_open"], tenant, user_id, *pair.names))
            finally:
                await connection.execute(_SQL["release_user"], tenant, user_id)

    async def drop_pair(self, tenant: str, pair: UnresolvedPair) -> None:
        """Drop an undecided pair; decisions stay."""
        await self._execute(_SQL["withdraw_doubt"], tenant, pair.user_id, *pair.names)


async def _refuse_forgotten(connection: Connection, tenant: str, user_id: str, at: datetime) -> None:
    """Raise `NobodyKnown` if a tombstone covers `at`; none is added before the transaction ends."""
    await derived_memories.lock_users(connection, tenant, [user_id])
    if await connection.fetchval(_SQL["forgotten"], tenant, user_id, at):
        raise NobodyKnown(f"what was known of {user_id} then was forgotten")


async def _with_other_corrections(
    connection: Connection, tenant: str, extracted: Sequence[ExtractedEvidence]
) -> set[UUID]:
    """Return memories that correct other messages than those that they were read with.

    Those of the rest do not change until the stages are set: see `lock_stages`.
    """
    read = {one.memory_id: one.put_right for one in extracted if one.put_right is not None}
    if not read:
        return set()
    await connection.execute(_SQL["lock_stages"], tenant, [one.memory_id for one in extracted])
    found = await connection.fetch(_SQL["corrected_texts"], tenant, list(read))
    now = {row["read"]: tuple(row["texts"]) for row in found}
    return {one for one, texts in read.items() if now.get(one, ()) != texts}

"""Evidence as it was said, and the facts and entities that are folded from it."""

from collections import defaultdict
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

import asyncpg

from ricordo.memory.facts import (
    PREDICATES,
    USER,
    Fact,
    MessageContribution,
    is_name,
    normalise,
    partitions_for,
)
from ricordo.memory.facts.projection import Project
from ricordo.memory.facts.utterances import ExtractedEvidence, Utterance
from ricordo.memory.progress import Progress, Stage
from ricordo.runtime.scheduling import CpuExecutor
from ricordo.store import derived_memories, rows
from ricordo.store.database import Connection, Database
from ricordo.store.entity_store import (
    EntityStore,
    IdentityDecision,
    NobodyKnown,
    NotTwoNames,
)
from ricordo.store.evidence_store import REMEMBERED, EvidenceStore, NewEvidence
from ricordo.store.fact_assertions import FactAssertion, keep_assertion, without_rejected
from ricordo.store.fact_queries import FactQueries
from ricordo.store.fact_rows import evidence_rows, extracted_evidence, utterance_of
from ricordo.store.stages import find_reworded, set_stage

_SQL = Database.queries("facts")
_EVIDENCE = Database.queries("evidence")


class UnresolvedPair(NamedTuple):
    """Two names of a user's life, of which rules cannot say whether they are one.

    Attributes:
        user_id: in whose life.
        names: keys of entities, sorted: "nico", "marco (brother".
    """

    user_id: str
    names: tuple[str, str]


class FactLedger(FactQueries):
    """Keeps what messages and users state of facts, and folds it.

    What was folded of users is remembered from one call to the next, so that a call costs what is new.
    """

    def __init__(
        self,
        database: Database,
        beside: CpuExecutor | None = None,
        *,
        remembered: int = REMEMBERED,
        doubting: bool = False,
    ) -> None:
        """Read and write through `database`.

        Args:
            database: the connections.
            beside: computes what takes long; None for whom asks only, or may compute on the event loop.
            remembered: how much is remembered over all users, in kilobytes.
            doubting: whether it is written down where rules cannot say who is who, for `doubts`.
        """
        super().__init__(database)
        self._beside = beside
        self._folds = EvidenceStore(database, beside, remembered, doubting=doubting)

    async def load(self, tenant: str, memory_ids: Sequence[UUID]) -> Sequence[Utterance]:
        """Return what was said, and what puts it right; memories without a row are left out."""
        found = await self._fetch(_SQL["utterances"], tenant, memory_ids)
        said: dict[UUID, Utterance] = {}
        for row in found:  # what is put right comes before what puts it right
            said[row["read"]] = utterance_of(row, said.get(row["read"]))
        return [said.pop(one) for one in memory_ids if one in said] + list(said.values())

    async def evidence_of_memories(
        self, tenant: str, memory_ids: Sequence[UUID]
    ) -> Mapping[UUID, ExtractedEvidence]:
        """Return what is kept of what messages state, by memory; those that nobody has read are left out."""
        found = await self._fetch(_EVIDENCE["told"], tenant, memory_ids)
        by_memory: defaultdict[UUID, list[asyncpg.Record]] = defaultdict(list)
        for row in found:
            by_memory[row["memory_id"]].append(row)
        return {memory_id: extracted_evidence(memory_id, kept) for memory_id, kept in by_memory.items()}

    async def record(
        self, tenant: str, told: Sequence[ExtractedEvidence], project: Project, at: datetime
    ) -> tuple[Mapping[str, MessageContribution], Sequence[Progress]]:
        """Keep the evidence, fold it, project it and set the stage, under a lock of each user.

        What the user has rejected is not kept when it is read again in the same words of its message.

        `project` is awaited with what has changed of each user's facts, before the transaction commits: while
        the lock is held no older state can overwrite a newer one in the projection. What a crash leaves
        there, of a transaction that was never committed, the next call finds: its step is not from there.
        Repeating the call changes nothing and returns the same.

        What is kept is the fold over all evidence of a user, in whatever order and batches it came.

        Returns:
            By message id what a message has to do with facts as they now stand, changed by this call or not,
            where it has; and the stages of the messages.

        Raises:
            StoreUnavailable: nothing was written here.
            Exception: whatever `project` raised; nothing was written here.
        """
        told = list({one.message_id: one for one in told}.values())
        users = sorted({one.user_id for one in told})
        contributions: dict[str, MessageContribution] = {}
        texts = {one.memory_id: one.text_hash for one in told if one.text_hash is not None}
        async with self._folds.of(tenant, users, project) as transaction:
            stale = {*await find_reworded(transaction.connection, tenant, texts)}
            stale |= await _put_right_otherwise(transaction.connection, tenant, told)
            told = [one for one in told if one.memory_id not in stale]
            if not told:
                return {}, []
            told = await without_rejected(transaction.connection, tenant, told)
            changes = await transaction.fold(await _keep(transaction.connection, tenant, told, users))
            for changed in changes.values():
                contributions |= changed.contributions
            done = [one.memory_id for one in told]
            progress = await set_stage(transaction.connection, tenant, Stage.EXTRACTED, done, at)
        return contributions, progress

    async def apply_assertion(
        self, tenant: str, curation: FactAssertion, project: Project, at: datetime
    ) -> Fact | None:
        """Keep a user's word as evidence, fold it and project it, under a lock of the user; as `record` does.

        The word is on the value of the fact: of several periods of it, on the one that holds or is disputed,
        whichever is named. What is confirmed holds from now on, if it did not, and messages do not overturn
        it; what never held, as what was corrected, holds again under its id, with its messages. What is taken
        back, a confirmation or a whole correction, counts as if it had never been said. What is rejected is
        stated by none of its messages any more, in whichever period: other words, also of the same messages,
        may state it anew, and so may the user. Repeating the call changes nothing and returns the same.

        Returns:
            The fact that stands by that word, as it stands now; None where it takes one back, or was taken
            back itself.

        Raises:
            UnknownFact: the user has no such fact, or is forgotten.
            FactEnded: it is to be corrected, and no period of its value holds or is disputed.
            RequestConflict: the request is known for something else.
            StoreUnavailable: nothing was written here.
            Exception: whatever `project` raised; nothing was written here.
        """
        user_id = curation.user_id
        async with self._folds.of(tenant, [user_id], project) as transaction:
            state = (await transaction.states([user_id])).get(user_id)
            new = await keep_assertion(transaction.connection, tenant, curation, at, state)
            changes = (await transaction.fold({user_id: new}))[user_id]
        stands = changes.contributions.get(curation.request_id, MessageContribution()).supported
        return next(iter(stands), None)

    async def decide(
        self,
        tenant: str,
        user_id: str,
        names: tuple[str, str],
        project: Project,
        *,
        same: bool | None,
        by: str,
        request_id: str | None = None,
        decided_at: datetime | None = None,
    ) -> bool | None:
        """Decide that two names are one entity, or two, or (None) leave it to the rules again.

        All that is known is folded under what follows from it and projected, as `FactLedger.record` does.
        Repeating it changes nothing. What the user has decided, or taken back, only the user changes: others
        then decide nothing. The user decides about names that are known, and may always take back what was
        decided about others.

        Args:
            tenant: of whom.
            user_id: in whose life.
            names: in any spelling; where two share one, with what tells them apart: "Marco (brother)".
            project: takes what has changed.
            same: what is decided.
            by: who decides: `user`, or somebody else, such as a model.
            request_id: of a request that is to count once, whatever was decided since; None: each counts.
            decided_at: when, of what was decided elsewhere; None for now.

        Returns:
            What the user has decided about the names, as it now stands.

        Raises:
            StoreUnavailable: nothing was written here.
            NotTwoNames: the names are one and the same, or none.
            NobodyKnown: of the user there is no evidence, or the user was forgotten after `decided_at`.
            UnknownNames: the user decides, and nobody goes by one of the names.
            RequestConflict: the request is known for something else.
            TooManyDecisions: of the user there are as many decisions as there may be.
            Exception: whatever `project` raised; nothing was written here.
        """
        first, second = sorted(map(normalise, names))
        if first == second or USER in (first, second) or not all(map(is_name, names)):
            raise NotTwoNames(f"these are not two names: {names[0]!r} and {names[1]!r}")
        async with self._folds.of(tenant, [user_id], project) as transaction:
            state = (await transaction.states([user_id])).get(user_id)
            if state is None and not await transaction.connection.fetchval(_SQL["told_of"], tenant, user_id):
                raise NobodyKnown(f"nothing is known of {user_id}")
            if decided_at is not None:
                await _refuse_forgotten(transaction.connection, tenant, user_id, decided_at)
            identifying = EntityStore(transaction.connection, tenant, user_id, self._beside)
            deciding = IdentityDecision(identifying, (first, second))
            if await deciding.is_known(request_id, same=same):
                return await deciding.decided()
            if by == "user":
                await deciding.check(names)
            if await deciding.decide(same=same, by=by, at=decided_at):
                await transaction.fold({user_id: NewEvidence(renamed=True, state=state)})
            return await deciding.decided()

    async def unresolved_pairs(self, tenant: str, limit: int) -> Sequence[UnresolvedPair]:
        """Return what rules cannot say of who is who, and nobody was asked about yet, the oldest first.

        Whoever is asked settles it by `decide`, with None where they cannot say either.
        """
        found = await self._fetch(_SQL["open_doubts"], tenant, limit)
        return [UnresolvedPair(row["user_id"], (row["first"], row["second"])) for row in found]

    @asynccontextmanager
    async def turn(
        self, tenant: str, doubts: Sequence[UnresolvedPair]
    ) -> AsyncIterator[Collection[UnresolvedPair]]:
        """Take the turn of asking somebody about doubts of one user, for the length of an `async with`.

        It yields those of `doubts` that are open still; none where somebody else has the turn, be it in
        another process. Whoever dies or hangs for ten minutes has it no more.

        Raises:
            StoreUnavailable: the turn could not be taken, or was lost meanwhile; what was decided stays so.
        """
        (user_id,) = {one.user_id for one in doubts}
        async with self._database.transaction(tenant) as connection:
            if not await connection.fetchval(_SQL["take_turn"], tenant, user_id):
                yield ()
                return
            pairs = [one.names[0] for one in doubts], [one.names[1] for one in doubts]
            found = await connection.fetch(_SQL["still_open"], tenant, user_id, *pairs)  # as others left it
            yield {UnresolvedPair(user_id, (row["first"], row["second"])) for row in found}

    async def withdraw(self, tenant: str, doubts: Sequence[UnresolvedPair]) -> None:
        """Drop doubts that are none any more; those that somebody has settled stay so.

        Raises:
            StoreUnavailable: nothing was written.
        """
        by_user: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
        for doubt in doubts:
            by_user[doubt.user_id].append(doubt.names)
        async with self._database.transaction(tenant) as connection:
            for user_id, pairs in sorted(by_user.items()):
                first, second = [one for one, _ in pairs], [other for _, other in pairs]
                await connection.execute(_SQL["withdraw_doubts"], tenant, user_id, first, second)


async def _refuse_forgotten(connection: Connection, tenant: str, user_id: str, at: datetime) -> None:
    """Return where no tombstone stands before what was decided at `at`, nor will before the transaction ends.

    Raises:
        NobodyKnown: one does.
    """
    await derived_memories.lock_users(connection, tenant, [user_id])
    if await connection.fetchval(_SQL["forgotten"], tenant, user_id, at):
        raise NobodyKnown(f"what was known of {user_id} then was forgotten")


async def _put_right_otherwise(
    connection: Connection, tenant: str, told: Sequence[ExtractedEvidence]
) -> set[UUID]:
    """Return which memories put something else right by now than what they were read with.

    The others go on doing so until the stages are set: see `hold_stages`.
    """
    read = {one.memory_id: one.put_right for one in told if one.put_right is not None}
    if not read:
        return set()
    await connection.execute(_SQL["hold_stages"], tenant, [one.memory_id for one in told])
    found = await connection.fetch(_SQL["put_right"], tenant, list(read))
    now = {row["read"]: tuple(row["texts"]) for row in found}
    return {one for one, texts in read.items() if now.get(one, ()) != texts}


async def _keep(
    connection: Connection, tenant: str, told: Sequence[ExtractedEvidence], users: Sequence[str]
) -> dict[str, NewEvidence]:
    """Write the evidence, and return what is new by user: what was kept, and what stood in its place."""
    document = rows.recordset(row for one in told for row in evidence_rows(one))
    messages = [one.message_id for one in told]
    memories = [one.memory_id for one in told]
    found = await connection.fetch(_EVIDENCE["keep_evidence"], tenant, messages, document, memories, users)
    kept = {row["message_id"] for row in found if row["message_id"] is not None}
    new: defaultdict[str, NewEvidence] = defaultdict(NewEvidence)
    for one in told:
        if one.message_id in kept:
            new[one.user_id].evidence += [row for row in one.evidence if row.predicate in PREDICATES]
            new[one.user_id].messages.add(one.message_id)
    for row in found:
        if row["predicate"] is not None:
            new[row["user_id"]].replaced |= partitions_for(
                row["subject_key"], row["predicate"], row["object_key"]
            )
    for row in found:
        if row["version"] is not None and row["user_id"] in new:
            new[row["user_id"]].state = row["version"]
    return new

"""All stores on one PostgreSQL database, and short ways to fill them and to look at them."""

# ruff: noqa: ANN401 - fields are passed on to the model that has them

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, Literal
from uuid import UUID, uuid4

import numpy as np
from numpy.typing import NDArray
from tests.support.factories import START, at, new_message, unit_vector

from ricordo.bus.port import StoredMessage
from ricordo.language.annotations import Emotion, EventTime, MemoryKind, MemoryType
from ricordo.memory.enrichment import VERSION, Enrichment
from ricordo.memory.facts.utterances import ExtractedEvidence
from ricordo.memory.model import KeyTopic, Memory, Progress, Stage, derived_id, local_moment
from ricordo.messages.ids import memory_id
from ricordo.runtime.dead_letter_queue import DeadLetter
from ricordo.runtime.decoding import MessageReferences
from ricordo.runtime.scheduling import CpuExecutor
from ricordo.store import derived_memories
from ricordo.store.curation_store import CorrectionResult, CurationRequest, CurationStore, Flag
from ricordo.store.database import Connection, Database
from ricordo.store.enrichment_store import EnrichedMemory, EnrichmentStore
from ricordo.store.fact_ledger import FactLedger
from ricordo.store.intake import IntakeStore, NewMessage, RecordedMessage
from ricordo.store.lifecycle_store import ArchivedSlice, ArchiveMove, LifecycleStore, LostStages, RecallUse
from ricordo.store.memory_queries import MemoryQueries
from ricordo.store.pass_store import PassLocks, PassRuns, RetentionStore
from ricordo.store.recall_queries import RecallQueries
from ricordo.store.stages import EncodingStore, IndexingStore
from ricordo.store.working_memory_store import NoteStore, WorkingMemoryStore

Scope = Literal["message", "conversation", "user"]
MODEL = "model-a"
STORED = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)
"""When messages came in, unless a test says otherwise."""
END_OF_TIME = datetime.max.replace(tzinfo=UTC)
FEELING = Emotion(valence=0.8, arousal=0.6, dominance=0.7, primary="joy", keywords=("yes", "!"))


class Stores:
    """All stores on one database, in the name of one tenant that nobody else uses."""

    def __init__(self, database: Database, executor: CpuExecutor, dsn: str) -> None:
        self.tenant = f"t-{uuid4()}"
        self.database, self.executor, self.dsn = database, executor, dsn
        self.intake = IntakeStore(database)
        self.encodings = EncodingStore(database)
        self.enrichments = EnrichmentStore(database)
        self.indexing = IndexingStore(database)
        self.ledger = FactLedger(database, executor)
        self.queries = MemoryQueries(database)
        self.recalls = RecallQueries(database)
        self.lifecycle = LifecycleStore(database)
        self.retention = RetentionStore(database)
        self.pass_runs = PassRuns(database)
        self.pass_locks = PassLocks(dsn)
        self.curation = CurationStore(database)
        self.working_memory = WorkingMemoryStore(database)
        self.notes = NoteStore(database)

    def another_tenant(self) -> "Stores":
        """Return the same stores for another tenant."""
        return Stores(self.database, self.executor, self.dsn)

    def transaction(self) -> AbstractAsyncContextManager[Connection]:
        return self.database.transaction(self.tenant)

    async def execute(self, statement: str, *values: object) -> None:
        async with self.transaction() as connection:
            await connection.execute(statement, *values)

    async def fetch(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        async with self.transaction() as connection:
            return [tuple(row) for row in await connection.fetch(query, *values)]

    def id(self, message_id: str) -> UUID:
        return memory_id(self.tenant, message_id)

    def message(self, message_id: str = "m-1", *, minute: float = 0, **fields: Any) -> NewMessage:
        """Return a message, said so many minutes after the start."""
        return new_message(message_id, tenant=self.tenant, **({"timestamp": at(minute)} | fields))

    async def record(self, *messages: NewMessage, at: datetime = STORED) -> Sequence[RecordedMessage]:
        return await self.intake.record(self.tenant, messages, at)

    async def say(self, *message_ids: str, **fields: Any) -> list[UUID]:
        """Record messages, a minute apart; return the ids of their memories."""
        await self.record(*(self.message(one, minute=n, **fields) for n, one in enumerate(message_ids)))
        return [self.id(one) for one in message_ids]

    async def encode(
        self, *message_ids: str, model: str = MODEL, at: datetime = STORED
    ) -> Sequence[Progress]:
        """Give each a vector that follows from its id, and set the stage."""
        ids = [self.id(one) for one in message_ids]
        vectors = [(one, vector_of(one)) for one in ids]
        return (await self.encodings.save(self.tenant, model, vectors, ids, at)).progress

    async def followers(self, *memory_ids: UUID) -> dict[UUID, UUID]:
        """Return the memories after encoded ones that are to be indexed again, by these."""
        saved = await self.encodings.save(self.tenant, MODEL, [], memory_ids, STORED)
        return {before: after.memory_id for before, after in saved.followers.items()}

    async def index(self, memory_ids: Sequence[UUID], at: datetime = STORED) -> Sequence[Progress]:
        """Set the stage of memories, as if their points were written."""
        marked: dict[UUID, Progress | None] = {}
        while versions := await self.indexing.versions(
            self.tenant, [MODEL], [one for one in memory_ids if one not in marked]
        ):
            marked |= await self.indexing.mark(self.tenant, [MODEL], versions, at)
        return [progress for one in memory_ids if (progress := marked.get(one)) is not None]

    async def enrich(self, *message_ids: str, user_id: str = "u-1", **fields: Any) -> None:
        """Save an enrichment of each, as `enriched` makes it."""
        memories = await self.queries.memories(self.tenant, user_id, [self.id(one) for one in message_ids])
        await self.enrichments.save(self.tenant, [enriched(one, **fields) for one in memories], STORED)

    async def remember(self, *ids: str, user_id: str = "u-1", model: str = MODEL, **more: Any) -> list[UUID]:
        """Bring messages of a user through all stages but that of facts; return the ids of their memories."""
        found = await self.say(*ids, user_id=user_id, conversation_id=f"c-{user_id}")
        await self.encode(*ids, model=model)
        await self.enrich(*ids, user_id=user_id, **more)
        await self.index(found)
        return found

    async def set_stages(
        self, *message_ids: str, stages: Sequence[Stage] = tuple(Stage), at: datetime = STORED
    ) -> None:
        """Set stages of messages, all by default."""
        for stage in stages:
            if stage in SETTERS:
                await SETTERS[stage](self, message_ids, at)

    async def memory(self, message_id: str = "m-1", user_id: str = "u-1") -> Memory:
        """Read one memory, which must be there."""
        (found,) = await self.queries.memories(self.tenant, user_id, [self.id(message_id)])
        return found

    async def found(self, *memory_ids: UUID) -> Sequence[Memory]:
        return await self.queries.memories(self.tenant, "u-1", memory_ids)

    async def derived(self) -> Sequence[Memory]:
        """Read the memories that no message is behind."""
        rows = await self.fetch("select id from memories where message_id is null")
        return await self.found(*(one for (one,) in rows))

    async def progress(self, message_id: str = "m-1") -> Progress:
        """Read how far a message is, which must be there."""
        found = (await self.queries.status(self.tenant, message_id))[0]
        assert found is not None
        return found

    async def archive_faded(
        self, now: datetime, *, user_id: str | None = None, after: UUID | None = None, limit: int = 100
    ) -> ArchivedSlice:
        """Archive what has faded by then, of at most 100 memories unless `limit` says otherwise."""
        return await self.lifecycle.archive_faded(self.tenant, now, user_id=user_id, after=after, limit=limit)

    async def lost(self, now: datetime = STORED + timedelta(days=1), limit: int = 20) -> Sequence[LostStages]:
        """Return what lacks a stage, however short, as if nothing waited for its worker; change nothing."""
        nothing = dict.fromkeys(Stage)
        found = await self.lifecycle.lost(self.tenant, now, timedelta(0), nothing, limit)
        await self.execute("update stages set republished = null where tenant = $1", self.tenant)
        return found

    async def use(
        self, *memory_ids: UUID, at: datetime = STORED, recall: UUID | None = None, user_id: str = "u-1"
    ) -> None:
        """Reinforce memories, as the event of a recall does."""
        uses = [RecallUse(user_id, one, recall or uuid4(), at, accessed_at=at) for one in memory_ids]
        await self.lifecycle.reinforce(self.tenant, uses)

    async def mark(
        self, memory_id: UUID, flag: Flag, *, on: bool = True, by: CurationRequest | None = None
    ) -> tuple[str, ...]:
        """Set a flag of a memory; return which fields changed."""
        by = by or request()
        return tuple(await self.curation.set_flag(self.tenant, by, memory_id, flag, value=on, at=STORED))

    async def moves(self) -> Sequence[ArchiveMove]:
        """Return the moves to and from the archive that were not reported."""
        return await self.lifecycle.unreported_moves(self.tenant, END_OF_TIME, 9)

    async def tidy(self, before: datetime = STORED, **others: datetime) -> None:
        """Drop what came before then."""
        names = ("handled_before", "used_before", "died_before", "listed_before")
        await self.lifecycle.tidy(self.tenant, **(dict.fromkeys(names, before) | others))

    async def put_tombstone(self, scope: Scope, key: str, user_id: str = "u-1") -> None:
        await self.execute(
            "insert into tombstones (tenant, scope, key, user_id) values ($1, $2, $3, $4)",
            self.tenant,
            scope,
            key,
            user_id,
        )

    async def write_derived(self, *memories: Memory, finished: bool = True) -> Sequence[Progress]:
        async with self.transaction() as connection:
            await derived_memories.lock_users(connection, self.tenant, {one.user_id for one in memories})
            return await derived_memories.write(connection, self.tenant, memories, STORED, finished=finished)

    async def correct(
        self, memory_id: UUID, content: str, *, language: str = "en", by: CurationRequest | None = None
    ) -> CorrectionResult:
        return await self.curation.correct(
            self.tenant,
            by or request(about=content),
            memory_id,
            content=content,
            language=language,
            at=STORED,
        )

    async def record_dead_letter(self, message_id: str | None = "m-1", **fields: Any) -> None:
        await self.lifecycle.record_dead_letter(
            self.tenant, dead_letter(self, message_id, **fields), _publish
        )


async def _publish() -> None:
    """Keep a dead letter elsewhere."""


def request(request_id: str | None = None, about: str = "", user_id: str = "u-1") -> CurationRequest:
    """Return a request of the user, which counts once where it has an id."""
    return CurationRequest(user_id, request_id, about.encode())


def vector_of(memory_id: UUID) -> NDArray[np.float32]:
    """Return the vector that `Stores.encode` gives a memory: float32 [16], unit norm."""
    return unit_vector(memory_id.int % 2**32)


def enriched(
    memory: Memory,
    *,
    version: str = VERSION,
    rated_by: str | None = None,
    timezone: str | None = None,
    events: Sequence[tuple[datetime, datetime]] = (),
    **fields: Any,
) -> EnrichedMemory:
    """Return an enrichment of `memory` with these values."""
    plain = Enrichment(
        emotion=FEELING,
        importance=0.4,
        topics=("dogs",),
        participants=("Davide", "Max"),
        type=MemoryType.EMOTIONAL,
        kind=MemoryKind.DECISION,
        title="A dog",
        informative=1.0,
        version=version,
        rated_by=rated_by or version,
    )
    return EnrichedMemory(
        memory_id=memory.id,
        enrichment=replace(plain, **fields),
        local=local_moment(memory.created_at, timezone or memory.timezone),
        event_times=tuple(EventTime(*one) for one in events),
        token_count=7,
        timezone=timezone,
    )


def summary(stores: Stores, sources: Sequence[UUID], content: str = "They spoke of the sea.") -> Memory:
    """Return a summary of memories with a value in every field."""
    return Memory(
        id=derived_id(stores.tenant, MemoryKind.SUMMARY, sources),
        tenant=stores.tenant,
        user_id="u-1",
        conversation_id="c-1",
        kind=MemoryKind.SUMMARY,
        content=content,
        language="en",
        created_at=at(30),
        event_times=(EventTime(at(0), at(30)), EventTime(at(60), at(90))),
        importance=0.75,
        emotion=Emotion(valence=0.4, arousal=0.5, dominance=0.6, primary="joy", keywords=("joy",)),
        topics=("sea",),
        participants=("Ada",),
        key_topics=(KeyTopic(topic="sea", importance="high", user_emotion="joy"),),
        source_ids=tuple(sources),
    )


def dead_letter(
    stores: Stores, message_id: str | None = "m-1", memory_id: UUID | None = None, **fields: Any
) -> DeadLetter:
    sequence, code = fields.pop("sequence", 1), fields.get("code", "max_deliver")
    subject = f"memory.v1.{stores.tenant}.memory.created"
    plain = DeadLetter(
        message=StoredMessage(subject=subject, body=b"{}", headers={}, stream="RICORDO", sequence=sequence),
        refers_to=MessageReferences(stores.tenant, message_id, memory_id),
        code=code,
        reason=f"{code}: it did not work",
        attempts=5,
        consumer="encode",
        at=STORED + timedelta(seconds=sequence),
    )
    return replace(plain, **fields)


Setter = Callable[[Stores, Sequence[str], datetime], Awaitable[Sequence[Progress]]]


async def _encoded(stores: Stores, names: Sequence[str], when: datetime) -> Sequence[Progress]:
    return await stores.encode(*names, at=when)


async def _enriched(stores: Stores, names: Sequence[str], when: datetime) -> Sequence[Progress]:
    by_id = {one.id: one for one in await stores.found(*(stores.id(name) for name in names))}
    derived = [enriched(by_id[stores.id(name)]) for name in names if stores.id(name) in by_id]
    return [saved.progress for saved in await stores.enrichments.save(stores.tenant, derived, when)]


async def _indexed(stores: Stores, names: Sequence[str], when: datetime) -> Sequence[Progress]:
    return await stores.index([stores.id(name) for name in names], when)


async def _extracted(stores: Stores, names: Sequence[str], when: datetime) -> Sequence[Progress]:
    nothing = [
        ExtractedEvidence(memory_id=stores.id(name), message_id=name, user_id="u-1", said_at=START)
        for name in names
    ]
    return (await stores.ledger.record(stores.tenant, nothing, when))[1]


SETTERS: dict[Stage, Setter] = {
    Stage.ENCODED: _encoded,
    Stage.ENRICHED: _enriched,
    Stage.INDEXED: _indexed,
    Stage.EXTRACTED: _extracted,
}
"""How each stage is set, whoever sets it."""

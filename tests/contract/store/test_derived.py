"""Memories that no message is behind, on PostgreSQL: how they are written, enriched and taken away."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from tests.contract.store.stores import MODEL, STORED, Stores, enriched, vector_of
from tests.contract.store.test_lifecycle_store import kept, letter
from tests.contract.store.test_memory_corrections import correct

from ricordo.language.annotations import Emotion, EventTime, MemoryKind
from ricordo.memory.model import KeyTopic, Memory, derived_id
from ricordo.memory.progress import Progress
from ricordo.store import derived_memories
from ricordo.store.database import Database
from ricordo.store.stages import EnrichedMemory
from ricordo.testing.factories import at, new_message

pytestmark = pytest.mark.integration


async def write(
    database: Database, stores: Stores, *memories: Memory, finished: bool = True
) -> Sequence[Progress]:
    async with database.transaction(stores.tenant) as connection:
        await derived_memories.lock_users(connection, stores.tenant, {one.user_id for one in memories})
        return await derived_memories.write(connection, stores.tenant, memories, STORED, finished=finished)


async def _withdraw(database: Database, stores: Stores, memory_id: UUID) -> None:
    async with database.transaction(stores.tenant) as connection:
        await derived_memories.withdraw(connection, stores.tenant, [memory_id])


async def say(stores: Stores, *names: str) -> list[UUID]:
    messages = [
        new_message(name, tenant=stores.tenant, timestamp=at(minute)) for minute, name in enumerate(names)
    ]
    await stores.record(*messages)
    return [stores.id(name) for name in names]


def summary(stores: Stores, sources: Sequence[UUID], content: str = "They spoke of the sea.") -> Memory:
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


async def _found(stores: Stores, memory_id: UUID) -> Sequence[Memory]:
    return await stores.recollection.memories(stores.tenant, "u-1", [memory_id])


async def test_it_comes_back_as_it_was_made(database: Database, stores: Stores) -> None:
    """Every field, the messages behind it, and the stages that it still lacks."""
    made = summary(stores, await say(stores, "m-1", "m-2"))
    (progress,) = await write(database, stores, made)
    (found,) = await _found(stores, made.id)
    assert found == replace(made, source_message_ids=("m-1", "m-2"), stored_at=STORED)
    assert (progress.message_id, progress.conversation_id) == (None, "c-1")
    assert (progress.encoded, progress.enriched, progress.extracted) == (None, None, STORED)


async def test_a_repeat_changes_nothing(database: Database, stores: Stores) -> None:
    """What is there already stays, in the words that it has."""
    made = summary(stores, await say(stores, "m-1", "m-2"))
    first = await write(database, stores, made)
    assert await write(database, stores, replace(made, content="Other words.")) == first
    assert (await _found(stores, made.id))[0].content == made.content


async def test_nothing_is_made_of_what_is_forgotten(database: Database, stores: Stores) -> None:
    """Neither of a source that is gone, nor behind a tombstone."""
    sources = await say(stores, "m-1", "m-2")
    assert await write(database, stores, summary(stores, [*sources, uuid4()])) == []
    await stores.entomb(stores.tenant, "conversation", "c-1", "u-1")
    assert await write(database, stores, summary(stores, sources)) == []


async def test_enrichment_leaves_what_lifecycle_has_made(database: Database, stores: Stores) -> None:
    """It counts the tokens and sets its stage; feeling, importance, topics and times stay."""
    made = summary(stores, await say(stores, "m-1", "m-2"))
    await write(database, stores, made)
    derivation: EnrichedMemory = enriched(made, importance=0.1)
    (saved,) = await stores.enrichments.save(stores.tenant, [derivation], STORED)
    (found,) = await _found(stores, made.id)
    assert saved.progress.enriched == STORED
    kept = (
        "kind",
        "emotion",
        "importance",
        "topics",
        "participants",
        "event_times",
        "event_start",
        "event_end",
        "title",
    )
    assert {name: getattr(found, name) for name in kept} == {name: getattr(made, name) for name in kept}
    assert found.token_count == derivation.token_count


async def test_enrichment_derives_an_extract_as_it_does_a_message(database: Database, stores: Stores) -> None:
    """What was only cut out of a text has its feeling and importance still to be found."""
    made = replace(summary(stores, await say(stores, "m-1")), kind=MemoryKind.EXTRACT)
    await write(database, stores, made, finished=False)
    await stores.enrichments.save(stores.tenant, [enriched(made, importance=0.1)], STORED)
    (found,) = await _found(stores, made.id)
    assert (found.kind, found.importance) == (MemoryKind.EXTRACT, 0.1)


async def test_the_next_message_follows_the_one_before_it(database: Database, stores: Stores) -> None:
    """A summary that lies between the two in time is no turn of the conversation."""
    await write(database, stores, summary(stores, await say(stores, "m-1", "m-2")))
    await stores.record(new_message("m-3", tenant=stores.tenant, timestamp=at(60)))
    assert (await stores.memory("m-3")).preceding_id == stores.id("m-2")


async def test_it_is_told_once_more_when_a_stage_is_missing(database: Database, stores: Stores) -> None:
    """As for any message: nobody has to remember that its event was lost."""
    made = summary(stores, await say(stores, "m-1"))
    await write(database, stores, made)
    lagging = await stores.life.lagging(stores.tenant, STORED + timedelta(days=1), timedelta(0), 10)
    derived_memories = {one.progress.memory_id: one.derived for one in lagging}
    assert derived_memories[stores.id("m-1")] is None
    assert derived_memories[made.id] == replace(made, stored_at=STORED)


async def test_one_that_was_given_up_is_not_told_again(database: Database, stores: Stores) -> None:
    """Until a replay or a correction makes it whole; and however many there are, they keep nobody back."""
    sources = await say(stores, *(f"m-{n}" for n in range(4)))
    made = [summary(stores, [one]) for one in sources]
    await write(database, stores, *made)
    await stores.record(new_message("m-9", tenant=stores.tenant), at=STORED + timedelta(minutes=1))
    await write(database, stores, waiting := summary(stores, sources))
    for n, one in enumerate(made):
        await stores.life.record_dead_letter(
            stores.tenant, letter(stores, None, sequence=n, memory_id=one.id), kept
        )
    assert not {one.id for one in made} & await _lagging(stores)
    assert waiting.id in await _lagging(stores)
    assert await _lagging(stores, limit=6) > {stores.id("m-9")}
    saved = [(made[0].id, vector_of(made[0].id))]
    await stores.encodings.save(stores.tenant, MODEL, saved, [made[0].id], STORED)
    await correct(stores, made[1].id)
    assert {one.id for one in made} & await _lagging(stores) == {made[0].id, made[1].id}


async def _lagging(stores: Stores, limit: int = 20) -> set[UUID]:
    late = STORED + timedelta(days=1)
    return {
        one.progress.memory_id for one in await stores.life.lagging(stores.tenant, late, timedelta(0), limit)
    }


async def test_what_is_withdrawn_is_gone_and_said_once_more(database: Database, stores: Stores) -> None:
    """Row, stages and vectors; a message is never withdrawn."""
    (source,) = await say(stores, "m-1")
    made = summary(stores, [source])
    await write(database, stores, made)
    await stores.encodings.save(stores.tenant, MODEL, [(made.id, vector_of(made.id))], [made.id], STORED)
    await _withdraw(database, stores, made.id)
    await _withdraw(database, stores, source)
    assert await _found(stores, made.id) == []
    assert len(await _found(stores, source)) == 1
    assert await stores.indexing.versions(stores.tenant, MODEL, [made.id]) == {}
    moved = await stores.life.unreported_moves(stores.tenant, at(10**9), 10)
    assert [(one.memory_id, one.archived) for one in moved] == [(made.id, False)]
    await stores.life.mark_reported(stores.tenant, moved)
    assert await stores.life.unreported_moves(stores.tenant, at(10**9), 10) == []

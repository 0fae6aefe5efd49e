"""Memories that no message is behind: how they are written, enriched, followed and withdrawn."""

from dataclasses import replace
from uuid import uuid4

from tests.contract.store.stores import MODEL, STORED, Stores, enriched, summary, vector_of
from tests.support.factories import at

from ricordo.language.annotations import MemoryKind
from ricordo.store import derived_memories


async def test_a_derived_memory_is_read_as_it_was_made_and_a_repeat_changes_nothing(stores: Stores) -> None:
    made = summary(stores, await stores.say("m-1", "m-2"))
    first = await stores.write_derived(made)
    assert await stores.write_derived(replace(made, content="Other words.")) == first
    (progress,), (found,) = first, await stores.found(made.id)
    assert found == replace(made, source_message_ids=("m-1", "m-2"), stored_at=STORED)
    assert (progress.message_id, progress.conversation_id) == (None, "c-1")
    assert (progress.encoded, progress.enriched, progress.extracted) == (None, None, STORED)


async def test_nothing_is_made_of_what_is_forgotten(stores: Stores) -> None:
    sources = await stores.say("m-1", "m-2")
    assert await stores.write_derived(summary(stores, [*sources, uuid4()])) == []
    await stores.put_tombstone("conversation", "c-1")
    assert await stores.write_derived(summary(stores, sources)) == []


async def test_enrichment_keeps_what_lifecycle_has_made(stores: Stores) -> None:
    """It counts the tokens and sets its stage; of an extract, which was only cut out, it derives the rest."""
    sources = await stores.say("m-1", "m-2")
    made = summary(stores, sources)
    extract = replace(summary(stores, sources[:1]), kind=MemoryKind.EXTRACT)
    await stores.write_derived(made)
    await stores.write_derived(extract, finished=False)
    derived = [enriched(one, importance=0.1) for one in (made, extract)]
    saved = await stores.enrichments.save(stores.tenant, derived, STORED)
    assert [one.progress.enriched for one in saved] == [STORED] * 2
    (kept,) = await stores.found(made.id)
    assert kept == replace(
        made, source_message_ids=("m-1", "m-2"), stored_at=STORED, token_count=derived[0].token_count
    )
    (kept,) = await stores.found(extract.id)
    assert (kept.kind, kept.importance) == (MemoryKind.EXTRACT, 0.1)


async def test_a_message_follows_the_message_before_it_and_no_summary(stores: Stores) -> None:
    await stores.write_derived(summary(stores, await stores.say("m-1", "m-2")))
    await stores.record(stores.message("m-3", minute=60))
    assert (await stores.memory("m-3")).preceding_id == stores.id("m-2")


async def test_it_lags_as_messages_do_unless_it_was_given_up(stores: Stores) -> None:
    """Until a replay or a correction; and however many were given up, they hide nobody else."""
    sources = await stores.say(*(f"m-{n}" for n in range(4)))
    made = [summary(stores, [one]) for one in sources]
    await stores.write_derived(*made)
    await stores.record(stores.message("m-9"), at=at(10**5))
    await stores.write_derived(waiting := summary(stores, sources))

    async def lost(limit: int = 20) -> dict[object, object]:
        found = await stores.lost(at(2 * 10**5), limit)
        return {one.progress.memory_id: one.derived for one in found}

    assert (await lost())[made[0].id] == replace(made[0], stored_at=STORED)
    assert (await lost())[stores.id("m-1")] is None
    for n, one in enumerate(made):
        await stores.record_dead_letter(None, sequence=n, memory_id=one.id)
    assert not {one.id for one in made} & (await lost()).keys()
    assert waiting.id in await lost()
    assert stores.id("m-9") in await lost(limit=6)
    vectors = [(made[0].id, vector_of(made[0].id))]
    await stores.encodings.save(stores.tenant, MODEL, vectors, [made[0].id], STORED)
    await stores.correct(made[1].id, "They spoke of hills.")
    assert {one.id for one in made} & (await lost()).keys() == {made[0].id, made[1].id}


async def test_a_withdrawn_memory_is_gone_and_its_move_is_reported_once(stores: Stores) -> None:
    (source,) = await stores.say("m-1")
    made = summary(stores, [source])
    await stores.write_derived(made)
    await stores.encodings.save(stores.tenant, MODEL, [(made.id, vector_of(made.id))], [made.id], STORED)
    async with stores.transaction() as connection:
        await derived_memories.withdraw(connection, stores.tenant, [made.id, source])
    assert [one.id for one in await stores.found(made.id, source)] == [source]
    assert await stores.indexing.versions(stores.tenant, [MODEL], [made.id]) == {}
    moved = await stores.moves()
    assert [(one.memory_id, one.archived) for one in moved] == [(made.id, False)]
    await stores.lifecycle.mark_reported(stores.tenant, moved)
    assert await stores.moves() == []

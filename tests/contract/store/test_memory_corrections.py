"""What every `CurationStore` promises of corrections: the new words stand, nothing is left of the former."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from tests.contract.store.evidence import Projection, learn, said, tell
from tests.contract.store.stores import MODEL, STORED, Stores, enriched, vector_of
from tests.contract.store.test_curation import wish
from tests.contract.store.test_lifecycle_store import kept, letter

from ricordo.language.text import text_hash
from ricordo.memory.facts.utterances import ExtractedEvidence
from ricordo.memory.model import Source
from ricordo.store.curation_store import CorrectionResult, CurationRequest, UnknownMemories
from ricordo.store.database import RequestConflict
from ricordo.store.fact_queries import FactQuestion
from ricordo.testing.factories import at, new_message

pytestmark = pytest.mark.integration

SAID, RIGHT = "I live in Rome.", "I live in Turin."
STAGES = ("encoded", "enriched", "indexed", "extracted")


async def correct(
    stores: Stores,
    memory_id: UUID,
    content: str = RIGHT,
    *,
    language: str = "en",
    by: CurationRequest | None = None,
) -> CorrectionResult:
    """Let a memory say something else."""
    return await stores.curating.correct(
        stores.tenant, by or wish(asked=content), memory_id, content=content, language=language, at=STORED
    )


async def remembered(stores: Stores) -> UUID:
    """Record a message and take it through all stages."""
    await stores.record(
        new_message(tenant=stores.tenant, content=SAID, kind="note", importance=0.7, language="it")
    )
    await stores.encode("m-1")
    await stores.enrichments.save(
        stores.tenant, [enriched(await stores.memory(), version="rules-2+model")], STORED
    )
    await stores.indexing.mark(stores.tenant, [stores.id("m-1")], STORED)
    await learn(stores, _told(stores, "Rome"))
    progress = await stores.progress()
    assert progress is not None
    assert progress.remembered
    return stores.id("m-1")


def _told(stores: Stores, city: str, content: str = SAID) -> ExtractedEvidence:
    return replace(tell(stores, "m-1", said("lives_in", city)), text_hash=text_hash(content))


async def _lives_in(stores: Stores) -> Sequence[str]:
    return [one.object for one in await stores.ledger.facts(stores.tenant, FactQuestion(user_id="u-1"))]


async def test_the_new_words_stand_and_the_stages_are_taken_back(stores: Stores) -> None:
    memory_id = await remembered(stores)
    before = await stores.memory()
    done = await correct(stores, memory_id)
    assert set(done.fields) == {"content", "language", "source", "confidence", "verified"}
    assert done.progress is not None
    assert [getattr(done.progress, stage) for stage in STAGES] == [None] * 4
    kept = await stores.memory()
    assert (kept.content, kept.language, kept.title) == (RIGHT, "en", "")
    assert (kept.source, kept.confidence, kept.verified) == (Source.USER_CORRECTION, 1, True)
    assert (kept.kind, kept.importance) == (before.kind, before.importance), "the bot has stated these"
    (lagging,) = await stores.life.lagging(stores.tenant, STORED + timedelta(days=1), timedelta(0), 9)
    assert lagging.progress == done.progress, "reconciliation finds it"


async def test_the_history_keeps_what_was_said_and_a_redelivery_changes_nothing(stores: Stores) -> None:
    memory_id = await remembered(stores)
    await correct(stores, memory_id)
    kept = await stores.memory()
    page = await stores.recollection.history(stores.tenant, "u-1", conversation_id=None, before=None, limit=9)
    assert [line.content for line in page] == [SAID]
    message = new_message(tenant=stores.tenant, content=SAID, kind="note", importance=0.7, language="it")
    (recorded,) = await stores.record(message)
    assert recorded.status == "kept"
    assert await stores.memory() == kept


async def test_a_language_that_is_not_known_stays(stores: Stores) -> None:
    await correct(stores, await remembered(stores), "Ok", language="")
    assert (await stores.memory()).language == "it"


async def test_no_vector_of_the_former_words_is_left_or_comes_late(stores: Stores) -> None:
    memory_id = await remembered(stores)
    (read,) = await stores.encodings.load(stores.tenant, MODEL, [memory_id])
    await correct(stores, memory_id)
    (again,) = await stores.encodings.load(stores.tenant, MODEL, [memory_id])
    assert (again.text, again.vector) == (RIGHT, None)
    late = {memory_id: text_hash(read.text)}
    vectors = [(memory_id, vector_of(memory_id))]
    assert not await stores.encodings.save(stores.tenant, MODEL, vectors, [memory_id], STORED, texts=late)
    assert not await stores.encodings.save(stores.tenant, MODEL, [], [memory_id], STORED, texts=late)
    assert await stores.indexing.load(stores.tenant, MODEL, [memory_id]) == []
    right = {memory_id: text_hash(RIGHT)}
    (progress,) = await stores.encodings.save(stores.tenant, MODEL, vectors, [memory_id], STORED, texts=right)
    assert progress.encoded == STORED


async def test_nothing_derived_from_the_former_words_comes_late(stores: Stores) -> None:
    memory_id = await remembered(stores)
    read = await stores.memory()
    late = replace(enriched(read, title="Rome"), text_hash=text_hash(read.content))
    await correct(stores, memory_id)
    assert await stores.enrichments.save(stores.tenant, [late], STORED) == []
    assert (await stores.memory()).title == ""
    anew = replace(enriched(read, title="Turin", version="rules-2"), text_hash=text_hash(RIGHT))
    (saved,) = await stores.enrichments.save(stores.tenant, [anew], STORED)
    assert (saved.version, (await stores.memory()).title) == ("rules-2", "Turin")


async def test_facts_follow_and_none_of_the_former_words_comes_late(stores: Stores) -> None:
    memory_id = await remembered(stores)
    await correct(stores, memory_id)
    assert await stores.ledger.evidence_of_memories(stores.tenant, [memory_id]) == {}, "it is read anew"
    _, progress = await learn(stores, _told(stores, "Rome"))
    assert list(progress) == []
    _, (read,) = await learn(stores, _told(stores, "Turin", RIGHT))
    assert read.extracted == STORED
    assert await _lives_in(stores) == ["Turin"]
    await learn(stores, _told(stores, "Rome"))
    assert await _lives_in(stores) == ["Turin"]


async def test_at_once_with_all_workers_nothing_of_the_former_words_stays(stores: Stores) -> None:
    for _ in range(5):
        here = stores.elsewhere()
        memory_id = await remembered(here)
        read, hashes = await here.memory(), {memory_id: text_hash(SAID)}
        vectors = [(memory_id, vector_of(memory_id))]
        late = replace(enriched(read, title="Rome"), text_hash=text_hash(SAID))
        await asyncio.gather(
            here.encodings.save(here.tenant, MODEL, vectors, [memory_id], STORED, texts=hashes),
            here.enrichments.save(here.tenant, [late], STORED),
            here.ledger.record(here.tenant, [_told(here, "Rome")], Projection(), STORED),
            correct(here, memory_id),
            here.encodings.save(here.tenant, MODEL, vectors, [memory_id], STORED, texts=hashes),
        )
        progress, kept = await here.progress(), await here.memory()
        assert progress is not None
        assert [getattr(progress, stage) for stage in STAGES] == [None] * 4
        assert (kept.content, kept.title) == (RIGHT, "")
        (text,) = await here.encodings.load(here.tenant, MODEL, [memory_id])
        assert text.vector is None


async def test_to_say_what_it_says_confirms_it_and_makes_nothing_anew(stores: Stores) -> None:
    memory_id = await remembered(stores)
    done = await correct(stores, memory_id, SAID)
    assert done.fields == ("source", "confidence", "verified")
    assert done.progress is not None
    assert done.progress.remembered
    assert (await correct(stores, memory_id, SAID)).fields == ()
    assert (await stores.memory()).title


async def test_what_was_given_up_of_the_former_words_is_tried_with_the_new_ones(stores: Stores) -> None:
    await stores.record(new_message(tenant=stores.tenant))
    await stores.life.record_dead_letter(stores.tenant, letter(stores), kept)
    await correct(stores, stores.id("m-1"))
    late = STORED + timedelta(days=1)
    assert len(await stores.life.lagging(stores.tenant, late, timedelta(0), 9)) == 1


async def test_a_repeat_returns_the_same_and_corrects_nothing_again(stores: Stores) -> None:
    memory_id = await remembered(stores)
    by = wish("r-1", "Turin")
    done = await asyncio.gather(*(correct(stores, memory_id, by=by) for _ in range(5)))
    assert all(one == done[0] for one in done)
    await correct(stores, memory_id, "I live in Bari.")
    assert (await correct(stores, memory_id, by=by)).fields == done[0].fields
    assert (await stores.memory()).content == "I live in Bari."
    with pytest.raises(RequestConflict):
        await correct(stores, memory_id, by=wish("r-1", "Bari"))


async def test_of_others_and_of_nobody_nothing_is_corrected(stores: Stores) -> None:
    memory_id = await remembered(stores)
    elsewhere = stores.elsewhere()
    for here, one, by in (
        (stores, uuid4(), wish()),
        (stores, memory_id, wish(user_id="u-2")),
        (elsewhere, memory_id, wish()),
    ):
        with pytest.raises(UnknownMemories):
            await correct(here, one, by=by)
    assert (await stores.memory()).content == SAID


async def test_what_follows_it_is_made_anew_with_its_vector(stores: Stores) -> None:
    memory_id = await remembered(stores)
    await stores.record(new_message("m-2", tenant=stores.tenant, timestamp=at(5)))
    await stores.encode("m-2")
    await stores.indexing.mark(stores.tenant, [stores.id("m-2")], STORED)
    await correct(stores, memory_id)
    await stores.encode("m-1")
    followers = await stores.encodings.followers(stores.tenant, [memory_id])
    assert followers == [(stores.id("m-2"), "u-1")]
    (follower,) = await stores.indexing.load(stores.tenant, MODEL, [stores.id("m-2")])
    assert follower.preceding_text == RIGHT

"""Feedback, pins, verification and corrections count once, whatever comes before or after them.

A corrected memory has the new words, and nothing derived from the former ones is left or comes late.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any, get_args
from uuid import UUID, uuid4

import pytest
from tests.contract.store.evidence import claim, extracted, facts, learn
from tests.contract.store.stores import MODEL, STORED, Stores, enriched, request, summary, vector_of

from ricordo.language.annotations import MemorySource
from ricordo.language.text import text_hash
from ricordo.memory.facts.utterances import ExtractedEvidence
from ricordo.memory.model import Stage
from ricordo.store.curation_store import CurationRequest, Flag, UnknownMemories
from ricordo.store.idempotency import RequestConflict
from ricordo.store.lifecycle_store import FeedbackResult

YEARS = 60 * 24 * 2000
"""Minutes."""


async def _judge(
    stores: Stores,
    recall: UUID,
    *,
    used: Sequence[UUID] = (),
    irrelevant: Sequence[UUID] = (),
    by: CurationRequest | None = None,
    minute: float = 60,
) -> FeedbackResult:
    when = STORED + timedelta(minutes=minute)
    return await stores.curation.feedback(
        stores.tenant, by or request(), recall, used=used, irrelevant=irrelevant, at=when
    )


async def _recall(stores: Stores, recall: UUID, *ids: UUID, minute: float = 0) -> None:
    await stores.use(*ids, at=STORED + timedelta(minutes=minute), recall=recall)


async def _archived(stores: Stores) -> UUID:
    """Record a message that hardly matters, long ago."""
    (memory_id,) = await stores.say("m-1", importance=0.0)
    await stores.archive_faded(STORED + timedelta(minutes=YEARS))
    return memory_id


async def _counts(stores: Stores, *names: str) -> list[int]:
    return [(await stores.memory(name)).access_count for name in names]


async def test_feedback_says_what_it_has_changed(stores: Stores) -> None:
    recall, (one, other) = uuid4(), await stores.say("m-1", "m-2")
    await _recall(stores, recall, one)
    weighed = await _judge(stores, recall, used=[one, other])
    assert (weighed.used, weighed.irrelevant) == (1, 0)
    assert set(weighed.changed) == {one, other}, "the first is as fresh as the second"
    assert await _judge(stores, recall, used=[one, other], minute=90) == FeedbackResult()
    assert await _judge(stores, recall, irrelevant=[one]) == FeedbackResult(0, 1, (one,))
    assert await _judge(stores, recall, irrelevant=[one]) == FeedbackResult()
    early = uuid4()  # whose event comes after the feedback
    assert await _judge(stores, early, irrelevant=[one]) == FeedbackResult()
    for _ in range(2):
        await _recall(stores, early, one)
    assert await _counts(stores, "m-1", "m-2") == [0, 1]
    assert (await _judge(stores, early, used=[one])).used == 1, "the last feedback holds"


async def test_used_and_pinned_bring_back_from_the_archive_and_irrelevant_does_not(stores: Stores) -> None:
    one = await _archived(stores)
    await _judge(stores, uuid4(), irrelevant=[one])
    assert (await stores.memory()).archived_at is not None
    await _judge(stores, uuid4(), used=[one], minute=YEARS)
    assert (await stores.memory()).archived_at is None
    assert [move.archived for move in await stores.moves()] == [False]
    await stores.archive_faded(STORED + timedelta(minutes=2 * YEARS))
    assert await stores.mark(one, "pinned") == ("pinned", "archived_at")
    assert (await stores.memory()).archived_at is None
    assert [move.archived for move in await stores.moves()] == [False]


async def test_who_names_an_unknown_memory_changes_nothing(stores: Stores) -> None:
    recall, (one,), stranger = uuid4(), await stores.say("m-1"), uuid4()
    with pytest.raises(UnknownMemories) as unknown:
        await _judge(stores, recall, used=[one], irrelevant=[stranger], by=request("r"))
    assert unknown.value.memory_ids == (stranger,)
    for here, memory_id, by in (
        (stores, uuid4(), request()),
        (stores, one, request(user_id="u-2")),
        (stores.another_tenant(), one, request()),
    ):
        with pytest.raises(UnknownMemories):
            await _judge(here, recall, used=[memory_id], by=by)
        for flag in get_args(Flag):
            with pytest.raises(UnknownMemories):
                await here.mark(memory_id, flag, by=by)
    kept = await stores.memory()
    assert (kept.access_count, kept.pinned, kept.verified) == (0, False, False)
    assert (await _judge(stores, recall, used=[one], by=request("r"))).used == 1, "a refusal is not kept"


async def test_a_repeated_request_returns_the_same_and_changes_nothing_for_a_day(stores: Stores) -> None:
    recall, (one,) = uuid4(), await stores.say("m-1")
    done = await asyncio.gather(*(_judge(stores, recall, used=[one], by=request("r")) for _ in range(6)))
    assert done == [FeedbackResult(1, 0, (one,))] * 6
    await _judge(stores, recall, irrelevant=[one])
    assert await _judge(stores, recall, used=[one], by=request("r")) == done[0]
    assert await _counts(stores, "m-1") == [0]
    with pytest.raises(RequestConflict):
        await _judge(stores, recall, irrelevant=[one], by=request("r", "something else"))
    for _ in range(2):
        assert await stores.mark(one, "pinned", by=request("p")) == ("pinned",)
    await stores.mark(one, "pinned", on=False)
    assert await stores.mark(one, "pinned", by=request("p")) == ("pinned",)
    assert not (await stores.memory()).pinned
    with pytest.raises(RequestConflict):
        await stores.mark(one, "verified", by=request("p", "verify"))
    await stores.tidy(STORED + timedelta(days=1))
    assert (await _judge(stores, recall, used=[one], by=request("r"))).used == 1, "it is a new request"


async def test_events_and_feedback_at_once_lose_nothing_and_double_nothing(stores: Stores) -> None:
    names = [f"m-{n}" for n in range(6)]
    ids = await stores.say(*names)
    recalls = [uuid4() for _ in range(8)]

    async def handle(n: int, recall: UUID) -> None:
        some = ids if n % 2 else ids[::-1]
        if n % 4 == 0:
            await _judge(stores, recall, irrelevant=some)
        else:
            await _recall(stores, recall, *some, *some)
        if n % 4 == 1:
            await _judge(stores, recall, used=some)

    await asyncio.gather(*(handle(n, one) for n, one in enumerate(recalls * 3)))
    await asyncio.gather(*(_recall(stores, one, *ids) for one in recalls))
    for name in names:
        kept = await stores.memory(name)
        assert kept.access_count == 6, "of eight recalls two were irrelevant"
        assert kept.reinforcement == pytest.approx(0.3)


SAID, RIGHT = "I live in Rome.", "I live in Turin."
STAGES = ("encoded", "enriched", "indexed", "extracted")
FIELDS: dict[str, Any] = {"content": SAID, "kind": "note", "importance": 0.7, "language": "it"}


async def _remembered(stores: Stores) -> UUID:
    (memory_id,) = await stores.say("m-1", **FIELDS)
    await stores.encode("m-1")
    await stores.enrich("m-1", version="rules-2+model")
    await stores.index([memory_id])
    await learn(stores, _evidence(stores, "Rome"))
    assert (await stores.progress()).remembered
    return memory_id


def _evidence(stores: Stores, city: str, content: str = SAID) -> ExtractedEvidence:
    return replace(extracted(stores, "m-1", claim("lives_in", city)), text_hash=text_hash(content))


async def test_the_new_words_stand_and_the_stages_are_taken_back(stores: Stores) -> None:
    memory_id = await _remembered(stores)
    before = await stores.memory()
    done = await stores.correct(memory_id, RIGHT)
    assert set(done.fields) == {"content", "language", "source", "confidence", "verified"}
    assert done.progress is not None
    assert [getattr(done.progress, stage) for stage in STAGES] == [None] * 4
    kept = await stores.memory()
    assert (kept.content, kept.language, kept.title) == (RIGHT, "en", "")
    assert (kept.source, kept.confidence, kept.verified) == (MemorySource.USER_CORRECTION, 1, True)
    assert (kept.kind, kept.importance) == (before.kind, before.importance), "the bot has stated these"
    (lost,) = await stores.lost()
    assert lost.progress == done.progress, "reconciliation finds it"
    page = await stores.queries.history(stores.tenant, "u-1", conversation_id=None, before=None, limit=9)
    assert [line.content for line in page] == [SAID]
    (recorded,) = await stores.record(stores.message(**FIELDS))
    assert recorded.status == "kept"
    assert await stores.memory() == kept, "a redelivery changes nothing"
    await stores.correct(memory_id, "Ok", language="")
    assert (await stores.memory()).language == "en", "a language that is not known stays"


async def test_no_vector_of_the_former_words_is_left_or_comes_late(stores: Stores) -> None:
    memory_id = await _remembered(stores)
    (read,) = await stores.encodings.load(stores.tenant, MODEL, [memory_id])
    await stores.correct(memory_id, RIGHT)
    (again,) = await stores.encodings.load(stores.tenant, MODEL, [memory_id])
    assert (again.text, again.is_encoded) == (RIGHT, False)
    vectors, save = [(memory_id, vector_of(memory_id))], stores.encodings.save
    for saved in (vectors, []):
        late = {memory_id: text_hash(read.text)}
        assert not (await save(stores.tenant, MODEL, saved, [memory_id], STORED, texts=late)).progress
    assert await stores.indexing.load(stores.tenant, [MODEL], [memory_id]) == []
    right = {memory_id: text_hash(RIGHT)}
    saved_now = await save(stores.tenant, MODEL, vectors, [memory_id], STORED, texts=right)
    (progress,) = saved_now.progress
    assert progress.encoded == STORED


async def test_no_enrichment_of_the_former_words_comes_late(stores: Stores) -> None:
    memory_id = await _remembered(stores)
    read = await stores.memory()
    late = replace(enriched(read, title="Rome"), text_hash=text_hash(read.content))
    await stores.correct(memory_id, RIGHT)
    assert await stores.enrichments.save(stores.tenant, [late], STORED) == []
    assert (await stores.memory()).title == ""
    anew = replace(enriched(read, title="Turin", version="rules-2"), text_hash=text_hash(RIGHT))
    (saved,) = await stores.enrichments.save(stores.tenant, [anew], STORED)
    assert (saved.version, (await stores.memory()).title) == ("rules-2", "Turin")


async def test_facts_follow_and_none_of_the_former_words_comes_late(stores: Stores) -> None:
    memory_id = await _remembered(stores)
    await stores.correct(memory_id, RIGHT)
    assert await stores.ledger.evidence_of_memories(stores.tenant, [memory_id]) == {}, "it is read anew"
    assert list((await learn(stores, _evidence(stores, "Rome")))[1]) == []
    _, (read,) = await learn(stores, _evidence(stores, "Turin", RIGHT))
    assert read.extracted == STORED
    await learn(stores, _evidence(stores, "Rome"))
    assert [one.object for one in await facts(stores)] == ["Turin"]


async def test_at_once_with_all_workers_nothing_of_the_former_words_stays(stores: Stores) -> None:
    for _ in range(5):
        here = stores.another_tenant()
        memory_id = await _remembered(here)
        read, hashes = await here.memory(), {memory_id: text_hash(SAID)}
        vectors = [(memory_id, vector_of(memory_id))]
        late = replace(enriched(read, title="Rome"), text_hash=text_hash(SAID))
        await asyncio.gather(
            here.encodings.save(here.tenant, MODEL, vectors, [memory_id], STORED, texts=hashes),
            here.enrichments.save(here.tenant, [late], STORED),
            here.ledger.record(here.tenant, [_evidence(here, "Rome")], STORED),
            here.correct(memory_id, RIGHT),
            here.encodings.save(here.tenant, MODEL, vectors, [memory_id], STORED, texts=hashes),
        )
        progress, kept = await here.progress(), await here.memory()
        assert [getattr(progress, stage) for stage in STAGES] == [None] * 4
        assert (kept.content, kept.title) == (RIGHT, "")
        (text,) = await here.encodings.load(here.tenant, MODEL, [memory_id])
        assert not text.is_encoded


async def test_the_same_words_confirm_a_memory_and_make_nothing_anew(stores: Stores) -> None:
    memory_id = await _remembered(stores)
    done = await stores.correct(memory_id, SAID)
    assert done.fields == ("source", "confidence", "verified")
    assert done.progress is not None
    assert done.progress.remembered
    assert (await stores.correct(memory_id, SAID)).fields == ()
    assert (await stores.memory()).title


async def test_a_dead_letter_of_the_former_words_is_tried_with_the_new_ones(stores: Stores) -> None:
    (memory_id,) = await stores.say("m-1")
    await stores.set_stages("m-1", stages=[Stage.EXTRACTED])
    await stores.record_dead_letter()
    assert await stores.lost() == []
    await stores.correct(memory_id, RIGHT)
    assert len(await stores.lost()) == 1


async def test_a_repeat_returns_the_same_and_corrects_nothing_again(stores: Stores) -> None:
    memory_id, by = await _remembered(stores), request("r-1", "Turin")
    done = await asyncio.gather(*(stores.correct(memory_id, RIGHT, by=by) for _ in range(5)))
    assert all(one == done[0] for one in done)
    await stores.correct(memory_id, "I live in Bari.")
    assert (await stores.correct(memory_id, RIGHT, by=by)).fields == done[0].fields
    assert (await stores.memory()).content == "I live in Bari."
    with pytest.raises(RequestConflict):
        await stores.correct(memory_id, RIGHT, by=request("r-1", "Bari"))
    for here, one, user in (
        (stores, uuid4(), "u-1"),
        (stores, memory_id, "u-2"),
        (stores.another_tenant(), memory_id, "u-1"),
    ):
        with pytest.raises(UnknownMemories):
            await here.correct(one, RIGHT, by=request(user_id=user))
    assert (await stores.memory()).content == "I live in Bari."


async def test_the_following_message_is_indexed_anew_with_the_new_vector(stores: Stores) -> None:
    memory_id = await _remembered(stores)
    await stores.record(stores.message("m-2", minute=5))
    await stores.set_stages("m-2")
    await stores.correct(memory_id, RIGHT)
    await stores.encode("m-1")
    assert await stores.followers(memory_id) == {memory_id: stores.id("m-2")}
    assert (await stores.progress("m-2")).indexed is None
    (follower,) = await stores.indexing.load(stores.tenant, [MODEL], [stores.id("m-2")])
    assert follower.preceding_text == RIGHT


async def test_a_derived_memory_keeps_its_title_and_tells_no_facts(stores: Stores) -> None:
    made = replace(summary(stores, await stores.say("m-1")), title="The sea")
    await stores.write_derived(made)
    done = await stores.correct(made.id, RIGHT)
    assert done.progress is not None
    assert (done.progress.encoded, done.progress.extracted) == (None, STORED)
    (kept,) = await stores.found(made.id)
    assert (kept.content, kept.title, kept.kind) == (RIGHT, "The sea", made.kind)

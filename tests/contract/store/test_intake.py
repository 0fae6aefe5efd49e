"""Contract of `IntakeStore`."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest
from tests.contract.store.stores import STORED, Scope, Stores

from ricordo.memory.progress import Progress
from ricordo.testing.factories import at, new_message

pytestmark = pytest.mark.integration


async def test_a_message_becomes_history_a_memory_and_its_first_stage(stores: Stores) -> None:
    message = replace(
        new_message(tenant=stores.tenant, content="È già l'8 maggio 🎉", timezone="Europe/Rome"),
        participants=("Davide", "Anna"),
        tags=("party",),
        location="Milano",
        metadata={"channel": {"nested": [1, 2.5, None, "x"]}},
        expires_at=at(60),
        trust=3.5,
    )
    (recorded,) = await stores.record(message)
    assert recorded.status == "kept"
    assert recorded.progress == Progress(
        memory_id=message.memory_id,
        message_id="m-1",
        user_id="u-1",
        conversation_id="c-1",
        ingested=STORED,
    )
    kept = await stores.memory()
    assert (kept.content, kept.created_at, kept.stored_at) == (
        message.content,
        message.timestamp,
        STORED,
    )
    assert (kept.timezone, kept.location, kept.tags) == ("Europe/Rome", "Milano", ("party",))
    assert (kept.participants, kept.expires_at, kept.trust) == (("Davide", "Anna"), at(60), 3.5)
    (turn,) = await stores.recollection.history(
        stores.tenant, "u-1", conversation_id=None, before=None, limit=5
    )
    assert (turn.message_id, turn.content, turn.speaker) == ("m-1", message.content, "Davide")


async def test_a_repeat_changes_nothing_and_returns_the_same(stores: Stores) -> None:
    batch = [new_message(f"m-{n}", tenant=stores.tenant, timestamp=at(n)) for n in range(4)]
    first = await stores.record(*batch)
    before = [await stores.memory(one.message_id) for one in batch]
    again = await stores.record(*batch, at=STORED + timedelta(hours=1))
    assert again == first
    assert [await stores.memory(one.message_id) for one in batch] == before
    assert (await stores.recollection.counts(stores.tenant, "u-1")).history == 4


async def test_a_repeat_tells_how_far_the_message_is_by_now(stores: Stores) -> None:
    message = new_message(tenant=stores.tenant)
    await stores.record(message)
    await stores.encode("m-1", at=STORED + timedelta(seconds=1))
    (recorded,) = await stores.record(message)
    assert recorded.progress is not None
    assert recorded.progress.encoded == STORED + timedelta(seconds=1)


async def test_of_two_contents_under_one_id_the_first_stays(stores: Stores) -> None:
    first = new_message(tenant=stores.tenant, content="tea")
    other = new_message(tenant=stores.tenant, content="coffee")
    await stores.record(first)
    statuses = [one.status for one in await stores.record(other, first)]
    assert statuses == ["conflict", "kept"]
    assert (await stores.memory()).content == "tea"


async def test_within_a_batch_too_and_its_neighbours_pass(stores: Stores) -> None:
    first = new_message(tenant=stores.tenant, content="tea")
    batch = [
        first,
        new_message(tenant=stores.tenant, content="coffee"),
        new_message("m-2", tenant=stores.tenant, timestamp=at(1)),
        first,
        new_message(tenant=stores.tenant, conversation_id="c-2", content="tea"),
    ]
    statuses = [one.status for one in await stores.record(*batch)]
    assert statuses == ["kept", "conflict", "kept", "kept", "conflict"]
    assert (await stores.memory()).content == "tea"
    assert (await stores.recollection.counts(stores.tenant, "u-1")).memories == 2


async def test_an_id_belongs_to_its_tenant(stores: Stores) -> None:
    other = stores.elsewhere()
    for one, content in ((stores, "tea"), (other, "coffee")):
        (recorded,) = await one.record(new_message(tenant=one.tenant, content=content))
        assert recorded.status == "kept"
    assert (await stores.memory()).content == "tea"
    assert (await other.memory()).content == "coffee"


@pytest.mark.parametrize("conversations", [("c-1", "c-1"), ("c-1", "c-2")])
async def test_two_writers_of_the_same_ids_in_opposite_order_agree(
    stores: Stores, conversations: tuple[str, str]
) -> None:
    """They must not wait for each other in a circle, whatever they hold."""
    for turn in range(8):
        ids = [f"m-{turn}-{n}" for n in range(12)]
        batches = [
            [
                new_message(
                    one,
                    tenant=stores.tenant,
                    conversation_id=conversation,
                    timestamp=at(n),
                    content=writer,
                )
                for n, one in enumerate(order)
            ]
            for writer, conversation, order in (
                ("first", conversations[0], ids),
                ("second", conversations[1], ids[::-1]),
            )
        ]
        results = await asyncio.gather(*(stores.record(*batch) for batch in batches))
        for one in ids:
            kept = [
                message.content
                for batch, result in zip(batches, results, strict=True)
                for message, recorded in zip(batch, result, strict=True)
                if message.message_id == one and recorded.status == "kept"
            ]
            assert kept == [(await stores.memory(one)).content]


async def test_a_message_of_the_history_only_has_nothing_to_wait_for(stores: Stores) -> None:
    (recorded,) = await stores.record(new_message(tenant=stores.tenant, memorable=False))
    assert recorded.progress is not None
    assert recorded.progress.remembered
    counts = await stores.recollection.counts(stores.tenant, "u-1")
    assert (counts.history, counts.memories, counts.pending) == (1, 0, 0)


@pytest.mark.parametrize(("scope", "key"), [("message", "m-1"), ("conversation", "c-1"), ("user", "u-1")])
async def test_what_was_forgotten_is_not_taken_in_again(stores: Stores, scope: Scope, key: str) -> None:
    await stores.entomb(stores.tenant, scope, key, "u-1")
    spared = new_message("m-2", tenant=stores.tenant, user_id="u-2", conversation_id="c-1")
    recorded = await stores.record(new_message(tenant=stores.tenant), spared)
    assert [one.status for one in recorded] == ["forgotten", "kept"]
    assert recorded[0].progress is None
    assert await stores.progress("m-1") is None
    counts = await stores.recollection.counts(stores.tenant, "u-1")
    assert (counts.history, counts.memories, counts.pending) == (0, 0, 0)


async def test_a_tombstone_counts_for_its_user_and_tenant_only(stores: Stores) -> None:
    other = stores.elsewhere()
    await other.entomb(other.tenant, "message", "m-1", "u-1")
    await stores.entomb(stores.tenant, "message", "m-1", "u-2")
    (recorded,) = await stores.record(new_message(tenant=stores.tenant))
    assert recorded.status == "kept"


async def test_huge_and_odd_texts_come_back_as_they_went(stores: Stores) -> None:
    texts = [
        "x" * 32_768,
        "𝄞" * 8_000,
        "'; drop table history; --",
        '{"a": "\\u0000"}\\N\t\r\n',
        "\x01\u202e",
    ]
    batch = [
        new_message(f"m-{n}", tenant=stores.tenant, content=text, timestamp=at(n))
        for n, text in enumerate(texts)
    ]
    await stores.record(*batch)
    assert [(await stores.memory(one.message_id)).content for one in batch] == texts


async def test_a_nul_is_refused_as_wrong_and_not_as_a_store_that_is_away(stores: Stores) -> None:
    """The wire refuses it long before; here it must not look like something to try again for ever."""
    with pytest.raises(Exception, match=r"(?i)nul|\\u0000|unicode") as raised:
        await stores.record(new_message(tenant=stores.tenant, content="a\0b"))
    assert "Unavailable" not in type(raised.value).__name__
    assert await stores.progress() is None


async def test_nothing_is_fine(stores: Stores) -> None:
    assert list(await stores.record()) == []
